//! Real daemon processes on the real engine: killed at every point, two side by side, as another user.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;

mod commands;
mod faults;
mod instances;
mod permissions;
mod survival;
mod wait;
