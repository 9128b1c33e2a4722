//! The daemon's process: its lock, its log and its limits.

pub(super) mod limits;
pub(super) mod lock;
pub(super) mod logging;
