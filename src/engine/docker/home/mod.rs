//! The home directories of sessions: creating, filling, owning and reusing them.

pub(super) mod directories;
pub(super) mod dotfiles;
pub(super) mod kept;
mod limit;
pub(super) mod ownership;
pub(super) mod reuse;
pub(super) mod skeleton;
