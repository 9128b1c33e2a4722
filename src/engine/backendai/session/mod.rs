//! The sessions of a manager: lists, details, history, usage, events, and what changes them.

pub(super) mod commit;
pub(super) mod events;
pub(super) mod history;
pub(super) mod idle_checks;
pub(super) mod kernels;
pub(super) mod list;
pub(super) mod operate;
pub(super) mod others;
pub(super) mod row;
pub(super) mod status_reason;
pub(super) mod unstarted;
pub(super) mod usage;
