//! Plays the scheduler through without a daemon: its guarantees must hold for any order of events.

pub(in crate::scheduler) mod batch;
mod clock_changes;
mod cluster;
mod committing;
mod deleting;
mod homes;
pub(in crate::scheduler) mod play;
mod pulling;
mod reboot;
mod stop_hooks;

use proptest::prelude::*;

use self::play::{Play, at, fault};
use super::{
    fact::{ContainerEvent, Fact, SchedulerRequest},
    order::OrderKind,
};
use crate::model::{
    capability::{Capability, EngineState},
    failure::{Failure, FailureKind},
    id::SessionId,
    request::{ContextRequest, SessionRequest},
    spec::LaunchRequest,
    status::Status,
};

/// One action of the user or the engine, or an accident.
#[derive(Clone, Debug)]
enum Stimulus {
    Launch,
    LaunchBatch(u64),
    LaunchCluster,
    LaunchWithWill,
    LaunchImage(usize),
    Pull(usize),
    Leave(u64),
    Terminate(usize, bool),
    Rename(usize),
    CarryOut(usize),
    Fail(usize, bool),
    Die(usize, i64),
    DieSub(usize, usize),
    Vanish(usize),
    Cut,
    Return,
    Refresh,
    Restart,
    Wait,
}

fn stimulus() -> impl Strategy<Value = Stimulus> {
    let which = 0..100_usize;
    prop_oneof![
        3 => Just(Stimulus::Launch),
        1 => (1..200_u64).prop_map(Stimulus::LaunchBatch),
        1 => Just(Stimulus::LaunchCluster),
        1 => Just(Stimulus::LaunchWithWill),
        2 => (0..3_usize).prop_map(Stimulus::LaunchImage),
        1 => (0..3_usize).prop_map(Stimulus::Pull),
        1 => (1..30_u64).prop_map(Stimulus::Leave),
        3 => (which.clone(), any::<bool>()).prop_map(|(n, force)| Stimulus::Terminate(n, force)),
        1 => which.clone().prop_map(Stimulus::Rename),
        10 => which.clone().prop_map(Stimulus::CarryOut),
        2 => (which.clone(), any::<bool>()).prop_map(|(n, lost)| Stimulus::Fail(n, lost)),
        2 => (which.clone(), 0..2_i64).prop_map(|(n, code)| Stimulus::Die(n, code)),
        1 => (which.clone(), 1..3_usize).prop_map(|(n, sub)| Stimulus::DieSub(n, sub)),
        1 => which.prop_map(Stimulus::Vanish),
        1 => Just(Stimulus::Cut),
        2 => Just(Stimulus::Return),
        1 => Just(Stimulus::Refresh),
        1 => Just(Stimulus::Restart),
        2 => Just(Stimulus::Wait),
    ]
}

impl Play {
    fn one_of(&self, number: usize) -> Option<SessionId> {
        let ids: Vec<SessionId> = self.scheduler.sessions().map(|s| s.id).collect();
        (!ids.is_empty()).then(|| ids[number % ids.len()])
    }

    fn do_action(&mut self, action: Stimulus) {
        match action {
            Stimulus::Launch => {
                self.launch();
            }
            Stimulus::LaunchBatch(seconds) => {
                let request = batch::request(Some(seconds));
                self.launch_with(request);
            }
            Stimulus::LaunchCluster => {
                self.launch_with(cluster::request());
            }
            Stimulus::LaunchWithWill => {
                self.launch_with(stop_hooks::with_stop_hook(LaunchRequest::default()));
            }
            Stimulus::LaunchImage(number) => {
                self.launch_with(pulling::of_image(&format!("image{number}:1")));
            }
            Stimulus::Pull(number) => {
                let image = format!("image{number}:1");
                self.ask(SchedulerRequest::Context(ContextRequest::Pull { image }));
            }
            Stimulus::Leave(ticket) => self.leave(ticket),
            Stimulus::Terminate(number, force) => {
                if let Some(session) = self.one_of(number) {
                    self.ask(SchedulerRequest::session(
                        session,
                        SessionRequest::Terminate { force },
                    ));
                }
            }
            Stimulus::Rename(number) => {
                if let Some(session) = self.one_of(number) {
                    let name = format!("name-{}", self.asked);
                    self.ask(SchedulerRequest::session(
                        session,
                        SessionRequest::Rename { name },
                    ));
                }
            }
            Stimulus::CarryOut(number) if !self.orders.is_empty() => {
                self.carry_out(number % self.orders.len(), None);
            }
            Stimulus::Fail(number, lost) if !self.orders.is_empty() => {
                let kind = match (lost, number % 3) {
                    (true, _) => FailureKind::Unreachable,
                    (false, 0) => FailureKind::RegistryBroken,
                    (false, 1) => FailureKind::NoImage,
                    (false, _) => FailureKind::Failed,
                };
                self.carry_out(number % self.orders.len(), Some(kind));
            }
            Stimulus::Die(number, exit_code) => {
                if let Some(id) = self.one_of(number) {
                    self.die(id, exit_code);
                    self.happens(id, ContainerEvent::Died { exit_code });
                }
            }
            Stimulus::DieSub(number, sub) => {
                if let Some(id) = self.one_of(number) {
                    self.die_sub(id, sub, 1);
                    self.happens(id, ContainerEvent::Died { exit_code: 1 });
                }
            }
            Stimulus::Vanish(number) => {
                if let Some(id) = self.one_of(number) {
                    self.there.remove(&id);
                    self.happens(id, ContainerEvent::Other);
                }
            }
            Stimulus::Cut => {
                self.connected = false;
                self.handle(Fact::EngineDown {
                    connection: self.connection,
                    failure: fault(FailureKind::Unreachable),
                });
            }
            Stimulus::Return => self.connected = true,
            Stimulus::Refresh => drop(self.ask(SchedulerRequest::Context(ContextRequest::Refresh))),
            Stimulus::Restart => self.restart(),
            Stimulus::Wait => {
                self.now += 40;
                self.handle(Fact::Tick);
            }
            Stimulus::CarryOut(_) | Stimulus::Fail(..) => {}
        }
    }

