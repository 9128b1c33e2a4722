//! `run`, `wait`, `launch --wait-end` and `rm`: what scripts need.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    cli::run,
    cli::sessions::until,
    machine::{BINARY, Machine, launch},
    process::signal,
    terminal::Terminal,
};

const SMALL: [&str; 7] = ["run", "--env", "host", "--cpu", "0.2", "--mem", "64m"];

/// `workbay run --env host … MORE -- sh -c SCRIPT`.
fn shell<'a>(more: &[&'a str], script: &'a str) -> Vec<&'a str> {
    [&SMALL[..], more, &["--", "sh", "-c", script]].concat()
}

fn batch<'a>(name: &'a str, command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    launch(name, &[&["--batch", "--command", command], more].concat())
}

fn listed(machine: &Machine) -> Vec<String> {
    let list = machine.json(&["ls", "--tab", "all", "--json"]);
    let names = list.as_array().unwrap().iter();
    names
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A program of ours that runs beside the test.
fn beside(machine: &Machine, arguments: &[&str]) -> std::process::Child {
    Command::new(BINARY)
        .args(arguments)
        .envs(machine.env())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn run_gives_the_output_and_the_exit_code_of_its_command_alone() {
    let machine = Machine::new();
    // It waits for a reader: what a session prints in its last moment is kept as one text.
    let script = "echo out; while [ ! -e go ]; do sleep 0.05; done; echo err >&2; printf 'a\\033[2Jb'; exit 42";
    let mut child = beside(&machine, &shell(&["--name", "forty-two"], script));
    let mut first = [0; 4];
    let stdout = child.stdout.as_mut().unwrap();
    std::io::Read::read_exact(stdout, &mut first).unwrap();
    machine.ok(&["exec", "forty-two", "--", "touch", "go"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(42));
    // Bytes pass through: nobody looks at a pipe. The last line ends in any case.
    assert_eq!(
        (first.as_slice(), output.stdout.as_slice()),
        (&b"out\n"[..], &b"a\x1b[2Jb\n"[..])
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "err\n");
    // Its words are one argument each.
    let words = [
        &SMALL[..],
        &["--", "printf", "%s.", "a  b", "$HOME", "*", ""],
    ]
    .concat();
    assert_eq!(
        run(&machine, &words),
        (0, "a  b.$HOME.*..\n".into(), String::new())
    );
    // The session stays in the list, and its exit code can be read again.
    assert_eq!(run(&machine, &["wait", "forty-two"]).0, 42);
    let log = machine.ok(&["logs", "forty-two"]);
    assert!(log.contains("workbay: ready"), "{log}");
}

#[test]
fn a_line_of_any_length_has_its_own_end() {
    let machine = Machine::new();
    let script = "head -c 16384 /dev/zero | tr '\\0' a; echo; head -c 40000 /dev/zero | tr '\\0' b; echo; echo c";
    let (code, out, err) = run(&machine, &shell(&["--name", "long"], script));
    // Without the lines of workbay itself.
    let is_of_one = |line: &&str| line.bytes().all(|byte| b"abc".contains(&byte));
    let lengths =
        |text: &str| -> Vec<usize> { text.lines().filter(is_of_one).map(str::len).collect() };
    assert_eq!(
        (code, lengths(&out), err.as_str()),
        (0, vec![16384, 40000, 1], "")
    );
    // The saved log, too.
    assert_eq!(lengths(&machine.ok(&["logs", "long"])), [16384, 40000, 1]);
}

#[test]
fn a_lot_of_output_of_run_arrives_whole() {
    let machine = Machine::new();
    let script = "head -c 3000000 /dev/zero | tr '\\0' x";
    let (code, out, err) = run(&machine, &shell(&["--rm"], script));
    assert_eq!(
        (code, out.len(), err.as_str()),
        (0, 3_000_001, ""),
        "the line gets its end"
    );
}

#[test]
fn run_rm_leaves_nothing_of_the_session() {
    let machine = Machine::new();
    let (code, out, err) = run(
        &machine,
        &shell(&["--rm", "--name", "brief"], "pwd; exit 3"),
    );
    assert_eq!((code, out.as_str(), err.as_str()), (3, "/home/work\n", ""));
    assert_eq!(listed(&machine), [""; 0]);
    assert_eq!(run(&machine, &["show", "brief"]).0, 3);
    let homes = std::fs::read_dir(machine.state().join("sessions"));
    assert_eq!(homes.map_or(0, Iterator::count), 0, "a home is left");
    // Not known to a later daemon either.
    machine.ok(&["daemon", "stop"]);
    assert_eq!(listed(&machine), [""; 0]);
}

#[test]
fn run_detach_returns_at_once_with_the_name() {
    let machine = Machine::new();
    let out = machine.ok(&shell(&["--detach", "--name", "later"], "sleep 600"));
    assert!(out.starts_with("later "), "{out}");
    machine.ok(&["wait", "later", "--for", "running", "--wait-timeout", "2m"]);
    machine.ok(&["terminate", "later", "--force", "--yes", "--wait"]);
    let (code, _, err) = run(&machine, &["wait", "later"]);
    assert_eq!(code, 125);
    assert!(err.contains("session later: Killed by a user"), "{err}");
}

#[test]
fn run_refuses_what_it_cannot_do() {
    let machine = Machine::new();
    for (arguments, says) in [
        (vec!["run"], "the command is missing"),
        (
            vec!["run", "--count", "2", "--", "true"],
            "`run` launches one session",
        ),
        (
            vec!["run", "--command", "a", "--", "b"],
            "cannot be used with",
        ),
        (
            vec!["run", "--rm", "--detach", "--", "b"],
            "cannot be used with",
        ),
        (vec!["run", "--name", "a b", "--", "b"], "--name:"),
        (vec!["wait"], "required"),
        (vec!["rm", "any"], "add --yes"),
    ] {
        let (code, out, err) = run(&machine, &arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
    let line = machine.ok(&["run", "--dry-run", "--", "echo", "a b"]);
    assert_eq!(
        line,
        "workbay launch --batch --command 'echo '\\''a b'\\'''\n"
    );
    assert!(!machine.path("state").exists(), "a daemon was started");
    assert_eq!(run(&machine, &["wait", "nobody"]).0, 3);
}

#[test]
fn the_first_ctrl_c_ends_the_session_of_run_and_the_second_kills_it() {
    let machine = Machine::new();
    let script = "trap 'echo asked' TERM; echo begun; while :; do sleep 0.1; done";
    let arguments = shell(&["--name", "stubborn"], script);
    let argv: Vec<&str> = std::iter::once(BINARY).chain(arguments).collect();
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 30);
    terminal.wait_for("begun");
    terminal.type_("\u{3}");
    terminal.wait_for("To kill it, press Ctrl-C again");
    terminal.wait_for("asked");
    terminal.type_("\u{3}");
    terminal.wait_for("killing the session");
    assert_eq!(terminal.wait_end(), 130);
    terminal.wait_for("session stubborn: Killed by a user");
}

#[test]
fn a_session_of_run_that_is_terminated_gives_125_and_a_sentence() {
    let machine = Machine::new();
    let child = beside(&machine, &shell(&["--name", "ended"], "sleep 600"));
    until("it runs", || machine.ok(&["ls"]).contains("RUNNING"));
    machine.ok(&["terminate", "ended", "--force", "--yes"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("workbay: session ended: Killed by a user"),
        "{err}"
    );
    assert!(err.contains("workbay show ended"), "{err}");
}

#[test]
fn a_session_of_run_that_ends_without_enough_memory_gives_125() {
    let machine = Machine::new();
    // A shell's variable that grows without end.
    let script = "a=x; while :; do a=$a$a$a$a; done";
    let (code, _, err) = run(&machine, &shell(&["--name", "hungry"], script));
    assert_eq!(code, 125, "{err}");
    assert!(err.contains("out of memory"), "{err}");
}

#[test]
fn sigterm_ends_the_session_of_run_as_well() {
    let machine = Machine::new();
    let child = beside(&machine, &shell(&["--name", "asked"], "sleep 600"));
    until("it runs", || machine.ok(&["ls"]).contains("RUNNING"));
    signal(child.id(), "TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert_eq!(run(&machine, &["wait", "asked"]).0, 125);
}

#[test]
fn run_continues_with_the_next_daemon_and_prints_everything_once() {
    let machine = Machine::new();
    let script =
        "echo before; echo beside >&2; while [ ! -e go ]; do sleep 0.1; done; echo after; exit 7";
    let child = beside(&machine, &shell(&["--name", "survivor"], script));
    let shown = || machine.json(&["show", "survivor", "--json"]);
    until("it runs", || machine.ok(&["ls"]).contains("RUNNING"));
    until("it has printed something", || {
        machine.ok(&["logs", "survivor"]).contains("before")
    });
    let home = shown()["home"].as_str().expect("its home").to_owned();
    machine.kill_daemon();
    // The next daemon is started by `run`.
    until("the session is found again", || {
        machine.ok(&["ls"]).contains("RUNNING")
    });
    std::fs::write(Path::new(&home).join("go"), "").unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(7), "{err}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "before\nafter\n");
    assert_eq!(err.matches("beside").count(), 1, "{err}");
    assert!(err.contains("workbay: reconnected"), "{err}");
}

#[test]
fn what_run_prints_on_a_terminal_passes_no_commands() {
    let machine = Machine::new();
    let script = "printf 'a\\033]52;c;aGk=\\007b\\033]0;title\\007c\\n'; \
                  printf '\\033[?1049h\\033[?1000h\\033[?25l\\033[6n\\033[>4;2m\\033[31mred\\n'";
    let arguments = shell(&["--rm"], script);
    let argv: Vec<&str> = std::iter::once(BINARY).chain(arguments).collect();
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 30);
    terminal.wait_for("abc");
    assert_eq!(terminal.wait_end(), 0);
    let raw = terminal.raw();
    assert!(
        !raw.windows(2).any(|two| two == b"\x1b]"),
        "a command passed"
    );
    // Nothing would switch these off again, and an answer would arrive in the user's shell.
    let raw = String::from_utf8_lossy(&raw);
    for sequence in ["\x1b[?", "\x1b[6n", "\x1b[>"] {
        assert!(!raw.contains(sequence), "{sequence:?} passed");
    }
    let is_drawn = raw.contains("\x1b[31mred") && raw.contains("\x1b[0m");
    assert!(is_drawn, "{raw:?}");
}

#[test]
fn wait_is_for_several_and_gives_the_first_failure() {
    let machine = Machine::new();
    for (name, command) in [("good", "true"), ("badly", "exit 7"), ("worse", "exit 9")] {
        machine.ok(&batch(name, command, &[]));
    }
    let (code, out, err) = run(&machine, &["wait", "good", "badly", "worse", "good"]);
    assert_eq!(code, 7, "{err}");
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["badly exit 7", "good exit 0", "worse exit 9"]);
    let all = machine.workbay(&["wait", "worse", "good", "--json"]);
    assert_eq!(all.status.code(), Some(9));
    let all: serde_json::Value = serde_json::from_slice(&all.stdout).unwrap();
    assert_eq!(all[0]["name"], "worse");
    assert_eq!(all[1]["status"], "TERMINATED");
    assert_eq!(
        (&all[0]["exit_code"], &all[1]["exit_code"]),
        (&9.into(), &0.into())
    );
    assert_eq!(all[0]["end_reason"], "exited");
    // A batch session that has ended has begun.
    assert_eq!(run(&machine, &["wait", "good", "--for", "running"]).0, 0);
}

#[test]
fn a_wait_that_takes_too_long_says_what_is_still_open() {
    let machine = Machine::new();
    machine.ok(&launch("steady", &[]));
    let out = machine.ok(&["wait", "--for", "running", "steady"]);
    assert_eq!(out, "steady RUNNING\n");
    let (code, out, err) = run(&machine, &["wait", "steady", "--wait-timeout", "1s"]);
    assert!(err.contains("run `workbay wait steady`"), "{err}");
    assert_eq!((code, out.as_str()), (124, ""));
    assert!(err.contains("steady is still RUNNING after 1s"), "{err}");
    let child = beside(&machine, &["wait", "steady"]);
    machine.ok(&["terminate", "steady", "--yes", "--force"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "steady terminated\n"
    );
}

#[test]
fn a_wait_for_what_will_not_run_fails() {
    let machine = Machine::new();
    machine.ok(&batch("tomorrow", "true", &["--start-at", "+1d"]));
    let child = beside(&machine, &["wait", "tomorrow", "--for", "running"]);
    machine.ok(&["terminate", "tomorrow", "--yes"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("session tomorrow is CANCELLED"), "{err}");
}

#[test]
fn launch_wait_end_gives_the_exit_code() {
    let machine = Machine::new();
    let (code, out, err) = run(&machine, &batch("whole", "exit 6", &["--wait-end"]));
    assert_eq!(code, 6, "{err}");
    assert!(
        out.starts_with("whole ") && out.lines().count() == 1,
        "{out}"
    );
    let waits = ["--wait-end", "--wait-timeout", "1s"];
    let (code, out, err) = run(&machine, &batch("slow", "sleep 600", &waits));
    assert_eq!(code, 124, "{err}");
    assert!(out.starts_with("slow "), "{out}");
    assert!(err.contains("workbay wait slow"), "{err}");
    let twice = ["--wait-end", "--wait"];
    assert_eq!(run(&machine, &batch("both", "true", &twice)).0, 2);
    let alone = ["--wait-timeout", "1s"];
    assert_eq!(run(&machine, &batch("none", "true", &alone)).0, 2);
}

#[test]
fn rm_deletes_what_has_ended_and_nothing_else() {
    let machine = Machine::new();
    machine.ok(&batch("done", "true", &["--wait-end"]));
    machine.ok(&launch("alive", &["--wait"]));
    let (code, _, err) = run(&machine, &["rm", "done", "alive", "--yes"]);
    assert_eq!(code, 1);
    assert!(err.contains("session alive is RUNNING"), "{err}");
    assert!(
        listed(&machine).contains(&"done".to_owned()),
        "half was done"
    );
    let argv = [BINARY, "rm", "done"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 80, 24);
    terminal.wait_for("Delete this session? [y/N]");
    terminal.type_("n\r");
    terminal.wait_for("Nothing was deleted.");
    machine.ok(&["rm", "done", "--yes"]);
    assert_eq!(listed(&machine), ["alive"]);
    assert_eq!(run(&machine, &["rm", "done", "--yes"]).0, 3);
}
