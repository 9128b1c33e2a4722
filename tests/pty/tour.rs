//! `workbay tour`: the keys that the guide names lead through the whole tour.

use crate::{
    machine::{BINARY, Machine},
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

/// The word of the guide after this one, which is a key, as it is typed.
#[track_caller]
fn key(screen: &str, before: &str) -> String {
    let guide = guide(screen);
    let (_, rest) = guide
        .split_once(before)
        .unwrap_or_else(|| panic!("'{before}' isn't in '{guide}'"));
    let name = rest.split_whitespace().next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ',']);
    match name {
        "" => ".".to_owned(),
        "enter" => "\r".to_owned(),
        "esc" => "\x1b".to_owned(),
        "tab" => "\t".to_owned(),
        "ctrl-]" => "\x1d".to_owned(),
        "F2" => "\x1bOQ".to_owned(),
        "F7" => "\x1b[18~".to_owned(),
        "F8" => "\x1b[19~".to_owned(),
        "F12" => "\x1b[24~".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        other => panic!("the test can't type {other}: {guide}"),
    }
}

fn wait_guide(person: &Terminal, text: &str) -> String {
    person.wait_until(&format!("the guide says '{text}'"), |screen| {
        guide(screen).contains(text)
    });
    person.screen()
}

/// Types the key that the guide names after these words.
fn follow(person: &mut Terminal, says: &str, before: &str) {
    let screen = wait_guide(person, says);
    let keys = key(&screen, before);
    person.type_(&keys);
}

fn whole_tour(keymap: &str) {
    let machine = Machine::new();
    let argv = [BINARY, "--keymap", keymap, "tour"];
    let mut person = Terminal::start(&argv, &machine.env(), 80, 24);
    follow(&mut person, "Step 1 of 10: This is the list", "Press ");
    follow(&mut person, "Step 2 of 10: The details", "Press ");
    follow(&mut person, "Step 3 of 10: The log", "Press ");
    follow(&mut person, "Step 3 of 10: Press", "Press ");
    let screen = wait_guide(&person, "Step 4 of 10: A shell in the session");
    person.type_until("echo $((40+2))\r", |screen| {
        screen.lines().any(|line| line.trim() == "42")
    });
    person.type_(&key(&screen, "command, then "));
    person.type_(&key(&screen, "(the leader key), then "));
    follow(&mut person, "Step 5 of 10: Press", "Press ");
    let screen = wait_guide(&person, "Step 5 of 10: Type tour");
    person.type_("tour");
    person.type_(&key(&screen, "Then press "));
    follow(&mut person, "Step 6 of 10: Press", "Press ");
    follow(&mut person, "Step 7 of 10: An app", "Press ");
    follow(&mut person, "Step 7 of 10: Press", "Press ");
    follow(&mut person, "Step 8 of 10: Type a part", "Press ");
    follow(&mut person, "Step 8 of 10: Press", "Press ");
    follow(&mut person, "Step 9 of 10: Type to search", "Press ");
    follow(&mut person, "Step 9 of 10: Press", "Press ");
    follow(&mut person, "Step 9 of 10: Read what is lost", "press ");
    follow(&mut person, "Step 10 of 10: ", "Press ");
    let screen = wait_guide(&person, "The tour is over.");
    person.type_(&key(&screen, "The tour is over. "));
    person.wait_for("The tour has ended.");
    assert_eq!(person.wait_end(), 0);
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
    let mut person = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    let screen = wait_guide(&person, "Step 1 of 10");
    let skip = "\x1b[18~";
    assert!(guide(&screen).contains("F7 skip"), "{screen}");
    person.type_(skip);
    wait_guide(&person, "Step 2 of 10");
    // The window is closed by force: the session stays.
    person.kill();
    let listed = machine.ok(&["ls", "-q"]);
    let name = listed.trim();
    assert!(name.starts_with("tour-"), "{listed}");

    let mut person = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    person.wait_for(name);
    wait_guide(&person, "Step 1 of 10");
    assert_eq!(machine.ok(&["ls", "-q"]).trim(), name);
    person.type_("\x1b[19~");
    person.wait_for("The tour has ended.");
    assert_eq!(person.wait_end(), 0);
    nothing_is_left(&machine);
}

#[test]
fn a_tour_without_an_engine_names_the_doctor_and_one_without_a_terminal_the_plain_mode() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///nowhere/docker.sock");
    let mut person = Terminal::start(&[BINARY, "tour"], &machine.env(), 80, 24);
    person.wait_for("/nowhere/docker.sock");
    person.wait_for("workbay doctor");
    assert_ne!(person.wait_end(), 0);
    let output = machine.workbay(&["tour"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("workbay --plain"), "{error}");
}
