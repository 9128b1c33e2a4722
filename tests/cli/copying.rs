//! `workbay cp`, on the real engine.

use std::{fs, os::unix::fs::symlink};

use crate::cli::{run, sessions::with_session};

#[test]
fn files_and_directories_are_copied_in_both_directions() {
    let machine = with_session("cli-copy");
    let here = machine.path("here");
    fs::create_dir_all(here.join("tree/deep")).unwrap();
    fs::write(here.join("tree/deep/한글.txt"), "content").unwrap();
    fs::write(here.join("large"), vec![7; 3 << 20]).unwrap();
    let text = |path: &std::path::Path| path.display().to_string();

    let copied = machine.json(&["cp", &text(&here.join("tree")), "cli-copy:", "--json"]);
    assert_eq!((&copied["files"], &copied["bytes"]), (&1.into(), &7.into()));
    machine.ok(&["cp", &text(&here.join("large")), "cli-copy:tree/other"]);
    let found = machine.ok(&["exec", "cli-copy", "--", "find", "tree", "-type", "f"]);
    let mut found: Vec<&str> = found.lines().collect();
    found.sort_unstable();
    assert_eq!(found, ["tree/deep/한글.txt", "tree/other"]);

    let printed = machine.ok(&["cp", "cli-copy:/home/work/tree", &text(&here.join("back"))]);
    assert_eq!(printed, "2 files, 3 MiB\n");
    let back = here.join("back");
    assert_eq!(fs::read(back.join("other")).unwrap(), vec![7; 3 << 20]);
    assert_eq!(
        fs::read_to_string(back.join("deep/한글.txt")).unwrap(),
        "content"
    );
    // The files of the session belong to its user, not to the one who copied them.
    let owner = machine.ok(&["exec", "cli-copy", "--", "stat", "-c", "%U", "tree/other"]);
    assert_eq!(owner, "work\n");
}

#[test]
fn what_cannot_be_copied_is_named() {
    let machine = with_session("cli-copy-bad");
    let here = machine.path("here");
    fs::create_dir_all(&here).unwrap();
    fs::write(here.join("file"), "x").unwrap();
    let text = |name: &str| here.join(name).display().to_string();
    let file = text("file");
    let missing = text("missing");
    for (source, destination, code, words) in [
        (
            file.as_str(),
            file.as_str(),
            2,
            "neither path is in a session",
        ),
        (
            "cli-copy-bad:a",
            "cli-copy-bad:b",
            2,
            "both paths are in a session",
        ),
        (
            missing.as_str(),
            "cli-copy-bad:",
            1,
            "No such file or directory",
        ),
        (
            "cli-copy-bad:missing",
            file.as_str(),
            1,
            "missing: No such file or directory",
        ),
        (
            file.as_str(),
            "cli-copy-bad:no/such/place",
            1,
            "No such file or directory",
        ),
        (file.as_str(), "cli-copy-bad:/etc/file", 1, "/etc/file"),
        (file.as_str(), "nobody:", 3, "not found"),
    ] {
        let (found, out, err) = run(&machine, &["cp", source, destination]);
        assert_eq!(found, code, "cp {source} {destination}: {out}{err}");
        assert!(err.contains(words), "cp {source} {destination}: {err}");
        assert!(!err.contains("os error"), "{err}");
    }
}

/// What a session sends is its own: links in it can't lead a copy elsewhere.
#[test]
fn a_copy_stays_in_its_destination() {
    let machine = with_session("cli-copy-out");
    let here = machine.path("here");
    fs::create_dir_all(&here).unwrap();
    fs::write(here.join("victim"), "safe").unwrap();
    let script = "mkdir t && ln -s ../.. t/up && ln -s /etc/passwd t/passwd && mkfifo t/pipe && echo x > t/file";
    machine.ok(&["exec", "cli-copy-out", "--", "sh", "-c", script]);
    let target = here.join("inner");
    fs::create_dir(&target).unwrap();
    symlink("../victim", target.join("outside")).unwrap();
    let (code, out, err) = run(
        &machine,
        &["cp", "cli-copy-out:t", &target.display().to_string()],
    );
    assert_eq!((code, out.as_str()), (0, "1 file, 2 B\n"), "{err}");
    for name in ["t/up", "t/passwd", "t/pipe"] {
        assert!(err.contains(name), "{name} isn't named: {err}");
        assert!(fs::symlink_metadata(target.join(name)).is_err());
    }
    assert_eq!(fs::read_to_string(here.join("victim")).unwrap(), "safe");
}
