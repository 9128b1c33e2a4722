//! Notifications: derived from changes, kept for later clients, and passed to hooks.

pub(super) mod derived;
pub(super) mod hooks;
pub(super) mod recent;
