//! The observer itself.

use jiff::{SignedDuration, Timestamp};

use super::{fact::Fact, turn::Turn};
use crate::{
    controller::fact::Ticket,
    model::{
        capability::EngineState,
        environment::Environment,
        id::{ContextName, SessionId},
        session::Session,
    },
};

/// Watches; see the room's description.
#[derive(Debug)]
pub struct Observer {
    context: ContextName,
    _refresh: SignedDuration,
}

impl Observer {
    pub fn new(context: ContextName, refresh: SignedDuration) -> Self {
        Self {
            context,
            _refresh: refresh,
        }
    }

    pub fn handle(&mut self, _now: Timestamp, _fact: Fact) -> Turn {
        Turn::new(self.context)
    }

    pub fn next_deadline(&self) -> Option<Timestamp> {
        None
    }

    pub fn take_back(&mut self, _ticket: Ticket) {}

    pub fn session(&self, _id: SessionId) -> Option<&Session> {
        None
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        std::iter::empty()
    }

    pub fn environments(&self) -> &[Environment] {
        &[]
    }

    pub fn engine(&self) -> &EngineState {
        &EngineState::Connecting
    }

    pub fn totals(&self) -> Option<[u64; 3]> {
        None
    }
}
