//! The fields of a launch, so that a problem is shown beside its field.

use serde::{Deserialize, Serialize};

/// A field of a launch. The order is that of [`super::table::TABLE`], which has the details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    Disk,
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

/// A problem with a field: one sentence that names the problem and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    pub field: LaunchField,
    /// The index of the entry with the problem, where the field is a list and the problem is in one entry.
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

    /// Sets the entry of a list that has the problem.
    #[must_use]
    pub fn at(self, item: usize) -> Self {
        Self {
            item: Some(item),
            ..self
        }
    }
}
