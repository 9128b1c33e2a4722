//! What panes do together and on their own, with real shells: broadcast, quick select, the floating shell, recordings,
//! the control room.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::leader;
use crate::{
    machine::{self, BINARY, Machine},
    terminal::Terminal,
};

fn in_a_shell(machine: &Machine, name: &str) -> Terminal {
    machine.ok(&machine::launch(name, &["--wait"]));
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for(name);
    terminal.type_("s");
    terminal.wait_for(&format!("work@{name}"));
    terminal.wait_for(" 1 bash* ");
    terminal
}

fn count(screen: &str, text: &str) -> usize {
    screen.matches(text).count()
}

#[test]
fn broadcast_types_into_all_panes_until_it_is_switched_off() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "many-shells");
    leader(&mut terminal, "|");
    terminal.wait_until("two shells", |it| count(it, "work@many-shells") == 2);
    leader(&mut terminal, "a");
    terminal.wait_for("BROADCAST to 2 panes");
    terminal.type_("clear; echo to-bo''th-$((40+2))\r");
    terminal.wait_until("both answer", |it| count(it, "to-both-42") == 2);
    leader(&mut terminal, "a");
    terminal.wait_gone("BROADCAST");
    terminal.type_("echo to-o''ne-$((40+2))\r");
    terminal.wait_until("one answers", |it| count(it, "to-one-42") == 1);
    // A mark takes the place of all panes of the screen.
    leader(&mut terminal, " ");
    terminal.wait_for("marked");
    leader(&mut terminal, "h");
    leader(&mut terminal, "a");
    terminal.wait_for("BROADCAST to 2 panes");
    leader(&mut terminal, "d");
    terminal.wait_for("Broadcast off");
}

#[test]
fn quick_select_copies_and_opens() {
    let mut machine = Machine::new();
    let opened = machine.path("opened");
    let browser = machine.path("browser");
    let script = format!("#!/bin/sh\nprintf %s \"$1\" > {}\n", opened.display());
    std::fs::write(&browser, script).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).expect("a program");
    machine.set("BROWSER", &browser.to_string_lossy());
    let mut terminal = in_a_shell(&machine, "quick-select");
    terminal.type_("PS1=; clear; echo see http://127.0.0.1:9/pa''ge\r");
    terminal.wait_for("127.0.0.1:9/page");
    leader(&mut terminal, "u");
    terminal.wait_for("1 match");
    terminal.type_("a");
    terminal.wait_gone("1 match");
    let copied = STANDARD.encode("http://127.0.0.1:9/page");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(
        raw.contains(&format!("]52;c;{copied}")),
        "nothing was copied"
    );
    leader(&mut terminal, "u");
    terminal.wait_for("1 match");
    terminal.type_("A");
    crate::wait::until(
        "the page is opened",
        || std::fs::read_to_string(&opened).unwrap_or_default(),
        |url| url == "http://127.0.0.1:9/page",
    );
}

#[test]
fn the_floating_shell_keeps_its_shell_over_every_view() {
    let machine = Machine::new();
    machine.ok(&machine::launch("floating", &["--wait"]));
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for("RUNNING");
    terminal.type_("`");
    terminal.wait_for("work@floating");
    terminal.type_("VALUE=still-here; clear; echo is-o''pen\r");
    terminal.wait_for("is-open");
    leader(&mut terminal, "`");
    terminal.wait_gone("is-open");
    terminal.wait_for("RUNNING");
    // Over the log, by the other key.
    terminal.type_("l");
    terminal.wait_gone("RUNNING");
    terminal.type_("\x1b[20~");
    terminal.wait_for("is-open");
    terminal.type_("echo [$VALUE]\r");
    terminal.wait_for("[still-here]");
    leader(&mut terminal, "d");
    terminal.wait_gone("is-open");
    terminal.type_("q");
    terminal.wait_for("RUNNING");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    // The next TUI has the same one.
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for("RUNNING");
    terminal.type_("\x1b[20~");
    terminal.wait_for("[still-here]");
}

#[test]
fn a_recording_is_replayed() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "recorded");
    terminal.type_("clear; echo bef''ore\r");
    terminal.wait_for("\nbefore");
    leader(&mut terminal, "R");
    terminal.wait_for(" REC ");
    terminal.type_("clear; echo while-re''corded-$((40+2)); exec cat\r");
    terminal.wait_for("while-recorded-42");
    leader(&mut terminal, "R");
    terminal.wait_gone(" REC ");
    let directory = machine.path("data/recordings");
    let file = crate::wait::until(
        "the recording is written",
        || {
            let files = std::fs::read_dir(&directory).into_iter().flatten();
            files.flatten().map(|it| it.path()).next()
        },
        Option::is_some,
    );
    let file = file.expect("a file").to_string_lossy().into_owned();
    let argv = [BINARY, "replay", &file, "--speed", "50"];
    let mut replay = Terminal::start(&argv, &machine.env(), 120, 30);
    // The last screen stays until a key is pressed.
    replay.wait_for("while-recorded-42");
    replay.type_("x");
    assert_eq!(replay.wait_end(), 0);
    let shown = String::from_utf8_lossy(&replay.raw()).into_owned();
    assert!(shown.contains("before"), "the screen at the start: {shown}");
    assert!(shown.contains("while-recorded-42"), "{shown}");
}

#[test]
fn the_control_room_shows_screens_and_opens_one() {
    let machine = Machine::new();
    machine.ok(&machine::launch("room-two", &["--wait"]));
    let mut terminal = in_a_shell(&machine, "room-one");
    terminal.type_("clear; echo seen-in-the-ro''om\r");
    terminal.wait_for("\nseen-in-the-room");
    leader(&mut terminal, "d");
    terminal.wait_gone("seen-in-the-room");
    terminal.wait_for("RUNNING");
    terminal.type_("W");
    terminal.wait_for("seen-in-the-room");
    terminal.wait_for("work@room-two");
    terminal.type_("\r");
    terminal.wait_until("a terminal is open", |screen| {
        screen.contains("Ctrl-] d back")
    });
}
