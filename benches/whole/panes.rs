//! Panes: how fast a flood goes through, how soon a key shows, beside the same shell without us.

use std::{process::Command, time::Duration};

use crate::{
    drain::Drain,
    machine::{BINARY, Machine, docker},
    measure::{COLUMNS, ROWS, millis, resident_kib, settle, tui},
    peers::docker_attach_command,
    samples::Samples,
    terminal::{Terminal, now},
};

const SESSION: &str = "bench-panes";
const ROUNDS: usize = 5;
/// Lines of 100 bytes that flow through: 20 MB.
const LINES: usize = 200_000;
const KEYS: usize = 200;
/// Keys typed beside a flood: as many as fit into a line of half the screen.
const FLOOD_KEYS: usize = 90;
/// Panes that memory is shared out among.
const PANES: usize = 8;
/// Lines each of them prints before.
const PRINTED: usize = 10_000;

/// A word that is nowhere else, and the command that prints it: it is put together only then. Two that
/// follow each other have no letter in common: where one replaces the other, only what differs is
/// painted.
fn word(number: usize) -> (String, String) {
    let letter = char::from(b'A' + (number % 26) as u8);
    let half = String::from(letter).repeat(4);
    (half.repeat(2), format!("printf '{half}%s\\n' {half}"))
}

/// Whether a figure of that name is made here.
pub fn is_of_here(name: &str) -> bool {
    name.starts_with("pane-") || name.starts_with("host-flow/")
}

pub fn alone(samples: &mut Samples) {
    let machine = Machine::new();
    // The shell is not to be held back by a limit of its own.
    machine.ok(&[
        "launch", "--env", "host", "--name", SESSION, "--cpu", "2", "--mem", "512m", "--wait",
    ]);
    everything(samples, &machine);
}

/// On a machine with that session.
fn everything(samples: &mut Samples, machine: &Machine) {
    let make = format!("seq -f '%099.0f' {LINES} > long.log");
    machine.ok(&["exec", SESSION, "--", "sh", "-c", &make]);
    let container = machine.containers().pop().expect("the bench's container");
    host_throughput(samples);
    throughput(samples, machine, &container);
    echo(samples, machine, &container);
    beside_a_flood(samples, machine);
    memory(samples, machine);
}

/// A shell of the session in a pane of ours.
fn pane(machine: &Machine) -> Drain {
    let mut ours = Drain::start(&[BINARY], &machine.env(), COLUMNS, ROWS);
    ours.wait_word(SESSION);
    ours.type_("s");
    ours.wait_word("work@");
    settle();
    ours
}

/// The same shell by the engine's own command line and the session's tmux.
fn tmux(container: &str, group: &str) -> Drain {
    let command = docker_attach_command(container, group);
    let argv: Vec<&str> = command.iter().map(String::as_str).collect();
    let theirs = Drain::start(&argv, &[], COLUMNS, ROWS);
    theirs.wait_word("work@");
    settle();
    theirs
}

/// Milliseconds, and bytes to the terminal a second, of the log in a shell beside it.
fn flow(shell: &mut Drain, number: usize) -> (f64, f64) {
    let (word, print) = word(number);
    let (before, start) = (shell.bytes(), now());
    shell.type_(&format!("clear; cat long.log; {print}\r"));
    let took = shell.wait_word(&word) - start;
    let bytes = shell.bytes() - before;
    (millis(took), bytes as f64 / took.as_secs_f64())
}

/// Goal 3: the same log in a shell of this host, through a pane, through a tmux of its own, through neither.
fn host_throughput(samples: &mut Samples) {
    const PROMPT: &str = "bench-prompt";
    let mut machine = Machine::new();
    machine.set("SHELL", "/bin/sh");
    machine.set("PS1", PROMPT);
    let dir = machine.path("");
    let socket = machine.path("tmux").to_string_lossy().into_owned();
    let make = format!("seq -f '%099.0f' {LINES} > long.log");
    let begin = |program: &str| {
        let argv = ["env", "-C", &dir.to_string_lossy(), "sh", "-c", program];
        Drain::start(&argv, &machine.env(), COLUMNS, ROWS)
    };
    let mut made = Command::new("sh");
    made.args(["-c", &make]).current_dir(&dir);
    assert!(made.status().expect("sh runs").success());
    for round in 0..ROUNDS {
        let mut raw = begin("exec sh");
        raw.wait_word(PROMPT);
        samples.add("host-flow/raw", flow(&mut raw, 3 * round).0);
        let mut tmux = begin(&format!(
            "exec tmux -S {socket} -f /dev/null new-session sh"
        ));
        tmux.wait_word(PROMPT);
        samples.add("host-flow/tmux", flow(&mut tmux, 3 * round + 1).0);
        tmux.type_("exit\r");
        let mut ours = begin(&format!("exec {BINARY}"));
        ours.wait_word("Running");
        ours.type_("!");
        ours.wait_word(PROMPT);
        samples.add("host-flow/workbay", flow(&mut ours, 3 * round + 2).0);
    }
}

