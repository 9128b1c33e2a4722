//! `workbay tour`: the keys that the guide names lead through the whole tour.

use crate::{
    machine::{BINARY, Machine},
    process::signal,
    terminal::Terminal,
};

/// What the guide says: the last lines of the screen, joined.
fn guide(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    let from = lines.iter().rposition(|line| {
        let line = line.trim_start();
        line.starts_with("Step ") || line.starts_with("The tour is over.")
    });
    from.map_or_else(String::new, |from| {
        let words = lines[from..]
            .iter()
            .flat_map(|line| line.split_whitespace());
        words.collect::<Vec<_>>().join(" ")
    })
}

/// The key that the guide names between two texts, as it is typed. `None` = the guide doesn't say this, or is being drawn.
fn key(screen: &str, says: &str, (before, after): (&str, &str)) -> Option<String> {
    let guide = guide(screen);
    let (_, rest) = guide.split_once(says)?.1.split_once(before)?;
    let (name, _) = rest.split_once(after)?;
    Some(match name {
        "enter" => "\r".to_owned(),
        "esc" => "\x1b".to_owned(),
        "tab" => "\t".to_owned(),
        "F2" => "\x1bOQ".to_owned(),
        "F7" => "\x1b[18~".to_owned(),
        "F8" => "\x1b[19~".to_owned(),
        "F12" => "\x1b[24~".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        other => {
            let letter = other.strip_prefix("ctrl-")?.bytes().next()?;
            char::from(letter & 0x1f).to_string()
        }
    })
}

#[track_caller]
fn wait_guide(terminal: &Terminal, text: &str) {
    terminal.wait_until(&format!("the guide says '{text}'"), |screen| {
        guide(screen).contains(text)
    });
}

/// Types the key that the guide names between two texts.
#[track_caller]
fn follow(terminal: &mut Terminal, says: &str, around: (&str, &str)) {
    terminal.wait_until(&format!("the guide says '{says}' and a key"), |screen| {
        key(screen, says, around).is_some()
    });
    let keys = key(&terminal.screen(), says, around).expect("the guide stays");
    terminal.type_(&keys);
}

fn whole_tour(keymap: &str) {
    let machine = Machine::new();
    let argv = [BINARY, "--keymap", keymap, "tour"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 80, 24);
    let mut step = |says: &str, around| follow(&mut terminal, says, around);
    step(
        "Step 1 of 10: This is the list",
        ("Press ", " for its details"),
    );
    step("Step 2 of 10: The details", ("Press ", " for its log"));
    step("Step 3 of 10: The log", ("Press ", " to go back"));
    step("Step 3 of 10: ", ("Press ", " for a shell"));
    wait_guide(&terminal, "Step 4 of 10: A shell in the session");
    terminal.type_until("echo $((40+2))\r", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    let screen = terminal.screen();
    let says = "Step 4 of 10: A shell in the session";
    let leader = key(&screen, says, ("command, then ", " (the leader")).expect("the leader key");
    let back = key(&screen, says, ("key), then ", " for the list")).expect("the key for the list");
    terminal.type_(&leader);
    terminal.type_(&back);
    let mut step = |says: &str, around| follow(&mut terminal, says, around);
    step("Step 5 of 10: ", ("Press ", " to filter"));
    wait_guide(&terminal, "Step 5 of 10: Type tour.");
    terminal.type_("tour");
    let mut step = |says: &str, around| follow(&mut terminal, says, around);
    step("Step 5 of 10: Type tour.", ("Then press ", ". F7"));
    step("Step 6 of 10: ", ("Press ", " for its apps"));
    step("Step 7 of 10: An app", ("Press ", " to go back"));
    step("Step 7 of 10: ", ("Press ", " for the command palette"));
    step("Step 8 of 10: Type a part", ("Press ", " to close"));
    step("Step 8 of 10: ", ("Press ", " for the keys"));
    step("Step 9 of 10: Type to search", ("Press ", " to close"));
    step("Step 9 of 10: ", ("Press ", " to terminate"));
    step(
        "Step 9 of 10: Read what is lost",
        ("press ", " to terminate"),
    );
    step("Step 10 of 10: ", ("Press ", " for the finished"));
    step("The tour is over.", (" ", " leaves it"));
    terminal.wait_for("The tour has ended.");
    assert_eq!(terminal.wait_end(), 0);
    nothing_is_left(&machine);
}

#[track_caller]
fn nothing_is_left(machine: &Machine) {
    let sessions = machine.json(&["ls", "--tab", "all", "--json"]);
    assert_eq!(sessions.as_array().map(Vec::len), Some(0), "{sessions}");
    let recent = machine.json(&["recent", "ls", "--json"]);
    assert_eq!(recent.as_array().map(Vec::len), Some(0), "{recent}");
    assert_eq!(machine.containers(), [""; 0]);
}

#[test]
fn the_keys_that_the_guide_names_lead_through_the_whole_tour() {
    whole_tour("default");
}

#[test]
fn the_same_holds_in_another_keymap() {
    whole_tour("k9s");
}

#[test]
fn steps_can_be_skipped_and_an_interrupted_tour_is_taken_up_and_cleaned_up() {
    let machine = Machine::new();
    let mut terminal = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    wait_guide(&terminal, "Step 1 of 10");
    wait_guide(&terminal, "F7 skip F8 end the tour");
    terminal.type_("\x1b[18~");
    wait_guide(&terminal, "Step 2 of 10");
    // The program can't clean up: the session stays.
    signal(terminal.pid(), "KILL");
    terminal.wait_end();
    let listed = machine.ok(&["ls", "-q"]);
    let name = listed.trim();
    assert!(name.starts_with("tour-"), "{listed}");

    let mut terminal = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    terminal.wait_for(name);
    wait_guide(&terminal, "Step 1 of 10");
    assert_eq!(machine.ok(&["ls", "-q"]).trim(), name);
    terminal.type_("\x1b[19~");
    terminal.wait_for("The tour has ended.");
    assert_eq!(terminal.wait_end(), 0);
    nothing_is_left(&machine);
}

#[test]
fn a_tour_without_an_engine_says_how_to_start_it_and_one_without_a_terminal_names_plain_mode() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///nowhere/docker.sock");
    let mut terminal = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    terminal.wait_for("/nowhere/docker.sock");
    terminal.wait_for("start the engine");
    assert_ne!(terminal.wait_end(), 0);
    let output = machine.workbay(&["tour"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("workbay --plain"), "{error}");
}
