use std::{fs::File, io::Write as _, path::PathBuf, process::Command};

use super::*;

/// A small Btrfs file system with quotas. It needs root and a kernel with Btrfs.
struct SmallBtrfs {
    _dir: tempfile::TempDir,
    place: PathBuf,
}

impl SmallBtrfs {
    fn mounted(quotas: bool) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let (image, place) = (dir.path().join("image"), dir.path().join("place"));
        File::create(&image).unwrap().set_len(200 << 20).unwrap();
        fs::create_dir(&place).unwrap();
        let ran = |program: &str, words: &[&Path]| {
            let status = Command::new(program).args(words).output();
            status.is_ok_and(|it| it.status.success())
        };
        let word = Path::new;
        let made = ran("mkfs.btrfs", &[word("-q"), &image])
            && ran("mount", &[word("-o"), word("loop"), &image, &place]);
        if !made {
            return None;
        }
        let made = Self { _dir: dir, place };
        if quotas {
            let words = [word("quota"), word("enable"), &made.place];
            assert!(ran("btrfs", &words), "quotas can't be enabled");
        }
        Some(made)
    }
}

impl Drop for SmallBtrfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.place).status();
    }
}

/// Writes until there is an error, up to 64 MiB.
fn fill(path: &Path) -> io::Result<()> {
    let mut file = File::create(path)?;
    for _ in 0..64 {
        file.write_all(&vec![1; 1 << 20])?;
    }
    file.sync_all()
}

#[test]
fn btrfs_enforces_the_limit_of_a_directory() {
    let Some(disk) = SmallBtrfs::mounted(true) else {
        assert!(
            !Path::new("/usr/sbin/mkfs.btrfs").exists(),
            "it can't be mounted"
        );
        return;
    };
    assert_eq!(why_measured(&disk.place.join("not/yet/there")), None);
    let deep = disk.place.join("not/yet/there");
    create(&deep).unwrap();
    enforce(&deep, Some(Bytes::mib(16))).unwrap();
    let folder = disk.place.join("folder");
    create(&folder).unwrap();
    let again = create(&folder).unwrap_err();
    assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    enforce(&folder, Some(Bytes::mib(16))).unwrap();
    let full = fill(&folder.join("file")).unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::QuotaExceeded);
    // The limit moves with the directory, and a removed one no longer counts.
    let moved = disk.place.join("moved");
    fs::rename(&folder, &moved).unwrap();
    assert!(fill(&moved.join("file")).is_err());
    enforce(&moved, None).unwrap();
    fill(&moved.join("file")).unwrap();
    crate::tree::remove(&moved).unwrap();
    assert!(!moved.exists());
}

#[test]
fn a_directory_that_btrfs_cannot_limit_says_so() {
    let Some(disk) = SmallBtrfs::mounted(true) else {
        assert!(
            !Path::new("/usr/sbin/mkfs.btrfs").exists(),
            "it can't be mounted"
        );
        return;
    };
    let plain = disk.place.join("plain");
    fs::create_dir(&plain).unwrap();
    let why = enforce(&plain, Some(Bytes::mib(16))).unwrap_err();
    assert!(why.contains("clone"), "{why}");
    wanted::set(&plain, Some(Bytes::mib(16))).unwrap();
    assert!(!wanted::read(&plain).unwrap().is_enforced);
    let limited = disk.place.join("limited");
    create(&limited).unwrap();
    wanted::set(&limited, Some(Bytes::mib(16))).unwrap();
    assert!(wanted::read(&limited).unwrap().is_enforced);
    assert!(fill(&limited.join("file")).is_err());
    wanted::set(&limited, None).unwrap();
    assert_eq!(wanted::read(&limited), None);
    fill(&limited.join("file")).unwrap();
}

#[test]
fn btrfs_without_quotas_only_measures() {
    let Some(disk) = SmallBtrfs::mounted(false) else {
        assert!(
            !Path::new("/usr/sbin/mkfs.btrfs").exists(),
            "it can't be mounted"
        );
        return;
    };
    let why = why_measured(&disk.place).unwrap();
    assert!(why.contains("btrfs quota enable"), "{why}");
}

#[test]
fn a_file_system_without_quotas_only_measures() {
    let why = why_measured(Path::new("/proc")).unwrap();
    assert!(why.contains("no quotas"), "{why}");
    let dir = tempfile::tempdir().unwrap();
    create(&dir.path().join("a")).unwrap();
    assert!(dir.path().join("a").is_dir());
}