/// Goals 4, 5 and 6: 20 MB of a log, through the engine alone, through tmux, through a pane.
fn throughput(samples: &mut Samples, machine: &Machine, container: &str) {
    for round in 0..ROUNDS {
        let (word, print) = word(3 * round);
        let raw = format!("cat long.log; {print}");
        let argv = ["docker", "exec", "-it", container, "sh", "-c", &raw];
        let start = now();
        let theirs = Drain::start(&argv, &[], COLUMNS, ROWS);
        let took = theirs.wait_word(&word) - start;
        samples.add("pane-flow/docker-exec", millis(took));
        drop(theirs);

        let mut theirs = tmux(container, &format!("flow-{round}"));
        samples.add("pane-flow/tmux", flow(&mut theirs, 3 * round + 1).0);
        drop(theirs);

        let mut ours = pane(machine);
        let (took, rate) = flow(&mut ours, 3 * round + 2);
        samples.add("pane-flow/workbay", took);
        samples.add("pane-flow-bytes/workbay", rate);
    }
}

/// Goals 8 and 9: a key and its echo, in turns.
fn echo(samples: &mut Samples, machine: &Machine, container: &str) {
    let argv = ["docker", "exec", "-it", container, "cat"];
    let mut raw = Drain::start(&argv, &[], COLUMNS, ROWS);
    settle();
    // Each in a window of its own.
    let mut ours = pane(machine);
    ours.type_("\x1dc");
    settle();
    let mut theirs = tmux(container, "echo");
    theirs.type_("clear; cat\r");
    ours.type_("clear; cat\r");
    settle();
    for key in 0..KEYS {
        for (name, shell) in [
            ("docker-exec", &mut raw),
            ("tmux", &mut theirs),
            ("workbay", &mut ours),
        ] {
            quiet(shell);
            let before = shell.bytes();
            let took = time_key(shell);
            quiet(shell);
            samples.add(&format!("pane-echo/{name}"), took);
            let bytes = (shell.bytes() - before) as f64;
            samples.add(&format!("pane-echo-bytes/{name}"), bytes);
            if key % 60 == 59 {
                shell.type_("\r");
            }
        }
    }
    theirs.type_("\x03");
    ours.type_("\x03exit\r");
    settle();
}

fn time_key(shell: &mut Drain) -> f64 {
    let (before, start) = (shell.bytes(), now());
    shell.type_("x");
    millis(shell.wait_bytes(before) - start)
}

/// Waits until nothing has been written for 20 ms, so that the next byte is the key's.
fn quiet(shell: &Drain) {
    loop {
        let before = shell.bytes();
        std::thread::sleep(Duration::from_millis(20));
        if shell.bytes() == before {
            return;
        }
    }
}

/// A key in one pane while the other is flooded, until it is on the screen; the peer is the session's
/// tmux with two panes of its own.
fn beside_a_flood(samples: &mut Samples, machine: &Machine) {
    let mut ours = tui(machine);
    ours.wait_for(SESSION);
    ours.type_("s");
    ours.wait_for("work@");
    flood_and_type(samples, "workbay", &mut ours, "\x1d|");
    drop(ours);
    let container = machine.containers().pop().expect("the bench's container");
    docker(&["exec", &container, "pkill", "yes"]);
    let command = docker_attach_command(&container, "flood");
    let argv: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut theirs = Terminal::start(&argv, &[], COLUMNS, ROWS);
    theirs.type_until("clear; echo ready\r", |screen| screen.starts_with("ready"));
    flood_and_type(samples, "tmux", &mut theirs, "\x02%");
    docker(&["exec", &container, "pkill", "yes"]);
}

fn flood_and_type(samples: &mut Samples, name: &str, shell: &mut Terminal, split: &str) {
    shell.type_("clear; yes flood\r");
    // The prompt that is waited for below is to be the new shell's.
    shell.wait_until("the flood fills the screen", |screen| {
        screen.contains("flood") && !screen.contains("work@")
    });
    shell.type_(split);
    shell.wait_for("work@");
    shell.type_("cat\r");
    let is_typed = |count: usize| {
        let typed = format!("│{}", "x".repeat(count));
        move |screen: &str| screen.lines().any(|line| line.trim_end().ends_with(&typed))
    };
    for key in 1..=FLOOD_KEYS {
        let start = now();
        shell.type_("x");
        let at = shell.wait_timed("the key shows", is_typed(key));
        samples.add(&format!("pane-flood-key/{name}"), millis(at - start));
        std::thread::sleep(Duration::from_millis(20));
    }
    shell.type_("\x03");
}

/// Goal 12: what a pane adds to the TUI, each with so many lines of history in its tmux.
fn memory(samples: &mut Samples, machine: &Machine) {
    let print = |shell: &mut Drain, number: usize| {
        let (word, print) = word(100 + number);
        shell.type_(&format!("clear; seq {PRINTED}; {print}\r"));
        shell.wait_word(&word);
    };
    let mut ours = pane(machine);
    print(&mut ours, 0);
    settle();
    let one = resident_kib(ours.pid());
    for number in 1..PANES {
        // A new shell, begun as usual, on a tab of its own.
        ours.forget();
        ours.type_("\x1dC\r");
        ours.wait_word("work@");
        settle();
        print(&mut ours, number);
    }
    settle();
    let all = resident_kib(ours.pid());
    samples.add("pane-memory/workbay", (all - one) / (PANES - 1) as f64);
}
