//! `workbay rescue`, `workbay terminate --rescue-to`, and files of ended sessions, on the real engine.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::{
    cli::run,
    machine::{Machine, launch},
    wait,
};

/// A machine with the folder `data` and a session in which it isn't mounted.
fn machine(name: &str) -> Machine {
    let machine = Machine::new();
    machine.ok(&["folder", "create", "data"]);
    machine.ok(&launch(name, &["--wait"]));
    machine.ok(&[
        "exec",
        name,
        "--",
        "sh",
        "-c",
        "mkdir -p /tmp/deep; echo lost > /tmp/deep/model; echo kept > notes",
    ]);
    machine
}

fn folder(machine: &Machine) -> std::path::PathBuf {
    let folders = machine.json(&["folder", "ls", "--json"]);
    folders[0]["path"].as_str().unwrap().into()
}

#[test]
fn files_are_listed_and_copied() {
    let machine = machine("cli-rescue");
    let listed = machine.json(&["rescue", "cli-rescue", "--list", "--json"]);
    assert_eq!(listed["lost"]["files"], 1);
    assert_eq!(listed["lost"]["bytes"], 5);
    assert_eq!(listed["home"]["files"], 1);
    assert_eq!(listed["home_is_kept"], true);
    assert_eq!(listed["keep_days"], 7);
    let text = machine.ok(&["rescue", "cli-rescue", "--list"]);
    assert!(text.contains("/tmp/deep/model"), "{text}");
    assert!(text.contains("/home/work/notes"), "{text}");

    let copied = machine.json(&[
        "rescue",
        "cli-rescue",
        "/tmp/deep",
        "notes",
        "--to",
        "data/saved",
        "--json",
    ]);
    assert_eq!(
        (&copied["files"], &copied["bytes"]),
        (&2.into(), &10.into())
    );
    let there = folder(&machine).join("saved");
    let read = |path: &str| fs::read_to_string(there.join(path)).unwrap();
    assert_eq!(read("tmp/deep/model"), "lost\n");
    assert_eq!(read("home/work/notes"), "kept\n");

    for (arguments, code, words) in [
        (&["rescue", "cli-rescue"][..], 2, "--to"),
        (
            &["rescue", "cli-rescue", "--to", "none/x"],
            3,
            "'none' not found",
        ),
        (
            &["rescue", "cli-rescue", "/tmp/missing", "--to", "data/x"],
            1,
            "not found",
        ),
        (
            &["rescue", "cli-rescue", "--to", "data/saved"],
            1,
            "already exists",
        ),
        (&["rescue", "nobody", "--list"], 3, "not found"),
    ] {
        let (found, _, err) = run(&machine, arguments);
        assert_eq!(found, code, "{arguments:?}: {err}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[test]
fn a_failed_rescue_stops_the_termination_unless_forced() {
    let machine = machine("cli-rescue-end");
    let terminate = |to: &str, force: &[&str]| {
        let given = [
            "terminate",
            "cli-rescue-end",
            "-y",
            "--wait",
            "--rescue-to",
            to,
        ];
        run(&machine, &[&given, force].concat())
    };
    let status = || machine.json(&["show", "cli-rescue-end", "--json"])["status"].clone();
    let (code, _, err) = terminate("none", &[]);
    assert_ne!(code, 0);
    assert!(err.contains("cli-rescue-end keeps running"), "{err}");
    assert_eq!(status(), "RUNNING");
    let (code, out, err) = terminate("none", &["--force"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("'none' not found"), "{err}");
    assert!(out.contains("terminated"), "{out}");
    assert_eq!(status(), "TERMINATED");
}

#[test]
fn files_are_copied_first_and_a_kept_home_can_be_read() {
    let machine = machine("cli-rescue-first");
    machine.ok(&[
        "terminate",
        "cli-rescue-first",
        "-y",
        "--wait",
        "--rescue-to",
        "data/first",
    ]);
    let model = folder(&machine).join("first/tmp/deep/model");
    assert_eq!(fs::read_to_string(model).unwrap(), "lost\n");
    let here = machine.path("back");
    let text = here.display().to_string();
    machine.ok(&["cp", "cli-rescue-first:notes", &text]);
    assert_eq!(fs::read_to_string(&here).unwrap(), "kept\n");
    for (source, words) in [
        ("cli-rescue-first:/etc/passwd", "only files of /home/work"),
        ("cli-rescue-first:none", "No such file or directory"),
    ] {
        let (code, _, err) = run(&machine, &["cp", source, &text]);
        assert_ne!(code, 0);
        assert!(err.contains(words), "{err}");
    }
    let (code, _, err) = run(&machine, &["rescue", "cli-rescue-first", "--list"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn a_rescue_that_is_interrupted_leaves_nothing_and_says_so() {
    let machine = machine("cli-rescue-stop");
    let line = "truncate -s 4G /tmp/large";
    machine.ok(&["exec", "cli-rescue-stop", "--", "sh", "-c", line]);
    let folder = folder(&machine);
    let child = Command::new(env!("CARGO_BIN_EXE_workbay"))
        .args(["rescue", "cli-rescue-stop", "/tmp/large", "--to", "data/x"])
        .envs(machine.env())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let entries = || fs::read_dir(&folder).unwrap().count();
    wait::until("the copy has begun", entries, |count| *count == 1);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("nothing was copied, and cli-rescue-stop keeps running"),
        "{said}"
    );
    wait::until("the partial copy is removed", entries, |count| *count == 0);
    assert_eq!(
        machine.json(&["show", "cli-rescue-stop", "--json"])["status"],
        "RUNNING"
    );
}

#[test]
fn kept_home_directories_are_deleted_oldest_first_when_they_need_too_much_space() {
    let machine = Machine::new();
    let config = machine.path("config");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join("config.toml"),
        "[history]\nkeep-space = \"5m\"\n",
    )
    .unwrap();
    let home = |name: &str| {
        let session = machine.json(&["show", name, "--json"]);
        session["home"].as_str().map(std::path::PathBuf::from)
    };
    let events = machine.path("events");
    machine.ok(&["ls"]);
    let mut listening = Command::new(env!("CARGO_BIN_EXE_workbay"))
        .args(["events", "--json"])
        .envs(machine.env())
        .stdout(fs::File::create(&events).unwrap())
        .spawn()
        .unwrap();
    for name in ["kept-1", "kept-2", "kept-3"] {
        machine.ok(&launch(name, &["--wait"]));
        let line = "dd if=/dev/urandom of=data bs=1M count=2 2>/dev/null";
        machine.ok(&["exec", name, "--", "sh", "-c", line]);
        machine.ok(&["terminate", name, "-y", "--wait"]);
    }
    wait::until("the oldest is deleted", || home("kept-1"), Option::is_none);
    let reported = || fs::read_to_string(&events).unwrap();
    let reported = wait::until("a notification says so", reported, |text| {
        text.contains("keep-space")
    });
    let line = reported
        .lines()
        .find(|line| line.contains("keep-space"))
        .unwrap();
    assert!(line.contains("the oldest first: kept-1 (2 MiB)"), "{line}");
    assert!(!line.contains("kept-2") && line.contains("5 MiB"), "{line}");
    listening.kill().unwrap();
    listening.wait().unwrap();
    for name in ["kept-2", "kept-3"] {
        let data = home(name).unwrap().join("data");
        assert_eq!(fs::metadata(data).unwrap().len(), 2 << 20, "{name}");
    }
    let (code, _, err) = run(&machine, &["relaunch", "kept-1", "--same-home"]);
    assert_ne!(code, 0);
    assert!(err.contains("home directory of session kept-1"), "{err}");
}
