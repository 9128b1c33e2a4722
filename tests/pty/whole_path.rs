//! The first paragraph of the project: see the list, launch, work in the shell, leave, come back to
//! the same shell, read the log, end it, find it under Finished.

use crate::{
    machine::{BINARY, Machine},
    terminal::Terminal,
};

const LEADER: &str = "\x1d";

fn open(machine: &Machine) -> Terminal {
    let terminal = Terminal::start(&[BINARY], &machine.env(), 120, 36);
    terminal.wait_for("Running");
    terminal
}

#[test]
fn launch_work_leave_return_read_end() {
    let machine = Machine::new();
    let mut person = open(&machine);
    person.wait_for("No running sessions");

    // One key opens the launcher, the next skips to the review, Enter launches with the defaults,
    // and once more: without a folder.
    person.type_("n");
    person.wait_for("Launch a session");
    person.type_("\x12");
    person.wait_for("Command line");
    person.type_("\r");
    person.wait_for("Press Enter to launch without a folder");
    person.type_("\r");
    person.wait_for("RUNNING");

    // Into its shell; what is typed there is answered there.
    person.type_("s");
    person.wait_for("work@");
    person.type_("echo $((6*7)) > kept; VALUE=still-here; cat kept\r");
    person.wait_until("the shell answers 42", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    person.type_("echo 한글 세션\r");
    person.wait_until("Korean comes back", |screen| {
        screen.lines().any(|line| line.trim() == "한글 세션")
    });

    // Leave the pane, then the program: nothing asks, nothing ends.
    person.type_(LEADER);
    person.type_("d");
    person.wait_for("RUNNING");
    person.type_("q");
    assert_eq!(person.wait_end(), 0);

    // The same shell is there for the next face.
    let mut person = open(&machine);
    person.wait_for("RUNNING");
    person.type_("s");
    person.wait_for("work@");
    person.type_("echo [$VALUE]\r");
    person.wait_for("[still-here]");
    person.type_(LEADER);
    person.type_("d");

    // Its log has the runner's first lines.
    person.wait_for("RUNNING");
    person.type_("l");
    person.wait_for("environment");
    person.type_("q");

    // End it: a question, an answer, and it is under Finished.
    person.wait_for("RUNNING");
    person.type_("x");
    person.wait_for("Terminate");
    person.type_("y");
    person.wait_until("no session runs", |screen| {
        !screen.contains("RUNNING") && screen.contains("No running sessions")
    });
    person.type_("2");
    person.wait_for("terminated");
    person.type_("q");
    assert_eq!(person.wait_end(), 0);
    assert_eq!(machine.containers(), Vec::<String>::new());
}
