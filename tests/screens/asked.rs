//! What is asked of the daemon and of the terminal, and what is refused.

use workbay::{
    app::effect::Effect,
    app::{launcher::Launcher, panels::terminate::TerminateDialog},
    model::{change::Change, failure::Failure, request::SessionRequest, status::Status},
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, facts},
    world::{busy, day, id, key, many, session, snapshot},
};

fn working_day() -> Screen {
    Screen::new(80, 24)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() })
}

#[test]
fn only_visible_running_sessions_are_sampled() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(200)));
    let watched = |screen: &Screen| {
        let last = screen.questions().filter_map(|(_, request)| match request {
            Request::Watch { sessions } => Some(sessions.clone()),
            _ => None,
        });
        last.collect::<Vec<_>>()
    };
    assert_eq!(watched(&screen).last().unwrap().len(), 18);
    let before = watched(&screen).len();
    let screen = screen.press("j j j");
    assert_eq!(
        watched(&screen).len(),
        before,
        "the same rows were asked again"
    );
    let screen = screen.press("G");
    assert!(watched(&screen).last().unwrap().contains(&key(199)));
    let screen = screen.press("2");
    assert!(watched(&screen).last().unwrap().is_empty());
}

#[test]
fn a_launched_session_is_selected_when_it_comes() {
    let launched = session(50, "brand-new", Status::Pending, 0);
    let reply = Reply::Launched {
        sessions: vec![launched.clone()],
        failure: None,
    };
    let screen = working_day()
        .press("2 n alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply));
    assert!(!screen.is_open::<Launcher>());
    let screen = screen.notice(Change::Session {
        session: Box::new(launched),
    });
    assert!(screen.sees("brand-new") && screen.sees("PENDING"));
    assert_eq!(screen.app.sessions.selected(), Some(key(50)));
}

#[test]
fn terminating_needs_more_than_enter() {
    let screen = working_day().press("j j x enter");
    // The dialog only asks which files would be lost.
    let wishes = |screen: &Screen| {
        let mut wishes: Vec<Request> = screen.wishes().into_iter().cloned().collect();
        wishes.retain(|it| !matches!(it, Request::Loss { .. }));
        wishes
    };
    assert!(!screen.is_open::<TerminateDialog>() && wishes(&screen).is_empty());
    let screen = screen.press("x tab enter");
    let wish = Request::session(key(1), SessionRequest::Terminate { force: false });
    assert_eq!(wishes(&screen), [wish]);
    let screen = screen.press("x f y");
    let wish = Request::session(key(1), SessionRequest::Terminate { force: true });
    assert_eq!(screen.wishes().last(), Some(&&wish));
}

#[test]
fn what_makes_no_sense_says_why() {
    let starting = working_day().press("s");
    assert!(starting.sees("fresh-one is PREPARING: a shell opens when it runs"));
    let finished = working_day().press("2 x");
    assert!(!finished.is_open::<TerminateDialog>() && finished.sees("has already ended"));
    let nothing = Screen::new(80, 24).daemon(snapshot(Vec::new())).press("s");
    assert!(nothing.sees("No session is selected"));
    let mut facts = facts();
    facts.read_only = true;
    let read_only = Screen::with(80, 24, facts).daemon(snapshot(day()));
    assert!(read_only.press("n").sees("read-only"));
}

#[test]
fn leaving_is_quick_and_never_by_accident() {
    assert!(working_day().press("q").has_left());
    assert!(!working_day().press("esc esc esc").has_left());
    let once = working_day().press("ctrl-c");
    assert!(!once.has_left() && once.sees("ctrl-c again, or q to quit"));
    assert!(once.press("ctrl-c").has_left());
    let late = working_day().press("ctrl-c").wait(2).press("ctrl-c");
    assert!(!late.has_left(), "the second press came too late");
    let inner = working_day().press("n ctrl-c");
    assert!(!inner.is_open::<Launcher>() && !inner.has_left());
    assert!(!working_day().press("enter q").has_left());
}

#[test]
fn an_id_is_copied() {
    let screen = working_day().press("j j y");
    let copied = screen
        .effects()
        .iter()
        .any(|effect| matches!(effect, Effect::Copy { text, .. } if *text == id(1).to_string()));
    assert!(copied);
}

#[test]
fn text_goes_into_the_field_with_the_focus() {
    let screen = working_day().press("/").paste("train\n");
    assert_eq!(screen.app.sessions.len(), 1);
    let screen = working_day()
        .press("n")
        .paste("pasted-name")
        .press("alt-enter enter");
    let named = screen.wishes().into_iter().any(|request| {
        matches!(request, Request::Launch { launch, .. } if launch.name.as_deref() == Some("pasted-name"))
    });
    assert!(named);
}

#[test]
fn a_launch_lost_with_the_daemon_is_repeated_automatically_and_after_a_failure_by_hand() {
    let screen = working_day()
        .press("n alt-enter enter")
        .daemon_lost("it was killed");
    let screen = screen.daemon(snapshot(day())).press("enter");
    assert_eq!(screen.wishes().len(), 1, "{}", screen.text());
    let failure = Failure::lost("no answer came");
    let screen = screen
        .answer(|it| matches!(it, Request::Launch { .. }), Err(failure))
        .press("enter");
    assert_eq!(screen.wishes().len(), 2, "{}", screen.text());
}
