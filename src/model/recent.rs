//! Recent launches, which can be launched again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::ContextName, spec::LaunchRequest, text::Clean};

/// The id of a recent launch, unique in one state database.
pub type RecentId = i64;

/// The max number of recent launches that aren't pinned.
pub const KEPT: u32 = 5;

/// The max number of characters of a title.
const TITLE: usize = 64;

/// One of the newest launches, or a pinned one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recent {
    pub id: RecentId,
    pub at: Timestamp,
    pub context: ContextName,
    /// The title in the list: the session's name until the user renames it.
    pub title: Clean,
    pub pinned: bool,
    /// The launch request. The values of secret variables are empty.
    pub launch: LaunchRequest,
}

/// A user's change to a recent launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case")]
pub enum RecentEdit {
    Pin { pinned: bool },
    Rename { title: String },
    Remove,
}

/// Checks a title.
pub fn check_title(title: &str) -> Result<(), String> {
    let count = Clean::new(title).as_str().trim().chars().count();
    match count {
        0 => Err(tr!("a recent launch needs a title").to_owned()),
        1..=TITLE => Ok(()),
        _ => Err(tr!(
            "the title has {count} characters (max: {most})",
            count,
            most = TITLE
        )),
    }
}
