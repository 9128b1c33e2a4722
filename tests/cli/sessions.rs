//! The whole life of a session by commands, on the real engine.

use std::process::{Command, Stdio};

use crate::{
    cli::run,
    machine::{BINARY, Machine, launch},
    process::signal,
    relay::{Manner, Relay},
    schemas, wait,
};

/// A machine with one running session of that name.
pub(crate) fn with_session(name: &str) -> Machine {
    let machine = Machine::new();
    let printed = machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        name,
        "--cpu",
        "0.5",
        "--mem",
        "64m",
        "--shm",
        "16m",
        "-e",
        "STAGE=test",
        "--wait",
        "--wait-timeout",
        "2m",
    ]);
    assert!(printed.starts_with(&format!("{name} ")), "{printed}");
    machine
}

#[track_caller]
pub(crate) fn until(what: &str, condition: impl FnMut() -> bool) {
    wait::until(what, condition, |met| *met);
}

#[test]
fn launch_list_show_rename_terminate() {
    let machine = with_session("cli-life");
    let list = machine.json(&["ls", "--json"]);
    let session = &list.as_array().unwrap()[0];
    assert_eq!(session["name"], "cli-life");
    assert_eq!(session["status"], "RUNNING");
    assert_eq!(session["requested_slots"]["cpu"], 0.5);
    assert_eq!(session["requested_slots"]["mem"], 64 << 20);
    assert_eq!(session["shmem"], 16 << 20);
    assert_eq!(session["environment"]["name"], "host");
    let id = session["id"].as_str().unwrap().to_owned();

    let text = machine.ok(&["ls"]);
    let row = text
        .lines()
        .find(|line| line.starts_with("cli-life"))
        .unwrap();
    for part in [&id[..8], "RUNNING", "host:", "0.5", "64 MiB"] {
        assert!(row.contains(part), "{row}");
    }
    assert!(!text.contains('\u{1b}'), "a pipe got colours");
    assert_eq!(
        machine
            .ok(&["ls", "--filter", "nothing-like-it"])
            .lines()
            .count(),
        1
    );
    assert_eq!(
        machine
            .ok(&["ls", "--filter", "CLI running"])
            .lines()
            .count(),
        2
    );

    // Name, whole id and the beginning of the id mean the same.
    for name in ["cli-life", id.as_str(), &id[..6]] {
        let shown = machine.json(&["show", name, "--json"]);
        assert_eq!(shown["id"], id.as_str());
        let history = shown["history"].as_array().unwrap();
        assert_eq!(history[0]["to"], "RUNNING", "newest first: {history:?}");
    }
    let shown = machine.ok(&["show", "cli-life"]);
    assert!(shown.contains(&id) && shown.contains("History"), "{shown}");
    // What it uses is known although nobody watched it.
    assert!(shown.contains("0.5 cores"), "{shown}");
    let used = machine.json(&["show", "cli-life", "--json"])["usage"].clone();
    let metric = |name: &str| {
        let mut all = used.as_array().unwrap().iter();
        let found = all.find(|used| used["metric"] == name);
        found
            .unwrap_or_else(|| panic!("no {name} in {used}"))
            .clone()
    };
    assert_eq!(
        (&metric("cpu")["limit"], &metric("mem")["limit"]),
        (&500.into(), &(64 << 20).into())
    );
    assert!(metric("mem")["now"].as_u64() > Some(0), "{used}");
    assert!(metric("network-in")["total"].is_u64(), "{used}");
    machine.ok(&[
        "exec",
        "cli-life",
        "--",
        "sh",
        "-c",
        "echo the last word > /proc/1/fd/1",
    ]);

    machine.ok(&["rename", "cli-life", "cli-renamed"]);
    until("the new name is shown", || {
        machine.ok(&["ls"]).contains("cli-renamed")
    });
    assert_eq!(run(&machine, &["show", "cli-life"]).0, 3);

    let (code, _, err) = run(&machine, &["show", "cli-renmed"]);
    assert_eq!(code, 3);
    assert!(
        err.contains("not found. Did you mean 'cli-renamed'?"),
        "{err}"
    );

    let printed = machine.ok(&["terminate", "cli-renamed", "--force", "--yes", "--wait"]);
    assert_eq!(printed, "cli-renamed terminated\n");
    let ended = machine.json(&["ls", "--tab", "finished", "--json"]);
    assert_eq!(ended[0]["status"], "TERMINATED", "{ended}");
    let shown = machine.json(&["show", "cli-renamed", "--json"]);
    assert_eq!(shown["usage"][0]["metric"], "cpu", "{shown}");
    let lines = shown["last_lines"].as_array().unwrap();
    assert!(lines.contains(&"the last word".into()), "{lines:?}");
    assert_eq!(machine.json(&["ls", "--json"]), serde_json::json!([]));
    // What has already ended is not an error.
    let (code, _, err) = run(&machine, &["terminate", "cli-renamed", "--yes"]);
    assert_eq!(code, 0);
    assert!(err.contains("has already ended"), "{err}");
}

