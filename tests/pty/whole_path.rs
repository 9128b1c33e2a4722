//! The first paragraph of the project: see the list, launch, work in the shell, leave, come back to
//! the same shell, read the log, end it, find it under Finished.

use super::LEADER;
use crate::{
    machine::{BINARY, Machine},
    terminal::Terminal,
};

fn open(machine: &Machine) -> Terminal {
    let terminal = Terminal::start(&[BINARY], &machine.env(), 120, 36);
    terminal.wait_for("Running");
    terminal
}

#[test]
fn launch_work_leave_return_read_end() {
    let machine = Machine::new();
    let mut terminal = open(&machine);
    terminal.wait_for("No running sessions");

    // One key opens the launcher, the next skips to the review, Enter launches with the defaults,
    // and once more: without a folder.
    terminal.type_("n");
    terminal.wait_for("Launch a session");
    terminal.type_("\x12");
    terminal.wait_for("Command line");
    terminal.type_("\r");
    terminal.wait_for("Press Enter to launch without a folder");
    terminal.type_("\r");
    terminal.wait_for("RUNNING");

    // Into its shell; what is typed there is answered there.
    terminal.type_("s");
    terminal.wait_for("work@");
    terminal.type_("echo $((6*7)) > kept; VALUE=still-here; cat kept\r");
    terminal.wait_until("the shell answers 42", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    terminal.type_("echo 한글 세션\r");
    terminal.wait_until("Korean comes back", |screen| {
        screen.lines().any(|line| line.trim() == "한글 세션")
    });

    // Leave the pane, then the program: nothing asks, nothing ends.
    terminal.type_(LEADER);
    terminal.type_("d");
    terminal.wait_for("RUNNING");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);

    // The same shell is there for the next TUI.
    let mut terminal = open(&machine);
    terminal.wait_for("RUNNING");
    terminal.type_("s");
    terminal.wait_for("work@");
    terminal.type_("echo [$VALUE]\r");
    terminal.wait_for("[still-here]");
    terminal.type_(LEADER);
    terminal.type_("d");

    // Its log has the runner's first lines.
    terminal.wait_for("RUNNING");
    terminal.type_("l");
    terminal.wait_for("environment");
    terminal.type_("q");

    // End it: a question, an answer, and it is under Finished.
    terminal.wait_for("RUNNING");
    terminal.type_("x");
    terminal.wait_for("Terminate");
    terminal.type_("y");
    terminal.wait_until("no session runs", |screen| {
        !screen.contains("RUNNING") && screen.contains("No running sessions")
    });
    terminal.type_("2");
    terminal.wait_for("terminated");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    assert_eq!(machine.containers(), Vec::<String>::new());
}
