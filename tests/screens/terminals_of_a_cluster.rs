//! A terminal of a session whose engine counts open terminals as use.

use workbay::{app::msg::StreamEvent, protocol::message::StreamEnd};

use crate::{
    cluster::two,
    screen::Screen,
    sessions_of_a_cluster::{closed, happens, opened, prints, seoul},
};

fn shell(columns: u16) -> Screen {
    let screen = happens(seoul(columns, 24).press("j s"), StreamEvent::Opened);
    prints(screen, "work@main1:~$ ")
}

#[test]
fn an_open_terminal_says_that_it_keeps_its_session_alive() {
    let screen = shell(80);
    insta::assert_snapshot!(screen.text());
    let local = happens(
        Screen::new(80, 24).daemon(two()).press("j j s"),
        StreamEvent::Opened,
    );
    assert!(!local.sees("keeps this session alive"), "{}", local.text());
}

#[test]
fn a_terminal_that_nobody_sees_is_closed_and_comes_back() {
    let screen = shell(80);
    let seen = screen.wait(600);
    assert!(closed(&seen).is_empty(), "a user has it on the screen");
    let hidden = seen.press("ctrl-] d").wait(50);
    assert!(closed(&hidden).is_empty());
    let hidden = hidden.press("t").press("ctrl-] d").wait(59);
    assert!(closed(&hidden).is_empty(), "looked at in between");
    let paused = hidden.wait(2);
    assert_eq!(closed(&paused).len(), 1);
    // Its last words change nothing; nothing is opened while nobody looks.
    let paused = happens(
        paused,
        StreamEvent::Ended(StreamEnd::Lost {
            why: "closed".into(),
        }),
    );
    let opens = opened(&paused).len();
    let paused = paused
        .wait(600)
        .daemon_lost("killed")
        .daemon(two())
        .wait(60);
    assert_eq!(opened(&paused).len(), opens);
    let (_, first) = opened(&paused).pop().unwrap();
    let back = paused.press("t");
    assert_eq!(opened(&back).len(), opens + 1);
    assert_eq!(
        opened(&back).pop().unwrap().1,
        first,
        "the same terminal by its tag"
    );
    let live = happens(back, StreamEvent::Opened);
    assert!(live.sees("keeps this session alive"), "{}", live.text());
}

#[test]
fn a_hidden_tab_is_paused_and_says_so() {
    let screen = shell(100).press("ctrl-] d j s");
    let screen = prints(happens(screen, StreamEvent::Opened), "$ ").wait(70);
    assert!(screen.sees("paused"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let first = screen.press("ctrl-] (");
    assert!(
        first.sees("opening a shell in train-vit-large"),
        "{}",
        first.text()
    );
    // Docker's terminals are held however long nobody looks.
    let local = happens(
        Screen::new(80, 24).daemon(two()).press("j j s"),
        StreamEvent::Opened,
    );
    let local = local.press("ctrl-] d").wait(6_000);
    assert!(closed(&local).is_empty());
}
