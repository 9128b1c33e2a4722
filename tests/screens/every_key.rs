//! Every key of every keymap, pressed in its view, invokes its action, and the palette has the actions without a key.

use workbay::{
    action::{Action, Scope},
    app::{
        app::App,
        msg::{Msg, StreamEvent},
        panels::{palette::Palette, recents::Recents, shells::ShellPicker},
    },
    keymap::builtin::KEYMAPS,
    protocol::message::StreamOpen,
};

use crate::{
    cluster::two,
    screen::{Screen, facts},
    world::{day, snapshot},
};

/// A view or panel in which a scope has the keys, in a keymap. `None` if a test of its own opens it.
fn view(scope: Scope, keymap: &str) -> Option<Screen> {
    let sessions = || Screen::new(120, 40).daemon(snapshot(day()));
    // The keys of the default keymap lead to the view. Then the other keymap is used.
    let screen = match scope {
        Scope::Sessions | Scope::Global => sessions().press("j j"),
        Scope::Detail => sessions().press("j j enter enter"),
        Scope::Launcher => sessions().press("n ctrl-r"),
        Scope::Contexts => Screen::new(120, 40).daemon(two()).press("c"),
        Scope::Shells => {
            let mut screen = sessions();
            let app = &mut screen.app;
            let picker = ShellPicker::new(&app.mirror, &app.panes, &app.facts.host);
            app.panels.push(picker);
            screen
        }
        Scope::Recents => {
            let mut screen = sessions();
            screen.app.panels.push(Recents::default());
            screen
        }
        Scope::Folders => sessions().press("D"),
        Scope::Ports => sessions().press("P"),
        Scope::Dashboard => sessions().press("M"),
        Scope::Room => sessions().press("W"),
        Scope::Layouts => sessions().press("F6"),
        Scope::Transfers => sessions().press("T"),
        Scope::Notices => sessions().press("B"),
        Scope::Logs => sessions().press("j j l"),
        Scope::Terminal => terminal(),
        Scope::Leader => terminal().press("F12"),
        Scope::Confirm => sessions().press("j j x"),
        Scope::Help => sessions().press("?"),
        Scope::Palette => sessions().press(":"),
        Scope::Columns => sessions().press("C"),
        Scope::Themes => sessions().press("ctrl-t"),
        Scope::Settings => sessions().press("S"),
        Scope::Commands => sessions().press("L"),
        Scope::Input => sessions().press("/"),
        Scope::Tour => {
            let session = day().first().map(workbay::model::session::Session::key);
            Screen::new(120, 40)
                .touring(session)
                .daemon(snapshot(day()))
        }
        // These need an answer of the daemon first. Their own tests press their keys.
        Scope::Apps
        | Scope::Opened
        | Scope::Explorer
        | Scope::Conflict
        | Scope::History
        | Scope::Panes => return None,
    };
    Some(screen.keymap(keymap))
}

fn terminal() -> Screen {
    let screen = Screen::new(120, 40).daemon(snapshot(day())).press("j j s");
    let opened = screen.effects().iter().find_map(|effect| match effect {
        workbay::app::effect::Effect::Open {
            stream,
            open: StreamOpen::Terminal { .. },
        } => Some(*stream),
        _ => None,
    });
    screen.send(Msg::Stream {
        stream: opened.unwrap(),
        event: StreamEvent::Opened,
    })
}

