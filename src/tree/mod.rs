//! Walks over directory trees that programs in sessions wrote and may still be changing.
//!
//! Such a tree is hostile input. Its depth may exceed any stack or descriptor limit, its links may lead anywhere, its
//! modes may lock out its owner, its names may be any bytes, and an entry may be replaced between two system calls.
//! So every step is relative to an open directory, links are never followed, nothing recurses, and the number of open
//! directories is bounded.

mod copy;
pub mod mountinfo;
mod open;
mod remove;
#[cfg(test)]
mod testing;
pub mod unsaved;
mod visit;

pub use copy::{Copied, copy, copy_into};
pub use remove::{remove, remove_entry};
pub use visit::{TreeEntry, WalkStep, visit, visit_opened};

/// The limits of a walk.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// How many directories are kept open to return to. Deeper ones are reopened as the parent of their subdirectory,
    /// and checked.
    descriptors: usize,
    /// How many levels are remembered at a time. Each costs some memory.
    levels: usize,
}

const BOUNDS: Bounds = Bounds {
    descriptors: 32,
    levels: 100_000,
};
