//! What the columns of the list depend on.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::model::text::Clean;

/// The widths of the longest texts in the list, and other facts that its columns depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widest {
    pub name: u16,
    /// The width includes the version.
    pub environment: u16,
    /// The width of the longest status with its position in the queue. Other statuses don't need more than the
    /// usual width.
    pub queued: u16,
    /// An idle check will reclaim one of the sessions, or would do so.
    pub reclaim: bool,
    pub owners: Owners,
    /// One session has an accelerator.
    pub accelerators: bool,
    /// One session has several containers.
    pub clusters: bool,
}

/// The owners of the listed sessions. A number represents the name of a single owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    #[default]
    None,
    One(u64),
    Several,
}

impl Owners {
    pub(super) fn of(owner: &Clean) -> Self {
        let mut hasher = DefaultHasher::new();
        owner.as_str().hash(&mut hasher);
        Self::One(hasher.finish())
    }

    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, it) | (it, Self::None) => it,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }

    pub fn are_several(self) -> bool {
        self == Self::Several
    }
}

impl Widest {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            name: self.name.max(other.name),
            environment: self.environment.max(other.environment),
            queued: self.queued.max(other.queued),
            reclaim: self.reclaim | other.reclaim,
            owners: self.owners.and(other.owners),
            accelerators: self.accelerators | other.accelerators,
            clusters: self.clusters | other.clusters,
        }
    }
}
