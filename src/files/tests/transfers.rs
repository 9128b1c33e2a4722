//! Reading and writing files in pieces.

use std::{fs, io::Read as _, process::Command};

use super::*;
use crate::{
    files::PartFile,
    model::files::{WriteOptions, part_name},
};

fn write(root: &Root, at: &str, options: WriteOptions, bytes: &[u8]) -> Result<()> {
    let mut part = PartFile::open(root, &path(at), options)?;
    part.write(bytes)?;
    part.finish()
}

#[test]
fn a_file_appears_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let root = root(dir.path());
    let options = WriteOptions {
        size: Some(6),
        mode: Some(0o640),
        ..WriteOptions::default()
    };
    let mut part = PartFile::open(&root, &path("f"), options).unwrap();
    part.write(b"abc").unwrap();
    assert!(!dir.path().join("f").exists());
    let error = part.finish().unwrap_err().to_string();
    assert!(error.contains("3 of 6 bytes"), "{error}");
    let rest = WriteOptions {
        offset: 3,
        ..options
    };
    write(&root, "f", rest, b"def").unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "abcdef");
    assert_eq!(stat(&root, "f").unwrap().mode, Some(0o640));
    assert_eq!(listed(&root, "", page(0, 9)).all, 1);
    let error = write(&root, "f", options, b"").unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
    let replaced = WriteOptions {
        replace: true,
        ..WriteOptions::default()
    };
    write(&root, "f", replaced, b"new").unwrap();
    // It keeps its permissions.
    assert_eq!(stat(&root, "f").unwrap().mode, Some(0o640));
    let mut text = String::new();
    let mut file = root.read(&path("f"), 1).unwrap();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "ew");
    assert!(root.read(&path("f"), 4).is_err());
}

#[test]
fn an_interrupted_transfer_continues_only_where_it_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let root = root(dir.path());
    let options = WriteOptions::default();
    let mut part = PartFile::open(&root, &path("f"), options).unwrap();
    part.write(b"abc").unwrap();
    part.interrupt();
    let name = part_name("f".as_ref());
    assert_eq!(fs::read(dir.path().join(&name)).unwrap(), b"abc");
    for offset in [2, 4] {
        let wrong = WriteOptions { offset, ..options };
        let error = write(&root, "f", wrong, b"x").unwrap_err().to_string();
        assert!(error.contains("3 bytes"), "{error}");
    }
    PartFile::open(&root, &path("g"), options)
        .unwrap()
        .interrupt();
    assert_eq!(listed(&root, "", page(0, 9)).all, 1, "an empty part stayed");
    let too_much = WriteOptions {
        size: Some(4),
        offset: 3,
        ..options
    };
    assert!(write(&root, "f", too_much, b"xyz").is_err());
    assert_eq!(listed(&root, "", page(0, 9)).all, 0);
}

/// A file system of one MiB.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "workbay-test"])
            .arg(dir.path())
            .status()
            .unwrap();
        assert!(mounted.success(), "tests that fill a disk need root");
        Self(dir)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_leaves_no_part_and_no_copy() {
    let (small, here) = (Small::mount(), tempfile::tempdir().unwrap());
    let (to, from) = (root(small.0.path()), root(here.path()));
    let size_known = WriteOptions {
        size: Some(2 << 20),
        ..WriteOptions::default()
    };
    let failure = PartFile::open(&to, &path("f"), size_known).unwrap_err();
    assert!(failure.to_string().contains("free"), "{failure}");
    let big = vec![7; 2 << 20];
    let failure = write(&to, "f", WriteOptions::default(), &big).unwrap_err();
    assert!(
        failure.to_string().contains("no space is left"),
        "{failure}"
    );
    assert!(failure.hint.is_some());
    fs::create_dir(here.path().join("d")).unwrap();
    fs::write(here.path().join("d/small"), "x").unwrap();
    fs::write(here.path().join("d/big"), &big).unwrap();
    let copying = LocalWork::Copy {
        paths: vec![path("d")],
        directory: FilePath::root(),
        replace: false,
        moving: true,
    };
    let failure = carry_out(&from, &to, &copying, &mut |_| true).unwrap_err();
    assert!(failure.to_string().contains("'d/big'"), "{failure}");
    assert_eq!(listed(&to, "", page(0, 9)).all, 0);
    assert_eq!(fs::read(here.path().join("d/big")).unwrap(), big);
}
