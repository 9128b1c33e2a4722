//! How each setting is edited: the form of its value, when a change takes effect, and why it may be fixed.

use std::path::Path;

use super::{
    Problem,
    document::{Document, DocumentFault, Item, Value},
    layer::{self, Loaded, SITE_FILE},
    origin::{Origin, Places},
    setting::{SETTINGS, Setting},
    writing::{quoted, quoted_list, table},
};
use crate::model::{
    notice::EVENTS,
    setting_kind::{EditedValue, SettingKind, TakesEffect},
};

/// How a setting is edited. The names of languages, themes and keymaps are files, so they aren't in it. `None` = unknown key.
pub fn how(key: &str) -> Option<(SettingKind, TakesEffect)> {
    use SettingKind::{Duration, List, Number, Pairs, Size, Text, TextOrNumber, Toggle};
    use TakesEffect::{AtOnce, DaemonStart, NextStart};
    let choice = |words: &[&str]| SettingKind::Choice(owned(words));
    Some(match key {
        "ui.theme" | "ui.keymap" => (choice(&[]), AtOnce),
        "ui.language" => (choice(&[]), NextStart),
        "ui.unicode" => (choice(&["auto", "true", "false"]), AtOnce),
        "ui.charts" => (choice(&["auto", "braille", "blocks", "ascii"]), AtOnce),
        "ui.columns" => (List, AtOnce),
        "ui.mouse"
        | "ui.statistics"
        | "ui.read-only"
        | "ui.open-apps-after-launch"
        | "notifications.quiet"
        | "notifications.bell" => (Toggle, AtOnce),
        "terminal.shell" => (Text, DaemonStart),
        "terminal.record-limit" => (Size, NextStart),
        "terminal.copy-keys" => (choice(&["auto", "vi", "emacs"]), NextStart),
        "terminal.clipboard" => (choice(&["ask", "allow", "refuse"]), NextStart),
        "terminal.link-schemes" => (List, NextStart),
        "notifications.desktop" => (choice(&["auto", "on", "off"]), NextStart),
        "hooks.command" | "secrets.add" | "secrets.remove" | "folders.host-paths" => {
            (List, DaemonStart)
        }
        "hooks.events" => (SettingKind::Subset(owned(&EVENTS)), DaemonStart),
        "hooks.timeout" => (Duration, DaemonStart),
        "launch.environment" | "engine.endpoint" | "apps.port-pool" => (Text, DaemonStart),
        "launch.cpu"
        | "launch.pids"
        | "engine.stop-grace-seconds"
        | "history.keep-days"
        | "images.limit" => (Number, DaemonStart),
        "launch.mem"
        | "launch.shmem"
        | "history.keep-space"
        | "disk.warn-below"
        | "disk.launch-reserve"
        | "disk.save-limit"
        | "disk.keep-free" => (Size, DaemonStart),
        "launch.env" => (Pairs, DaemonStart),
        "apps.preferred-port" => (TextOrNumber, DaemonStart),
        "apps.open-to-public" => (Toggle, DaemonStart),
        "apps.ssh-arguments" => (List, AtOnce),
        "apps.authorized-keys" => (Text, DaemonStart),
        _ => return None,
    })
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Why a setting can't be changed in the user's file, `None` if it can.
pub fn fixed(loaded: &Loaded, setting: &Setting) -> Option<String> {
    if setting.table == layer::OF_THE_SITE {
        return Some(tr!(
            "Only the system-wide file may set it ({file}), because it opens directories of \
             this machine to sessions.",
            file = SITE_FILE
        ));
    }
    match loaded.origin(&setting.key()) {
        Origin::Environment { variable } => Some(tr!(
            "The environment variable {variable} sets it. Unset {variable} to change the setting.",
            variable
        )),
        Origin::Flag { option } => Some(tr!(
            "The option {option} sets it. Start workbay without {option} to change the setting.",
            option
        )),
        _ => None,
    }
}

/// The value to begin editing with. Lists that are joined with the system-wide ones begin with the user's own part.
pub fn current(loaded: &Loaded, user: &Path, setting: &Setting) -> EditedValue {
    let own;
    let settings = match (setting.table, setting.name) {
        ("secrets", _) | ("launch", "env") => {
            let places = Places {
                site: std::path::PathBuf::new(),
                user: user.to_path_buf(),
            };
            own = layer::load(&places, |_| None);
            &own.settings
        }
        _ => &loaded.settings,
    };
    let line = format!("value = {}", (setting.show)(settings));
    let document = Document::parse(Path::new("value"), &line).ok();
    document
        .and_then(|it| Some(edited(&it.get("value")?.value)))
        .unwrap_or_default()
}

fn edited(value: &Value) -> EditedValue {
    match value {
        Value::List(items) => EditedValue::List(items.iter().map(|it| word(&it.value)).collect()),
        Value::Table(entries) => EditedValue::List(
            entries
                .iter()
                .map(|entry| format!("{}={}", entry.key, word(&entry.item.value)))
                .collect(),
        ),
        other => EditedValue::Text(word(other)),
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(on) => on.to_string(),
        _ => String::new(),
    }
}

/// An edited value as TOML. The error is a sentence about a value that has no form in TOML.
pub fn to_toml(kind: &SettingKind, value: &EditedValue) -> Result<String, String> {
    Ok(match (kind, value) {
        (SettingKind::Pairs, EditedValue::List(lines)) => table(pairs(lines)?.into_iter()),
        (_, EditedValue::List(words)) => quoted_list(words),
        (SettingKind::Toggle | SettingKind::Choice(_), EditedValue::Text(text))
            if ["true", "false"].contains(&text.as_str()) =>
        {
            text.clone()
        }
        (SettingKind::Number, EditedValue::Text(text)) => number(text)?,
        (SettingKind::TextOrNumber, EditedValue::Text(text)) => {
            number(text).unwrap_or_else(|_| quoted(text.trim()))
        }
        (_, EditedValue::Text(text)) => quoted(text.trim()),
    })
}

fn number(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let document = Document::parse(Path::new("value"), &format!("value = {text}"));
    match document.ok().filter(|_| is_plain) {
        Some(_) => Ok(text.to_owned()),
        None => Err(tr!(
            "invalid number '{text}'. Use digits, for example 3",
            text
        )),
    }
}

fn pairs(lines: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in lines {
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| tr!("'{line}' has no '='. Write NAME=VALUE", line))?;
        let name = name.trim().to_owned();
        if pairs.iter().any(|(known, _)| *known == name) {
            return Err(tr!("{name} is in the list twice", name));
        }
        pairs.push((name, quoted(value)));
    }
    Ok(pairs)
}

