//! How a terminal starts: its shell, user and directory.

use serde::{Deserialize, Serialize};

use super::id::KernelId;

/// The user's choices for a new shell. The defaults are those of the session. They don't affect a shell that
/// runs already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ShellStart {
    /// A name (`zsh`) or a path inside the session; `None` = the best available shell.
    pub shell: Option<String>,
    /// A user of the container, by name or number; `None` = the session's user.
    pub user: Option<String>,
    /// An absolute path inside the session; `None` = the home directory.
    pub directory: Option<String>,
    /// A command that runs instead of a shell, and not through a shell; empty = a shell.
    pub command: Vec<String>,
    /// Whether to open a new window, even if there is one that could be shown.
    pub fresh: bool,
    /// Whether to use the bundled shell, for an image without a shell.
    pub toolbox: bool,
    /// The container of a cluster session; `None` = the main container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelId>,
}

impl ShellStart {
    /// Whether it sets more than that a window is requested.
    pub fn is_chosen(&self) -> bool {
        let plain = Self {
            fresh: self.fresh,
            kernel: self.kernel,
            ..Self::default()
        };
        *self != plain
    }

    /// Whether all choices are the defaults.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}
