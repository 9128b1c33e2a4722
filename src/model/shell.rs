//! How a terminal begins: which shell, as whom, where.

use serde::{Deserialize, Serialize};

use super::id::KernelId;

/// What a person chose for a new shell; what is not chosen is as the session has it. It says nothing
/// to a shell that runs already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ShellStart {
    /// A name (`zsh`) or a path inside the session; `None` = the best there is.
    pub shell: Option<String>,
    /// A user of the container, by name or number; `None` = the session's.
    pub user: Option<String>,
    /// An absolute path inside the session; `None` = the home.
    pub directory: Option<String>,
    /// Run instead of a shell, never passed through one; empty = a shell.
    pub command: Vec<String>,
    /// In a window of its own, although one is there that could be shown.
    pub fresh: bool,
    /// The toolbox's own shell, for an image that has none.
    pub toolbox: bool,
    /// In this container of a cluster session; `None` = the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelId>,
}

impl ShellStart {
    /// Whether it says more than that a window is wanted.
    pub fn is_chosen(&self) -> bool {
        let plain = Self {
            fresh: self.fresh,
            kernel: self.kernel,
            ..Self::default()
        };
        *self != plain
    }

    /// Whether nothing was chosen.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}
