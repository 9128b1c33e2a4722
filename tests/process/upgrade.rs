//! A newer program finds an older daemon at work: the daemon becomes the newer one, and neither sessions
//! nor shells notice. The versions are copies of the one program, which say what a file beside them says.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use serde_json::Value;
use workbay::protocol::{
    greeting::Greeting,
    lock_record::{self, Holder},
    message::{FromClient, PROTOCOL, Request},
};

use crate::{
    copied::copy_program,
    machine::{BINARY, Machine, docker, launch},
    relay::{Manner, Relay},
    terminal::Terminal,
    wait,
};

/// The program as that version.
fn release(machine: &Machine, version: &str) -> PathBuf {
    let directory = machine.path(version);
    fs::create_dir(&directory).expect("a directory");
    let program = directory.join("workbay");
    if fs::hard_link(BINARY, &program).is_err() {
        copy_program(BINARY, &program);
    }
    fs::write(directory.join("workbay.version"), version).expect("a file");
    program
}

fn run(machine: &Machine, program: &Path, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .envs(machine.env())
        .output()
        .expect("it starts")
}

#[track_caller]
fn ok(machine: &Machine, program: &Path, args: &[&str]) -> String {
    let output = run(machine, program, args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The daemon's number and version.
fn daemon(machine: &Machine, program: &Path) -> (i64, String) {
    let text = ok(machine, program, &["daemon", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let version = status["version"].as_str().expect("a version");
    (status["pid"].as_i64().expect("a pid"), version.to_owned())
}

/// What the engine reports of the only container: its id and since when it runs.
fn container(machine: &Machine) -> String {
    let containers = machine.containers();
    assert_eq!(containers.len(), 1);
    docker(&[
        "inspect",
        "--format",
        "{{.Id}} {{.State.Pid}} {{.State.StartedAt}}",
        &containers[0],
    ])
}

#[test]
fn an_older_daemon_becomes_the_newer_program_and_nothing_else_changes() {
    let machine = Machine::new();
    let (old, new) = (release(&machine, "0.1.1"), release(&machine, "0.2.0"));
    ok(&machine, &old, &launch("lasting", &["--wait"]));
    let (pid, version) = daemon(&machine, &old);
    assert_eq!(version, "0.1.1");
    let before = container(&machine);
    let mut terminal = Terminal::start(&[old.to_str().unwrap()], &machine.env(), 100, 30);
    terminal.wait_for("lasting");
    terminal.type_("s");
    terminal.wait_for("work@lasting");
    terminal.type_("MARK=same-shell\r");
    terminal.wait_for("MARK=same-shell");

    let list = ok(&machine, &new, &["ls"]);
    assert!(list.contains("RUNNING"), "{list}");
    assert_eq!(daemon(&machine, &new), (pid, "0.2.0".to_owned()));
    assert_eq!(container(&machine), before);
    // The older TUI comes back to the same shell, and learns that it is older.
    terminal.type_until("echo [$MARK]\r", |screen| screen.contains("[same-shell]"));
    terminal.type_("\x1dd");
    terminal.wait_for("is older than the running daemon (0.2.0)");
    // What it starts meanwhile works as usual.
    assert_eq!(
        ok(&machine, &old, &["exec", "lasting", "--", "echo", "alive"]).trim(),
        "alive"
    );
    assert_eq!(daemon(&machine, &old), (pid, "0.2.0".to_owned()));
    ok(
        &machine,
        &new,
        &["terminate", "lasting", "--force", "--yes"],
    );
    wait::until(
        "it has ended",
        || wait::status(&machine, "lasting"),
        |status| status.as_deref() == Some("TERMINATED"),
    );
}

#[test]
fn what_only_the_older_program_knew_goes_with_it() {
    let mut machine = Machine::new();
    // Resources for one session.
    let rules = machine.path("config").join("resources.toml");
    fs::write(
        rules,
        "[limits]\nconcurrent-sessions = 1\n[host]\ncpu = 1000\nmem = \"1t\"\n",
    )
    .expect("a file");
    let (old, new) = (release(&machine, "0.1.1"), release(&machine, "0.2.0"));
    ok(&machine, &old, &launch("first", &["--wait"]));
    machine.set("API_TOKEN", "hush-hush");
    ok(&machine, &old, &launch("second", &["-e", "API_TOKEN"]));
    machine.set("API_TOKEN", "");
    let (pid, _) = daemon(&machine, &new);
    assert_eq!(daemon(&machine, &new), (pid, "0.2.0".to_owned()));
    assert_eq!(wait::status(&machine, "second").as_deref(), Some("PENDING"));
    ok(&machine, &new, &["terminate", "first", "--force", "--yes"]);
    wait::until(
        "the second one runs",
        || wait::status(&machine, "second"),
        |status| status.as_deref() == Some("RUNNING"),
    );
    let said = ok(
        &machine,
        &new,
        &["exec", "second", "--", "printenv", "API_TOKEN"],
    );
    assert_eq!(said.trim(), "hush-hush");
    // And it may be followed by another one, in the same process.
    let newest = release(&machine, "0.3.0");
    assert_eq!(daemon(&machine, &newest), (pid, "0.3.0".to_owned()));
}

/// A connection to the daemon, without the client.
struct RawConnection(UnixStream);

impl RawConnection {
    /// Connects to a running daemon as a TUI of that version with the program `program`. Returns the daemon's answer.
    fn open(machine: &Machine, version: &str, program: &Path) -> (Self, Value) {
        let lock = machine.state().join("daemon.lock");
        let Ok(Holder::Daemon(Some(daemon))) = lock_record::holder(&lock) else {
            panic!("no daemon is ready");
        };
        let mut line = Self(UnixStream::connect(daemon.socket).expect("it listens"));
        line.say(&Greeting::Hello {
            protocol: PROTOCOL,
            version: version.to_owned(),
            program: Some(program.display().to_string()),
        });
        let welcome = line.receive().expect("a word");
        (line, welcome)
    }

    fn say(&mut self, message: &impl Serialize) {
        let text = serde_json::to_vec(message).expect("JSON");
        let length = u32::try_from(text.len() + 1).expect("a few bytes");
        let frame = [&length.to_be_bytes()[..], &[0], &text].concat();
        self.0.write_all(&frame).expect("it is open");
    }

    fn ask(&mut self, request: Request) -> Option<Value> {
        self.say(&FromClient::Ask { id: 1, request });
        self.receive()
    }

    /// `None` = it was closed.
    fn receive(&mut self) -> Option<Value> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).ok()?;
        let mut text = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut text).ok()?;
        Some(serde_json::from_slice(&text[1..]).expect("JSON"))
    }
}

#[test]
fn a_program_that_vanishes_in_the_end_is_reported_and_the_daemon_continues_as_the_old_one() {
    let machine = Machine::new();
    machine.ok(&launch("lasting", &["--wait"]));
    let (pid, version) = daemon(&machine, Path::new(BINARY));
    let newer = machine.path("workbay");
    let text = "#!/bin/sh\nrm \"$0\"\necho workbay 99.0.0\n";
    fs::write(&newer, text).expect("a file");
    fs::set_permissions(&newer, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let (_line, welcome) = RawConnection::open(&machine, "99.0.0", &newer);
    assert_eq!(welcome["say"], "upgrading", "{welcome}");
    // A connection that was accepted in the last moment is closed.
    let notices = || {
        let mine = run(&machine, Path::new(BINARY), &["daemon", "status"]).status;
        let (mut line, _) = RawConnection::open(&machine, &version, Path::new(BINARY));
        mine.success().then(|| line.ask(Request::Notices)).flatten()
    };
    let notice = wait::until("it is reported", notices, |notice| {
        notice
            .as_ref()
            .is_some_and(|it| it.to_string().contains("can't be upgraded"))
    });
    let notice = notice.expect("it was reported").to_string();
    assert!(notice.contains("keeps running as version"), "{notice}");
    assert_eq!(daemon(&machine, Path::new(BINARY)), (pid, version));
    let (_line, welcome) = RawConnection::open(&machine, "99.0.0", &newer);
    let message = welcome["message"].as_str().expect("it is refused");
    assert!(message.contains("No such file"), "{message}");
    assert!(message.contains("workbay daemon stop"), "{message}");
    machine.ok(&["exec", "lasting", "--", "true"]);
}

/// While the engine doesn't answer, orders are in progress, and an end waits for them.
#[test]
fn a_stop_that_comes_during_an_upgrade_wins() {
    for by_signal in [true, false] {
        let machine = Machine::new();
        let (old, new) = (release(&machine, "0.1.1"), release(&machine, "0.2.0"));
        let relay = Relay::start(&machine.path("engine"), Path::new("/var/run/docker.sock"));
        let config = machine.path("config").join("config.toml");
        let text = format!(
            "[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{}\"\n",
            relay.endpoint()
        );
        fs::write(config, text).expect("a file");
        ok(&machine, &old, &launch("lasting", &["--wait"]));
        let (pid, _) = daemon(&machine, &old);
        let (mut mine, _) = RawConnection::open(&machine, "0.1.1", &old);
        relay.set(Manner::Silent);
        let mut asking = Command::new(&old)
            .args(["terminate", "lasting", "--force", "--yes"])
            .envs(machine.env())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        wait::until(
            "it is being ended",
            || wait::status(&machine, "lasting"),
            |status| status.as_deref() == Some("TERMINATING"),
        );
        let (_line, welcome) = RawConnection::open(&machine, "0.2.0", &new);
        assert_eq!(welcome["say"], "upgrading", "{welcome}");
        if by_signal {
            let pid = Pid::from_raw(pid.try_into().expect("a number")).expect("one of a process");
            kill_process(pid, Signal::TERM).expect("it lives");
        } else {
            let said = mine.ask(Request::Stop).expect("an answer").to_string();
            assert!(said.contains("done"), "{said}");
        }
        wait::until("it has ended", || machine.daemon_pid(), Option::is_none);
        asking.wait().expect("it has lost its line");
        relay.set(Manner::Through);
    }
}

#[test]
fn a_program_that_is_not_what_it_says_is_refused_and_the_daemon_continues() {
    let machine = Machine::new();
    let (old, new) = (release(&machine, "0.1.1"), release(&machine, "0.2.0"));
    ok(&machine, &old, &launch("lasting", &["--wait"]));
    let (pid, _) = daemon(&machine, &old);
    // A link shares its mode with the program that other tests run.
    fs::remove_file(&new).expect("it is ours");
    copy_program(BINARY, &new);
    fs::set_permissions(&new, PermissionsExt::from_mode(0o757)).expect("it is ours");
    let refused = run(&machine, &new, &["ls"]);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("is writable by all users"), "{said}");
    assert!(said.contains("workbay daemon stop"), "{said}");
    assert_eq!(daemon(&machine, &old), (pid, "0.1.1".to_owned()));
    // The fix is the same, also for the program that is refused.
    let before = container(&machine);
    ok(&machine, &new, &["daemon", "stop"]);
    assert_eq!(
        run(&machine, &new, &["daemon", "status"]).status.code(),
        Some(5)
    );
    assert_eq!(
        wait::status(&machine, "lasting").as_deref(),
        Some("RUNNING")
    );
    assert_eq!(container(&machine), before);
}
