//! Terminals, commands and port connections of sessions.

pub(super) mod direct;
pub(super) mod exec;
pub(super) mod hijack;
pub(super) mod port;
pub(super) mod runner_command;
pub(super) mod streams;
