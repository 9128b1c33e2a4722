//! Limits of home directories and folders: enforced on a real Btrfs with quotas, measured elsewhere. And folders on a disk
//! that is too small.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use bytes::Bytes as Piece;
use futures_util::{StreamExt as _, stream};
use tokio::sync::watch;
use workbay::{
    engine::{
        api::{Containers as _, Folders as _, Losses as _, Result},
        files::{FileRoot, Files as _, LocalWork},
    },
    model::{
        capability::Capability,
        files::{FilePath, FileProgress, WriteOptions},
        folder::{Folder, FolderAnswer, FolderRequest, NewFolder},
        loss::Rescue,
        resources::Bytes,
    },
};

use crate::support::{Bench, busybox_image, image_spec, mounted, plan, probe, until};

/// A small file system in the directory of a bench.
struct SmallDisk {
    place: PathBuf,
}

impl SmallDisk {
    fn tmpfs(bench: &Bench, name: &str, size: &str) -> Self {
        let place = bench.dir.path().join(name);
        fs::create_dir_all(&place).unwrap();
        let option = format!("size={size}");
        run(
            "mount",
            &["-t", "tmpfs", "-o", &option, "workbay-test"],
            &[&place],
        );
        Self { place }
    }

    /// With quotas. The homes and the folders of the bench are on it.
    fn btrfs(bench: &Bench) -> Self {
        let (image, place) = (
            bench.dir.path().join("image"),
            bench.dir.path().join("btrfs"),
        );
        fs::File::create(&image)
            .unwrap()
            .set_len(500 << 20)
            .unwrap();
        fs::create_dir(&place).unwrap();
        run("mkfs.btrfs", &["-q"], &[&image]);
        run("mount", &["-o", "loop"], &[&image, &place]);
        run("btrfs", &["quota", "enable"], &[&place]);
        for name in ["folders", "state/sessions"] {
            let (inner, outer) = (place.join(name), bench.dir.path().join(name));
            fs::create_dir_all(&inner).unwrap();
            fs::create_dir_all(&outer).unwrap();
            run("mount", &["--bind"], &[&inner, &outer]);
        }
        Self { place }
    }
}

impl SmallDisk {
    /// The quota groups of subvolumes.
    fn groups(&self) -> Vec<String> {
        let words = ["qgroup", "show", "--sync"];
        let output = Command::new("btrfs").args(words).arg(&self.place).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        let groups = text.lines().filter(|line| line.starts_with("0/"));
        groups.map(str::to_owned).collect()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A container may still hold it.
        for name in ["../folders", "../state/sessions", "."] {
            let place = self.place.join(name);
            let _ = Command::new("umount").arg("-l").arg(place).output();
        }
    }
}

fn run(program: &str, words: &[&str], paths: &[&Path]) {
    let output = Command::new(program).args(words).args(paths).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {text}");
}

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

async fn created(bench: &Bench, name: &str, quota: Option<Bytes>) -> Folder {
    let new = NewFolder {
        quota,
        ..NewFolder::named(name)
    };
    one(bench.engine.folder(&FolderRequest::Create { new }).await)
}

fn one(answer: Result<FolderAnswer>) -> Folder {
    match answer.unwrap() {
        FolderAnswer::Folder(folder) => *folder,
        other => panic!("another answer: {other:?}"),
    }
}

async fn put(bench: &Bench, folder: &str, name: &str, mib: usize, size: bool) -> Result<()> {
    let at = FileRoot::Folder(folder.to_owned());
    let pieces: Vec<Result<Piece>> = (0..mib)
        .map(|number| Ok(Piece::from(vec![number as u8; 1 << 20])))
        .collect();
    let options = WriteOptions {
        size: size.then_some((mib as u64) << 20),
        ..WriteOptions::default()
    };
    let content = stream::iter(pieces).boxed();
    bench
        .engine
        .write_file(&at, &path(name), options, content)
        .await
}

async fn copied(
    bench: &Bench,
    from: &str,
    name: &str,
    to: &str,
    moving: bool,
) -> Result<FileProgress> {
    let work = LocalWork::Copy {
        paths: vec![path(name)],
        directory: FilePath::root(),
        replace: false,
        moving,
    };
    let root = |name: &str| FileRoot::Folder(name.to_owned());
    let mut progress = bench.engine.file_work(&root(from), &root(to), work).await?;
    let mut last = FileProgress::default();
    while let Some(now) = progress.next().await {
        last = now?;
    }
    Ok(last)
}

/// All entries of a folder, also hidden ones.
fn entries(bench: &Bench, folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(bench.dir.path().join("folders").join(folder)).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| name(entry.unwrap())).collect()
}

fn none() -> BTreeSet<String> {
    BTreeSet::new()
}

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T>, words: &str) {
    let failure = result.unwrap_err();
    let text = failure.to_string();
    assert!(text.contains(words), "{text}");
    assert!(failure.hint.is_some(), "{failure:?}");
}

