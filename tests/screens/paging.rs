//! Lists that are longer than what is loaded: more is asked for, and never more is said than is known.

use workbay::{
    model::{
        change::Change,
        failure::Failure,
        request::ContextRequest,
        status::{Status, Tab},
    },
    protocol::message::{Reply, Request},
};

use crate::{
    cluster::{long, name, remote},
    screen::Screen,
    world::{many, snapshot},
};

fn cluster() -> Screen {
    Screen::new(80, 24).daemon(long(100, 12_431))
}

/// What was asked for: how many, and what the name must contain.
fn reaches(screen: &Screen) -> Vec<(u32, Option<String>)> {
    let reach = |request: &Request| match request {
        Request::Context {
            context,
            request: ContextRequest::Reach { tab, text, count },
        } => {
            assert_eq!((*context, *tab), (name("seoul"), Tab::Running));
            Some((*count, text.clone()))
        }
        _ => None,
    };
    screen.questions().filter_map(|(_, r)| reach(r)).collect()
}

fn answered(screen: Screen, total: u64) -> Screen {
    screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Reach { .. })),
        Ok(Reply::Reached { total }),
    )
}

fn loaded(screen: Screen, range: std::ops::Range<u128>) -> Screen {
    range.fold(screen, |screen, n| {
        let minutes = 5 + i64::try_from(n).unwrap() * 7;
        let session = remote(n, &format!("worker-{n:03}"), Status::Running, minutes);
        screen.notice(Change::Session {
            session: Box::new(session),
        })
    })
}

#[test]
fn counts_are_the_engines_and_the_bar_says_what_is_loaded() {
    let screen = cluster();
    insta::assert_snapshot!(screen.text());
    assert!(screen.sees("1-18 of 12,431, 100 loaded"));
    assert!(screen.sees("Finished 3,104"));
    assert_eq!(reaches(&screen), [], "far from the end");
}

#[test]
fn near_the_end_more_is_asked_for_once() {
    let screen = cluster().press("G");
    assert_eq!(reaches(&screen), [(300, None)]);
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("k j k G");
    assert_eq!(reaches(&screen).len(), 1, "one under way is enough");
    let screen = answered(loaded(screen, 100..300), 12_431);
    assert!(screen.sees("of 12,431, 300 loaded"), "{}", screen.text());
    // The selection stayed on its session, in the middle of the list now.
    assert_eq!(
        screen.app.sessions.selected(),
        Some(crate::cluster::key("seoul", 99))
    );
    assert_eq!(reaches(&screen).len(), 1);
    assert_eq!(reaches(&screen.press("G")).last(), Some(&(500, None)));
}

#[test]
fn what_brings_nothing_is_not_asked_again_automatically() {
    let screen = answered(cluster().press("G"), 12_431);
    let screen = screen.press("k j k j").wait(120);
    assert_eq!(reaches(&screen).len(), 1);
    // The user tries again.
    assert_eq!(reaches(&screen.press("G")).len(), 2);
}

#[test]
fn a_page_that_cannot_be_had_is_reported() {
    let failure = Failure::lost("the manager does not answer");
    let screen = cluster().press("G").answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Reach { .. })),
        Err(failure),
    );
    assert!(
        screen.sees("The manager does not answer"),
        "{}",
        screen.text()
    );
    assert!(screen.sees("100 loaded"));
    assert_eq!(reaches(&screen.press("k j")).len(), 1);
}

#[test]
fn a_filter_is_asked_for_when_typing_pauses() {
    let screen = cluster().press("/").typed("wor").typed("ker-0");
    assert_eq!(reaches(&screen), [], "still typing");
    assert!(screen.sees("so far"), "{}", screen.text());
    let screen = screen.wait(1);
    assert_eq!(reaches(&screen), [(200, Some("worker-0".to_owned()))]);
    let whole = answered(screen, 100);
    insta::assert_snapshot!(whole.press("enter").text());
    // Another word is another question; Enter does not wait.
    let screen = cluster().press("/").typed("zzz").press("enter");
    assert_eq!(reaches(&screen), [(200, Some("zzz".to_owned()))]);
    assert!(
        screen.sees("No match yet in the loaded sessions: zzz"),
        "{}",
        screen.text()
    );
    let none = answered(screen, 0);
    assert!(none.sees("No session matches zzz"), "{}", none.text());
}

#[test]
fn a_filter_that_is_not_answered_whole_says_so() {
    let screen = cluster().press("/").typed("worker").press("enter");
    let cut = answered(screen, 9_000);
    assert!(cut.sees("/worker  100 of 9,000 found"), "{}", cut.text());
    let failure = Failure::lost("the manager does not answer");
    let failed = cluster().press("/").typed("worker").press("enter").answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Reach { .. })),
        Err(failure),
    );
    assert!(
        failed.sees("/worker  100 of 100 loaded"),
        "{}",
        failed.text()
    );
    let cleared = failed.press("esc");
    assert!(cleared.sees("of 12,431, 100 loaded"));
}

#[test]
fn where_everything_is_loaded_nothing_is_asked() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(200)));
    let screen = screen.press("G /").typed("worker").wait(2).press("enter");
    assert_eq!(screen.wishes().len(), 0);
    assert!(
        !screen
            .questions()
            .any(|(_, r)| matches!(r.of_context(), Some(ContextRequest::Reach { .. })))
    );
    assert!(screen.sees("/worker  200 of 200"), "{}", screen.text());
}
