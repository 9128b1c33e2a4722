//! The state that the next TUI restores: the order, columns and groups of each tab, saved views,
//! the panes on their desks, and what was used in the command palette.

use serde::{Deserialize, Serialize};

use super::{
    frecency::Frecency,
    panes::{SavedDesk, SavedPane},
    sessions::{
        columns::{ColumnChoices, SavedView},
        lines::Folds,
        sort::SortOrder,
    },
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedState {
    /// The orders of Running, Finished and Others, empty for the default ones.
    pub orders: Vec<SortOrder>,
    /// The chosen columns of the same tabs. Empty = chosen by the width of the list.
    pub columns: Vec<ColumnChoices>,
    pub views: Vec<SavedView>,
    /// How the list is grouped, and the folded groups.
    pub folds: Folds,
    pub desks: Vec<SavedDesk>,
    /// The floating shells, which are hidden.
    pub floating: Vec<SavedPane>,
    /// Position of the desk that is shown.
    pub active: usize,
    /// The use of the entries of the command palette.
    pub palette: Frecency,
}