#[test]
fn every_key_invokes_its_action() {
    let mut pressed = 0;
    let mut dead = Vec::new();
    for keymap in KEYMAPS {
        for scope in Scope::ALL {
            let Some(begin) = view(scope, keymap.name) else {
                continue;
            };
            // What `Global` binds can have another meaning in the list.
            for (keys, action) in begin.app.keymap.bindings(scope) {
                let first = keys.split(' ').next().unwrap();
                let list = begin.app.keymap.next_keys(Scope::Sessions, &[]);
                let hidden = list.iter().any(|(key, _)| key.to_string() == first);
                // These run another action, which other tests look at.
                let runs = matches!(action, Action::HelpRun | Action::PaletteRun);
                if scope == Scope::Global && hidden || runs {
                    continue;
                }
                let screen = view(scope, keymap.name).unwrap().press(&keys);
                pressed += 1;
                let invoked = screen.app.invoked();
                if invoked != Some((scope, action)) {
                    dead.push(format!(
                        "{} [{}] {keys} -> {}: {invoked:?}",
                        keymap.name,
                        scope.name(),
                        action.name()
                    ));
                }
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(pressed > 900, "{pressed}");
}

/// Actions that change nothing where the test begins, because they lead there.
const THERE: &[(Scope, Action)] = &[
    (Scope::Global, Action::TabRunning),
    (Scope::Launcher, Action::LauncherReview),
];

/// Whether keys change the picture, the cursor or anything outside.
fn has_effect(before: Screen, keys: &str) -> bool {
    let look = |screen: &Screen| (screen.styled(), screen.app.cursor_shape());
    let (old, effects) = (look(&before), before.effects().len());
    let after = before.press(keys);
    after.has_left() || after.effects().len() > effects || look(&after) != old
}

#[test]
fn no_action_is_silent() {
    let mut tried = Vec::new();
    let mut silent = Vec::new();
    for keymap in KEYMAPS {
        for scope in Scope::ALL {
            let Some(begin) = view(scope, keymap.name) else {
                continue;
            };
            let all = begin.app.keymap.bindings(scope);
            for (keys, action) in &all {
                let first = keys.split(' ').next().unwrap();
                let list = begin.app.keymap.next_keys(Scope::Sessions, &[]);
                let hidden = list.iter().any(|(key, _)| key.to_string() == first);
                let known = (scope, *action);
                if scope == Scope::Global && hidden
                    || tried.contains(&known)
                    || THERE.contains(&known)
                {
                    continue;
                }
                tried.push(known);
                let fresh = || view(scope, keymap.name).unwrap();
                // These lists are empty, so nothing moves in them.
                let is_empty = matches!(
                    scope,
                    Scope::Layouts | Scope::Transfers | Scope::Commands | Scope::Themes
                );
                // The details fit on the screen, so they don't scroll.
                let fits = scope == Scope::Detail && action.name().starts_with("list.");
                if (is_empty || fits) && action.is_movement() {
                    continue;
                }
                // At the end of a list, a movement has no effect. So it is tried after each other movement, too.
                let others = all.iter().filter(|(_, other)| other.is_movement());
                let alive = has_effect(fresh(), keys)
                    || action.is_movement()
                        && others
                            .clone()
                            .any(|(other, _)| has_effect(fresh().press(other), keys));
                if !alive {
                    silent.push(format!(
                        "{} [{}] {keys} -> {}",
                        keymap.name,
                        scope.name(),
                        action.name()
                    ));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(tried.len() > 300, "{}", tried.len());
}

#[test]
fn the_palette_has_every_action_of_a_view_without_a_key() {
    for keymap in KEYMAPS {
        for scope in Scope::ALL {
            let Some(begin) = view(scope, keymap.name) else {
                continue;
            };
            let keys = &begin.app.keymap;
            let of_view = Action::ALL.iter().filter(|it| it.scopes().contains(&scope));
            let lacking = of_view.filter(|it| keys.keys_for(scope, **it).is_empty());
            let lacking: Vec<Action> = lacking.copied().collect();
            if lacking.is_empty()
                || matches!(scope, Scope::Input | Scope::Palette | Scope::Terminal)
            {
                assert!(
                    !matches!(scope, Scope::Input | Scope::Terminal) || lacking.is_empty(),
                    "{}: {lacking:?}",
                    keymap.name
                );
                continue;
            }
            let open = view(scope, keymap.name).unwrap().press("F2");
            let palette: &Palette = open.panel();
            let rows = (0..palette.count(open.app.word_values())).filter_map(|at| {
                match palette.row(open.app.word_values(), at)? {
                    workbay::app::panels::palette::PaletteRow::Entry(entry) => entry.action(),
                    workbay::app::panels::palette::PaletteRow::Word(_) => None,
                }
            });
            let offered: Vec<Action> = rows.map(|(_, action)| action).collect();
            for action in lacking {
                assert!(
                    offered.contains(&action),
                    "{} [{}] {}",
                    keymap.name,
                    scope.name(),
                    action.name()
                );
            }
        }
    }
}

#[test]
fn the_palette_invokes_in_the_scope_of_the_view() {
    let screen = view(Scope::Leader, "arrows").unwrap().press("F2");
    let screen = screen.typed(">pane.zoom").press("enter");
    assert_eq!(
        screen.app.invoked(),
        Some((Scope::Leader, Action::PaneZoom))
    );
    let screen = view(Scope::Logs, "arrows").unwrap().press("F2");
    let screen = screen.typed(">logs.times").press("enter");
    assert_eq!(screen.app.invoked(), Some((Scope::Logs, Action::LogsTimes)));
}

#[test]
fn which_keys_follow_is_listed_after_a_moment() {
    let screen = view(Scope::Leader, "default").unwrap();
    assert!(!screen.sees("After the leader key"), "{}", screen.text());
    let screen = screen.wait(1);
    insta::assert_snapshot!(screen.text());
    assert!(!screen.press("esc").sees("After the leader key"));
    let vim = Screen::new(80, 24).daemon(snapshot(day())).keymap("vim");
    let vim = vim.press("g").wait(1);
    assert!(
        vim.sees("After g") && vim.sees("next tab") && vim.sees("go to the first line"),
        "{}",
        vim.text()
    );
    assert!(!vim.press("g").sees("After g"));
}

#[test]
fn a_changed_keymap_is_used_at_once_and_one_with_a_mistake_is_not() {
    let screen = Screen::new(120, 40).daemon(snapshot(day()));
    let dir = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        std::fs::write(dir.path().join("mine.toml"), text).unwrap();
        workbay::keymap::Keymap::load("mine", Some(dir.path()))
    };
    let (mine, problems) = read("inherits = \"default\"\n[sessions]\n\"z\" = \"app.nothing\"\n");
    assert_ne!(problems, []);
    let wrong = screen.send(Msg::Keymap(Err(problems)));
    assert!(wrong.sees("mine.toml:3:"), "{}", wrong.text());
    assert_eq!(mine, wrong.app.keymap, "the default");
    let (mine, _) = read("inherits = \"default\"\n[sessions]\n\"z\" = \"contexts.open\"\n");
    let used = wrong.send(Msg::Keymap(Ok(Box::new(mine)))).press("z");
    assert_eq!(
        used.app.invoked(),
        Some((Scope::Sessions, Action::Contexts))
    );
}

#[test]
fn what_was_done_is_listed_as_commands() {
    let none = Screen::new(120, 40).daemon(snapshot(day())).press("L");
    assert!(none.sees("Nothing was changed yet"), "{}", none.text());
    let screen = none
        .press("esc j j r ctrl-u")
        .typed("other")
        .press("enter L");
    assert!(
        screen.sees("workbay rename train-resnet other"),
        "{}",
        screen.text()
    );
    insta::assert_snapshot!(screen.text());
    let copied = screen.press("y");
    let text = copied
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            workbay::app::effect::Effect::Copy { text, .. } => Some(text.as_str()),
            _ => None,
        });
    assert_eq!(text, Some("workbay rename train-resnet other"));
}

#[test]
fn the_help_runs_the_marked_action_of_this_view_only() {
    let screen = Screen::new(120, 40).daemon(snapshot(day())).press("j j ?");
    let run = screen.typed("rename").press("enter");
    assert_eq!(
        run.app.invoked(),
        Some((Scope::Sessions, Action::SessionRename))
    );
    let app = App::new(facts(), run.app.keymap.clone());
    assert_eq!(app.invoked(), None);
    let screen = Screen::new(120, 40).daemon(snapshot(day())).press("?");
    let refused = screen.typed("launcher.copy-line").press("enter");
    assert!(
        refused.sees("launcher.copy-line works only here: launcher"),
        "{}",
        refused.text()
    );
}