#[test]
fn exec_joins_the_streams_and_passes_the_exit_code_on() {
    let machine = with_session("cli-exec");
    let sh = |script: &str| run(&machine, &["exec", "cli-exec", "--", "sh", "-c", script]);
    assert_eq!(
        sh("echo out; echo err >&2"),
        (0, "out\n".into(), "err\n".into())
    );
    assert_eq!(sh("exit 42").0, 42);
    let bare = run(&machine, &["exec", "cli-exec", "sh", "-c", "exit 43"]);
    assert_eq!(bare.0, 43);
    assert_eq!(sh("echo $STAGE").1, "test\n");
    // Arguments reach the command as they are: no shell is between.
    let (_, out, _) = run(
        &machine,
        &["exec", "cli-exec", "--", "echo", "a  b", "$HOME", "*"],
    );
    assert_eq!(out, "a  b $HOME *\n");
    let mut child = Command::new(BINARY)
        .args(["exec", "cli-exec", "--", "sh", "-c", "cat; echo end"])
        .envs(machine.env())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, "한글\n".as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "한글\nend\n");
}

#[test]
fn a_closed_output_ends_the_command_as_a_signal_would() {
    let machine = with_session("cli-closed");
    for command in ["exec cli-closed -- yes", "ls"] {
        let mut child = Command::new(BINARY)
            .args(command.split(' '))
            .envs(machine.env())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), err.as_str()),
            (Some(141), ""),
            "{command}"
        );
    }
}

#[test]
fn a_lot_of_output_arrives_whole() {
    let machine = with_session("cli-flood");
    let script = "head -c 5000000 /dev/zero | tr '\\0' x";
    let (code, out, _) = run(&machine, &["exec", "cli-flood", "--", "sh", "-c", script]);
    assert_eq!((code, out.len()), (0, 5_000_000));
}

#[test]
fn the_log_shows_the_start_and_is_there_after_the_end() {
    let machine = with_session("cli-logs");
    // The main process has been started, but may not have printed anything yet.
    let read = || machine.ok(&["logs", "cli-logs"]);
    let log = wait::until("it is ready", read, |log| log.contains("workbay: ready"));
    assert!(log.contains("environment"), "{log}");
    assert!(!log.contains('\u{1b}'));
    let last = log.lines().last().unwrap();
    assert_eq!(
        machine
            .ok(&["logs", "cli-logs", "--tail", "1"])
            .lines()
            .last(),
        Some(last)
    );
    machine.ok(&["terminate", "cli-logs", "--force", "--yes", "--wait"]);
    let kept = machine.ok(&["logs", "cli-logs"]);
    assert!(kept.starts_with(&log), "before: {log}\nafter: {kept}");
}

#[test]
fn following_a_log_ends_with_the_session() {
    let machine = with_session("cli-follow");
    let child = Command::new(BINARY)
        .args(["logs", "-f", "cli-follow"])
        .envs(machine.env())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    machine.ok(&["terminate", "cli-follow", "--force", "--yes", "--wait"]);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    assert!(!output.stdout.is_empty());
}

#[test]
fn events_are_lines_of_json() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let mut child = Command::new(BINARY)
        .args(["events", "--json"])
        .envs(machine.env())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    until("the listener is there", || {
        machine.json(&["daemon", "status", "--json"])["clients"].as_u64() >= Some(2)
    });
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "cli-events",
        "--mem",
        "64m",
    ]);
    let lines = std::io::BufRead::lines(std::io::BufReader::new(out));
    let running = lines
        .map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap())
        .inspect(|event| schemas::check("events", event))
        .inspect(|event| assert!(event["seq"].is_u64() && event["at"].is_string(), "{event}"))
        .find(|event| event["session"]["status"] == "RUNNING");
    assert_eq!(running.unwrap()["session"]["name"], "cli-events");
    // Ctrl-C ends it, and isn't a failure.
    signal(child.id(), "INT");
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_is_not_there_is_reported_with_3() {
    let machine = Machine::new();
    for arguments in [
        &["show", "nothing"][..],
        &["logs", "nothing"],
        &["exec", "nothing", "--", "true"],
        &["rename", "nothing", "other"],
        &["terminate", "nothing", "--yes"],
    ] {
        let (code, out, err) = run(&machine, arguments);
        assert_eq!((code, out.as_str()), (3, ""), "{arguments:?}: {err}");
        assert!(
            err.contains("session 'nothing' not found. `workbay ls --tab all`"),
            "{err}"
        );
    }
    let (code, _, err) = run(&machine, &["launch", "--env", "hsot", "--wait"]);
    assert_eq!(code, 3);
    assert!(err.contains("environment 'hsot' not found"), "{err}");
}

