//! The fields of a launch, so that a problem can be said beside the one it is about.

use serde::{Deserialize, Serialize};

/// A field of a launch, in the order of [`super::table::TABLE`], which has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchField {
    Context,
    Name,
    Environment,
    Image,
    SessionType,
    StartupCommand,
    StartTime,
    Timeout,
    Project,
    ResourceGroup,
    Preset,
    Cpu,
    Memory,
    SharedMemory,
    Accelerator,
    Count,
    ClusterSize,
    ClusterMode,
    Agent,
    Priority,
    Variables,
    OpenMp,
    OpenBlas,
    Folders,
    PreopenPorts,
    Owner,
    BootstrapScript,
    IdleTimeout,
    Lifetime,
    StopHook,
}

/// What is wrong with a field: one sentence that names what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    pub field: LaunchField,
    /// Which entry it is about, where the field is a list and one entry of the request is.
    pub item: Option<usize>,
    pub message: String,
}

impl FieldProblem {
    pub fn new(field: LaunchField, message: impl Into<String>) -> Self {
        Self {
            field,
            item: None,
            message: message.into(),
        }
    }

    /// About one entry of a list.
    #[must_use]
    pub fn at(self, item: usize) -> Self {
        Self {
            item: Some(item),
            ..self
        }
    }
}
