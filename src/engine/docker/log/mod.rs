//! Logs of sessions: following them, and saving them before a container is removed.

pub(super) mod follow;
pub(super) mod join;
pub(super) mod saved;
