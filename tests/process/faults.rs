//! The daemon is killed (SIGKILL) at each point of each order it carries out. After a new start there is
//! exactly one container for the session or none, never a stray one, and the session is neither lost
//! nor doubled.

use std::net::TcpListener;

use workbay::{daemon::fault::Moment, scheduler::order::OrderKind};

use crate::{
    machine::{Machine, docker, launch},
    wait,
};

const NAME: &str = "victim";

#[test]
fn a_launch_that_is_not_answered_is_reported_as_unknown() {
    let mut machine = Machine::new();
    machine.set("WORKBAY_FAULT", "before:survey");
    let output = machine.workbay(&launch(NAME, &[]));
    assert_eq!(output.status.code(), Some(5));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("the launch may have happened") && said.contains("workbay ls"),
        "{said}"
    );
    // Its key leads to exactly one session.
    let (_, rest) = said.split_once("--idempotency-key ").expect("a key");
    let key = rest.split(['`', ' ']).next().expect("a key");
    machine.set("WORKBAY_FAULT", "");
    let mut repeated = launch(NAME, &["--idempotency-key"]);
    repeated.push(key);
    let first = machine.ok(&repeated);
    assert_eq!(machine.ok(&repeated), first);
    assert_eq!(wait::sessions(&machine).len(), 1);
}

#[test]
fn a_launch_without_a_name_is_repeated_once_and_launches_one_session() {
    for kind in [OrderKind::Survey, OrderKind::Create, OrderKind::Start] {
        for moment in Moment::ALL {
            let point = format!("{}:{}", moment.name(), kind.name());
            eprintln!("the daemon is killed at {point}");
            let mut machine = Machine::new();
            let once = machine.path("once");
            std::fs::write(&once, "").expect("a file");
            machine.set("WORKBAY_FAULT", &point);
            machine.set("WORKBAY_FAULT_ONCE", &once.to_string_lossy());
            let mut words = launch(NAME, &[]);
            let at = words.iter().position(|word| *word == "--name");
            let at = at.expect("a name");
            words.drain(at..at + 2);
            let printed = machine.ok(&words);
            wait::until(
                &format!("the daemon died at {point}"),
                || once.exists(),
                |is_left| !is_left,
            );
            wait::until(
                &format!("one session runs after {point}"),
                || (wait::sessions(&machine), machine.containers().len()),
                |(sessions, containers)| {
                    *containers == 1 && sessions.len() == 1 && sessions[0].1 == "RUNNING"
                },
            );
            let name = wait::sessions(&machine).remove(0).0;
            assert!(printed.contains(&name), "{printed}");
        }
    }
}

/// Prepares what `kind` needs, with a daemon that isn't killed.
fn prepare(machine: &Machine, kind: OrderKind) {
    let launched = !matches!(
        kind,
        OrderKind::Connect
            | OrderKind::Survey
            | OrderKind::Pull
            | OrderKind::CancelPull
            | OrderKind::Create
            | OrderKind::Start
    );
    if launched && kind == OrderKind::StopHook {
        machine.ok(&launch(NAME, &["--wait", "--stop-hook", "true"]));
    } else if launched {
        machine.ok(&launch(NAME, &["--wait"]));
    }
    if kind == OrderKind::Forget {
        machine.ok(&["terminate", NAME, "--force", "--yes"]);
        wait::until(
            "it has ended",
            || wait::status(machine, NAME),
            |s| s.as_deref() == Some("TERMINATED"),
        );
        // Ended sessions aren't kept from now on: the next daemon deletes it.
        let config = machine.path("config");
        std::fs::create_dir_all(&config).expect("a directory");
        std::fs::write(config.join("config.toml"), "[history]\nkeep-days = 0\n").expect("a file");
    }
    machine.workbay(&["daemon", "stop"]);
}

