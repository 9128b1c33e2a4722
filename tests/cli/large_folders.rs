//! Folders with very many files and very deep directories, from the command line.

use std::{
    fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use crate::{cli::run, machine::Machine, wait};

const WIDE: usize = 200_000;
const DEEP: usize = 20_000;
/// The number of files that are copied one by one.
const COPIED: usize = 20_000;
/// What the daemon may need more, however much a folder has, in KiB.
const GROWTH: u64 = 96 << 10;

pub(crate) fn make_wide(place: &Path, count: usize) {
    fs::create_dir_all(place).unwrap();
    for number in 0..count {
        fs::File::create(place.join(format!("file-{number}"))).unwrap();
    }
}

/// Removes a directory with its contents when it is dropped. The standard library would need a stack for each level.
pub(crate) struct Deep(PathBuf);

impl Drop for Deep {
    fn drop(&mut self) {
        let _ = workbay::tree::remove(&self.0);
    }
}

/// The levels of [`make_deep`] with a file.
const FILE_EACH: usize = 10;

/// A chain of directories with long names, with a file at some levels. The path of most is longer than paths may be.
#[must_use]
pub(crate) fn make_deep(place: &Path, levels: usize) -> Deep {
    let deep = Deep(place.to_owned());
    fs::create_dir_all(place).unwrap();
    let name = "d".repeat(100);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let open = |dir: &OwnedFd, name: &str| openat(dir, name, flags, Mode::empty()).unwrap();
    let mut here = openat(CWD, place, flags, Mode::empty()).unwrap();
    for level in 0..levels {
        if level % FILE_EACH == 0 {
            let flags = OFlags::CREATE | OFlags::WRONLY;
            openat(&here, "file", flags, Mode::from_raw_mode(0o644)).unwrap();
        }
        mkdirat(&here, &name, Mode::from_raw_mode(0o755)).unwrap();
        here = open(&here, &name);
    }
    deep
}

fn folder(machine: &Machine, name: &str) -> PathBuf {
    machine.ok(&["folder", "create", name]);
    machine.path("data/folders").join(name)
}

fn peak(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn two_hundred_thousand_files_are_listed_measured_and_purged_in_constant_memory() {
    let machine = Machine::new();
    let place = folder(&machine, "wide");
    make_wide(&place.join("files"), WIDE);
    let pid = machine.daemon_pid().unwrap();
    let before = peak(pid);
    let listed = machine.ok(&["folder", "ls", "wide/files"]);
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("file-0"));
    assert_eq!(lines.next_back(), Some("file-199999"));
    assert_eq!(lines.count(), WIDE - 2);
    let used = machine.json(&["folder", "du", "wide", "--json"]);
    assert_eq!(used["files"], WIDE);
    machine.ok(&["folder", "rm", "wide"]);
    machine.ok(&["folder", "purge", "wide", "--yes"]);
    let trash = machine.path("data/folders/.trash");
    wait::while_it_continues(
        "the folder is deleted",
        || fs::read_dir(&trash).unwrap().count(),
        |count| *count == 0,
    );
    assert_eq!(machine.daemon_pid(), Some(pid));
    let growth = peak(pid).saturating_sub(before);
    assert!(growth < GROWTH, "the daemon needs {growth} KiB more");
}

#[test]
fn very_many_small_files_are_put_and_got_with_their_contents() {
    let machine = Machine::new();
    folder(&machine, "copied");
    let here = machine.path("here");
    let source = here.join("source");
    make_wide(&source, COPIED);
    fs::write(source.join("content"), "of a file").unwrap();
    let text = |path: &Path| path.display().to_string();
    let put = machine.json(&["folder", "put", &text(&source), "copied", "--json"]);
    assert_eq!(
        (&put["files"], &put["bytes"]),
        (&(COPIED + 1).into(), &9.into())
    );
    let back = here.join("back");
    fs::create_dir(&back).unwrap();
    let got = machine.json(&["folder", "get", "copied/source", &text(&back), "--json"]);
    assert_eq!(got["files"], COPIED + 1);
    let same = std::process::Command::new("diff")
        .arg("-r")
        .args([&source, &back.join("source")])
        .status();
    assert!(same.unwrap().success());
    let time = |path: &Path| {
        fs::metadata(path.join("content"))
            .unwrap()
            .modified()
            .unwrap()
    };
    assert_eq!(time(&source), time(&back.join("source")));
}

#[test]
fn twenty_thousand_levels_are_measured_copied_as_far_as_paths_go_and_purged() {
    let machine = Machine::new();
    let place = folder(&machine, "deep");
    let _deep = make_deep(&place.join("tree"), DEEP);
    let pid = machine.daemon_pid().unwrap();
    let used = machine.json(&["folder", "du", "deep", "--json"]);
    assert_eq!(used["files"], DEEP / FILE_EACH);
    let listed = machine.ok(&["folder", "ls", "deep/tree"]);
    assert!(listed.ends_with("d/\nfile\n"), "{listed}");
    let back = machine.path("back");
    fs::create_dir(&back).unwrap();
    let _copy = Deep(back.clone());
    let _again = Deep(place.join("again"));
    let back = back.display().to_string();
    for words in [
        ["folder", "get", "deep/tree", &back],
        ["folder", "put", &format!("{back}/tree"), "deep/again"],
    ] {
        let (code, out, err) = run(&machine, &words);
        assert_eq!((code, out.trim()), (0, "5 files, 0 B"), "{err}");
    }
    let (_, _, err) = run(&machine, &["folder", "get", "deep", &back]);
    assert!(err.contains("longer than 4095 bytes"), "{err}");
    machine.ok(&["folder", "rm", "deep"]);
    machine.ok(&["folder", "purge", "deep", "--yes"]);
    let trash = machine.path("data/folders/.trash");
    wait::while_it_continues(
        "the folder is deleted",
        || fs::read_dir(&trash).unwrap().count(),
        |count| *count == 0,
    );
    assert_eq!(machine.daemon_pid(), Some(pid));
}
