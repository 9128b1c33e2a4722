//! Real daemon processes on the real engine: killed at every point, two side by side, as another user.

#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;

mod faults;
mod instances;
mod permissions;
mod survival;
mod wait;
