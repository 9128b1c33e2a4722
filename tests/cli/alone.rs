//! Commands that need no daemon.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::{
    cli::run,
    machine::{BINARY, Machine},
};

fn write_config(machine: &Machine, text: &str) {
    fs::create_dir_all(machine.path("config")).unwrap();
    fs::write(machine.path("config").join("config.toml"), text).unwrap();
}

#[test]
fn help_fits_one_screen_and_names_the_exit_codes() {
    let machine = Machine::new();
    let help = machine.ok(&["--help"]);
    assert!(help.lines().count() <= 70, "{}", help.lines().count());
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
    assert!(help.contains("Exit codes: 0 success, 1 failed, 2 invalid arguments, 3 not found"));
    assert_eq!(
        machine.ok(&["--version"]),
        format!("workbay {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn help_and_version_are_commands_too() {
    let machine = Machine::new();
    for (word, option) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "env", "ls"], &["env", "ls", "--help"]),
        (&["version"], &["--version"]),
    ] {
        assert_eq!(machine.ok(word), machine.ok(option), "{word:?}");
    }
}

#[test]
fn a_file_that_is_ignored_as_a_whole_is_reported_as_such() {
    let machine = Machine::new();
    let remarks = |file: &str, text: &str| {
        fs::write(machine.path("config").join(file), text).unwrap();
        let (_, _, err) = run(&machine, &["info"]);
        fs::remove_file(machine.path("config").join(file)).unwrap();
        err
    };
    let part = remarks("config.toml", "[ui]\nmouse = 3\n");
    assert!(part.trim_end().ends_with("This part is ignored"), "{part}");
    for (file, text) in [
        ("config.toml", "[ui\n"),
        ("resources.toml", "[host]\ncpu = 1\nmem = \"much\"\n"),
        ("environments.toml", "[nothing]\nx = 1\n"),
        ("contexts.toml", "[contexts\n"),
    ] {
        let whole = remarks(file, text);
        assert!(
            whole.trim_end().ends_with("The whole file is ignored"),
            "{file}: {whole}"
        );
    }
}

#[test]
fn config_check_names_a_preset_whose_group_is_missing() {
    let machine = Machine::new();
    let file = machine.path("config").join("resources.toml");
    fs::write(
        &file,
        "[preset.p]\ncpu = 1\nmem = \"1g\"\ngroup = \"nope\"\n",
    )
    .unwrap();
    let (code, out, _) = run(&machine, &["config", "check"]);
    assert_eq!(code, 1);
    assert!(out.contains("preset 'p': group 'nope' not found"), "{out}");
}

#[test]
fn config_check_says_which_settings_the_daemon_uses() {
    let machine = Machine::new();
    write_config(&machine, "[ui]\nmouse = false\n");
    machine.ok(&["ls"]);
    let (code, _, err) = run(&machine, &["config", "check"]);
    assert_eq!((code, err.as_str()), (0, ""));
    write_config(&machine, "[launch]\nenvironment = \"pythn\"\n");
    let (code, _, err) = run(&machine, &["config", "check"]);
    assert_eq!(code, 0);
    assert!(
        err.contains("config.toml:2:15: the environment catalog has no 'pythn'"),
        "{err}"
    );
    assert!(err.contains("uses the settings from before "), "{err}");
    assert!(err.contains("`workbay daemon stop`"), "{err}");
}

