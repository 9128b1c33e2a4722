//! The scheduler as the daemon drives it.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    core::Scheduler,
    fact::{Fact, SchedulerRequest},
    order::Order,
    turn::Turn,
};
use crate::{
    model::{
        capability::EngineState,
        environment::Environment,
        failure::{Failure, FailureKind},
        id::SessionId,
        record::SessionRecord,
        request::SessionRequest,
        session::Session,
        statistics::Statistics,
        text::Clean,
    },
    state_machine::{Consequences, MachineState, StateMachine, Ticket},
};

impl MachineState for Scheduler {
    fn is_observing(&self) -> bool {
        false
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        self.next_deadline()
    }

    fn session(&self, id: SessionId) -> Option<&Session> {
        self.session(id)
    }

    fn sessions(&self) -> Box<dyn Iterator<Item = &Session> + '_> {
        Box::new(self.sessions())
    }

    fn environments(&self) -> &[Environment] {
        self.environments()
    }

    fn engine(&self) -> &EngineState {
        self.engine()
    }

    fn statistics(&self) -> Option<&Statistics> {
        self.statistics()
    }

    fn is_settling(&self, id: SessionId) -> bool {
        self.is_settling(id)
    }

    fn sampled(&self) -> Vec<(SessionId, Duration)> {
        self.sampled()
    }

    fn is_forgotten(&self, id: SessionId) -> bool {
        self.is_forgotten(id)
    }

    fn recall(&mut self, records: Vec<SessionRecord>) -> Vec<Session> {
        self.recall(records)
    }

    fn drop_recalled(&mut self, sessions: &[SessionId]) -> usize {
        self.drop_recalled(sessions)
    }
}

impl StateMachine for Scheduler {
    type Fact = Fact;
    type Command = Order;
    type Undo = Turn;

    const TICK: Fact = Fact::Tick;

    fn step(&mut self, now: Timestamp, fact: Fact) -> Consequences<Self> {
        let mut turn = self.handle(now, fact);
        Consequences {
            writes: std::mem::take(&mut turn.writes),
            changes: std::mem::take(&mut turn.changes),
            answers: std::mem::take(&mut turn.answers),
            admitted: std::mem::take(&mut turn.admitted),
            commands: std::mem::take(&mut turn.orders),
            follow: std::mem::take(&mut turn.follow),
            refusable: turn.refusable,
            recorded: true,
            undo: turn,
        }
    }

    fn take_back(&mut self, mut undo: Turn) {
        Self::take_back(self, &mut undo);
    }

    fn ticket(fact: &Fact) -> Option<Ticket> {
        match fact {
            Fact::Asked { ticket, .. } | Fact::LaunchSurveyed { ticket, .. } => Some(*ticket),
            _ => None,
        }
    }

    fn ends(fact: &Fact) -> Option<SessionId> {
        match fact {
            Fact::Asked {
                ask:
                    SchedulerRequest::Session {
                        session,
                        request: SessionRequest::Terminate { .. },
                    },
                ..
            } => Some(*session),
            _ => None,
        }
    }

    fn waits_for_record(command: &Order) -> bool {
        match command {
            Order::Create { .. }
            | Order::Start { .. }
            | Order::Pull { .. }
            | Order::Rename { .. }
            | Order::Commit { .. } => true,
            Order::Connect { .. }
            | Order::Survey { .. }
            | Order::CancelPull { .. }
            | Order::CancelCommit { .. }
            | Order::StopHook { .. }
            | Order::Stop { .. }
            | Order::Remove { .. }
            | Order::Forget { .. }
            | Order::DetachAll { .. }
            | Order::Inspect { .. } => false,
        }
    }

    fn session_of(command: &Order) -> Option<SessionId> {
        command.about().map(|(session, _)| session)
    }

    fn is_same(new: &Order, old: &Order) -> bool {
        let session = Self::session_of(new);
        session.is_some() && session == Self::session_of(old) && new.kind() == old.kind()
    }

    fn not_done(command: &Order, why: &Clean) -> Option<Fact> {
        let (session, epoch) = command.about()?;
        Some(Fact::Done {
            session,
            epoch,
            order: command.kind(),
            result: Err(Failure::new(FailureKind::Failed, why.clone())),
        })
    }
}
