//! The built binary as a script uses it: output, JSON fields, exit codes, bad input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/relay.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod relay;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;

mod alone;
mod asking;
mod completing;
mod contexts;
mod doctor;
mod idle;
mod images;
mod launching;
mod line;
mod outcomes;
mod priority;
mod running;
mod secrets;
mod sessions;
mod stop_hooks;
mod stopping;
mod topping;
mod usage;

/// Exit code, stdout and stderr.
#[track_caller]
fn run(machine: &machine::Machine, arguments: &[&str]) -> (i32, String, String) {
    let output = machine.workbay(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().expect("no signal ended it"),
        text(&output.stdout),
        text(&output.stderr),
    )
}
