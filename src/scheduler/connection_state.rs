//! The state of the connection to the engine.

use jiff::Timestamp;

use super::order::ConnectionNumber;
use crate::model::capability::EngineState;

#[derive(Debug)]
pub(super) struct ConnectionTracker {
    pub state: EngineState,
    pub number: ConnectionNumber,
    pub attempt: u32,
    /// An attempt to connect is in progress.
    pub connecting: bool,
    pub retry_at: Option<Timestamp>,
    /// The turn in which the current connection was ordered. Its survey may not know later changes.
    pub asked_in: u64,
    /// Whether this daemon was ever connected.
    pub was_connected: bool,
    pub lost_at: Option<Timestamp>,
}

impl Default for ConnectionTracker {
    fn default() -> Self {
        Self {
            state: EngineState::Connecting,
            number: 0,
            attempt: 0,
            connecting: false,
            retry_at: None,
            asked_in: 0,
            was_connected: false,
            lost_at: None,
        }
    }
}