#[tokio::test]
async fn a_quota_that_the_disk_does_not_know_is_kept_by_each_transfer() {
    let bench = Bench::new();
    let _disk = SmallDisk::tmpfs(&bench, "folders", "200m");
    let data = created(&bench, "data", Some(Bytes::mib(5))).await;
    assert_eq!(
        (data.max_size, data.quota_enforced),
        (Some(Bytes::mib(5)), Some(false))
    );
    // With and without a known size.
    says(put(&bench, "data", "a", 6, true).await, "quota");
    says(
        put(&bench, "data", "a", 6, false).await,
        "the quota is reached",
    );
    assert_eq!(entries(&bench, "data"), none());
    put(&bench, "data", "a", 3, false).await.unwrap();
    says(put(&bench, "data", "b", 3, true).await, "quota");
    assert_eq!(entries(&bench, "data").len(), 1);

    created(&bench, "other", None).await;
    put(&bench, "other", "large", 4, true).await.unwrap();
    fs::create_dir(bench.dir.path().join("folders/other/tree")).unwrap();
    put(&bench, "other", "tree/large", 4, true).await.unwrap();
    for name in ["large", "tree"] {
        for moving in [false, true] {
            let outcome = copied(&bench, "other", name, "data", moving).await;
            says(outcome, "the quota is reached");
            assert_eq!(entries(&bench, "data"), ["a".to_owned()].into(), "{name}");
            assert_eq!(entries(&bench, "other").len(), 2);
        }
    }
    // Space that became free counts at once.
    fs::remove_file(bench.dir.path().join("folders/data/a")).unwrap();
    copied(&bench, "other", "large", "data", true)
        .await
        .unwrap();
    assert_eq!(entries(&bench, "data"), ["large".to_owned()].into());

    let quota = |folder: &str, quota| FolderRequest::SetQuota {
        folder: folder.to_owned(),
        quota,
    };
    let raised = one(bench
        .engine
        .folder(&quota("data", Some(Bytes::mib(9))))
        .await);
    assert_eq!(raised.max_size, Some(Bytes::mib(9)));
    put(&bench, "data", "b", 4, true).await.unwrap();
    // It stays with the folder, and a clone has the same.
    let renamed = FolderRequest::Rename {
        folder: "data".into(),
        name: "renamed".into(),
    };
    assert_eq!(
        one(bench.engine.folder(&renamed).await).max_size,
        Some(Bytes::mib(9))
    );
    let cloned = FolderRequest::Clone {
        folder: "renamed".into(),
        name: "clone".into(),
    };
    assert_eq!(
        one(bench.engine.folder(&cloned).await).max_size,
        Some(Bytes::mib(9))
    );
    says(put(&bench, "clone", "c", 4, true).await, "quota");
    let removed = one(bench.engine.folder(&quota("renamed", None)).await);
    assert_eq!((removed.max_size, removed.quota_enforced), (None, None));
    put(&bench, "renamed", "c", 8, true).await.unwrap();
}

