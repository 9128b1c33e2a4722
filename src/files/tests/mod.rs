//! Tests with real files.

mod against_coreutils;
mod hostile;
mod transfers;

use std::{ffi::OsStr, fs, os::unix::fs::PermissionsExt as _, path::Path};

use super::{LocalWork, Result, Root, carry_out};
use crate::model::files::{
    FileAnswer, FileEntry, FileKind, FileListing, FileName, FileOrder, FilePath, FileProgress,
    FileRequest, ListOptions,
};

fn path(text: impl AsRef<OsStr>) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

fn root(dir: &Path) -> Root {
    Root::open(dir, None).unwrap()
}

fn listed(root: &Root, of: &str, options: ListOptions) -> FileListing {
    let path = path(of);
    match root.answer(&FileRequest::List { path, options }).unwrap() {
        FileAnswer::Listing { listing } => listing,
        other => panic!("another answer: {other:?}"),
    }
}

fn stat(root: &Root, of: &str) -> Result<FileEntry> {
    let path = path(of);
    root.answer(&FileRequest::Stat { path })
        .map(|answer| match answer {
            FileAnswer::Entry { entry } => entry,
            other => panic!("another answer: {other:?}"),
        })
}

/// Carries work out in one root.
fn work(root: &Root, work: &LocalWork) -> Result<FileProgress> {
    let mut last = FileProgress::default();
    carry_out(root, root, work, &mut |now| {
        last = now;
        true
    })?;
    Ok(last)
}

fn copy(from: &str, to: &str) -> LocalWork {
    LocalWork::Copy {
        paths: vec![path(from)],
        directory: path(to),
        replace: false,
        moving: false,
    }
}

fn page(offset: u64, count: u32) -> ListOptions {
    ListOptions {
        offset,
        count,
        ..ListOptions::default()
    }
}

fn names(listing: &FileListing) -> Vec<&str> {
    let names = listing.entries.iter();
    names.map(|entry| entry.name.0.to_str().unwrap()).collect()
}

#[test]
fn a_directory_is_listed_in_parts_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    for (name, size) in [("file10", 3), ("file2", 5), (".hidden", 1), ("File3", 4)] {
        fs::write(dir.path().join(name), vec![b'x'; size]).unwrap();
    }
    fs::create_dir(dir.path().join("z")).unwrap();
    std::os::unix::fs::symlink("z", dir.path().join("link")).unwrap();
    let root = root(dir.path());
    let all = listed(&root, "", page(0, 10));
    assert_eq!(
        names(&all),
        ["z", ".hidden", "File3", "file2", "file10", "link"]
    );
    assert_eq!((all.total, all.all), (6, 6));
    assert_eq!(all.entries[0].kind, FileKind::Directory);
    assert_eq!(all.entries[3].size, 5);
    let link = &all.entries[5];
    assert_eq!(link.kind, FileKind::Link);
    assert_eq!(link.target, Some(FileName("z".into())));
    assert_eq!(names(&listed(&root, "", page(2, 2))), ["File3", "file2"]);
    let by_size = ListOptions {
        order: FileOrder::Size,
        reversed: true,
        filter: Some("FILE".to_owned()),
        ..page(0, 10)
    };
    let found = listed(&root, "", by_size);
    assert_eq!(names(&found), ["file2", "File3", "file10"]);
    assert_eq!((found.total, found.all), (3, 6));
    let visible = ListOptions {
        without_hidden: true,
        ..page(0, 1)
    };
    assert_eq!(listed(&root, "", visible).total, 5);
    let missing = FileRequest::List {
        path: path("none"),
        options: page(0, 1),
    };
    assert!(root.answer(&missing).unwrap_err().is_not_found());
}

#[test]
fn entries_are_created_and_renamed_and_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let root = root(dir.path());
    let ask = |request| root.answer(&request);
    let create = |at: &str| FileRequest::CreateDirectory { path: path(at) };
    ask(create("a")).unwrap();
    assert!(ask(create("a")).unwrap_err().to_string().contains("exists"));
    assert!(ask(create("x/y")).unwrap_err().is_not_found());
    let file = FileRequest::CreateFile { path: path("a/f") };
    ask(file.clone()).unwrap();
    assert!(ask(file).is_err());
    let mode = |at: &str| stat(&root, at).unwrap().mode;
    assert_eq!((mode("a"), mode("a/f")), (Some(0o755), Some(0o644)));
    let rename = |from: &str, to: &str| FileRequest::Rename {
        from: path(from),
        to: path(to),
    };
    ask(create("b")).unwrap();
    for (from, to) in [
        ("a", "b"),
        ("a", "a/in"),
        ("none", "x"),
        ("", "x"),
        ("a", ""),
    ] {
        assert!(ask(rename(from, to)).is_err(), "{from} to {to}");
    }
    ask(rename("a/f", "b/g")).unwrap();
    assert!(dir.path().join("b/g").exists());
    let attributes = FileRequest::SetAttributes {
        path: path("b/g"),
        mode: Some(0o4751),
        modified: Some(jiff::Timestamp::new(1_700_000_000, 5).unwrap()),
    };
    ask(attributes).unwrap();
    let entry = stat(&root, "b/g").unwrap();
    assert_eq!(entry.mode, Some(0o751));
    assert_eq!(entry.modified.unwrap().as_second(), 1_700_000_000);
}

