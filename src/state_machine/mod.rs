//! What the state machines of both kinds of engines share.

pub(crate) mod warnings;

use std::time::Duration;

use jiff::Timestamp;

use crate::{
    model::{
        capability::{Capability, EngineState},
        catalogue::Catalogue,
        change::Change,
        environment::Environment,
        failure::Failure,
        id::SessionId,
        record::{SessionRecord, Write},
        session::Session,
        statistics::Statistics,
        text::Clean,
    },
    rules::launch::relaunch::Recalled,
};

/// The number of a request, by which it is answered.
pub type Ticket = u64;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Done,
    Session(Box<Session>),
    /// The session that a launch created.
    Launched(Box<Session>),
    /// The session that an earlier request with the same idempotency key launched.
    Repeated(Box<Session>),
    Environments(Vec<Environment>),
    Catalogue(Box<Catalogue>),
    /// The settings that a session was launched with.
    Again(Box<Recalled>),
    /// How many sessions match the request in all, loaded or not.
    Reached(u64),
}

/// Why a request fails that needs a capability which the engine doesn't have.
pub fn lacks(engine: &EngineState, capability: Capability) -> Failure {
    let why = match engine {
        EngineState::Connected { info } => info.capabilities.why_not(capability).cloned(),
        _ => None,
    };
    let why = why.unwrap_or_else(|| tr_sent!("this engine doesn't support the request").into());
    Failure::refused(why)
}

/// Why a request fails that the daemon answers without the state machine.
pub fn misdirected() -> Failure {
    Failure::internal(tr_sent!(
        "the daemon doesn't know this request. Run `workbay daemon stop`, then try again"
    ))
}

/// What a state machine knows of its context.
pub trait MachineState: Send {
    /// Whether the engine schedules sessions and workbay only observes them.
    fn is_observing(&self) -> bool;

    /// When the state machine needs the next tick.
    fn next_deadline(&self) -> Option<Timestamp>;

    fn session(&self, id: SessionId) -> Option<&Session>;

    fn sessions(&self) -> Box<dyn Iterator<Item = &Session> + '_>;

    fn environments(&self) -> &[Environment];

    fn engine(&self) -> &EngineState;

    /// What the user's sessions use of their limits, as far as it is known.
    fn statistics(&self) -> Option<&Statistics>;

    /// Whether terminals of a session must wait.
    fn is_settling(&self, id: SessionId) -> bool;

    /// The user's email address on the engine, where the engine may list sessions of other users.
    fn me(&self) -> Option<&Clean> {
        None
    }

    /// The number of sessions in each tab, where the engine may have more sessions than are loaded.
    fn totals(&self) -> Option<[u64; 3]> {
        None
    }

    /// Sessions whose usage the idle checks need, and how often.
    fn sampled(&self) -> Vec<(SessionId, Duration)> {
        Vec::new()
    }

    /// Whether workbay deleted the log of a session.
    fn is_forgotten(&self, _id: SessionId) -> bool {
        false
    }

    /// Loads ended sessions from the state database; returns the sessions that were not in memory.
    fn recall(&mut self, _records: Vec<SessionRecord>) -> Vec<Session> {
        Vec::new()
    }

    /// Drops recalled sessions from memory; returns how many were dropped.
    fn drop_recalled(&mut self, _sessions: &[SessionId]) -> usize {
        0
    }
}

/// A state machine of a context: it has its own facts (events) and commands, so that a fact or a
/// command of the other kind of engine doesn't compile.
pub trait StateMachine: MachineState {
    type Fact: Send + 'static;
    /// A command for the engine.
    type Command: Send + 'static;
    /// What is needed to take back a step.
    type Undo: Send;

    /// A deadline has come.
    const TICK: Self::Fact;

    fn step(&mut self, now: Timestamp, fact: Self::Fact) -> Consequences<Self>;

    /// Takes back a refusable step that could not be written.
    fn take_back(&mut self, undo: Self::Undo);

    /// The ticket of the request that caused the event.
    fn ticket(fact: &Self::Fact) -> Option<Ticket>;

    /// The session that a user asks to terminate.
    fn ends(fact: &Self::Fact) -> Option<SessionId>;

    /// Whether the command must be recorded before it is carried out. Commands that only end or
    /// read something run at once: users must be able to terminate sessions on a full disk, and the
    /// next list of the engine shows what has ended.
    fn waits_for_record(_command: &Self::Command) -> bool {
        false
    }

    /// The session whose state the command changes.
    fn session_of(_command: &Self::Command) -> Option<SessionId> {
        None
    }

    /// Whether both commands order the same for the same session.
    fn is_same(_new: &Self::Command, _old: &Self::Command) -> bool {
        false
    }

    /// The answer to a command that was not carried out.
    fn not_done(_command: &Self::Command, _why: &Clean) -> Option<Self::Fact> {
        None
    }
}

/// The consequences of one event. None of them may take effect before `writes` are in the state
/// database.
pub struct Consequences<M: StateMachine + ?Sized> {
    pub writes: Vec<Write>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Failure>)>,
    /// The queries that the engine may be asked directly.
    pub admitted: Vec<Ticket>,
    pub commands: Vec<M::Command>,
    /// Events to handle right after this one.
    pub follow: Vec<M::Fact>,
    /// The whole step follows from one request, so it can be taken back.
    pub refusable: bool,
    /// The commands depend on the state database, so they wait for all pending writes.
    pub recorded: bool,
    pub undo: M::Undo,
}