#[test]
fn the_printed_defaults_are_a_configuration_without_a_fault() {
    let machine = Machine::new();
    write_config(&machine, &machine.ok(&["config", "print-default"]));
    let (code, out, err) = run(&machine, &["config", "check"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("no problems found in "), "{out}");
}

#[test]
fn config_check_names_file_line_and_column_and_ends_with_1() {
    let machine = Machine::new();
    write_config(&machine, "[ui]\nthme = \"ansi16\"\n");
    let (code, out, _) = run(&machine, &["config", "check"]);
    let file = machine.path("config").join("config.toml");
    let problem = "unknown setting in [ui] 'thme' (did you mean 'theme'?)";
    assert_eq!(out, format!("{}:2:1: {problem}\n", file.display()));
    assert_eq!(code, 1);
}

#[test]
fn a_theme_or_keymap_that_is_not_there_is_reported_where_it_was_asked_for() {
    let machine = Machine::new();
    write_config(&machine, "[ui]\ntheme = \"ansi17\"\nkeymap = \"vmi\"\n");
    let (code, out, _) = run(&machine, &["config", "check"]);
    let file = machine.path("config").join("config.toml");
    let file = file.display();
    assert_eq!(
        out,
        format!(
            "{file}:2:9: theme 'ansi17' not found (did you mean 'ansi16'?)\n\
             {file}:3:10: keymap 'vmi' not found (did you mean 'vim'?)\n"
        )
    );
    assert_eq!(code, 1);
}

#[test]
fn a_broken_theme_of_ones_own_is_reported_with_its_own_place() {
    let machine = Machine::new();
    write_config(&machine, "[ui]\ntheme = \"mine\"\n");
    let themes = machine.path("config").join("themes");
    fs::create_dir_all(&themes).unwrap();
    fs::write(themes.join("mine.toml"), "[style]\n\"txt\" = \"red\"\n").unwrap();
    let (code, out, _) = run(&machine, &["config", "check"]);
    let file = themes.join("mine.toml");
    let problem = "unknown style 'txt' (did you mean 'text'?)";
    assert_eq!(out, format!("{}:2:1: {problem}\n", file.display()));
    assert_eq!(code, 1);
}

#[test]
fn info_shows_where_each_value_comes_from() {
    let mut machine = Machine::new();
    write_config(&machine, "[ui]\nkeymap = \"vim\"\n");
    machine.set("WORKBAY_MOUSE", "off");
    let info = machine.json(&["--theme", "ansi16", "info", "--json"]);
    let setting = |key: &str| {
        let settings = info["settings"].as_array().unwrap();
        let found = settings
            .iter()
            .find(|setting| setting["key"] == key)
            .unwrap();
        (
            found["value"].as_str().unwrap().to_owned(),
            found["origin"].as_str().unwrap().to_owned(),
        )
    };
    let pair = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert_eq!(setting("ui.theme"), pair("\"ansi16\"", "flag"));
    assert_eq!(setting("ui.keymap"), pair("\"vim\"", "user"));
    assert_eq!(setting("ui.mouse"), pair("false", "environment"));
    assert_eq!(setting("launch.environment"), pair("\"host\"", "default"));
    assert!(info["daemon"].is_null());
    let text = machine.ok(&["info"]);
    assert!(text.contains("config.toml:2"), "{text}");
}

#[test]
fn keys_lists_every_action_and_follows_the_keymap() {
    let machine = Machine::new();
    let keys = machine.json(&["keys", "--json"]);
    for action in workbay::action::Action::ALL {
        let rows = keys.as_array().unwrap();
        assert!(
            rows.iter().any(|row| row["action"] == action.name()),
            "{}",
            action.name()
        );
    }
    let vim = machine.ok(&["keys", "--keymap", "vim"]);
    let terminate = vim
        .lines()
        .find(|line| line.contains("session.terminate"))
        .unwrap();
    assert!(terminate.contains("d d, x, delete"), "{terminate}");
    let (code, _, err) = run(&machine, &["keys", "--keymap", "vmi"]);
    assert_eq!(code, 1);
    assert!(err.contains("did you mean 'vim'?"), "{err}");
}

#[test]
fn themes_lists_what_came_along_and_ones_own() {
    let machine = Machine::new();
    let themes = machine.path("config").join("themes");
    fs::create_dir_all(&themes).unwrap();
    fs::write(themes.join("dusk.toml"), "inherits = \"ansi16\"\n").unwrap();
    let rows = machine.json(&["themes", "--json"]);
    let named = |name: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == name)
    };
    assert_eq!(named("dusk").unwrap()["own"], true);
    assert_eq!(named("auto").unwrap()["in_use"], true);
    assert_eq!(named("vim").unwrap()["kind"], "keymap");
}

