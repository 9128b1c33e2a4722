//! `workbay --plain`: a conversation in lines, from a script and at a terminal.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use crate::{
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

/// Everything that plain mode prints for a script, on both outputs in their order.
#[track_caller]
fn scripted(machine: &Machine, options: &[&str], lines: &str) -> String {
    let both = "exec \"$@\" 2>&1";
    let mut child = Command::new("sh")
        .args(["-c", both, "sh", "timeout", "120", BINARY, "--plain"])
        .args(options)
        .envs(machine.env())
        .env("TERM", "xterm-256color")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("workbay starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(lines.as_bytes()).expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}: {text}", output.status);
    assert_plain(&text);
    text
}

/// Nothing but lines of text: no sequences, lines of boxes, or braille.
#[track_caller]
fn assert_plain(text: &str) {
    let drawn = |c: char| matches!(c, '\u{2500}'..='\u{259f}' | '\u{25a0}'..='\u{25ff}' | '\u{2800}'..='\u{28ff}');
    let wrong: Vec<char> = text
        .chars()
        .filter(|c| (c.is_control() && *c != '\n' && *c != '\r') || drawn(*c))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?} in {text}");
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' isn't in:\n{text}");
    }
}

#[test]
fn a_session_lives_and_ends_in_a_script() {
    let machine = Machine::new();
    // Name, a name that is too short, type, environment, CPU, too many, memory; then the review.
    let launch = "launch\nx\nplain-1\n\nhost\nmany\n0.2\n64m\n\n";
    let text = scripted(
        &machine,
        &[],
        &format!("{launch}wait plain-1 --for running\nlist\n1\n1\nback\nlog plain-1\nquit\n"),
    );
    assert_has(
        &text,
        &[
            "No running or waiting sessions. Type `launch` to launch one.",
            "Error: Name: ",
            "Error: CPU: ",
            "Running: workbay launch --name plain-1 --env host --cpu 0.2 --mem 64m\n",
            "1 running or waiting session.\n1. plain-1, RUNNING, host:",
            ", 0.2 CPU, 64 MiB, started ",
            "\n1. Details\n",
            "Running: workbay show plain-1\n",
            "workbay has ended. Sessions keep running.",
        ],
    );
    let text = scripted(&machine, &[], "terminate 1\nno\nrename 1 plain-2\nquit\n");
    assert_has(
        &text,
        &[
            "Running: workbay terminate plain-1\n",
            "The log and the home directory are kept for 7 days.",
            "Terminate plain-1? [y/N] ",
            "Nothing was terminated.",
            "Running: workbay rename plain-1 plain-2\n",
        ],
    );
    let text = scripted(
        &machine,
        &[],
        "1\nterminate --wait\ny\nfinished\nrm 1\ny\nfinished\n",
    );
    assert_has(
        &text,
        &[
            "Running: workbay terminate --wait plain-2\n",
            "plain-2 terminated\n",
            "1 finished session.\n1. plain-2, TERMINATED, ",
            "Running: workbay rm plain-2\n",
            "No finished sessions.",
        ],
    );
    assert_eq!(machine.containers(), [""; 0]);
}

#[test]
fn what_is_wrong_is_said_and_nothing_ends() {
    let machine = Machine::new();
    let text = scripted(
        &machine,
        &[],
        "terminat\n7\nshow 3\nopen nowhere\n'a\nfilter cpu>=many\nrename\n\nx y\nplain-9\nhelp\nfolders\nfolder create\nplain-data\nfolder ls\nmenu\n99\n7\nback\nback\nnotifications\nquit\n",
    );
    assert_has(
        &text,
        &[
            "Error: unknown command 'terminat'. Did you mean 'terminate'?",
            "Error: number 7 isn't in the list, which is empty.",
            "Error: number 3 isn't in the list, which is empty.",
            "Error: session 'nowhere' not found.",
            "Error: a quote has no end.",
            "Error: an answer is needed. Ctrl-C cancels.",
            "terminate a session",
            "Error: number 99 isn't in the menu. Use 1 to ",
            "Running: workbay folder create plain-data",
            "Running: workbay folder ls\n",
            "No notifications.",
            "workbay has ended.",
        ],
    );
}

