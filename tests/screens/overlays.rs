//! What is on top of the list or beside it: detail, launcher, question, help, rename.

use workbay::{
    app::panels::{help::Help, history::HistoryTable, waiting::WaitingDialog},
    model::{failure::Failure, request::SessionRequest},
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    steps::working_day,
    world::{history, key},
};

fn with_history(screen: Screen, n: u128) -> Screen {
    let entries = history(n);
    screen.answer(
        |request| matches!(request.of_session(), Some(SessionRequest::History)),
        Ok(Reply::History { entries }),
    )
}

#[test]
fn the_detail_is_below_the_list_80x24() {
    let screen = with_history(working_day(80, 24).press("j j enter"), 1);
    insta::assert_snapshot!(screen.text());
    insta::assert_snapshot!(screen.press("G").text());
}

#[test]
fn the_detail_is_beside_the_list_140x40() {
    let screen = with_history(working_day(140, 40).press("j j enter"), 1);
    insta::assert_snapshot!(screen.text());
    // It follows the selection until it is opened a second time.
    let moved = screen.press("k");
    assert_eq!(
        moved
            .app
            .detail
            .as_ref()
            .map(workbay::app::detail::Detail::session),
        moved.app.sessions.selected()
    );
}

#[test]
fn the_detail_fills_a_small_terminal() {
    let screen = with_history(working_day(60, 16).press("j j enter"), 1);
    insta::assert_snapshot!(screen.text());
    assert!(screen.press("esc").sees("a1b2c3d4-session"));
}

#[test]
fn the_detail_says_why_a_session_failed() {
    let screen = working_day(80, 24).press("3 enter");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn the_question_says_what_is_lost_and_kept() {
    let screen = working_day(80, 24).press("j j x");
    insta::assert_snapshot!(screen.text());
    let forced = screen.press("tab f");
    insta::assert_snapshot!(forced.text());
}

#[test]
fn the_question_140x40() {
    insta::assert_snapshot!(working_day(140, 40).press("j j x").text());
}

#[test]
fn renaming_happens_in_one_line() {
    let screen = working_day(80, 24).press("j j r ctrl-u").typed("no");
    insta::assert_snapshot!(screen.text());
    let screen = screen.typed("w-better").press("enter");
    let wish = Request::session(
        key(1),
        SessionRequest::Rename {
            name: "now-better".to_owned(),
        },
    );
    assert_eq!(screen.wishes(), [&wish]);
}

#[test]
fn typing_replaces_the_name_that_was_filled_in() {
    let screen = working_day(80, 24).press("j j r").typed("new");
    assert!(
        screen.sees("Rename train-resnet to: new"),
        "{}",
        screen.text()
    );
    let screen = working_day(80, 24).press("j j r end").typed("-2");
    assert!(screen.sees("to: train-resnet-2"), "{}", screen.text());
}

#[test]
fn a_name_that_is_taken_is_not_typed_again() {
    // By a session in the list.
    let screen = working_day(80, 24).press("j j r ctrl-u");
    let screen = screen.typed("fresh-one").press("enter");
    assert!(screen.wishes().is_empty(), "{}", screen.text());
    let both = |screen: &Screen, text: &str| screen.sees("Rename ") && screen.sees(text);
    assert!(
        both(&screen, "the name fresh-one is already taken"),
        "{}",
        screen.text()
    );
    // By one that only the engine knows.
    let screen = screen.press("ctrl-u").typed("elsewhere").press("enter");
    let taken = Failure::refused("the name elsewhere is taken");
    let screen = screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Rename { .. })),
        Err(taken),
    );
    assert!(
        both(&screen, "the name elsewhere is taken"),
        "{}",
        screen.text()
    );
    // Another name can be typed at once.
    let screen = screen.typed("-2").press("enter");
    let names = screen.wishes();
    let last = names.last().unwrap();
    assert!(
        matches!(last.of_session(), Some(SessionRequest::Rename { name }) if name == "elsewhere-2")
    );
}

#[test]
fn the_help_lists_the_keys_of_this_place_first() {
    insta::assert_snapshot!(working_day(80, 24).press("?").text());
}

#[test]
fn the_help_140x40() {
    insta::assert_snapshot!(working_day(140, 40).press("?").text());
}

#[test]
fn the_help_is_searched() {
    let screen = working_day(80, 24).press("?").typed("term");
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("esc");
    assert!(screen.is_open::<Help>(), "esc takes the search away first");
    assert!(!screen.press("esc").is_open::<Help>());
}

#[test]
fn the_panel_that_has_the_keys_is_the_one_that_closes() {
    let session = |screen: &Screen| screen.app.current().unwrap().clone();
    for waiting_first in [true, false] {
        let mut screen = working_day(80, 24);
        let session = session(&screen);
        let panels = &mut screen.app.panels;
        if waiting_first {
            panels.push(WaitingDialog::new(&session));
        }
        panels.push(HistoryTable::new(session.key(), session.name.clone()));
        if !waiting_first {
            panels.push(WaitingDialog::new(&session));
        }
        let screen = screen.press("q");
        assert!(!screen.is_open::<WaitingDialog>());
        assert!(screen.is_open::<HistoryTable>());
        assert!(!screen.press("q").is_open::<HistoryTable>());
    }
}
