//! The built binary as a script uses it: output, JSON fields, exit codes, bad input.

mod alone;
mod asking;
mod command_line;
mod completing;
mod contexts;
mod copying;
mod doctor;
mod files;
mod grouping;
mod idle;
mod images;
mod invalid_use;
mod jupyter;
pub mod large_folders;
mod launching;
mod outcomes;
mod own_images;
mod patterns;
mod plain;
mod ports;
mod priority;
mod rescuing;
mod running;
mod schemas;
mod secrets;
pub mod sessions;
mod ssh;
mod stop_hooks;
mod stopping;
mod topping;
mod vscode;

use std::fs;

use crate::machine::Machine;

/// Writes the machine's contexts.
fn configure(machine: &Machine, text: &str) {
    fs::create_dir_all(machine.path("config")).unwrap();
    fs::write(machine.path("config").join("contexts.toml"), text).unwrap();
}

/// Exit code, stdout and stderr.
#[track_caller]
fn run(machine: &Machine, arguments: &[&str]) -> (i32, String, String) {
    let output = machine.workbay(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().expect("no signal ended it"),
        text(&output.stdout),
        text(&output.stderr),
    )
}
