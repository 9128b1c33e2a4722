//! The settings page: the list with its search, the fields, what takes effect at once, and mistakes in files.

use workbay::{
    app::{
        effect::Effect,
        msg::Msg,
        panels::settings::SettingsPage,
        settings::{SettingsOrder, SettingsProblem, SettingsRead, ShownSetting},
    },
    config::{layer, paths::Paths},
    keymap::Keymap,
    model::{
        problem::Problem,
        setting_kind::{EditedValue, SettingKind},
        text::Clean,
    },
    run::settings::SettingsSource,
    theme::ColorDepth,
};

use crate::{
    screen::Screen,
    world::{day, snapshot},
};

/// All settings with their defaults, and a few with other origins.
fn read() -> SettingsRead {
    let source = SettingsSource {
        paths: Paths::below(std::path::Path::new("/nowhere")),
        begun: layer::defaults(),
    };
    let (mut read, _) = source.read("default");
    let row = |read: &mut SettingsRead, key: &str, change: &dyn Fn(&mut ShownSetting)| {
        change(read.rows.iter_mut().find(|row| row.key == key).unwrap());
    };
    row(&mut read, "ui.mouse", &|row| {
        "false".clone_into(&mut row.value);
        row.current = EditedValue::Text("false".to_owned());
        "user".clone_into(&mut row.origin);
        "your file, /home/kim/.config/workbay/config.toml:7".clone_into(&mut row.from);
        row.line = Some(7);
    });
    row(&mut read, "ui.theme", &|row| {
        let words = ["auto", "ansi16", "dracula", "nord"].map(str::to_owned);
        row.kind = SettingKind::Choice(words.to_vec());
    });
    row(&mut read, "ui.read-only", &|row| {
        "environment".clone_into(&mut row.origin);
        "environment variable WORKBAY_READ_ONLY".clone_into(&mut row.from);
        row.fixed = Some("The environment variable WORKBAY_READ_ONLY sets it.".to_owned());
    });
    read
}

fn page(columns: u16, rows: u16) -> Screen {
    let screen = Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press("S");
    let asked = Effect::Settings(SettingsOrder::Read);
    assert!(screen.effects().contains(&asked));
    screen.send(Msg::Settings(Box::new(read())))
}

/// The last order that changes a file.
fn order(screen: &Screen) -> SettingsOrder {
    let orders = screen.effects().iter().rev();
    let mut orders = orders.filter_map(|effect| match effect {
        Effect::Settings(order) if *order != SettingsOrder::Read => Some(order.clone()),
        _ => None,
    });
    orders.next().unwrap()
}

fn answered(screen: Screen, result: Result<&str, &str>) -> Screen {
    let ticket = match order(&screen) {
        SettingsOrder::Save { ticket, .. } | SettingsOrder::Reset { ticket, .. } => ticket,
        SettingsOrder::Read => panic!("nothing was saved"),
    };
    let result = result.map(Clean::new).map_err(Clean::new);
    screen.send(Msg::SettingSaved { ticket, result })
}

#[test]
fn every_setting_is_listed_with_value_origin_and_meaning() {
    for (columns, rows) in [(60, 16), (80, 24), (120, 40), (200, 50)] {
        let screen = page(columns, rows);
        insta::assert_snapshot!(format!("settings_{columns}x{rows}"), screen.text());
    }
    let light = page(120, 40).theme("default-light", ColorDepth::TrueColor);
    assert!(light.sees("Settings"));
    let all = read().rows.len();
    let mut screen = page(80, 24);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..all {
        let page: &SettingsPage = screen.panel();
        let marked = page.marked(&screen.app.facts).unwrap().key.clone();
        assert!(
            screen.sees(marked.split_once('.').unwrap().1),
            "{}",
            screen.text()
        );
        seen.insert(marked);
        screen = screen.press("down");
    }
    assert_eq!(seen.len(), all);
}

#[test]
fn until_the_files_are_read_nothing_can_be_changed() {
    let screen = Screen::new(80, 24).daemon(snapshot(day()));
    let mut screen = screen;
    screen.app.facts.settings = workbay::run::settings::outlines(&layer::defaults());
    let screen = screen.press("S enter");
    assert!(screen.sees("being read"), "{}", screen.text());
}

#[test]
fn the_search_finds_words_of_names_meanings_and_values() {
    let screen = page(80, 24).typed("bell");
    let shown: &SettingsPage = screen.panel();
    assert_eq!(
        shown.marked(&screen.app.facts).unwrap().key,
        "notifications.quiet"
    );
    let count = format!("{} of {}", shown.count(), read().rows.len());
    assert!(screen.sees(&count), "{}", screen.text());
    let none = screen.typed("zzz");
    assert!(none.sees("No setting matches 'bellzzz'"), "{}", none.text());
    let cleared = none.press("esc");
    assert!(cleared.sees("type to search") && cleared.is_open::<SettingsPage>());
    assert!(!cleared.press("esc").is_open::<SettingsPage>());
}

