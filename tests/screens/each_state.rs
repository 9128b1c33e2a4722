//! Every screen in every state: empty, loading, disconnected, too small, read-only. None is silent, and the hints name
//! only keys with an effect.

use std::fmt::Write as _;

use workbay::{
    app::msg::Msg,
    model::{folder::FolderRequest, request::ContextRequest, status::Status},
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, facts},
    steps::engine,
    world::{day, lost, session, snapshot},
};

/// The keys that open each screen from the list.
const SCREENS: &[(&str, &str)] = &[
    ("list", ""),
    ("details", "enter"),
    ("launcher", "n"),
    ("log", "l"),
    ("files", "f"),
    ("apps", "a"),
    ("data page", "D"),
    ("port board", "P"),
    ("dashboard", "M"),
    ("control room", "W"),
    ("transfers", "T"),
    ("notifications", "B"),
    ("layouts", "F6"),
    ("settings", "S"),
    ("palette", ":"),
    ("help", "?"),
    ("themes", "ctrl-t"),
    ("columns", "C"),
    ("commands", "L"),
    ("recent launches", "H"),
    ("history", "h"),
    ("terminate", "x"),
];

fn opened(screen: Screen, keys: &str) -> Screen {
    if keys.is_empty() {
        screen
    } else {
        screen.press(keys)
    }
}

/// The pictures of all screens, each below its name.
fn gallery(draw: impl Fn(&str) -> Screen) -> String {
    let mut all = String::new();
    for (name, keys) in SCREENS {
        let _ = writeln!(all, "== {name} ==\n{}\n", draw(keys).text());
    }
    all
}

#[test]
fn nothing_exists_yet() {
    let layouts = Msg::Layouts(Box::default());
    insta::assert_snapshot!(gallery(|keys| {
        let screen = Screen::new(80, 24).daemon(snapshot(Vec::new()));
        let screen = opened(screen, keys);
        let is_list = |it: &Request| {
            matches!(
                it.of_context(),
                Some(ContextRequest::Folder {
                    request: FolderRequest::List { .. }
                })
            )
        };
        match keys {
            "D" => screen.answer(
                is_list,
                Ok(Reply::Folders {
                    folders: Vec::new(),
                }),
            ),
            "F6" => screen.send(layouts.clone()),
            _ => screen,
        }
    }));
}

#[test]
fn nothing_is_known_yet() {
    insta::assert_snapshot!(gallery(|keys| opened(Screen::new(80, 24), keys)));
}

#[test]
fn nothing_is_answered_yet() {
    insta::assert_snapshot!(gallery(|keys| {
        opened(Screen::new(80, 24).daemon(snapshot(day())), keys)
    }));
}

#[test]
fn the_daemon_disconnects() {
    insta::assert_snapshot!(gallery(|keys| {
        let screen = Screen::new(80, 24).daemon(snapshot(day()));
        opened(screen, keys).daemon_lost("the connection was closed")
    }));
}

#[test]
fn the_engine_disconnects() {
    insta::assert_snapshot!(gallery(|keys| {
        let screen = Screen::new(80, 24).daemon(snapshot(day()));
        opened(screen, keys).notice(engine(lost()))
    }));
}

#[test]
fn nothing_may_be_changed() {
    insta::assert_snapshot!(gallery(|keys| {
        let facts = workbay::app::facts::Facts {
            read_only: true,
            ..facts()
        };
        opened(Screen::with(80, 24, facts).daemon(snapshot(day())), keys)
    }));
}

#[test]
fn a_terminal_too_small_says_so_over_each_screen() {
    for (name, keys) in SCREENS {
        let screen = opened(Screen::new(80, 24).daemon(snapshot(day())), keys);
        let screen = screen.resize(40, 10);
        assert!(screen.sees("workbay needs 60x16"), "{name}");
        let back = screen.resize(80, 24);
        assert!(!back.sees("workbay needs"), "{name}");
    }
}

#[test]
fn the_key_that_leaves_is_always_in_the_hints() {
    for (columns, rows) in [(60, 16), (80, 24), (100, 30), (140, 40)] {
        for (name, keys) in SCREENS {
            if ["list", "log", "details"].contains(name) {
                continue;
            }
            let screen = opened(Screen::new(columns, rows).daemon(snapshot(day())), keys);
            let text = screen.text();
            let last = text.lines().last().unwrap_or_default();
            // A PREPARING session has no files yet, so the list stays.
            if last.contains("q quit") {
                continue;
            }
            let leaves = ["esc ", "n cancel", "n no"]
                .iter()
                .any(|it| last.contains(it));
            assert!(leaves, "{name} at {columns}x{rows}:\n{text}");
        }
    }
}

