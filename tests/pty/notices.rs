//! What reaches the outer terminal before an idle check ends a session: the bell and a notification on the
//! desktop, wherever the user is.

use crate::{
    machine::{BINARY, LARGE, Machine, launch},
    terminal::Terminal,
};

/// A session that lives half a minute and is warned of at its half.
fn short_lived(name: &str, variables: &[(&str, &str)]) -> Machine {
    let mut machine = Machine::new();
    let rules = format!("{LARGE}[idle]\nsession-lifetime = \"30s\"\n");
    std::fs::write(machine.path("config/resources.toml"), rules).unwrap();
    for name in ["TMUX", "TERM_PROGRAM", "LC_TERMINAL"] {
        machine.set(name, "");
    }
    for (name, value) in variables {
        machine.set(name, value);
    }
    machine.ok(&launch(name, &["--wait"]));
    machine
}

fn count(raw: &[u8], part: &[u8]) -> usize {
    raw.windows(part.len()).filter(|it| *it == part).count()
}

/// What was sent until the warning is on the screen of an open terminal.
fn warned(machine: &Machine, name: &str) -> Vec<u8> {
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    terminal.wait_for(name);
    terminal.type_("s");
    terminal.wait_for(&format!("work@{name}"));
    terminal.wait_for(&format!("{name} will be reclaimed in"));
    terminal.raw()
}

#[test]
fn a_warning_rings_and_is_reported_to_the_desktop_while_a_terminal_is_open() {
    let machine = short_lived("warned", &[("TERM_PROGRAM", "WezTerm")]);
    let raw = warned(&machine, "warned");
    assert_eq!(
        count(&raw, b"\x1b]9;workbay: warned will be reclaimed in "),
        1
    );
    assert_eq!(count(&raw, b"\x07"), 1, "one bell");
}

#[test]
fn inside_tmux_it_is_passed_through_and_quiet_is_quiet() {
    let variables = [("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/none,1,0")];
    let machine = short_lived("passed", &variables);
    let raw = warned(&machine, "passed");
    assert_eq!(
        count(&raw, b"\x1bPtmux;\x1b\x1b]9;workbay: passed will be"),
        1
    );

    let variables = [("TERM_PROGRAM", "WezTerm"), ("WORKBAY_QUIET", "1")];
    let machine = short_lived("hushed", &variables);
    let raw = warned(&machine, "hushed");
    assert_eq!(count(&raw, b"\x1b]9;") + count(&raw, b"\x07"), 0);
}