#[test]
fn themes_are_checked_for_mistakes_and_contrast() {
    let machine = Machine::new();
    let themes = machine.path("config").join("themes");
    fs::create_dir_all(&themes).unwrap();
    let (code, out, _) = run(&machine, &["themes", "check", "nord"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("nord: no problems found. "), "{out}");
    let faint = "inherits = \"nord\"\n[style]\n\"text.dim\" = \"#4c566a\"\n";
    fs::write(themes.join("faint.toml"), faint).unwrap();
    let (code, out, _) = run(&machine, &["themes", "check"]);
    assert_eq!(code, 1);
    let dim = "faint: text.dim on screen: contrast 1.69, at least 4.5 (#4c566a on #2e3440)\n";
    assert!(out.contains(dim), "{out}");
    let file = machine.path("tried.toml");
    fs::write(&file, "inherits = \"nrod\"\n").unwrap();
    let file = file.display().to_string();
    let (code, out, _) = run(&machine, &["themes", "check", &file]);
    assert_eq!(code, 1);
    let problem = format!("{file}:1:12: unknown theme 'nrod' (did you mean 'nord'?)\n");
    assert_eq!(out, problem);
    let (code, _, err) = run(&machine, &["themes", "show", "nrod"]);
    assert_eq!(code, 1);
    assert!(err.contains("theme 'nrod' not found"), "{err}");
    let shown = machine.ok(&["themes", "show", "dracula"]);
    assert!(shown.contains("#282a36"), "{shown}");
}

#[test]
fn completion_is_printed_for_each_shell() {
    let machine = Machine::new();
    for (shell, has) in [
        ("bash", "workbay __complete bash"),
        ("zsh", "workbay __complete words"),
        ("fish", "workbay __complete words"),
        ("elvish", "terminate"),
        ("powershell", "terminate"),
    ] {
        let script = machine.ok(&["completion", shell]);
        assert!(script.contains(has), "{shell}");
        assert!(
            !script.contains("runner"),
            "{shell} offers the hidden command"
        );
    }
}

#[test]
fn nothing_is_changed_while_the_settings_are_read_only() {
    let machine = Machine::new();
    for words in [
        "launch",
        "run -- true",
        "relaunch work",
        "recent launch 1",
        "rename work other",
        "priority work 5",
        "extend work",
        "terminate -y work",
        "rm -y work",
        "commit work image",
        "env pull busybox",
        "folder create src",
        "daemon stop --terminate-sessions -y",
    ] {
        let arguments: Vec<&str> = ["--read-only"]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        let (code, out, err) = run(&machine, &arguments);
        assert_eq!((code, out.as_str()), (1, ""), "{words}: {err}");
        let says = "workbay: read-only: `--read-only` is set\n         remove the option\n";
        assert_eq!(err, says, "{words}");
    }
    write_config(&machine, "[ui]\nread-only = true\n");
    let (code, _, err) = run(&machine, &["terminate", "-y", "work"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("read-only: the setting ui.read-only is on"),
        "{err}"
    );
    assert!(err.contains("config.toml, line 2"), "{err}");
    assert!(!machine.path("state").exists(), "a daemon was started");
    // What only reads or checks isn't refused.
    machine.ok(&["launch", "--dry-run"]);
    machine.ok(&["config", "check"]);
    machine.ok(&["daemon", "stop"]);
}

#[test]
fn no_daemon_is_reported_with_5_and_stopping_none_is_done() {
    let machine = Machine::new();
    let (code, out, err) = run(&machine, &["daemon", "status"]);
    assert_eq!((code, out.as_str()), (5, ""));
    assert!(err.contains("no daemon is running"), "{err}");
    let (code, out, _) = run(&machine, &["daemon", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &status["running"]),
        (5, &serde_json::Value::Bool(false))
    );
    assert!(status.get("pid").is_none());
    assert_eq!(run(&machine, &["daemon", "stop"]).0, 0);
    assert!(!machine.path("state").exists(), "asking started a daemon");
}

#[test]
fn doctor_finds_the_engine_without_starting_a_daemon() {
    let machine = Machine::new();
    let (code, out, err) = run(&machine, &["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let findings = report["findings"].as_array().unwrap();
    let topic = |name: &str| findings.iter().find(|finding| finding["topic"] == name);
    let engine = topic("engine").unwrap();
    assert_eq!(engine["level"], "ok", "{out}{err}");
    assert!(
        engine["message"].as_str().unwrap().contains("(API 1."),
        "{engine}"
    );
    for name in [
        "tmux",
        "terminal",
        "locale",
        "state directory",
        "daemon",
        "configuration",
    ] {
        assert!(topic(name).is_some(), "{name} is missing: {out}");
    }
    assert_eq!(code == 0, report["ok"] == true);
    assert!(
        !machine.path("state").exists(),
        "the doctor started a daemon"
    );
}

#[test]
fn doctor_ends_with_1_and_a_fix_when_something_is_bad() {
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", "unix:///nowhere/docker.sock");
    write_config(&machine, "[ui]\nmouse = 3\n");
    let (code, out, _) = run(&machine, &["doctor"]);
    assert_eq!(code, 1);
    let engine = out
        .lines()
        .position(|line| line.starts_with("bad") && line.contains("engine"));
    let hint = out
        .lines()
        .nth(engine.expect("the engine is bad") + 1)
        .unwrap();
    assert!(hint.trim_start().starts_with("-> "), "{out}");
    assert!(
        out.contains("config.toml:2:9: expected true or false"),
        "{out}"
    );
}

#[test]
fn a_reader_that_leaves_early_ends_the_command_without_a_message() {
    let machine = Machine::new();
    let mut child = Command::new(BINARY)
        .args(["completion", "powershell"])
        .envs(machine.env())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The script is longer than a pipe holds, so it is still being written when we leave.
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141), "as after SIGPIPE");
}