#[test]
fn an_empty_room_names_the_next_key_and_no_useless_ones() {
    let empty = Screen::new(100, 30).daemon(snapshot(Vec::new())).press("W");
    assert!(
        empty.sees("Press esc, then n to launch one."),
        "{}",
        empty.text()
    );
    let hints = |screen: &Screen| screen.text().lines().last().unwrap_or_default().to_owned();
    assert_eq!(hints(&empty).trim(), "esc close");
    let one = session(1, "train", Status::Running, 3);
    let one = Screen::new(100, 30).daemon(snapshot(vec![one])).press("W");
    assert!(!hints(&one).contains("select") && !hints(&one).contains("page"));
    let down = empty.daemon_lost("the connection was closed");
    assert!(
        down.sees("Sessions unknown: daemon disconnected"),
        "{}",
        down.text()
    );
}

#[test]
fn an_empty_trash_offers_nothing_to_restore() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("D t");
    let folders = Vec::new();
    let is_trash = |it: &Request| {
        matches!(
            it.of_context(),
            Some(ContextRequest::Folder {
                request: FolderRequest::List { trash: true, .. }
            })
        )
    };
    let screen = screen.answer(is_trash, Ok(Reply::Folders { folders }));
    assert!(screen.sees("The trash is empty"), "{}", screen.text());
    assert!(
        !screen.sees("restore") && screen.sees("t folders"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_refresh_without_changes_says_so() {
    let is_list = |it: &Request| {
        matches!(
            it.of_context(),
            Some(ContextRequest::Folder {
                request: FolderRequest::List { .. }
            })
        )
    };
    let none = || {
        Ok(Reply::Folders {
            folders: Vec::new(),
        })
    };
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("D");
    let screen = screen.answer(is_list, none());
    assert!(!screen.sees("refreshed"));
    let screen = screen.press("R").answer(is_list, none());
    assert!(
        screen.sees("Folders refreshed: no changes"),
        "{}",
        screen.text()
    );
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("M R");
    assert!(
        screen.sees("refresh automatically every 2s"),
        "{}",
        screen.text()
    );
}

#[test]
fn an_action_without_effect_says_why() {
    let one = session(1, "train", Status::Running, 3);
    for (keys, says) in [
        ("u", "No session is marked"),
        (
            "left",
            "train is in no group and has no unfolded containers",
        ),
        ("right", "train has one container"),
        ("Z", "No groups, and no session has several containers"),
        ("enter right", "train has one container"),
        ("enter v", "The scheduling history has no steps"),
        ("M z", "z does nothing here. ? shows the keys"),
        ("P z", "z does nothing here. ? shows the keys"),
    ] {
        let screen = Screen::new(80, 24).daemon(snapshot(vec![one.clone()]));
        let screen = screen.press(keys);
        assert!(screen.sees(says), "{keys}:\n{}", screen.text());
    }
}

#[test]
fn an_empty_tab_says_what_belongs_there_and_where_the_sessions_are() {
    let empty = || Screen::new(80, 24).daemon(snapshot(Vec::new()));
    let finished = empty().press("2");
    assert!(
        finished.sees("Sessions that ended are listed here"),
        "{}",
        finished.text()
    );
    assert!(finished.sees("1 show running sessions"));
    let down = empty().daemon_lost("the connection was closed");
    assert!(
        down.sees("Sessions unknown: daemon disconnected"),
        "{}",
        down.text()
    );
    assert!(!down.sees("No running sessions") && !down.sees("launch one"));
}

#[test]
fn keys_after_the_leader_are_not_cut() {
    for (columns, rows) in [(80, 24), (100, 30), (140, 40)] {
        let screen = Screen::new(columns, rows).daemon(snapshot(day()));
        let screen = screen.press("! ctrl-]").wait(1);
        let text = screen.text();
        let listed = text.split("After the leader key").nth(1).expect("the keys");
        assert!(!listed.contains('…'), "{text}");
    }
}
