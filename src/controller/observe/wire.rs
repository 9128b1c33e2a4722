//! What is known of the line to the engine.

use jiff::Timestamp;

use super::{fact::Ask, order::LineNumber};
use crate::{
    controller::fact::Ticket,
    model::capability::{EngineInfo, EngineState},
};

#[derive(Debug)]
pub(super) struct Line {
    pub state: EngineState,
    pub number: LineNumber,
    pub attempt: u32,
    /// An attempt is under way.
    pub connecting: bool,
    /// Somebody waits for it.
    pub awaited: bool,
    /// The engine did not accept who we are.
    pub denied: bool,
    pub tried_at: Option<Timestamp>,
    pub retry_at: Option<Timestamp>,
    pub ears: Ears,
    /// Attempts to listen since it last went well.
    pub deaf: u32,
    pub listening_since: Option<Timestamp>,
    pub listen_at: Option<Timestamp>,
    /// Asked before the engine has answered.
    pub early: Vec<(Ticket, Ask)>,
    /// Whom the engine took us for when it last answered.
    pub info: Option<EngineInfo>,
}

/// Whether events come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ears {
    /// Nobody listens.
    Closed,
    Opening,
    Open,
    /// This engine has no events.
    None,
}

impl Default for Line {
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
            ears: Ears::Closed,
            deaf: 0,
            listening_since: None,
            listen_at: None,
            early: Vec::new(),
            info: None,
        }
    }
}
