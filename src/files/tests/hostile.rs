//! Trees that a program wrote to harm the one who opens them.

use std::{
    ffi::OsStr,
    fs,
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use super::*;
use crate::model::files::WriteOptions;

/// A root with `inside`, beside a directory that must stay as it is.
fn with_victim() -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("root/inside")).unwrap();
    fs::create_dir(dir.path().join("outside")).unwrap();
    fs::write(dir.path().join("outside/secret"), "secret").unwrap();
    let root = root(&dir.path().join("root"));
    (dir, root)
}

fn is_untouched(dir: &Path) -> bool {
    let names = fs::read_dir(dir.join("outside")).unwrap().count();
    names == 1 && fs::read_to_string(dir.join("outside/secret")).unwrap() == "secret"
}

#[test]
fn links_are_never_followed() {
    let (dir, root) = with_victim();
    let base = dir.path().join("root");
    symlink("../outside", base.join("out")).unwrap();
    symlink("inside", base.join("in")).unwrap();
    symlink("../outside/secret", base.join("file")).unwrap();
    for through in ["out", "in"] {
        let list = FileRequest::List {
            path: path(through),
            options: page(0, 10),
        };
        assert!(root.answer(&list).is_err(), "{through}");
        assert!(root.step_by_step(Path::new(through)).is_err());
        let below = path(format!("{through}/new"));
        let create = FileRequest::CreateFile {
            path: below.clone(),
        };
        assert!(root.answer(&create).is_err(), "{through}");
        assert!(super::super::PartFile::open(&root, &below, WriteOptions::default()).is_err());
    }
    assert!(root.read(&path("file"), 0).is_err());
    assert!(root.read(&path("out/secret"), 0).is_err());
    assert!(root.step_by_step(Path::new("../outside")).is_err());
    let mode = FileRequest::SetAttributes {
        path: path("file"),
        mode: Some(0o777),
        modified: None,
    };
    assert!(root.answer(&mode).is_err());
    // A write replaces the link itself.
    let options = WriteOptions {
        replace: true,
        ..WriteOptions::default()
    };
    let mut part = super::super::PartFile::open(&root, &path("file"), options).unwrap();
    part.write(b"new").unwrap();
    part.finish().unwrap();
    assert_eq!(fs::read_to_string(base.join("file")).unwrap(), "new");
    let paths = vec![path("out"), path("in")];
    work(&root, &LocalWork::Delete { paths }).unwrap();
    assert!(is_untouched(dir.path()));
}

#[test]
fn a_link_in_the_place_of_a_part_is_not_followed() {
    let (dir, root) = with_victim();
    let base = dir.path().join("root");
    symlink("../outside/secret", base.join(".f.workbay-part")).unwrap();
    let resumed = WriteOptions {
        offset: 6,
        ..WriteOptions::default()
    };
    assert!(super::super::PartFile::open(&root, &path("f"), resumed).is_err());
    fs::remove_file(base.join(".f.workbay-part")).unwrap();
    fs::hard_link(
        dir.path().join("outside/secret"),
        base.join(".f.workbay-part"),
    )
    .unwrap();
    assert!(super::super::PartFile::open(&root, &path("f"), resumed).is_err());
    let mut part =
        super::super::PartFile::open(&root, &path("f"), WriteOptions::default()).unwrap();
    part.write(b"x").unwrap();
    part.finish().unwrap();
    assert!(is_untouched(dir.path()));
}

#[test]
fn a_directory_that_becomes_a_link_at_any_time_leads_nowhere_else() {
    let (dir, root) = with_victim();
    let base = dir.path().join("root");
    fs::write(base.join("inside/secret"), "mine").unwrap();
    fs::create_dir(base.join("copies")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let racing = {
        let (stop, base) = (stop.clone(), base.clone());
        thread::spawn(move || {
            symlink("../outside", base.join("trap")).unwrap();
            let (trap, inside, aside) =
                (base.join("trap"), base.join("inside"), base.join("aside"));
            while !stop.load(Relaxed) {
                let _ = fs::rename(&inside, &aside);
                let _ = fs::rename(&trap, &inside);
                let _ = fs::rename(&inside, &trap);
                let _ = fs::rename(&aside, &inside);
            }
        })
    };
    let mut opened = 0;
    for turn in 0..3000 {
        if let Ok(mut file) = root.read(&path("inside/secret"), 0) {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "mine");
            opened += 1;
        }
        let new = path(format!("inside/{turn}"));
        let _ = root.answer(&FileRequest::CreateFile { path: new.clone() });
        let paths = vec![new];
        let _ = work(&root, &LocalWork::Delete { paths });
        if turn % 16 == 0 {
            let _ = work(&root, &copy("inside", "copies"));
            let paths = vec![path("copies/inside")];
            let _ = work(&root, &LocalWork::Delete { paths });
        }
    }
    stop.store(true, Relaxed);
    racing.join().unwrap();
    assert!(opened > 0, "the file was never found");
    assert!(is_untouched(dir.path()));
}

