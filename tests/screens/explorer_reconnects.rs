//! The explorer while the engine or the daemon is disconnected, and after it is connected again.

use workbay::model::{change::Change, failure::Failure, id::ContextName};

use crate::{
    explorer::{answered, explorer, home, is_page, listing},
    screen::Screen,
    world::{connected, day, lost, snapshot},
};

#[test]
fn a_broken_connection_is_shown_and_the_list_is_read_again() {
    let screen = explorer(80, 24).notice(Change::Engine {
        context: ContextName::local(),
        engine: Box::new(lost()),
    });
    assert!(
        screen.sees("Engine disconnected. Retrying (attempt 3)"),
        "{}",
        screen.text()
    );
    let screen = explorer(80, 24).daemon_lost("the daemon stopped");
    assert!(
        screen.sees("Daemon disconnected") && screen.sees("데이터셋"),
        "{}",
        screen.text()
    );
    let pages = |screen: &Screen| screen.questions().filter(|(_, it)| is_page(it)).count();
    let before = pages(&screen);
    let screen = screen.daemon(snapshot(day()));
    assert_eq!(pages(&screen), before + 1);
}

#[test]
fn after_the_engine_reconnects_the_list_and_the_marks_are_there_again() {
    let engine = |engine| Change::Engine {
        context: ContextName::local(),
        engine: Box::new(engine),
    };
    let screen = explorer(80, 24).press("end space").notice(engine(lost()));
    let why = Failure::lost("the engine at unix:///var/run/docker.sock doesn't answer")
        .hint("start it: `sudo systemctl start docker`");
    let screen = screen.press("R").answer(is_page, Err(why));
    insta::assert_snapshot!(screen.text());
    let pages = |screen: &Screen| screen.questions().filter(|(_, it)| is_page(it)).count();
    let before = pages(&screen);
    let screen = screen.notice(engine(connected()));
    assert_eq!(pages(&screen), before + 1);
    let screen = answered(screen, listing(home()));
    assert!(!screen.sees("Engine disconnected"), "{}", screen.text());
    assert!(
        screen.sees("데이터셋") && screen.sees("1 marked") && screen.sees("9 of 9"),
        "{}",
        screen.text()
    );
}