#[test]
fn a_copy_keeps_permissions_times_links_and_holes() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    fs::create_dir_all(tree.join("sub")).unwrap();
    fs::create_dir(dir.path().join("to")).unwrap();
    let holes = fs::File::create(tree.join("sub/holes")).unwrap();
    holes.set_len(64 << 20).unwrap();
    fs::write(tree.join("run"), "#!").unwrap();
    fs::set_permissions(tree.join("run"), fs::Permissions::from_mode(0o4750)).unwrap();
    fs::set_permissions(tree.join("sub"), fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", tree.join("link")).unwrap();
    let root = root(dir.path());
    let progress = work(&root, &copy("tree", "to")).unwrap();
    assert_eq!((progress.files, progress.bytes), (3, (64 << 20) + 2));
    assert_eq!(progress.of, Some((3, (64 << 20) + 2)));
    for one in ["sub", "sub/holes", "run", "link"] {
        let (old, mut new) = (
            stat(&root, &format!("tree/{one}")).unwrap(),
            stat(&root, &format!("to/tree/{one}")).unwrap(),
        );
        if one == "link" {
            new.modified = old.modified;
        }
        if one == "run" {
            assert_eq!(new.mode, Some(0o750));
            new.mode = old.mode;
        }
        assert_eq!(old, new);
    }
    let blocks = std::os::unix::fs::MetadataExt::blocks;
    let copied = fs::metadata(dir.path().join("to/tree/sub/holes")).unwrap();
    assert!(blocks(&copied) < 100, "the holes were filled");
    // Again: the name is taken.
    let error = work(&root, &copy("tree", "to")).unwrap_err().to_string();
    assert!(error.contains("'tree' already exists"), "{error}");
    for (from, to) in [("tree", "tree"), ("tree", "tree/sub")] {
        let error = work(&root, &copy(from, to)).unwrap_err().to_string();
        assert!(error.contains("into itself"), "{error}");
        assert!(!tree.join("tree").exists() && !tree.join("sub/tree").exists());
    }
}

#[test]
fn a_move_to_another_file_system_copies_and_deletes() {
    let here = tempfile::tempdir().unwrap();
    let there = tempfile::tempdir_in("/dev/shm").unwrap();
    fs::create_dir_all(here.path().join("a/b")).unwrap();
    fs::write(here.path().join("a/b/file"), "content").unwrap();
    let moving = LocalWork::Copy {
        paths: vec![path("a")],
        directory: FilePath::root(),
        replace: false,
        moving: true,
    };
    let (from, to) = (root(here.path()), root(there.path()));
    carry_out(&from, &to, &moving, &mut |_| true).unwrap();
    let text = fs::read_to_string(there.path().join("a/b/file")).unwrap();
    assert_eq!(text, "content");
    assert!(!here.path().join("a").exists());
}

#[test]
fn work_that_is_cancelled_leaves_no_copy() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("many")).unwrap();
    fs::create_dir_all(dir.path().join("to")).unwrap();
    for number in 0..300 {
        fs::write(dir.path().join(format!("many/{number}")), "x").unwrap();
    }
    let root = root(dir.path());
    let mut reports = 0;
    let failure = carry_out(&root, &root, &copy("many", "to"), &mut |_| {
        reports += 1;
        reports < 2
    });
    assert!(failure.unwrap_err().to_string().contains("cancelled"));
    assert!(!dir.path().join("to/many").exists());
    let paths = vec![path("many")];
    let deleting = carry_out(&root, &root, &LocalWork::Delete { paths }, &mut |_| false);
    assert!(deleting.unwrap_err().to_string().contains("cancelled"));
    let left = fs::read_dir(dir.path().join("many")).unwrap().count();
    assert!((1..300).contains(&left), "{left} are left");
}

#[test]
fn files_are_measured_as_du_does() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("a/large"), vec![1; 100_000]).unwrap();
    fs::hard_link(dir.path().join("a/large"), dir.path().join("a/again")).unwrap();
    std::os::unix::fs::symlink("/", dir.path().join("a/link")).unwrap();
    let paths = vec![FilePath::root()];
    let measured = work(&root(dir.path()), &LocalWork::Measure { paths }).unwrap();
    let du = std::process::Command::new("du")
        .args(["-s", "-B1"])
        .arg(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8(du.stdout).unwrap();
    let expected: u64 = text.split('\t').next().unwrap().parse().unwrap();
    assert_eq!((measured.files, measured.bytes), (3, expected));
}