/// Checks a value as `config check` does for a file. The error is one sentence, and the fix if there is one.
pub fn check(setting: &Setting, toml: &str) -> Result<(), String> {
    let line = format!("value = {toml}");
    let document = Document::parse(Path::new("value"), &line)
        .map_err(|problem| said(problem.message, problem.help))?;
    let blank = Item {
        value: Value::Text(String::new()),
        at: 0,
    };
    let item = document.get("value").unwrap_or(&blank);
    let mut settings = layer::defaults().settings;
    (setting.read)(&mut settings, item)
        .map_err(|DocumentFault { message, help, .. }| said(message, help))
}

fn said(message: String, help: Option<String>) -> String {
    match help {
        Some(help) => format!("{message} ({help})"),
        None => message,
    }
}

/// The setting of this key.
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key() == key)
}

/// The problem that keeps the whole user's file from being used, `None` if the file is readable.
pub fn unreadable<'a>(loaded: &'a Loaded, user: &Path) -> Option<&'a Problem> {
    let problem = loaded.problems.iter().find(|it| it.file == user)?;
    loaded
        .ignored_files
        .contains(&problem.file)
        .then_some(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> EditedValue {
        EditedValue::Text(text.to_owned())
    }

    #[test]
    fn every_setting_says_how_it_is_edited_and_its_default_survives_editing() {
        let defaults = layer::defaults();
        for setting in SETTINGS {
            let key = setting.key();
            let (kind, _) = how(&key).unwrap_or_else(|| panic!("{key} has no form"));
            let value = current(&defaults, Path::new("/nowhere"), setting);
            let toml = to_toml(&kind, &value).unwrap();
            check(setting, &toml).unwrap_or_else(|why| panic!("{key} = {toml}: {why}"));
            let mut read = layer::defaults().settings;
            let document = Document::parse(Path::new("x"), &format!("v = {toml}")).unwrap();
            (setting.read)(&mut read, document.get("v").unwrap()).unwrap();
            assert_eq!(
                (setting.show)(&read),
                (setting.show)(&defaults.settings),
                "{key}"
            );
            if let SettingKind::Choice(words) = &kind {
                for word in words {
                    let toml = to_toml(&kind, &text(word)).unwrap();
                    assert_eq!(check(setting, &toml), Ok(()), "{key}");
                }
            }
        }
        assert_eq!(how("ui.nothing"), None);
    }

    #[test]
    fn a_wrong_value_is_refused_with_the_words_of_the_check() {
        let refused = |key: &str, value: &EditedValue| {
            let (kind, _) = how(key).unwrap();
            let toml = to_toml(&kind, value);
            toml.and_then(|toml| check(find(key).unwrap(), &toml))
                .unwrap_err()
        };
        assert!(refused("history.keep-days", &text("9999")).contains("3650"));
        assert!(refused("history.keep-days", &text("1\nx = 2")).starts_with("invalid number"));
        assert!(refused("launch.mem", &text("much")).contains("much"));
        assert!(refused("terminal.clipboard", &text("never")).contains("unknown clipboard policy"));
        let list = |words: &[&str]| EditedValue::List(owned(words));
        assert!(refused("terminal.link-schemes", &list(&["javascript"])).contains("javascript"));
        assert!(refused("launch.env", &list(&["A"])).contains("NAME=VALUE"));
        assert!(refused("launch.env", &list(&["A=1", "A=2"])).contains("twice"));
        assert!(refused("launch.env", &list(&["1A=1"])).contains("1A"));
    }

    #[test]
    fn stronger_sources_fix_a_value_with_the_reason() {
        let places = Places {
            site: "/nowhere".into(),
            user: "/nowhere".into(),
        };
        let loaded = layer::load(&places, |name| {
            (name == "WORKBAY_THEME").then(|| "nord".to_owned())
        });
        let why = |key: &str| fixed(&loaded, find(key).unwrap());
        assert!(why("ui.theme").unwrap().contains("WORKBAY_THEME"));
        assert_eq!(why("ui.mouse"), None);
        assert!(why("folders.host-paths").unwrap().contains(SITE_FILE));
    }
}
