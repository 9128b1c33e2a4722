//! The settings page and your own commands on a real terminal, with a real file and a real session.

use std::fs;

use crate::{
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

fn written(machine: &Machine, text: &str) -> std::path::PathBuf {
    let config = machine.path("config").join("config.toml");
    fs::create_dir_all(machine.path("config")).expect("a directory");
    fs::write(&config, text).expect("a file");
    config
}

#[test]
fn a_setting_is_changed_refused_and_reset_and_a_mistake_is_shown_at_once() {
    let machine = Machine::new();
    let config = written(
        &machine,
        "# mine\n[history]\n# short\nkeep-days = 3 # days\n",
    );
    let now = || fs::read_to_string(&config).expect("a file");
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 80, 24);
    terminal.wait_for("No running sessions");
    terminal.type_("S");
    terminal.wait_for("type to search");
    terminal.type_("keep-days");
    terminal.wait_for("config.toml:4");
    // The page has read the files.
    terminal.wait_for("A change takes effect when the daemon");
    terminal.type_("\r");
    terminal.wait_for("New value of history.keep-days");
    terminal.type_("9999\r");
    terminal.wait_for("Use 0 to 3650");
    terminal.type_("\x155\r");
    terminal.wait_for("history.keep-days saved");
    assert_eq!(now(), "# mine\n[history]\n# short\nkeep-days = 5 # days\n");
    terminal.type_("\x12");
    terminal.wait_for("is the default now");
    assert_eq!(now(), "# mine\n[history]\n# short\n");
    fs::write(&config, "[ui]\nmouse = maybe\n").expect("a file");
    terminal.wait_for("config.toml:2");
    fs::write(&config, "[ui]\nunicode = false\n").expect("a file");
    // Takes effect at once: borders without Unicode.
    terminal.wait_for("+- Settings");
}

#[test]
fn own_commands_run_in_the_background_in_the_session_and_in_a_pane() {
    let machine = Machine::new();
    let commands = "[[command]]\nname = \"greet\"\nkey = \"alt-g\"\ntarget = \
                    \"background\"\ncommand = \"echo hello {name}; exit 4\"\n\n[[command]]\nname \
                    = \"where\"\nkey = \"alt-w\"\ntarget = \"session\"\ncommand = \"echo \
                    \\\"I am\\\" $BACKENDAI_SESSION_NAME {name}\"\n";
    let config = written(&machine, commands);
    machine.ok(&launch("own-cmd", &["--wait"]));
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 100, 30);
    terminal.wait_for("own-cmd");
    terminal.type_("\x1bg");
    terminal.wait_for("Greet on own-cmd failed (exit code 4)");
    terminal.type_("\x1bw");
    terminal.wait_for("I am own-cmd own-cmd");
    terminal.wait_for("[exit code 0] Press Enter");
    terminal.type_("\x1dd");
    terminal.wait_for("own-cmd");
    // A changed file is used at once.
    let changed = format!(
        "{commands}\n[[command]]\nname = \"here\"\nkey = \"alt-h\"\ncommand = \"echo on-$((40 + 2)) \
         {{user}}; cat\"\n"
    );
    fs::write(&config, changed).expect("a file");
    terminal.type_(":>here");
    // Until the file is read again, another action is the first of the list. Only the new one has this key.
    terminal.wait_for("alt-h");
    terminal.type_("\r");
    terminal.wait_for("on-42");
}

#[test]
fn config_check_names_mistakes_of_commands_with_their_lines() {
    let machine = Machine::new();
    written(
        &machine,
        "[[command]]\nname = \"a\"\nkey = \"x\"\ncommand = \"true\"\n[[command]]\nname = \
         \"b\"\ncommand = \"echo '{name}' {nmae}\"\n",
    );
    let checked = machine.workbay(&["config", "check"]);
    let text = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        text.contains("config.toml:3:7: the key 'x' of 'a' is bound to session.terminate"),
        "{text}"
    );
    assert!(
        text.contains("config.toml:7:11: the placeholder {name} is quoted with '"),
        "{text}"
    );
    assert_eq!(checked.status.code(), Some(1));
}
