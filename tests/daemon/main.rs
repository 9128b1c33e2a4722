//! A daemon over its socket: the life of sessions, a lost engine, several clients, restarts, kills; and the whole
//! TUI on top of it (`journeys`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test may fail at any line"
)]

#[path = "../support/mod.rs"]
mod support;

mod batch;
mod choosing;
mod clients;
mod crowds;
mod daemon_killed;
mod disk;
mod figures;
mod finished;
mod folders;
mod hanging;
mod hooks;
mod journeys;
mod kept;
mod launches;
mod life;
mod managers;
mod many;
mod notices;
mod observing;
mod process;
mod reboot;
mod reconnecting;
mod repeats;
mod streams;
