//! Launches remembered, to be done again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::ContextName, spec::LaunchRequest, text::Clean};

/// Names a remembered launch; unique in one store.
pub type RecentId = i64;

/// Launches that are not pinned are kept as many.
pub const KEPT: u32 = 5;

/// Characters of a title.
const TITLE: usize = 64;

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

/// The rule for a title.
pub fn check_title(title: &str) -> Result<(), String> {
    let count = Clean::new(title).as_str().trim().chars().count();
    match count {
        0 => Err("a recent launch needs a title".to_owned()),
        1..=TITLE => Ok(()),
        _ => Err(format!("the title has {count} characters (max: {TITLE})")),
    }
}
