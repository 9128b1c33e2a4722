//! What the engine and the runner inside a container say to each other about apps: one line of JSON in each direction.
//!
//! The engine doesn't trust the answer, because the session's user can replace the runner's files and processes.

use serde::{Deserialize, Serialize};

use super::{
    app::{App, AppStart},
    app_definition::AppDefinition,
    failure::FailureKind,
    service::Service,
    text::Clean,
};

/// The longest line in either direction, in bytes.
pub const LONGEST_LINE: u64 = 1024 * 1024;

/// What the container can't find out about its apps, and the request for `runner app start`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppOrder {
    /// The services in the container's label, with preopened ports.
    pub services: Vec<Service>,
    /// The apps that the environment catalog defines for the session.
    pub catalog: Vec<AppDefinition>,
    /// The image's own Python, for its service definitions.
    pub runtime_path: Option<String>,
    /// Whether programs outside the session reach its loopback addresses.
    pub shares_network: bool,
    pub start: Option<AppStart>,
}

/// The answer of `runner app`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum AppAnswer {
    Apps {
        apps: Vec<App>,
    },
    App {
        app: Box<App>,
    },
    Stopped,
    Ended {
        exit_code: Option<i64>,
    },
    Log {
        lines: Vec<Clean>,
    },
    Failed {
        kind: FailureKind,
        what: Clean,
        #[serde(default)]
        why: Option<Clean>,
        #[serde(default)]
        hint: Option<Clean>,
    },
}
