use std::{fs, path::PathBuf};

use super::*;

struct Trial {
    _dir: tempfile::TempDir,
    file: PathBuf,
    source: SettingsSource,
}

fn trial(text: &str) -> Trial {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::below(dir.path());
    let file = paths.config_file();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    let begun = layer::defaults();
    Trial {
        _dir: dir,
        file,
        source: SettingsSource { paths, begun },
    }
}

fn text(text: &str) -> EditedValue {
    EditedValue::Text(text.to_owned())
}

#[test]
fn a_saved_value_keeps_the_comments_and_a_wrong_one_changes_nothing() {
    let before = "# mine\n[ui]\n# the mouse\nmouse = true # yes\n";
    let trial = trial(before);
    let now = || fs::read_to_string(&trial.file).unwrap();
    let saved = trial.source.save("ui.mouse", &text("false")).unwrap();
    assert_eq!(saved, "ui.mouse saved. In effect now");
    assert_eq!(now(), before.replace("true", "false"));
    let why = trial.source.save("ui.theme", &text("drcula")).unwrap_err();
    assert!(
        why.contains("not found") && why.contains("dracula"),
        "{why}"
    );
    let why = trial.source.save("ui.keymap", &text("none")).unwrap_err();
    assert!(why.contains("not found"), "{why}");
    let why = trial
        .source
        .save("history.keep-days", &text("-1"))
        .unwrap_err();
    assert!(why.contains("invalid number"), "{why}");
    assert_eq!(now(), before.replace("true", "false"));
    trial.source.save("history.keep-days", &text("3")).unwrap();
    assert!(now().ends_with("\n[history]\nkeep-days = 3\n"));
    let reset = trial.source.reset("ui.mouse").unwrap();
    assert_eq!(reset, "ui.mouse is the default now. In effect now");
    assert!(
        now().starts_with("# mine\n[ui]\n# the mouse\n\n[history]"),
        "{}",
        now()
    );
}

#[test]
fn rows_have_origin_default_and_no_secret() {
    let trial = trial(
        "[launch]\nenv = { API_KEY = \"hunter2\" }\n[hooks]\ncommand = [\"post\", \"hunter2\"]\n",
    );
    let loaded = trial.source.load();
    let rows = trial.source.rows(&loaded);
    let row = |key: &str| rows.iter().find(|row| row.key == key).unwrap();
    assert_eq!(row("launch.env").value, "{ API_KEY }");
    assert_eq!(row("hooks.command").value, "[\"post\", …]");
    assert_eq!(row("launch.env").line, Some(2));
    assert!(row("hooks.command").from.ends_with("config.toml:4"));
    assert_eq!(
        row("launch.env").current,
        EditedValue::List(vec!["API_KEY=hunter2".to_owned()])
    );
    let SettingKind::Choice(themes) = &row("ui.theme").kind else {
        panic!("themes are a choice");
    };
    assert!(themes.contains(&"auto".to_owned()) && themes.contains(&"dracula".to_owned()));
}

#[test]
fn a_file_with_a_syntax_error_is_named_with_its_line() {
    let trial = trial("[ui]\nmouse = \n");
    let found = problem(&trial.source.load(), &trial.file).unwrap();
    assert_eq!((found.whole, found.problem.line), (true, 2));
    assert!(trial.source.save("ui.mouse", &text("false")).is_err());
    fs::write(&trial.file, "[ui]\nmouse = 3\n").unwrap();
    let found = problem(&trial.source.load(), &trial.file).unwrap();
    assert_eq!((found.whole, found.problem.line), (false, 2));
}

#[tokio::test]
async fn a_changed_file_is_read_and_another_keymap_is_named() {
    let trial = trial("");
    let (keymaps, names) = watch::channel("default".to_owned());
    let (answers, mut received) = mpsc::channel(8);
    let task = SettingsTask::begin(trial.source.clone(), keymaps, answers);
    task.order(SettingsOrder::Read);
    let Some(Msg::Settings(read)) = received.recv().await else {
        panic!("the settings were not read");
    };
    assert!(read.live.unwrap().mouse);
    let value = text("vim");
    let key = "ui.keymap".to_owned();
    task.order(SettingsOrder::Save {
        ticket: 7,
        key,
        value,
    });
    let Some(Msg::Settings(read)) = received.recv().await else {
        panic!("the saved setting was not read");
    };
    let keymap = read.live.unwrap().keymap;
    assert_eq!(keymap, Keymap::builtin("vim"));
    assert_eq!(*names.borrow(), "vim");
    let saved = received.recv().await.unwrap();
    assert!(matches!(
        saved,
        Msg::SettingSaved {
            ticket: 7,
            result: Ok(_)
        }
    ));
}
