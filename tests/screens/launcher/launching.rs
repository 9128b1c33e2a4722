//! The steps from opening the launcher to the session, and what prevents a launch.

use workbay::{
    app::{effect::Effect, launcher::Launcher},
    model::{
        change::Change, failure::Failure, launch_field::LaunchField as Field, session::SessionType,
        span::Span, start_time::StartAt, status::Status,
    },
    protocol::message::{Reply, Request},
};

use super::{batch, launches, offer, opened};
use crate::{
    steps::{answered, working_day},
    world::{day, key, session, snapshot},
};

#[test]
fn a_newcomers_first_launch_takes_four_keys() {
    let screen = answered(working_day(80, 24).press("n"), offer()).press("ctrl-r enter");
    assert!(launches(&screen).is_empty());
    assert!(screen.sees("no folder mounted"), "{}", screen.text());
    let screen = screen.press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{:?}", screen.wishes());
    };
    assert!(launch.environment.as_deref().unwrap().starts_with("host"));
    assert_eq!(launch.name, None);
}

#[test]
fn going_on_step_by_step_comes_to_the_launch() {
    let screen = opened(80, 24)
        .typed("train-1")
        .press("enter enter space enter enter");
    assert!(screen.sees("Command line"), "{}", screen.text());
    let screen = screen.press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    assert_eq!(launch.name.as_deref(), Some("train-1"));
    assert_eq!(launch.mounts[0].to_string(), "datasets:ro");
}

#[test]
fn a_batch_session_is_asked_for_as_it_was_typed() {
    let screen = batch(opened(80, 24)).press("alt-enter enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    assert_eq!(launch.session_type, SessionType::Batch);
    let command = "python train.py\npython report.py";
    assert_eq!(launch.startup_command.as_deref(), Some(command));
    assert_eq!(launch.timeout, Some(Span(5_400)));
    assert_eq!(launch.starts_at, Some(StartAt::After(Span(7_200))));
}

#[test]
fn nothing_typed_is_lost_without_a_question() {
    assert!(!opened(80, 24).press("esc").is_open::<Launcher>());
    let screen = opened(80, 24).typed("train-1").press("ctrl-n esc");
    insta::assert_snapshot!(screen.text());
    let kept = screen.press("esc alt-1");
    assert!(kept.sees("train-1"), "{}", kept.text());
    // Enter presses the harmless button.
    let kept = kept.press("esc enter");
    assert!(kept.is_open::<Launcher>());
    let reset = kept.press("alt-r y");
    assert!(!reset.sees("train-1"), "{}", reset.text());
    assert!(!reset.press("esc").is_open::<Launcher>());
    let closed = opened(80, 24).typed("train-1").press("esc y");
    assert!(!closed.is_open::<Launcher>());
}

#[test]
fn a_refusal_is_beside_its_field() {
    let failure = Failure::refused("the name 'train-2' is taken by a session")
        .hint("choose another name")
        .about(Field::Name);
    let screen = opened(80, 24)
        .typed("train-2")
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Err(failure));
    insta::assert_snapshot!(screen.text());
    // It is fixed on the spot.
    let screen = screen.typed("b").press("alt-enter enter");
    assert_eq!(launches(&screen).len(), 2);
    assert_eq!(launches(&screen)[1].name.as_deref(), Some("train-2b"));
}

#[test]
fn what_was_launched_is_shown_with_the_keys_for_it() {
    let launched = session(50, "brand-new", Status::Pending, 0);
    let reply = Reply::Launched {
        sessions: vec![launched.clone()],
        failure: None,
    };
    let screen = opened(80, 24)
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply))
        .notice(Change::Session {
            session: Box::new(launched),
        });
    insta::assert_snapshot!(screen.text());
    assert_eq!(screen.app.sessions.selected(), Some(key(50)));
}

#[test]
fn the_command_line_that_does_the_same_is_copied() {
    let screen = opened(80, 24).typed("train-1").press("ctrl-r y");
    let copied = screen.effects().iter().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    let line = copied.unwrap();
    assert!(
        line.starts_with("workbay launch --name train-1 --env host"),
        "{line}"
    );
}

#[test]
fn a_click_goes_to_a_step_and_to_a_row() {
    let screen = opened(80, 24);
    let text = screen.text();
    let (y, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("3 Data"))
        .unwrap();
    let x = line.split("3 Data").next().unwrap().chars().count();
    let screen = screen.click(u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
    assert!(screen.sees("create a folder"), "{}", screen.text());
    let text = screen.text();
    let y = text
        .lines()
        .position(|line| line.contains("models"))
        .unwrap();
    let screen = screen
        .click(10, u16::try_from(y).unwrap())
        .press("space alt-enter");
    assert_eq!(launches(&screen)[0].mounts[0].folder, "models");
}

#[test]
fn a_launch_outlives_the_connection_and_its_late_answer_closes_only_its_own_launcher() {
    let is_launch = |request: &Request| matches!(request, Request::Launch { .. });
    let launched = || {
        Ok(Reply::Launched {
            sessions: vec![session(50, "train-1", Status::Pending, 0)],
            failure: None,
        })
    };
    let asked = || {
        opened(80, 24)
            .typed("train-1")
            .press("alt-enter enter enter")
            .daemon_lost("the daemon stopped")
            .daemon(snapshot(day()))
    };
    let closed = asked().answer(is_launch, launched());
    assert!(!closed.is_open::<Launcher>(), "{}", closed.text());
    let refusal = || Err(Failure::refused("there is no room"));
    let refused = asked().answer(is_launch, refusal());
    assert!(refused.sees("there is no room"), "{}", refused.text());
    // What was typed since isn't lost.
    let edited = asked().press("alt-1").typed("-next");
    let edited = edited.answer(is_launch, launched());
    assert!(edited.sees("train-1-next"), "{}", edited.text());
    let another = || asked().press("esc y n").typed("second");
    for answer in [launched(), refusal()] {
        let screen = another().answer(is_launch, answer);
        assert!(screen.sees("second"), "{}", screen.text());
    }
}
