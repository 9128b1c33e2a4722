//! What a session offers beside its shells.

use serde::{Deserialize, Serialize};

use super::text::Clean;

/// A service a session offers (`jupyter`, `ttyd`, `sshd`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    pub name: Clean,
    /// `http`, `tcp`, `preopen`, `internal`, `vnc`, `rdp`.
    pub protocol: Clean,
    /// Ports in the container.
    pub ports: Vec<u16>,
}
