//! Embedded defaults, the site's file, the user's file, the environment: which one wins, and what is reported.

use std::fs;

use workbay::config::{
    layer::{self, DEFAULT, Loaded},
    origin::Places,
    setting::SETTINGS,
};

struct Installation {
    dir: tempfile::TempDir,
}

impl Installation {
    fn new(site: &str, user: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("site.toml"), site).unwrap();
        fs::write(dir.path().join("user.toml"), user).unwrap();
        Self { dir }
    }

    fn load(&self, variables: &[(&str, &str)]) -> Loaded {
        let places = Places {
            site: self.dir.path().join("site.toml"),
            user: self.dir.path().join("user.toml"),
        };
        layer::load(&places, |name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }
}

fn from(loaded: &Loaded, key: &str) -> &'static str {
    loaded.origin(key).word()
}

#[test]
fn the_annotated_defaults_name_every_setting_and_no_other() {
    let loaded = layer::defaults();
    assert_eq!(loaded.problems, []);
    let parsed: toml::Table = DEFAULT.parse().unwrap();
    for setting in SETTINGS {
        let table = parsed.get(setting.table).and_then(toml::Value::as_table);
        let there = table.is_some_and(|table| table.contains_key(setting.name));
        assert!(there, "default.toml does not set {}", setting.key());
    }
}

#[test]
fn what_is_shown_of_a_setting_reads_back_as_the_same_setting() {
    let loaded = Installation::new("", "[launch]\nenv = { A = \"it's \\\"x\\\"\" }\n").load(&[]);
    let lines: Vec<String> = SETTINGS
        .iter()
        .map(|setting| {
            let value = (setting.show)(&loaded.settings);
            format!("{}.{} = {value}\n", setting.table, setting.name)
        })
        .collect();
    let again = Installation::new("", &lines.concat()).load(&[]);
    assert_eq!(again.problems, []);
    assert_eq!(again.settings, loaded.settings);
}

#[test]
fn the_user_overrides_the_site_and_the_environment_both() {
    let machine = Installation::new(
        "[ui]\ntheme = \"ansi16\"\nkeymap = \"emacs\"\n[launch]\nmem = \"1g\"\n",
        "[ui]\ntheme = \"default-light\"\nkeymap = \"vim\"\n",
    );
    let loaded = machine.load(&[("WORKBAY_KEYMAP", "default"), ("WORKBAY_MOUSE", "off")]);
    assert_eq!(loaded.problems, []);
    let ui = &loaded.settings.ui;
    assert_eq!(
        (ui.theme.as_str(), from(&loaded, "ui.theme")),
        ("default-light", "user")
    );
    assert_eq!(
        (ui.keymap.as_str(), from(&loaded, "ui.keymap")),
        ("default", "environment")
    );
    assert_eq!(
        (ui.mouse, from(&loaded, "ui.mouse")),
        (false, "environment")
    );
    assert_eq!(loaded.settings.launch.mem.to_string(), "1 GiB");
    assert_eq!(from(&loaded, "launch.mem"), "site");
    assert_eq!(from(&loaded, "launch.cpu"), "default");
    let origin = loaded.origin("launch.mem").to_string();
    assert!(
        origin.starts_with("site, ") && origin.ends_with("site.toml:5"),
        "{origin}"
    );
}

#[test]
fn a_wrong_key_is_left_out_alone_and_the_layer_below_stays_for_it() {
    let machine = Installation::new(
        "[launch]\ncpu = 2\nmem = \"1g\"\n",
        "[launch]\nmem = \"2g\"\ncpu = \"many\"\n[ui]\ntheme = \"ansi16\"\nthene = \"x\"\nkeymap = \"vim\"\n\
         [nothing]\na = 1\n",
    );
    let loaded = machine.load(&[]);
    let lines: Vec<usize> = loaded.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 6, 8], "{:?}", loaded.problems);
    let help = loaded.problems[1].help.as_deref();
    assert_eq!(help, Some("did you mean 'theme'?"));
    assert_eq!(loaded.settings.launch.mem.to_string(), "2 GiB");
    assert_eq!(loaded.settings.launch.cpu.to_string(), "2");
    assert_eq!(from(&loaded, "launch.cpu"), "site");
    let ui = &loaded.settings.ui;
    assert_eq!((ui.theme.as_str(), ui.keymap.as_str()), ("ansi16", "vim"));
}

#[test]
fn variables_of_sessions_are_merged_one_by_one() {
    let machine = Installation::new(
        "[launch.env]\nHTTP_PROXY = \"http://proxy\"\nSTAGE = \"site\"\n",
        "[launch.env]\nSTAGE = \"mine\"\n",
    );
    let env = machine.load(&[]).settings.launch.env;
    assert_eq!(env["HTTP_PROXY"], "http://proxy");
    assert_eq!(env["STAGE"], "mine");
}

#[test]
fn a_wrong_variable_of_the_environment_is_reported_by_name() {
    let loaded = Installation::new("", "").load(&[("WORKBAY_MOUSE", "sometimes")]);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        ["$WORKBAY_MOUSE: expected true or false, found a string"]
    );
    assert!(loaded.settings.ui.mouse);
}

#[test]
fn a_file_that_cannot_be_read_as_text_is_reported() {
    let machine = Installation::new("", "");
    fs::write(machine.dir.path().join("user.toml"), [0xff, 0xfe]).unwrap();
    let problems = machine.load(&[]).problems;
    assert!(
        problems[0]
            .to_string()
            .ends_with("user.toml: the file isn't UTF-8 text (save it as UTF-8)")
    );
}

#[test]
fn a_users_file_makes_no_directory_a_folder() {
    let paths = "[folders]\nhost-paths = [\"/data/*:ro\"]\n";
    let user = Installation::new("", paths).load(&[]);
    assert!(user.settings.folders.host_paths.is_empty());
    let problem = user.problems[0].to_string();
    assert!(
        problem.contains("in the system-wide file only"),
        "{problem}"
    );
    let site = Installation::new(paths, "").load(&[]);
    assert_eq!(site.settings.folders.host_paths.len(), 1);
    assert_eq!(site.problems, []);
}

#[test]
fn hooks_are_a_users_own_and_name_events_there_are() {
    let hook = "[hooks]\ncommand = [\"notify-send\", \"it\"]\nevents = [\"failed\"]\n";
    let loaded = Installation::new("", hook).load(&[]);
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.settings.hooks.command, ["notify-send", "it"]);
    let site = Installation::new(hook, "").load(&[]);
    assert!(site.settings.hooks.command.is_empty());
    let problem = site.problems[0].to_string();
    assert!(
        problem.contains("site.toml:2:11") && problem.contains("own file only"),
        "{problem}"
    );
    let wrong = "[hooks]\nevents = [\"failed\",\n  \"runing\"]\n";
    let problem = Installation::new("", wrong).load(&[]).problems[0].to_string();
    assert!(
        problem.contains("user.toml:3:3: unknown event 'runing'"),
        "{problem}"
    );
    assert!(problem.contains("did you mean 'running'"), "{problem}");
    for wrong in ["command = [\"\"]", "command = \"a b\"", "timeout = \"1h\""] {
        let loaded = Installation::new("", &format!("[hooks]\n{wrong}\n")).load(&[]);
        assert_eq!(loaded.problems.len(), 1, "{wrong}");
    }
}