    /// The client has disconnected: the daemon forgets that it waited for an answer.
    fn leave(&mut self, ticket: u64) {
        if ticket <= self.asked && !self.answered.contains_key(&ticket) {
            let is_pull = self.scheduler.pulls.is_asked_by(ticket);
            self.handle(Fact::Left {
                tickets: vec![ticket],
            });
            if is_pull {
                let gone = Err(Failure::refused("nobody waits for it"));
                self.answered.insert(ticket, gone);
            }
        }
    }

    fn happens(&mut self, session: SessionId, event: ContainerEvent) {
        if self.connected {
            self.handle(Fact::Happened { session, event });
        }
    }
}

proptest! {
    /// Whatever happens in whatever order: every step is allowed, every request is answered once,
    /// and in the end each running session has its container and nothing else exists.
    #[test]
    fn any_order_of_events_ends_well(actions in proptest::collection::vec(stimulus(), 1..60)) {
        let mut play = Play::new();
        for action in actions {
            play.do_action(action);
        }
        play.work_off();
        play.ask(SchedulerRequest::Context(ContextRequest::Refresh));
        play.work_off();
        play.check_rest();
    }
}

#[test]
fn a_stale_answer_changes_nothing() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    let gentle = play.orders.remove(0);
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force: true },
    ));
    let (session, epoch) = gentle.about().unwrap();
    play.handle(Fact::Done {
        session,
        epoch,
        order: OrderKind::Stop,
        result: Ok(None),
    });
    assert_eq!(play.orders.len(), 1, "only the forced stop is under way");
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Terminated);
}

#[test]
fn the_pauses_between_attempts_grow_to_half_a_minute() {
    let mut play = Play::new();
    play.handle(Fact::EngineDown {
        connection: 1,
        failure: fault(FailureKind::Unreachable),
    });
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let due = play.scheduler.next_deadline().unwrap();
        pauses.push(due.as_second() - at(play.now).as_second());
        play.now = due.as_second() - at(0).as_second();
        play.handle(Fact::Tick);
        play.carry_out(0, Some(FailureKind::Unreachable));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    let EngineState::Lost { attempt, .. } = play.scheduler.engine() else {
        panic!("it is not lost");
    };
    assert_eq!(*attempt, 8);
}

#[test]
fn what_the_first_session_showed_of_the_network_is_reported_with_the_next_look() {
    let mut play = Play::new();
    let lacks = |play: &Play| {
        let EngineState::Connected { info } = play.scheduler.engine() else {
            panic!("it is connected");
        };
        info.capabilities
            .why_not(Capability::HostProtection)
            .cloned()
    };
    assert_eq!(lacks(&play), None);
    play.lacks = vec![(Capability::HostProtection, "no iptables".into())];
    play.ask(SchedulerRequest::Context(ContextRequest::Refresh));
    play.work_off();
    assert_eq!(lacks(&play), Some("no iptables".into()));
    play.lacks.clear();
    play.ask(SchedulerRequest::Context(ContextRequest::Refresh));
    play.work_off();
    assert_eq!(lacks(&play), None);
}

#[test]
fn a_request_that_needs_what_the_engine_lacks_is_refused_with_the_reason() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    play.lacks = vec![(Capability::Rename, "no names here".into())];
    play.ask(SchedulerRequest::Context(ContextRequest::Refresh));
    play.work_off();
    let name = "other".to_owned();
    let rename = SessionRequest::Rename { name };
    let ticket = play.ask(SchedulerRequest::session(id, rename));
    let refusal = play.answered[&ticket].as_ref().unwrap_err();
    assert_eq!(refusal.message(), "no names here");
    assert_eq!(play.session(id).pending_request, None);
}

#[test]
fn a_turn_that_cannot_be_written_is_taken_back() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    let ask = SchedulerRequest::session(id, SessionRequest::Terminate { force: false });
    let mut turn = play
        .scheduler
        .handle(at(900), Fact::Asked { ticket: 90, ask });
    assert!(turn.refusable && !turn.orders.is_empty());
    play.scheduler.take_back(&mut turn);
    assert_eq!(play.status(id), Status::Running);
    play.work_off();
    play.check_rest();
}

#[test]
fn what_cannot_be_ended_is_reported_after_some_tries_and_can_be_tried_again() {
    let mut play = Play::new();
    let id = play.comes(LaunchRequest::default());
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force: false },
    ));
    for _ in 0..4 {
        play.carry_out(0, Some(FailureKind::Failed));
        play.now += 60;
        play.handle(Fact::Tick);
    }
    assert_eq!(play.status(id), Status::Error);
    assert_eq!(play.there.len(), 1);
    play.ask(SchedulerRequest::session(
        id,
        SessionRequest::Terminate { force: true },
    ));
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert!(play.there.is_empty());
}
