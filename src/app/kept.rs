//! What outlives the TUI: in which order each tab stands, and the panes on their desks.

use serde::{Deserialize, Serialize};

use super::{panes::KeptDesk, sort::Order};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// Of Running, Finished and Others; empty = the usual ones.
    pub orders: Vec<Order>,
    pub desks: Vec<KeptDesk>,
    /// Which of the desks is shown.
    pub active: usize,
}
