//! Records of ended sessions that the user deletes.

use super::{
    batch,
    play::{Play, at},
};
use crate::{
    model::{failure::FailureKind, id::SessionId, request::SessionRequest, spec::LaunchRequest},
    scheduler::{
        fact::SchedulerRequest,
        order::{Order, OrderKind},
    },
    state_machine::Answer,
};

fn ended(play: &mut Play) -> SessionId {
    let id = play.comes(LaunchRequest::default());
    play.terminate(id);
    id
}

fn ask(play: &mut Play, session: SessionId) -> u64 {
    play.ask(SchedulerRequest::session(session, SessionRequest::Delete))
}

#[test]
fn a_record_goes_when_its_remains_are_gone() {
    let mut play = Play::new();
    let id = ended(&mut play);
    let ticket = ask(&mut play, id);
    let kinds: Vec<OrderKind> = play.orders.iter().map(Order::kind).collect();
    assert_eq!(kinds, [OrderKind::Forget]);
    assert!(!play.answered.contains_key(&ticket), "the home is there");
    assert!(play.stored.contains_key(&id));
    play.carry_out(0, None);
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
    assert!(play.scheduler.session(id).is_none());
    assert!(!play.stored.contains_key(&id));
    // The deadlines of a deleted session don't do anything.
    play.wait(30 * 24 * 60 * 60);
    let again = ask(&mut play, id);
    let failure = play.answered[&again].as_ref().unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    play.restart();
    assert!(play.scheduler.session(id).is_none());
}

#[test]
fn what_has_not_ended_is_not_deleted() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    let ticket = ask(&mut play, id);
    let failure = play.answered[&ticket].as_ref().unwrap_err();
    assert!(failure.message().as_str().contains("only ended sessions"));
    assert!(
        failure
            .hint
            .as_ref()
            .unwrap()
            .as_str()
            .contains("terminate")
    );
    assert!(play.scheduler.session(id).is_some());
}

#[test]
fn a_record_stays_while_its_files_cannot_be_deleted() {
    let mut play = Play::new();
    let id = ended(&mut play);
    let ticket = ask(&mut play, id);
    play.carry_out(0, Some(FailureKind::Failed));
    assert!(play.answered[&ticket].is_err());
    assert!(play.stored.contains_key(&id));
    // A forgotten session is deleted without an engine.
    play.wait(8 * 24 * 60 * 60);
    assert!(play.scheduler.is_forgotten(id));
    let ticket = ask(&mut play, id);
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
    assert!(play.scheduler.session(id).is_none());
}

#[test]
fn a_home_that_is_waited_for_keeps_its_record() {
    let mut play = Play::new();
    let earlier = ended(&mut play);
    let later = play.comes(LaunchRequest {
        home_of: Some(earlier),
        starts_at: Some(at(play.now + 60 * 60).into()),
        ..batch::request(None)
    });
    let ticket = ask(&mut play, earlier);
    assert!(play.answered[&ticket].is_err());
    play.terminate(later);
    let ticket = ask(&mut play, earlier);
    play.work_off();
    assert_eq!(play.answered[&ticket], Ok(Answer::Done));
}
