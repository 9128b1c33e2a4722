//! The daemon's process: its lock, its log and its limits.

pub(super) mod lock;
pub(super) mod logging;
pub(super) mod rlimits;
