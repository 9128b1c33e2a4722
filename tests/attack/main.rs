//! Attacks on the whole program: hostile sessions, kills, damage and floods, each with the promise it checks.
//!
//! `make test` runs a short form on an engine of its own; `scripts/attack` runs the same attacks for longer, and
//! prints what they found as a table.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/private_engine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod private_engine;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;
#[path = "../support/wait.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod wait;

mod bombs;
mod damage;
mod floods;
mod ground;
mod homes;
mod kills;
mod payloads;
mod promises;
mod report;
