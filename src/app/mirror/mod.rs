//! The TUI's copy of the daemon's state. Only snapshots and notices change it.

mod changes;
mod contexts;
mod counts;
mod totals;

use std::collections::HashMap;

use jiff::Timestamp;

use self::counts::SessionCounts;
use super::trail::Trails;
use crate::model::{
    failure::Failure,
    forward::Forward,
    id::{ContextName, SessionKey},
    session::Session,
    text::Clean,
    usage::Usage,
};

pub use self::counts::LiveSessions;
pub use crate::protocol::message::ContextState;

/// The connection to the daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum DaemonConnection {
    /// The daemon hasn't sent anything yet.
    Connecting,
    Up,
    /// The daemon disconnected. `run` reconnects automatically.
    Down {
        why: Clean,
        attempt: u32,
        since: Timestamp,
    },
    /// The daemon refuses the connection until you fix the cause.
    Refused(Failure),
}

/// The part of the state that a change touched. The list uses it to decide what to update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Sessions were added, removed or changed.
    Sessions,
    Usage,
    Other,
}

#[derive(Clone, Debug)]
pub struct Mirror {
    connection: DaemonConnection,
    /// The daemon isn't responding, although there is a connection.
    unresponsive: bool,
    sessions: HashMap<SessionKey, Session>,
    counts: SessionCounts,
    usage: HashMap<SessionKey, Usage>,
    trails: Trails,
    contexts: Vec<ContextState>,
    forwards: Vec<Forward>,
    /// Since when each disconnected engine is disconnected.
    lost_since: HashMap<ContextName, Timestamp>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            connection: DaemonConnection::Connecting,
            unresponsive: false,
            sessions: HashMap::new(),
            counts: SessionCounts::default(),
            usage: HashMap::new(),
            trails: Trails::default(),
            contexts: Vec::new(),
            forwards: Vec::new(),
            lost_since: HashMap::new(),
        }
    }
}

impl Mirror {
    pub fn connection(&self) -> &DaemonConnection {
        &self.connection
    }

    pub fn is_up(&self) -> bool {
        self.connection == DaemonConnection::Up
    }

    pub fn is_unresponsive(&self) -> bool {
        self.unresponsive
    }

    pub fn session(&self, id: SessionKey) -> Option<&Session> {
        self.sessions.get(&id)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> + Clone {
        self.sessions.values()
    }

    /// How many sessions run now. They are counted when they change.
    pub fn live(&self) -> LiveSessions {
        self.counts.live
    }

    /// All forwards.
    pub fn forwards(&self) -> &[Forward] {
        &self.forwards
    }

    /// The forwards to a session.
    pub fn forwards_of(&self, session: SessionKey) -> impl Iterator<Item = &Forward> {
        self.forwards.iter().filter(move |it| it.session == session)
    }

    /// What sessions used over the last minutes.
    pub fn trails(&self) -> &Trails {
        &self.trails
    }

    pub fn usage(&self, id: SessionKey) -> Option<&Usage> {
        self.usage.get(&id)
    }
}
