//! The daemon's main loop: events, requests, and the answers to clients.

pub(super) mod clock_comparison;
pub(super) mod clock_jumps;
pub(super) mod core;
pub(super) mod first_lists;
pub(super) mod launches;
pub(super) mod messages;
pub(super) mod queries;
pub(super) mod replies;
pub(super) mod requests;
pub(super) mod snapshots;
pub(super) mod waiters;