/// Does what makes the daemon carry out an order of that kind. The command itself may fail: its daemon dies.
fn provoke(machine: &Machine, kind: OrderKind) {
    match kind {
        OrderKind::Create | OrderKind::Start | OrderKind::Survey => {
            // A launch that waits would start the next daemon.
            machine.workbay(&launch(NAME, &[]));
        }
        OrderKind::Pull | OrderKind::CancelPull => {
            // A registry that accepts every connection and never answers.
            let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
            let registry = silent.local_addr().expect("an address");
            let image = format!("{registry}/none/tool:1");
            machine.workbay(&["launch", "--image", &image, "--name", NAME]);
            if kind == OrderKind::CancelPull {
                machine.workbay(&["terminate", NAME, "--yes"]);
            }
        }
        OrderKind::StopHook => {
            machine.workbay(&["terminate", NAME, "--yes"]);
        }
        OrderKind::Stop | OrderKind::Remove => {
            machine.workbay(&["terminate", NAME, "--force", "--yes"]);
        }
        OrderKind::Rename => {
            machine.workbay(&["rename", NAME, "victim-new"]);
        }
        OrderKind::Inspect => {
            machine.workbay(&["ls"]);
            for container in machine.containers() {
                docker(&["kill", &container]);
            }
        }
        OrderKind::Commit | OrderKind::CancelCommit => panic!("it isn't provoked here"),
        OrderKind::Connect | OrderKind::DetachAll | OrderKind::Forget => {
            machine.workbay(&["ls"]);
        }
    }
}

/// Waits until the daemon has died of the fault.
fn wait_for_death(machine: &Machine, point: &str) {
    wait::until(
        &format!("the daemon dies at {point}"),
        || machine.daemon_pid(),
        Option::is_none,
    );
}

#[test]
fn killed_at_every_point_nothing_is_lost_doubled_or_stray() {
    // Images of sessions need an image. `tests/daemon` has these two.
    let mut kinds = OrderKind::ALL.to_vec();
    kinds.retain(|kind| !matches!(kind, OrderKind::Commit | OrderKind::CancelCommit));
    for kind in kinds {
        for moment in Moment::ALL {
            survive(kind, moment);
        }
    }
}

fn survive(kind: OrderKind, moment: Moment) {
    let point = format!("{}:{}", moment.name(), kind.name());
    let mut machine = Machine::new();
    prepare(&machine, kind);
    machine.set("WORKBAY_FAULT", &point);
    eprintln!("the daemon is killed at {point}");
    provoke(&machine, kind);
    wait_for_death(&machine, &point);
    machine.set("WORKBAY_FAULT", "");

    // Settled: nothing moves, and there is one container for each running session.
    let (after, _) = wait::until(
        &format!("all is settled after {point}"),
        || (wait::sessions(&machine), machine.containers().len()),
        |(sessions, containers)| {
            let running = sessions.iter().filter(|(_, status)| status == "RUNNING");
            wait::settled(sessions) && running.count() == *containers
        },
    );
    let known = match kind {
        // The launch died before it was recorded.
        OrderKind::Connect | OrderKind::Survey => 0..=0,
        OrderKind::Forget => 0..=1,
        _ => 1..=1,
    };
    assert!(known.contains(&after.len()), "after {point}: {after:?}");
}

/// A folder and its file, wherever the folder is now.
fn folder_file(machine: &Machine) -> Vec<std::path::PathBuf> {
    let root = machine.path("data").join("folders");
    let mut found = Vec::new();
    for dir in [root.clone(), root.join(".trash")] {
        let Ok(entries) = std::fs::read_dir(dir) else {
            continue;
        };
        let files = entries.flatten().map(|entry| entry.path().join("file"));
        found.extend(files.filter(|file| file.exists()));
    }
    found
}

#[test]
fn a_folder_is_never_lost_or_doubled_by_a_kill() {
    for (name, words) in [
        ("rename-folder", &["folder", "rename", "data", "new"][..]),
        ("trash-folder", &["folder", "rm", "data"]),
        ("restore-folder", &["folder", "restore", "old"]),
    ] {
        for moment in Moment::ALL {
            let point = format!("{}:{name}", moment.name());
            eprintln!("the daemon is killed at {point}");
            let mut machine = Machine::new();
            machine.ok(&["folder", "create", "data"]);
            machine.ok(&["folder", "create", "old"]);
            let root = machine.path("data").join("folders");
            let kept = if name == "restore-folder" {
                "old"
            } else {
                "data"
            };
            std::fs::write(root.join(kept).join("file"), kept).expect("a file");
            machine.ok(&["folder", "rm", "old"]);
            machine.workbay(&["daemon", "stop"]);
            machine.set("WORKBAY_FAULT", &point);
            assert!(!machine.workbay(words).status.success());
            wait_for_death(&machine, &point);
            machine.set("WORKBAY_FAULT", "");
            let files = folder_file(&machine);
            assert_eq!(files.len(), 1, "after {point}: {files:?}");
            // The next daemon carries it out, or finds that it is done.
            let again = machine.workbay(words);
            let is_done = again.status.success() == (moment == Moment::Before);
            assert!(is_done, "after {point}: {again:?}");
            assert_eq!(folder_file(&machine).len(), 1, "after {point}");
        }
    }
}

