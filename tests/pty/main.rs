//! The built program on a pseudo-terminal, with real containers, as a person uses it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/private_engine.rs"]
mod private_engine;
#[path = "../support/relay.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod relay;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;

mod endurance;
mod given_back;
mod habits;
mod hung;
mod keys;
mod notices;
mod whole_path;
mod windows;