#[tokio::test]
async fn btrfs_keeps_sessions_within_their_limits() {
    let bench = Bench::new();
    let disk = SmallDisk::btrfs(&bench);
    let info = probe(&bench.engine).await.unwrap();
    let why = info.capabilities.why_not(Capability::DiskEnforcement);
    assert_eq!(why, None);
    let dead = bench.dir.path().join("folders/.trash/clone.dead");
    fs::create_dir_all(&dead).unwrap();
    run(
        "btrfs",
        &["-q", "subvolume", "create"],
        &[&dead.join("copy")],
    );
    fs::write(dead.join("copy/file"), "x").unwrap();
    let data = created(&bench, "data", Some(Bytes::mib(16))).await;
    assert_eq!(data.quota_enforced, Some(true));
    let mut plan = plan("limited", image_spec(busybox_image()));
    plan.spec.disk = Some(Bytes::mib(24));
    plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    bench.launch(&plan).await;
    let log = bench.said(plan.session, "workbay: ready").await;
    assert!(
        log.contains("24 MiB (enforced by the file system)"),
        "{log}"
    );
    let write = |file: &str| format!("dd if=/dev/zero of={file} bs=1M count=60 2>&1; ls -s {file}");
    for (file, most) in [("/home/work/big", 24), ("/home/work/data/big", 16)] {
        let said = bench.sh(plan.session, &write(file)).await;
        assert!(said.contains("Disk quota exceeded"), "{said}");
        let used = fs::metadata(match most {
            24 => bench.home(plan.session).join("big"),
            _ => bench.dir.path().join("folders/data/big"),
        });
        let used = used.unwrap().len();
        assert!(
            used <= most << 20 && used > (most - 4) << 20,
            "{file}: {used}"
        );
    }
    // What workbay writes is held to it as well, and leaves nothing.
    says(
        put(&bench, "data", "more", 4, false).await,
        "quota is reached",
    );
    assert_eq!(entries(&bench, "data"), ["big".to_owned()].into());
    fs::remove_file(bench.dir.path().join("folders/data/big")).unwrap();
    bench
        .sh(plan.session, "rm big data/big; echo fits > new; cat new")
        .await;

    bench.engine.stop(plan.session, 0).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
    // A session that continues in this home directory has the limit of its own launch, or none.
    let mut heir = self::plan("heir", image_spec(busybox_image()));
    heir.spec.home_of = Some(plan.session);
    bench.launch(&heir).await;
    let said = bench.sh(heir.session, &write("/home/work/big")).await;
    assert!(!said.contains("exceeded"), "{said}");
    bench.engine.stop(heir.session, 0).await.unwrap();
    bench.engine.remove(heir.session).await.unwrap();
    let mut last = self::plan("last", image_spec(busybox_image()));
    last.spec.home_of = Some(heir.session);
    last.spec.disk = Some(Bytes::mib(80));
    bench.launch(&last).await;
    let said = bench.sh(last.session, &write("/home/work/more")).await;
    assert!(said.contains("Disk quota exceeded"), "{said}");
    bench.engine.stop(last.session, 0).await.unwrap();
    bench.engine.remove(last.session).await.unwrap();
    bench.engine.forget(last.session).await.unwrap();
    bench.engine.forget(heir.session).await.unwrap();
    bench.engine.forget(plan.session).await.unwrap();
    assert!(!bench.home(plan.session).exists() && !bench.home(last.session).exists());
    // A clone has a quota of its own, and deleted folders leave nothing.
    put(&bench, "data", "half", 9, true).await.unwrap();
    let cloned = FolderRequest::Clone {
        folder: "data".into(),
        name: "clone".into(),
    };
    let clone = one(bench.engine.folder(&cloned).await);
    assert_eq!(
        (clone.max_size, clone.quota_enforced),
        (Some(Bytes::mib(16)), Some(true))
    );
    says(
        put(&bench, "clone", "more", 12, false).await,
        "quota is reached",
    );
    put(&bench, "clone", "more", 4, true).await.unwrap();
    let trash = FolderRequest::Trash {
        folder: "clone".into(),
    };
    bench.engine.folder(&trash).await.unwrap();
    let restore = FolderRequest::Restore {
        folder: "clone".into(),
    };
    assert_eq!(
        one(bench.engine.folder(&restore).await).max_size,
        Some(Bytes::mib(16))
    );
    // Neither purged folders nor homes leave a quota group, nor does a copy that a killed daemon left. The groups of
    // the file system and of `data` stay.
    bench.engine.folder(&trash).await.unwrap();
    let purge = FolderRequest::Purge {
        folder: "clone".into(),
    };
    bench.engine.folder(&purge).await.unwrap();
    bench.engine.folders().await.unwrap();
    until(async || {
        let is_clean = disk.groups().len() == 2 && entries(&bench, ".trash").is_empty();
        is_clean.then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_full_disk_leaves_nothing_half_done() {
    let bench = Bench::new();
    let _disk = SmallDisk::tmpfs(&bench, "folders", "12m");
    created(&bench, "data", None).await;
    created(&bench, "other", None).await;
    put(&bench, "other", "large", 7, true).await.unwrap();
    says(put(&bench, "data", "a", 7, true).await, "are free");
    says(put(&bench, "data", "a", 7, false).await, "no space is left");
    says(
        copied(&bench, "other", "large", "data", false).await,
        "no space is left",
    );
    assert_eq!(entries(&bench, "data"), none());
    let cloned = FolderRequest::Clone {
        folder: "other".into(),
        name: "clone".into(),
    };
    says(bench.engine.folder(&cloned).await, "can't be copied");
    let names = bench.engine.folders().await.unwrap();
    let names: Vec<&str> = names.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["data", "other"]);
    assert_eq!(entries(&bench, ".trash"), none());

    let mut plan = plan("rescued", image_spec(busybox_image()));
    plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    bench.launch(&plan).await;
    bench
        .sh(
            plan.session,
            "dd if=/dev/zero of=/home/work/big bs=1M count=8 2>&1 | tail -1",
        )
        .await;
    let rescue = |quota: &str| Rescue {
        paths: vec![path("home/work/big")],
        folder: quota.to_owned(),
        directory: path("rescued"),
    };
    says(
        bench
            .engine
            .rescue(plan.session, &rescue("data"), watch::Sender::default())
            .await,
        "space",
    );
    assert_eq!(entries(&bench, "data"), none());
    // The same for a quota that is only measured.
    fs::remove_file(bench.dir.path().join("folders/other/large")).unwrap();
    let limited = FolderRequest::SetQuota {
        folder: "data".into(),
        quota: Some(Bytes::mib(2)),
    };
    bench.engine.folder(&limited).await.unwrap();
    says(
        bench
            .engine
            .rescue(plan.session, &rescue("data"), watch::Sender::default())
            .await,
        "quota",
    );
    assert_eq!(entries(&bench, "data"), none());
    let rescued = bench
        .engine
        .rescue(plan.session, &rescue("other"), watch::Sender::default())
        .await
        .unwrap();
    assert_eq!(rescued.size, Bytes::mib(8));
}