#[test]
fn a_purge_that_was_killed_is_finished_by_the_next_daemon() {
    let mut machine = Machine::new();
    machine.ok(&["folder", "create", "data"]);
    machine.ok(&["folder", "rm", "data"]);
    machine.workbay(&["daemon", "stop"]);
    machine.set("WORKBAY_FAULT", "after:purge-folder");
    assert!(
        !machine
            .workbay(&["folder", "purge", "data", "--yes"])
            .status
            .success()
    );
    wait_for_death(&machine, "after:purge-folder");
    machine.set("WORKBAY_FAULT", "");
    assert_eq!(
        machine.json(&["folder", "ls", "--trash", "--json"]),
        serde_json::json!([])
    );
    let trash = machine.path("data").join("folders/.trash");
    let left = || std::fs::read_dir(&trash).map_or(0, Iterator::count);
    wait::until("nothing is left of it", left, |left| *left == 0);
}

/// A daemon that dies while files are rescued, or after it, ends no session. The copy is complete or absent.
#[test]
fn a_rescue_is_complete_or_absent_and_the_session_keeps_running() {
    for (point, is_copied) in [
        ("before:rescue", false),
        ("before:rescue-end", false),
        ("after:rescue", true),
    ] {
        eprintln!("the daemon is killed at {point}");
        let mut machine = Machine::new();
        machine.ok(&["folder", "create", "data"]);
        machine.ok(&launch(NAME, &["--wait"]));
        let large = if is_copied { "1M" } else { "2G" };
        let line = format!("truncate -s {large} /tmp/large; echo lost > /tmp/small");
        machine.ok(&["exec", NAME, "--", "sh", "-c", &line]);
        let folders = machine.json(&["folder", "ls", "--json"]);
        let folder = std::path::PathBuf::from(folders[0]["path"].as_str().expect("a path"));
        machine.workbay(&["daemon", "stop"]);
        let once = machine.path("once");
        std::fs::write(&once, "").expect("a file");
        machine.set("WORKBAY_FAULT", point);
        machine.set("WORKBAY_FAULT_ONCE", &once.to_string_lossy());
        let arguments = ["terminate", NAME, "-y", "--rescue-to", "data/saved"];
        let output = machine.workbay(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("victim keeps running"),
            "{said}"
        );
        assert!(!once.exists(), "the daemon died at {point}");
        // The next daemon removes what is incomplete.
        wait::until(
            &format!("it runs after {point}"),
            || wait::status(&machine, NAME),
            |status| status.as_deref() == Some("RUNNING"),
        );
        let names = || {
            let entries = std::fs::read_dir(&folder).expect("a folder");
            let names = entries.map(|it| it.expect("an entry").file_name().into_string());
            names.map(|it| it.expect("a name")).collect::<Vec<_>>()
        };
        let expected: &[&str] = if is_copied { &["saved"] } else { &[] };
        wait::until(
            &format!("the folder is clean after {point}"),
            names,
            |names| names == expected,
        );
        if is_copied {
            let copy = folder.join("saved/tmp");
            assert_eq!(
                std::fs::read_to_string(copy.join("small")).expect("a file"),
                "lost\n"
            );
            assert_eq!(
                std::fs::metadata(copy.join("large")).expect("a file").len(),
                1 << 20
            );
        }
        machine.ok(&["rescue", NAME, "/tmp/small", "--to", "data/again"]);
        machine.ok(&["terminate", NAME, "-y", "--wait"]);
        assert_eq!(wait::status(&machine, NAME).as_deref(), Some("TERMINATED"));
    }
}