#[test]
fn a_name_of_a_session_that_is_terminating_is_refused_with_the_way_to_wait() {
    let machine = Machine::new();
    // The stop hook delays the end.
    machine.ok(&launch("ending", &["--stop-hook", "sleep 5", "--wait"]));
    assert_eq!(
        machine.ok(&["terminate", "ending", "--yes"]),
        "ending terminating\n"
    );
    let (code, _, err) = run(&machine, &launch("ending", &[]));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("ending is TERMINATING"), "{err}");
    assert!(
        err.contains("`workbay terminate --yes --wait ending`"),
        "{err}"
    );
    machine.ok(&["terminate", "--yes", "--wait", "ending"]);
    machine.ok(&launch("ending", &[]));
}

#[test]
fn a_limit_is_for_the_whole_list() {
    let machine = Machine::new();
    for name in ["one-1", "two-2", "three"] {
        machine.ok(&launch(
            name,
            &["--batch", "--command", "true", "--wait-end"],
        ));
    }
    machine.ok(&launch("four", &["--wait"]));
    machine.ok(&launch("five", &["--wait"]));
    let names = machine.ok(&["ls", "-q", "--tab", "all", "--limit", "3"]);
    assert_eq!(names, "five\nfour\nthree\n");
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let machine = with_session("cli-taken");
    let (code, _, err) = run(
        &machine,
        &["launch", "--env", "host", "--name", "cli-taken"],
    );
    assert_ne!(code, 0);
    assert!(err.contains("cli-taken"), "{err}");
    assert_eq!(
        machine
            .json(&["ls", "--tab", "all", "--json"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn environments_begin_with_the_host() {
    let machine = Machine::new();
    let list = machine.json(&["env", "ls", "--json"]);
    assert_eq!(list[0]["name"], "host");
    assert_eq!(list[0]["source"], "host");
    let text = machine.ok(&["env", "ls"]);
    assert!(text.lines().nth(1).unwrap().starts_with("host"), "{text}");
}

#[test]
fn the_daemon_reports_its_state_and_ends_on_request() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let status = machine.json(&["daemon", "status", "--json"]);
    assert_eq!(status["running"], true);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    let socket = status["socket"].as_str().unwrap();
    assert!(std::path::Path::new(socket).exists(), "{socket}");
    let findings = machine.json(&["doctor", "--json"])["findings"].clone();
    let daemon = findings
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["topic"] == "daemon")
        .unwrap();
    let pid = status["pid"].to_string();
    assert!(
        daemon["message"].as_str().unwrap().contains(&pid),
        "{daemon}"
    );
    machine.ok(&["daemon", "stop"]);
    assert_eq!(run(&machine, &["daemon", "status"]).0, 5);
    assert!(
        !std::path::Path::new(socket).exists(),
        "{socket} was left behind"
    );
}

#[test]
fn a_broken_configuration_is_reported_and_does_not_stop_the_work() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.path("config")).unwrap();
    std::fs::write(
        machine.path("config").join("config.toml"),
        "[ui]\nmouse = 3\n",
    )
    .unwrap();
    let (code, out, err) = run(&machine, &["ls", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"));
    assert!(
        err.contains("config.toml:2:9: expected true or false"),
        "{err}"
    );
}

#[test]
fn a_lost_engine_is_reported_beside_the_list_and_with_5_where_it_is_needed() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///nowhere/docker.sock");
    let (code, _, err) = run(&machine, &["launch", "--name", "cli-lost"]);
    assert_eq!(code, 5, "{err}");
    assert!(err.contains("/nowhere/docker.sock"), "{err}");
    let (code, out, err) = run(&machine, &["ls", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"));
    assert!(err.contains("engine local is disconnected"), "{err}");
    let (code, out, _) = run(&machine, &["doctor"]);
    assert_eq!(code, 1);
    assert!(
        out.lines()
            .any(|line| line.starts_with("bad") && line.contains("/nowhere")),
        "{out}"
    );
}

#[test]
fn a_list_right_after_the_daemons_start_waits_for_the_engine() {
    let mut machine = Machine::new();
    let relay = Relay::start(&machine.path("relay.sock"), "/var/run/docker.sock".as_ref());
    machine.set("DOCKER_HOST", &relay.endpoint());
    relay.set(Manner::Silent);
    let (code, out, err) = run(&machine, &["ls", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"));
    assert!(err.contains("engine local is disconnected"), "{err}");
}