#[test]
fn a_read_only_plain_mode_changes_nothing() {
    let machine = Machine::new();
    let text = scripted(
        &machine,
        &["--read-only"],
        "folder create plain-data\nfolder ls\n",
    );
    assert_has(
        &text,
        &[
            "Read-only: commands that change sessions are refused.",
            "workbay: read-only: `--read-only` is set",
            "The command ended with exit code 1.",
        ],
    );
    assert!(!machine.ok(&["folder", "ls"]).contains("plain-data"));
}

#[test]
fn an_engine_that_does_not_answer_is_said_with_a_way_out() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///nowhere/docker.sock");
    let text = scripted(&machine, &[], "list\nquit\n");
    assert_has(&text, &["/nowhere/docker.sock"]);
    assert!(
        text.contains("Press Enter to try again.") || text.contains("is disconnected"),
        "{text}"
    );
}

/// A user at a terminal without any abilities.
fn dumb(machine: &Machine) -> Terminal {
    let mut env = machine.env();
    env.push(("TERM".to_owned(), "dumb".to_owned()));
    Terminal::start(&[BINARY], &env, 80, 24)
}

#[track_caller]
fn assert_plain_bytes(terminal: &Terminal) {
    let raw = String::from_utf8_lossy(&terminal.raw()).replace('\u{8}', "");
    assert_plain(&raw);
}

#[test]
fn a_dumb_terminal_starts_it_and_says_why() {
    let machine = Machine::new();
    machine.ok(&launch("plain-dumb", &["--wait"]));
    let mut terminal = dumb(&machine);
    terminal.wait_for("TERM is dumb, so workbay starts in plain mode");
    terminal.wait_for("1. plain-dumb, RUNNING");
    terminal.wait_for("running> ");
    // What was typed stays when a message comes.
    terminal.type_("noti");
    terminal.wait_for("running> noti");
    machine.ok(&["terminate", "plain-dumb", "--force", "--yes", "--wait"]);
    terminal.wait_for("plain-dumb is now TERMINATED");
    terminal.wait_until("the typed text is there again", |screen| {
        screen
            .lines()
            .last()
            .is_some_and(|line| line == "running> noti")
    });
    terminal.type_("\x7f\x7f\x7f\x7ffinished\r");
    terminal.wait_for("1 finished session.");
    // Ctrl-C cancels a question, and leaves when nothing is asked.
    terminal.type_("launch\r");
    terminal.wait_for("Name, 4 to 64 letters");
    terminal.type_("\x03");
    terminal.wait_for("Cancelled.");
    terminal.type_("\x03");
    terminal.wait_for("workbay has ended. Sessions keep running.");
    assert_eq!(terminal.wait_end(), 0);
    assert_plain_bytes(&terminal);
}

#[test]
fn a_session_of_a_dumb_terminal_gives_a_shell_and_a_log() {
    let machine = Machine::new();
    machine.ok(&launch("plain-tty", &["--wait"]));
    let mut terminal = dumb(&machine);
    terminal.wait_for("1. plain-tty, RUNNING");
    terminal.type_("follow 1\r");
    terminal.wait_for("Running: workbay logs --tail 10 --follow plain-tty");
    terminal.wait_for("workbay: ready");
    terminal.type_("\x03");
    terminal.wait_until("the prompt is there again", |screen| {
        screen
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("running>"))
    });
    terminal.type_("shell 1\r");
    terminal.wait_for("so the session runs sh");
    terminal.type_until("echo $((40+2))\r", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    terminal.type_("exit\r");
    terminal.wait_until("the prompt is there again", |screen| {
        screen
            .lines()
            .last()
            .is_some_and(|line| line.trim_end().ends_with("running>"))
    });
    terminal.type_("terminate 1\r");
    terminal.wait_for("Terminate plain-tty? [y/N]");
    terminal.type_("y\r");
    terminal.wait_for("plain-tty is now TERMINATED");
    terminal.type_("\x04");
    terminal.wait_for("workbay has ended.");
    assert_eq!(terminal.wait_end(), 0);
    assert_plain_bytes(&terminal);
}
