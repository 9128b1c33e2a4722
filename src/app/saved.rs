//! The state that the next TUI restores: the order of each tab, and the panes on their desks.

use serde::{Deserialize, Serialize};

use super::{panes::SavedDesk, sessions::sort::SortOrder};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedState {
    /// The orders of Running, Finished and Others, empty for the default ones.
    pub orders: Vec<SortOrder>,
    pub desks: Vec<SavedDesk>,
    /// Position of the desk that is shown.
    pub active: usize,
}
