//! Walks over directory trees that programs in sessions wrote, and may still write to.
//!
//! Such a tree is hostile input: it may be nested deeper than any stack or descriptor limit allows, its
//! links may lead anywhere, its modes may lock out its owner, its names may be any bytes, and an entry may
//! be replaced between two of our calls. So every step is relative to an open directory, links are never
//! followed, nothing recurses, and the number of open directories is bounded.

mod open;
mod remove;
#[cfg(test)]
mod testing;
mod visit;

pub use remove::remove;
pub use visit::{Entry, Next, visit};

/// What a walk may use.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Directories that are kept open for the way back. Below them the way back is found as the parent of
    /// a directory, and checked.
    descriptors: usize,
    /// Levels that are remembered at a time: each costs some memory.
    levels: usize,
}

const BOUNDS: Bounds = Bounds {
    descriptors: 32,
    levels: 100_000,
};
