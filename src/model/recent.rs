//! Launches remembered, to be done again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::ContextName, spec::LaunchRequest, text::Clean};

/// Names a remembered launch; unique in one store.
pub type RecentId = i64;

/// Launches that are not pinned are kept as many.
pub const KEPT: u32 = 5;

/// One of the newest launches, or a pinned one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    pub id: RecentId,
    pub at: Timestamp,
    pub context: ContextName,
    /// What it is called in the list: the session's name until a person renames it.
    pub title: Clean,
    pub pinned: bool,
    /// As asked; values of secret variables are empty.
    pub launch: LaunchRequest,
}

/// What a person does with a remembered launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case")]
pub enum RecentEdit {
    Pin { pinned: bool },
    Rename { title: String },
    Remove,
}
