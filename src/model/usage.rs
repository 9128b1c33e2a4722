//! How much of what it asked a session uses now.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::resources::{Bytes, Cpu};

/// One sample of a session's main kernel. CPU follows `docker stats`: 1 core busy = 1000 millis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub at: Timestamp,
    /// Average over the time since the sample before; `None` for the first one.
    pub cpu: Option<Cpu>,
    /// Memory in use without inactive file cache, as `docker stats` counts it.
    pub mem: Bytes,
}
