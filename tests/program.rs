//! The built binary: its commands, its processes, its screen on a pseudo-terminal, and attacks on it. `scripts/test` runs
//! each of these parts alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

#[path = "attack/mod.rs"]
mod attack;
#[path = "support/bad_connection.rs"]
mod bad_connection;
#[path = "support/browser.rs"]
mod browser;
#[path = "cli/mod.rs"]
mod cli;
#[path = "support/copied.rs"]
mod copied;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/poll.rs"]
mod poll;
#[path = "support/private_engine.rs"]
mod private_engine;
#[path = "process/mod.rs"]
mod process;
#[path = "pty/mod.rs"]
mod pty;
#[path = "support/registry.rs"]
mod registry;
#[path = "support/relay.rs"]
#[allow(dead_code, reason = "shared with tests of engines")]
mod relay;
#[path = "support/schemas.rs"]
mod schemas;
#[path = "support/terminal.rs"]
#[allow(dead_code, reason = "shared with benchmarks")]
mod terminal;
#[path = "support/wait.rs"]
mod wait;
