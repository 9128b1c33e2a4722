//! Programs that were copied a moment ago, run for the first time.
//!
//! A file that any process holds open for writing cannot be run ("Text file busy"). We close what we copy,
//! but a child that another thread begins meanwhile inherits the open file until it runs its own program.
//! That is a matter of milliseconds, so it is waited for; once a copy has been run no such child is left,
//! and nothing can become one.

use std::{
    io,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use super::program::Program;

const TRIES: u32 = 200;
const BETWEEN: Duration = Duration::from_millis(10);

/// Runs it to its end, again while its file is busy; two seconds of that at most.
pub(super) fn output(command: &mut Command) -> io::Result<Output> {
    for _ in 1..TRIES {
        match command.output() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(BETWEEN);
            }
            other => return other,
        }
    }
    command.output()
}

/// Runs what of `program`, copied below `root` as `name`, the kernel itself will be asked to run: its
/// loader, or the program where it is static.
pub(super) fn settle(root: &Path, program: &Program, name: &str) -> io::Result<()> {
    let copied = root.join("bin").join(name);
    match program.loader_name() {
        Some(loader) => {
            let loader = root.join("lib").join(loader);
            output(Command::new(loader).arg("--list").arg(copied))?;
        }
        None => {
            output(Command::new(copied).arg("--version"))?;
        }
    }
    Ok(())
}