#[test]
fn a_toggle_changes_at_once_and_takes_effect_when_it_is_saved() {
    let screen = page(80, 24).typed("mouse").press("enter");
    let SettingsOrder::Save { key, value, .. } = order(&screen) else {
        panic!("it isn't saved");
    };
    assert_eq!(
        (key.as_str(), value),
        ("ui.mouse", EditedValue::Text("true".to_owned()))
    );
    let screen = answered(screen, Ok("ui.mouse saved. In effect now"));
    assert!(screen.sees("In effect now"), "{}", screen.text());
    let mut changed = read();
    let live = changed.live.as_mut().unwrap();
    (live.mouse, live.read_only, live.unicode) = (false, true, false);
    live.keymap = Keymap::builtin("vim");
    let screen = screen.send(Msg::Settings(Box::new(changed)));
    assert!(screen.effects().contains(&Effect::Mouse(false)));
    assert!(screen.app.facts.read_only && !screen.app.facts.unicode);
    assert_eq!(Some(&screen.app.keymap), Keymap::builtin("vim").as_ref());
}

#[test]
fn what_a_key_switched_stays_when_another_setting_changes() {
    let screen = page(80, 24).press("esc b m");
    let (mouse, bars) = (screen.app.mouse, screen.app.statistics_shown);
    assert!(!mouse);
    let screen = screen.send(Msg::Settings(Box::new(read())));
    assert_eq!(
        (screen.app.mouse, screen.app.statistics_shown),
        (mouse, bars)
    );
}

#[test]
fn a_refused_value_says_why_at_its_field() {
    let screen = page(80, 24).typed("keep-days").press("enter");
    let typed = screen.press("9 9 9 9");
    insta::assert_snapshot!("settings_number", typed.text());
    let refused = answered(
        typed.press("enter"),
        Err("9999 is too large (use 0 to 3650)"),
    );
    assert!(
        refused.sees("9999 is too large (use 0 to 3650)"),
        "{}",
        refused.text()
    );
    assert!(refused.sees("New value of history.keep-days"));
    let again = refused.press("backspace backspace enter");
    let SettingsOrder::Save { value, .. } = order(&again) else {
        panic!("it isn't saved");
    };
    assert_eq!(value, EditedValue::Text("99".to_owned()));
    let saved = answered(again, Ok("saved"));
    assert!(!saved.sees("New value"), "{}", saved.text());
}

#[test]
fn choices_and_lists_have_fields_of_their_own() {
    let screen = page(80, 24).press("enter down down");
    insta::assert_snapshot!("settings_choice", screen.text());
    let SettingsOrder::Save { key, value, .. } = order(&screen.press("enter")) else {
        panic!("it isn't saved");
    };
    assert_eq!(
        (key.as_str(), value),
        ("ui.theme", EditedValue::Text("dracula".to_owned()))
    );
    let list = page(120, 40).typed("link-schemes").press("enter");
    let list = list.press("ctrl-u").typed("gemini");
    insta::assert_snapshot!("settings_list", list.text());
    let SettingsOrder::Save { value, .. } = order(&list.press("enter")) else {
        panic!("it isn't saved");
    };
    let EditedValue::List(words) = value else {
        panic!("a list stays a list");
    };
    assert_eq!((words[0].as_str(), words.len()), ("gemini", 6));
    let subset = page(80, 24).typed("hooks events").press("enter space");
    insta::assert_snapshot!("settings_subset", subset.text());
    assert!(!subset.press("esc").sees("New value"));
}

#[test]
fn a_fixed_setting_says_why_and_an_own_one_is_reset() {
    let fixed = page(80, 24).typed("read-only").press("enter");
    assert!(
        fixed.sees("The environment variable WORKBAY_READ_ONLY sets it"),
        "{}",
        fixed.text()
    );
    let default = page(80, 24).typed("bell").press("down ctrl-r");
    assert!(
        default.sees("Your file doesn't set notifications.bell"),
        "{}",
        default.text()
    );
    let reset = page(80, 24).typed("mouse").press("ctrl-r");
    assert!(matches!(order(&reset), SettingsOrder::Reset { key, .. } if key == "ui.mouse"));
}

#[test]
fn a_file_with_a_mistake_is_named_with_its_line_and_opens_in_the_editor() {
    let mut broken = read();
    broken.problem = Some(SettingsProblem {
        problem: Problem {
            file: "/home/kim/.config/workbay/config.toml".into(),
            line: 12,
            column: 1,
            message: "invalid TOML: string values must be quoted".to_owned(),
            help: None,
        },
        whole: true,
        more: 0,
    });
    broken.live = None;
    let elsewhere = Screen::new(80, 24).daemon(snapshot(day()));
    let elsewhere = elsewhere.send(Msg::Settings(Box::new(broken.clone())));
    assert!(elsewhere.sees("config.toml:12:1"), "{}", elsewhere.text());
    let screen = page(80, 24).send(Msg::Settings(Box::new(broken)));
    insta::assert_snapshot!("settings_mistake", screen.text());
    let refused = screen.press("enter");
    assert!(
        refused.sees("has a mistake. Correct it first"),
        "{}",
        refused.text()
    );
    let edited = refused.press("alt-e");
    let opens = edited.effects().iter().any(|effect| {
        matches!(effect, Effect::EditSettings { line: Some(12), path, .. }
            if path.ends_with("config.toml"))
    });
    assert!(opens);
}
