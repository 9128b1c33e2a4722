//! The observer as the daemon drives it.

use jiff::Timestamp;

use super::{
    core::Observer,
    fact::{Fact, ObserverRequest},
    order::Order,
};
use crate::{
    model::{
        capability::EngineState, environment::Environment, id::SessionId, record::Write,
        request::SessionRequest, session::Session, statistics::Statistics, text::Clean,
    },
    state_machine::{Consequences, MachineState, StateMachine, Ticket},
};

impl MachineState for Observer {
    fn is_observing(&self) -> bool {
        true
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

    fn is_settling(&self, _id: SessionId) -> bool {
        matches!(self.engine(), EngineState::Connecting)
    }

    fn me(&self) -> Option<&Clean> {
        match self.engine() {
            EngineState::Connected { info } => info.user.as_ref().map(|user| &user.email),
            _ => None,
        }
    }

    fn totals(&self) -> Option<[u64; 3]> {
        self.totals()
    }
}

impl StateMachine for Observer {
    type Fact = Fact;
    type Command = Order;
    /// The request, if there was one.
    type Undo = Option<Ticket>;

    const TICK: Fact = Fact::Tick;

    fn step(&mut self, now: Timestamp, fact: Fact) -> Consequences<Self> {
        let undo = Self::ticket(&fact);
        let turn = self.handle(now, fact);
        Consequences {
            refusable: !turn.audits.is_empty(),
            writes: turn.audits.into_iter().map(Write::Audit).collect(),
            changes: turn.changes,
            answers: turn.answers,
            admitted: turn.admitted,
            commands: turn.orders,
            follow: turn.follow,
            recorded: false,
            undo,
        }
    }

    fn take_back(&mut self, undo: Option<Ticket>) {
        if let Some(ticket) = undo {
            Self::take_back(self, ticket);
        }
    }

    fn ticket(fact: &Fact) -> Option<Ticket> {
        match fact {
            Fact::Asked { ticket, .. } => Some(*ticket),
            _ => None,
        }
    }

    fn ends(fact: &Fact) -> Option<SessionId> {
        match fact {
            Fact::Asked {
                ask:
                    ObserverRequest::Session {
                        session,
                        request: SessionRequest::Terminate { .. },
                    },
                ..
            } => Some(*session),
            _ => None,
        }
    }
}
