//! Saved layouts with two real sessions: windows, a killed daemon, an ended and relaunched session.

use crate::{
    machine::{self, BINARY, Machine},
    terminal::Terminal,
};

const LEADER: &str = "\x1d";

fn leader(person: &mut Terminal, keys: &str) {
    person.type_(LEADER);
    person.type_(keys);
}

/// Opens the shell of a session that the list shows.
fn open_shell(person: &mut Terminal, name: &str) {
    person.wait_for(name);
    person.type_(&format!(":@{name}"));
    person.wait_for("Shows the session and its details");
    person.type_("\r");
    person.wait_for("main1");
    person.type_("s");
    person.wait_for(&format!("work@{name}"));
}

/// Two panes side by side: the second window of one session, and another session.
fn arranged(machine: &Machine) -> Terminal {
    let mut person = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    open_shell(&mut person, "lay-one");
    person.type_("PS1=; clear; echo in-fi''rst\r");
    person.wait_for("\nin-first");
    leader(&mut person, "c");
    person.wait_for(" 2 bash* ");
    person.type_("PS1=; clear; echo in-se''cond\r");
    person.wait_for("\nin-second");
    leader(&mut person, "w");
    person.wait_for("type to search");
    person.type_("lay-two");
    person.wait_for("not open");
    person.type_("\x16");
    person.wait_for("work@lay-two");
    person.type_("PS1=; clear; echo in-th''ird\r");
    person.wait_until("the third is answered", |screen| {
        screen.contains("in-third") && screen.contains("in-second") && !screen.contains("th''ird")
    });
    person
}

#[test]
fn a_layout_returns_to_its_windows_and_follows_a_relaunch() {
    let machine = Machine::new();
    machine.ok(&machine::launch("lay-one", &["--wait"]));
    machine.ok(&machine::launch("lay-two", &["--wait"]));
    let mut person = arranged(&machine);
    leader(&mut person, "L");
    person.wait_for("No layouts.");
    person.type_("s");
    person.wait_for("Save the open panes as");
    person.type_("../up");
    person.wait_for("isn't allowed in a name");
    person.type_("\x15work\r");
    person.wait_for("Layout 'work' saved");
    person.type_("\x1b");
    person.wait_gone("Layouts of panes");
    // Something else is shown when the TUI ends: the first window, and one pane.
    leader(&mut person, "x");
    person.wait_gone("in-third");
    leader(&mut person, "1");
    person.wait_for("\nin-first");
    leader(&mut person, "d");
    person.wait_for("RUNNING");
    // The details are still open.
    person.type_("q");
    person.wait_for("Last minutes");
    person.type_("q");
    assert_eq!(person.wait_end(), 0);
    machine.kill_daemon();

    let argv = [BINARY, "--layout", "work"];
    let mut person = Terminal::start(&argv, &machine.env(), 120, 30);
    let both = |screen: &str| screen.contains("in-second") && screen.contains("in-third");
    person.wait_until("both panes show their windows", both);
    person.wait_for(" 2 bash* ");
    leader(&mut person, "d");
    person.wait_for("RUNNING");
    person.type_("q");
    assert_eq!(person.wait_end(), 0);

    machine.ok(&["terminate", "--force", "--yes", "lay-two"]);
    crate::wait::until(
        "the session has ended",
        || crate::wait::status(&machine, "lay-two"),
        |status| status.as_deref() == Some("TERMINATED"),
    );
    let mut person = Terminal::start(&argv, &machine.env(), 120, 30);
    person.wait_for("lay-two has ended");
    person.wait_for("in-second");
    person.type_(".");
    person.wait_for("Launch a session");
    person.type_("\x12");
    person.wait_for("Command line");
    person.type_("\r");
    person.wait_for("Press Enter to launch without a folder");
    person.type_("\r");
    person.wait_for("work@lay-two");
    person.wait_for("in-second");
}

#[test]
fn a_layout_that_does_not_exist_or_is_broken_is_an_error_that_names_it() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let start = |name: &str| Terminal::start(&[BINARY, "--layout", name], &machine.env(), 160, 24);
    let mut person = start("work");
    person.wait_for("layout 'work' not found. No layout is saved yet");
    assert_eq!(person.wait_end(), 1);
    let layouts = machine.state().join("layouts");
    std::fs::create_dir(&layouts).expect("a directory");
    let text = "{\n  \"version\": 1,\n  \"tabs\": []\n}\n";
    std::fs::write(layouts.join("work.json"), text).expect("a file");
    let mut person = start("work");
    person.wait_for("work.json:4:1");
    assert_eq!(person.wait_end(), 1);
    let kept = std::fs::read_to_string(layouts.join("work.json"));
    assert_eq!(kept.expect("the file"), text);
}
