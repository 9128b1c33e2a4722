//! The state of the connection to the engine.

use jiff::Timestamp;

use super::{fact::ObserverRequest, order::ConnectionNumber};
use crate::{
    model::capability::{EngineInfo, EngineState},
    state_machine::Ticket,
};

#[derive(Debug)]
pub(super) struct ConnectionTracker {
    pub state: EngineState,
    pub number: ConnectionNumber,
    pub attempt: u32,
    /// An attempt to connect is in progress.
    pub connecting: bool,
    /// A client waits for the attempt.
    pub awaited: bool,
    /// The engine didn't accept our credentials.
    pub denied: bool,
    pub tried_at: Option<Timestamp>,
    pub retry_at: Option<Timestamp>,
    pub events: EventStream,
    /// Failed attempts to listen since the last success.
    pub event_attempts: u32,
    pub listening_since: Option<Timestamp>,
    pub listen_at: Option<Timestamp>,
    /// Requests that arrived before the engine responded.
    pub early: Vec<(Ticket, ObserverRequest)>,
    /// The account that the engine reported when it last responded.
    pub info: Option<EngineInfo>,
}

/// Whether events arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventStream {
    /// Not listening.
    Closed,
    Opening,
    Open,
    /// This engine has no events.
    None,
}

impl Default for ConnectionTracker {
    fn default() -> Self {
        Self {
            state: EngineState::Connecting,
            number: 0,
            attempt: 0,
            connecting: false,
            awaited: false,
            denied: false,
            tried_at: None,
            retry_at: None,
            events: EventStream::Closed,
            event_attempts: 0,
            listening_since: None,
            listen_at: None,
            early: Vec::new(),
            info: None,
        }
    }
}
