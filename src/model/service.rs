//! The services of a session, besides its shells.

use serde::{Deserialize, Serialize};

use super::text::Clean;

/// A service of a session (`jupyter`, `ttyd`, `sshd`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Service {
    pub name: Clean,
    /// `http`, `tcp`, `preopen`, `internal`, `vnc`, `rdp`.
    pub protocol: Clean,
    /// Ports in the container.
    pub ports: Vec<u16>,
}
