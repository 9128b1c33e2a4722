//! A daemon that stops responding while the TUI is open.

use crate::{
    machine::{BINARY, Machine},
    process::signal,
    terminal::Terminal,
};

#[test]
fn a_daemon_that_hangs_has_a_badge_until_it_responds_again() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("No running sessions");
    let pid = machine.daemon_pid().expect("a daemon runs");
    signal(pid, "STOP");
    terminal.type_("R");
    terminal.wait_for("daemon not responding");
    terminal.wait_for("Run `workbay daemon stop`, then `workbay`");
    signal(pid, "CONT");
    terminal.wait_gone("daemon not responding");
    terminal.wait_gone("daemon stop");
}

#[test]
fn a_shell_that_cannot_open_says_why() {
    let machine = Machine::new();
    machine.ok(&crate::machine::launch("slow", &["--wait"]));
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("slow");
    let pid = machine.daemon_pid().expect("a daemon runs");
    signal(pid, "STOP");
    terminal.type_("s");
    terminal.wait_for("opening a shell");
    terminal.wait_for("The daemon isn't responding");
    terminal.wait_for("Run `workbay daemon stop`");
    signal(pid, "CONT");
    terminal.wait_for("work@slow");
    terminal.wait_gone("isn't responding");
}
