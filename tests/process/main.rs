//! Real daemon processes on the real engine: killed at every point, two side by side, as another user.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/bad_line.rs"]
mod bad_line;
#[path = "../support/copied.rs"]
mod copied;
#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/private_engine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod private_engine;
#[path = "../support/registry.rs"]
mod registry;
#[path = "../support/relay.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod relay;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;
#[path = "../support/wait.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod wait;

mod commands;
mod disk;
mod engine;
mod faults;
mod hung;
mod instances;
mod modes;
mod outside;
mod permissions;
mod pull_refusals;
mod pulls;
mod remains;
mod survival;
mod upgrade;