#[test]
fn pipes_and_devices_are_listed_deleted_and_nothing_else() {
    let (dir, root) = with_victim();
    let base = dir.path().join("root/inside");
    let made = Command::new("mkfifo").arg(base.join("pipe")).status();
    assert!(made.unwrap().success());
    fs::create_dir(dir.path().join("root/to")).unwrap();
    assert_eq!(stat(&root, "inside/pipe").unwrap().kind, FileKind::Special);
    let error = root.read(&path("inside/pipe"), 0).unwrap_err().to_string();
    assert!(error.contains("a pipe"), "{error}");
    let error = work(&root, &copy("inside", "to")).unwrap_err().to_string();
    assert!(error.contains("'inside/pipe'"), "{error}");
    assert!(!dir.path().join("root/to/inside").exists());
    let paths = vec![path("inside")];
    work(&root, &LocalWork::Delete { paths }).unwrap();
    assert!(!base.exists());
}

#[test]
fn names_of_any_bytes_and_of_255_bytes_are_handled_exactly() {
    let (dir, root) = with_victim();
    let base = dir.path().join("root");
    let names: [&[u8]; 4] = [
        b"not\xffutf8",
        b"esc\x1b[31m\nred",
        &[b'x'; 255],
        "파일".as_bytes(),
    ];
    for name in names {
        let name = OsStr::from_bytes(name);
        let mut part =
            super::super::PartFile::open(&root, &path(name), WriteOptions::default()).unwrap();
        part.write(name.as_bytes()).unwrap();
        part.finish().unwrap();
        assert_eq!(fs::read(base.join(name)).unwrap(), name.as_bytes());
        let paths = vec![path(name)];
        let copied = LocalWork::Copy {
            paths: paths.clone(),
            directory: path("inside"),
            replace: true,
            moving: true,
        };
        work(&root, &copied).unwrap();
        let found = listed(&root, "inside", page(0, 10));
        assert_eq!(found.entries[0].name.0, name);
        assert!(!found.entries[0].name.shown().as_str().contains('\x1b'));
        let paths = vec![path("inside").join(name).unwrap()];
        work(&root, &LocalWork::Delete { paths }).unwrap();
    }
    assert_eq!(listed(&root, "inside", page(0, 10)).all, 0);
}

#[test]
fn twenty_thousand_nested_directories_are_copied_measured_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().join("deep");
    fs::create_dir(&top).unwrap();
    // No path is long enough, so each directory is created in the one above it.
    let mut here: std::os::fd::OwnedFd = fs::File::open(&top).unwrap().into();
    for _ in 0..20_000 {
        rustix::fs::mkdirat(&here, c"d", rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
        here = super::super::root::directory_in(&here, c"d").unwrap();
    }
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    rustix::fs::openat(&here, c"f", flags, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
    drop(here);
    fs::create_dir(dir.path().join("to")).unwrap();
    let root = root(dir.path());
    let small = thread::Builder::new().stack_size(128 * 1024);
    let worked = small.spawn(move || {
        work(&root, &copy("deep", "to")).unwrap();
        let measure = |of: &str| {
            let paths = vec![path(of)];
            work(&root, &LocalWork::Measure { paths }).unwrap()
        };
        assert_eq!(measure("to/deep"), measure("deep"));
        assert_eq!(measure("deep").files, 1);
        for one in ["deep", "to"] {
            let paths = vec![path(one)];
            work(&root, &LocalWork::Delete { paths }).unwrap();
        }
    });
    worked.unwrap().join().unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
