//! Replaces this process with another program.

use std::{
    ffi::OsString,
    io::{Error, ErrorKind},
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use super::{WindowSize, complain, end, preload};

/// Replaces this process with `argv`. Returns only on failure. [`super::end`] can find the program by its key.
pub(super) fn run(key: Option<&str>, size: Option<WindowSize>, argv: &[OsString]) -> ExitCode {
    if let Some(size) = size {
        size.apply();
    }
    let Some((program, arguments)) = argv.split_first() else {
        complain("no command was given");
        return ExitCode::from(2);
    };
    let mut command = Command::new(program);
    preload::give(&mut command);
    command.args(arguments);
    end::mark(&mut command, key);
    let error = command.exec();
    failed(&program.to_string_lossy(), &error)
}

/// Prints why `program` couldn't be started. The exit codes are those of a shell.
pub(super) fn failed(program: &str, error: &Error) -> ExitCode {
    if error.kind() == ErrorKind::NotFound {
        complain(&format!(
            "program '{program}' not found in this session. Use an absolute path, or an \
             environment that has the program"
        ));
        return ExitCode::from(127);
    }
    complain(&format!("'{program}' can't be run: {error}"));
    ExitCode::from(126)
}
