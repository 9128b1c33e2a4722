//! Saved layouts of panes: the list, saving, deleting, and what is shown for ended sessions.

use insta::assert_snapshot;
use workbay::{
    app::{
        effect::Effect,
        layouts::{Layout, LayoutOrder, LayoutRow, LayoutsRead},
        msg::Msg,
        panels::layouts::LayoutList,
    },
    model::{change::Change, status::Status, text::Clean},
    protocol::message::StreamOpen,
};

use crate::{
    screen::{Screen, noon},
    terminals::{DaemonSide as _, in_a_shell, working_day},
    world::{day, session, snapshot},
};

fn order(screen: &Screen) -> &LayoutOrder {
    let found = screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Layouts { order, .. } => Some(order),
            _ => None,
        });
    found.expect("nothing was ordered")
}

fn listed(screen: Screen, rows: Vec<LayoutRow>) -> Screen {
    screen.send(Msg::Layouts(Box::new(LayoutsRead {
        rows,
        ..LayoutsRead::default()
    })))
}

fn row(name: &str, read: Result<Layout, &str>) -> LayoutRow {
    LayoutRow {
        name: Clean::new(name),
        read: read.map_err(Clean::new),
    }
}

/// Two panes of a session beside each other, one with the focus.
fn split() -> Screen {
    in_a_shell()
        .press("ctrl-] |")
        .happens(workbay::app::msg::StreamEvent::Opened)
        .prints("work@train-llm:~$ ")
}

fn layout() -> Layout {
    Layout::new(split().app.panes.saved(), noon()).unwrap()
}

fn several() -> Vec<LayoutRow> {
    let broken = "/home/jin/.local/state/workbay/layouts/broken.json:3:12: invalid type: integer \
                  `5`, expected a sequence. Correct the file, or delete the layout";
    vec![
        row("broken", Err(broken)),
        row("training", Ok(layout())),
        row("개발-환경", Ok(layout())),
    ]
}

#[test]
fn layouts_are_listed_with_their_panes() {
    let empty = Screen::new(80, 24).daemon(snapshot(day())).press("F6");
    assert_eq!(order(&empty), &LayoutOrder::List);
    assert!(empty.sees("Reading the layouts"), "{}", empty.text());
    let empty = listed(empty, Vec::new());
    assert_snapshot!("layouts_none_80x24", empty.text());
    let nothing = empty.press("enter s x");
    assert!(nothing.sees("No layout is saved yet"), "{}", nothing.text());
    let list = listed(split().press("ctrl-] L"), several());
    assert!(
        list.sees("can't be read") && list.sees("broken.json:3:12"),
        "{}",
        list.text()
    );
    let next = list.press("j");
    assert!(
        next.sees("2 panes") && next.sees("train-llm | train-llm"),
        "{}",
        next.text()
    );
}

#[test]
fn panes_are_saved_under_a_checked_name() {
    let naming = listed(split().press("ctrl-] L"), Vec::new()).press("s");
    let wrong = naming.typed("../x");
    assert!(wrong.sees("isn't allowed in a name"), "{}", wrong.text());
    let kept = wrong.press("enter");
    assert!(kept.sees("Save the open panes as"), "{}", kept.text());
    let saved = kept.press("ctrl-u").typed("dev").press("enter");
    let LayoutOrder::Save { name, layout } = order(&saved) else {
        panic!("{:?}", order(&saved));
    };
    assert_eq!((name.as_str(), layout.panes().len()), ("dev", 2));
}

#[test]
fn replacing_and_deleting_ask_first() {
    let list = || listed(split().press("ctrl-] L"), several()).press("j");
    let asked = list().press("s enter");
    assert!(
        asked.sees("Replace the saved layout 'training'"),
        "{}",
        asked.text()
    );
    assert_eq!(order(&asked), &LayoutOrder::List);
    assert!(
        matches!(order(&asked.press("y")), LayoutOrder::Save { name, .. } if name == "training")
    );
    let asked = list().press("x");
    assert!(
        asked.sees("Delete the layout 'training'?"),
        "{}",
        asked.text()
    );
    let no = asked.press("n");
    assert_eq!(order(&no), &LayoutOrder::List);
    let yes = no.press("x y");
    let name = "training".to_owned();
    assert_eq!(order(&yes), &LayoutOrder::Delete { name });
}

#[test]
fn a_layout_is_shown_from_the_list_and_from_the_palette() {
    let list = |keys: &str| listed(working_day(100, 30).press(keys), several());
    let shown = list("F6").press("j enter");
    assert!(!shown.is_open::<LayoutList>());
    let opened = |screen: &Screen| {
        let terminals = screen.effects().iter().filter(|effect| {
            matches!(
                effect,
                Effect::Open {
                    open: StreamOpen::Terminal { .. },
                    ..
                }
            )
        });
        terminals.count()
    };
    assert_eq!(opened(&shown), 2);
    assert!(shown.sees("Layout 'training': 2 panes"), "{}", shown.text());
    let shown = list(":").typed("layout training").press("enter");
    assert_eq!(opened(&shown), 2, "{}", shown.text());
    let broken = list("F6").press("enter");
    assert!(broken.sees("broken.json:3:12"), "{}", broken.text());
    assert_eq!(opened(&broken), 0);
}

#[test]
fn an_ended_session_has_its_pane_with_the_next_keys() {
    let ended = session(1, "train-llm", Status::Terminated, 12);
    let screen = Screen::new(100, 30)
        .daemon(snapshot(vec![ended]))
        .press("F6");
    let shown = listed(screen, several()).press("j enter");
    assert_snapshot!("layout_of_an_ended_session_100x30", shown.text());
    let asked = shown.press(".");
    let again = asked
        .wishes()
        .iter()
        .any(|it| format!("{it:?}").contains("Again"));
    assert!(again, "{:?}", asked.wishes());
    let closed = asked.press("esc esc");
    assert!(closed.app.panes.is_empty(), "{}", closed.text());
}

#[test]
fn a_newer_session_with_the_name_takes_the_place() {
    let old = session(1, "train-llm", Status::Terminated, 12);
    let newer = session(77, "train-llm", Status::Running, 1);
    let screen = Screen::new(100, 30).daemon(snapshot(vec![old]));
    let change = Change::Session {
        session: Box::new(newer.clone()),
    };
    let screen = screen.notice(change).press("F6");
    let shown = listed(screen, several()).press("j enter");
    let sessions: Vec<_> = shown
        .effects()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Open {
                open: StreamOpen::Terminal { session, .. },
                ..
            } => Some(*session),
            _ => None,
        })
        .collect();
    assert_eq!(sessions, [newer.key(), newer.key()]);
}
