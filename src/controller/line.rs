//! The line to the engine, as it stands.

use jiff::Timestamp;

use super::order::LineNumber;
use crate::model::capability::EngineState;

#[derive(Debug)]
pub(super) struct Line {
    pub state: EngineState,
    pub number: LineNumber,
    pub attempt: u32,
    /// An attempt is under way.
    pub connecting: bool,
    pub retry_at: Option<Timestamp>,
    /// The turn in which the present line was ordered; what was touched since, its survey may not know.
    pub asked_in: u64,
    /// Once it stood in this daemon's life.
    pub stood: bool,
    pub lost_at: Option<Timestamp>,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            state: EngineState::Connecting,
            number: 0,
            attempt: 0,
            connecting: false,
            retry_at: None,
            asked_in: 0,
            stood: false,
            lost_at: None,
        }
    }
}
