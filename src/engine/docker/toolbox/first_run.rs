//! Runs programs for the first time right after they were copied.
//!
//! A file that any process has open for writing can't be run ("Text file busy"). The copy is closed, but a
//! child that another thread starts meanwhile inherits the open file until it runs its own program. That
//! takes milliseconds, so this module waits for it. After the first successful run no process has the file
//! open for writing, and none can get it.

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

/// Runs the command until it ends. Retries for up to two seconds while the file is busy.
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

/// Runs the file of `program` (copied to `root` as `name`) that the kernel will run: its loader, or the
/// program itself if it is static.
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
