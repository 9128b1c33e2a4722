//! Images that are created from sessions.

use super::{batch, play::Play};
use crate::{
    model::{
        environment::Customized, failure::FailureKind, id::SessionId, notice::Level,
        request::SessionRequest, session::CommitStatus, spec::LaunchRequest, status::Status,
    },
    scheduler::{
        fact::SchedulerRequest,
        order::{Order, OrderKind},
    },
    state_machine::Answer,
};

fn running(play: &mut Play) -> SessionId {
    play.images.insert("tool:1".to_owned());
    play.comes(LaunchRequest {
        image: Some("tool:1".to_owned()),
        ..LaunchRequest::default()
    })
}

fn ask(play: &mut Play, session: SessionId, name: &str) -> u64 {
    let image_name = name.to_owned();
    let pause = false;
    play.ask(SchedulerRequest::session(
        session,
        SessionRequest::Commit { image_name, pause },
    ))
}

fn why(play: &Play, ticket: u64) -> String {
    let failure = play.answered[&ticket].as_ref().unwrap_err();
    failure.message().to_string()
}

fn kinds(play: &Play) -> Vec<OrderKind> {
    play.orders.iter().map(Order::kind).collect()
}

#[test]
fn an_image_is_created_in_the_background() {
    let mut play = Play::new();
    let id = running(&mut play);
    let ticket = ask(&mut play, id, "my-tools");
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
    assert_eq!(kinds(&play), [OrderKind::Commit]);
    let session = play.session(id).clone();
    assert_eq!(session.commit, CommitStatus::Ongoing);
    assert!(session.is_committed());
    let stored = play.stored[&id].committing.as_deref();
    assert_eq!(stored, Some("my-tools"));

    let second = ask(&mut play, id, "my-other");
    assert!(why(&play, second).contains("already being created"));
    play.carry_out(0, None);
    let session = play.session(id);
    assert_eq!(
        (session.commit, &session.pending_request),
        (CommitStatus::Ready, &None)
    );
    assert_eq!(session.status, Status::Running);
    let notice = play.notices.last().unwrap();
    assert_eq!(notice.level, Level::Success);
    assert!(
        notice.text.as_str().contains("customized_my-tools"),
        "{notice:?}"
    );
    // The images are read again.
    assert_eq!(kinds(&play), [OrderKind::Survey]);
    play.work_off();
    play.check_rest();
}

#[test]
fn a_failure_is_reported() {
    let mut play = Play::new();
    let id = running(&mut play);
    ask(&mut play, id, "my-tools");
    play.carry_out(0, Some(FailureKind::Failed));
    let notice = play.notices.last().unwrap();
    assert_eq!(notice.level, Level::Error);
    assert!(
        notice.text.as_str().contains("couldn't be created"),
        "{notice:?}"
    );
    assert!(!play.session(id).is_committed());
    assert_eq!(play.stored[&id].committing, None);
}

#[test]
fn what_has_no_image_or_breaks_a_rule_is_refused() {
    let mut play = Play::new();
    let id = running(&mut play);
    let ticket = ask(&mut play, id, "no");
    assert!(why(&play, ticket).contains("4 to 32"));
    let host = play.comes(LaunchRequest::default());
    let ticket = ask(&mut play, host, "my-host");
    assert!(why(&play, ticket).contains("host environment"));
    let batch = play.comes(batch::request(None));
    let ticket = ask(&mut play, batch, "my-batch");
    assert!(why(&play, ticket).contains("interactive"));
    play.terminate(id);
    let ticket = ask(&mut play, id, "my-tools");
    assert!(why(&play, ticket).contains("running sessions only"));
}

#[test]
fn names_and_the_number_are_limited() {
    let mut settings = super::play::settings();
    settings.images.limit = 2;
    let mut play = Play::with(settings);
    let (id, other) = (running(&mut play), running(&mut play));
    let mut own = play.scheduler.environments.last().unwrap().clone();
    let customized = |name: &str, owner: Option<&str>| {
        Some(Customized {
            name: name.into(),
            owner: owner.map(Into::into),
        })
    };
    own.facts.customized = customized("mine", None);
    play.scheduler.environments.push(own.clone());
    own.facts.customized = customized("theirs", Some("lee"));
    play.scheduler.environments.push(own);
    let taken = ask(&mut play, id, "mine");
    assert!(why(&play, taken).contains("name mine exists"));
    let fine = ask(&mut play, id, "theirs");
    assert_eq!(play.answered[&fine], Ok(Answer::Done));
    // The one that is being created counts, too.
    let more = ask(&mut play, other, "more");
    assert!(why(&play, more).contains("the limit is 2"));
}

#[test]
fn it_is_cancelled_on_request_and_by_the_end_of_the_session() {
    let mut play = Play::new();
    let id = running(&mut play);
    ask(&mut play, id, "my-tools");
    let cancelled = play.ask(SchedulerRequest::session(id, SessionRequest::CancelCommit));
    assert_eq!(play.answered[&cancelled], Ok(Answer::Done));
    assert_eq!(kinds(&play), [OrderKind::Commit, OrderKind::CancelCommit]);
    play.carry_out(1, None);
    assert!(play.orders.is_empty() && !play.session(id).is_committed());
    let again = play.ask(SchedulerRequest::session(id, SessionRequest::CancelCommit));
    assert_eq!(play.answered[&again], Ok(Answer::Done));

    ask(&mut play, id, "my-tools");
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    assert!(kinds(&play).contains(&OrderKind::CancelCommit));
    let said = |play: &Play| {
        let all = play.notices.iter();
        all.filter(|it| it.text.as_str().contains("wasn't created"))
            .count()
    };
    assert_eq!(said(&play), 2);
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Terminated);
}

#[test]
fn the_next_daemon_reports_what_was_interrupted() {
    let mut play = Play::new();
    let id = running(&mut play);
    ask(&mut play, id, "my-tools");
    play.restart();
    play.work_off();
    let texts: Vec<&str> = play.notices.iter().map(|it| it.text.as_str()).collect();
    let lost = texts
        .iter()
        .filter(|it| it.contains("the daemon ended"))
        .count();
    assert_eq!(lost, 1, "{texts:?}");
    assert!(!play.session(id).is_committed());
    assert_eq!(play.status(id), Status::Running);
    play.check_rest();
}
