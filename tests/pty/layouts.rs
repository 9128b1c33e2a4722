//! Saved layouts with two real sessions: windows, a killed daemon, an ended and relaunched session.

use super::leader;
use crate::{
    machine::{self, BINARY, Machine},
    terminal::Terminal,
};

/// Opens the shell of a session that the list shows.
fn open_shell(terminal: &mut Terminal, name: &str) {
    terminal.wait_for(name);
    terminal.type_(&format!(":@{name}"));
    terminal.wait_for("Shows the session and its details");
    terminal.type_("\r");
    terminal.wait_for("main1");
    terminal.type_("s");
    terminal.wait_for(&format!("work@{name}"));
}

/// Two panes side by side: the second window of one session, and another session.
fn arranged(machine: &Machine) -> Terminal {
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    open_shell(&mut terminal, "lay-one");
    terminal.type_("PS1=; clear; echo in-fi''rst\r");
    terminal.wait_for("\nin-first");
    leader(&mut terminal, "c");
    terminal.wait_for(" 2 bash* ");
    terminal.type_("PS1=; clear; echo in-se''cond\r");
    terminal.wait_for("\nin-second");
    leader(&mut terminal, "w");
    terminal.wait_for("type to search");
    terminal.type_("lay-two");
    terminal.wait_for("not open");
    terminal.type_("\x16");
    terminal.wait_for("work@lay-two");
    terminal.type_("PS1=; clear; echo in-th''ird\r");
    terminal.wait_until("the third is answered", |screen| {
        screen.contains("in-third") && screen.contains("in-second") && !screen.contains("th''ird")
    });
    terminal
}

#[test]
fn a_layout_returns_to_its_windows_and_follows_a_relaunch() {
    let machine = Machine::new();
    machine.ok(&machine::launch("lay-one", &["--wait"]));
    machine.ok(&machine::launch("lay-two", &["--wait"]));
    let mut terminal = arranged(&machine);
    leader(&mut terminal, "L");
    terminal.wait_for("No layouts.");
    terminal.type_("s");
    terminal.wait_for("Save the open panes as");
    terminal.type_("../up");
    terminal.wait_for("isn't allowed in a name");
    terminal.type_("\x15work\r");
    terminal.wait_for("Layout 'work' saved");
    terminal.type_("\x1b");
    terminal.wait_gone("Layouts of panes");
    // Something else is shown when the TUI ends: the first window, and one pane.
    leader(&mut terminal, "x");
    terminal.wait_gone("in-third");
    leader(&mut terminal, "1");
    terminal.wait_for("\nin-first");
    leader(&mut terminal, "d");
    terminal.wait_for("RUNNING");
    // The details are still open.
    terminal.type_("q");
    terminal.wait_for("Last minutes");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    machine.kill_daemon();

    let argv = [BINARY, "--layout", "work"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 120, 30);
    let both = |screen: &str| screen.contains("in-second") && screen.contains("in-third");
    terminal.wait_until("both panes show their windows", both);
    terminal.wait_for(" 2 bash* ");
    leader(&mut terminal, "d");
    terminal.wait_for("RUNNING");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);

    machine.ok(&["terminate", "--force", "--yes", "lay-two"]);
    crate::wait::until(
        "the session has ended",
        || crate::wait::status(&machine, "lay-two"),
        |status| status.as_deref() == Some("TERMINATED"),
    );
    let mut terminal = Terminal::start(&argv, &machine.env(), 120, 30);
    terminal.wait_for("lay-two has ended");
    terminal.wait_for("in-second");
    terminal.type_(".");
    terminal.wait_for("Launch a session");
    terminal.type_("\x12");
    terminal.wait_for("Command line");
    terminal.type_("\r");
    terminal.wait_for("Press Enter to launch without a folder");
    terminal.type_("\r");
    terminal.wait_for("work@lay-two");
    terminal.wait_for("in-second");
}

#[test]
fn a_layout_that_does_not_exist_or_is_broken_is_an_error_that_names_it() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let start = |name: &str| Terminal::start(&[BINARY, "--layout", name], &machine.env(), 160, 24);
    let mut terminal = start("work");
    terminal.wait_for("layout 'work' not found. No layout is saved yet");
    assert_eq!(terminal.wait_end(), 1);
    let layouts = machine.state().join("layouts");
    std::fs::create_dir(&layouts).expect("a directory");
    let text = "{\n  \"version\": 1,\n  \"tabs\": []\n}\n";
    std::fs::write(layouts.join("work.json"), text).expect("a file");
    let mut terminal = start("work");
    terminal.wait_for("work.json:4:1");
    assert_eq!(terminal.wait_end(), 1);
    let kept = std::fs::read_to_string(layouts.join("work.json"));
    assert_eq!(kept.expect("the file"), text);
}
