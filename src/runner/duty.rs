//! Runs what a session's main process starts: the bootstrap script, and the command of a batch session.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::Pid;

use super::{
    log::announce,
    passing::Passing,
    preload, processes, shell_choice,
    signals::{SignalEvent, Signals, StopOrder},
};
use crate::model::{inside, own_line};

/// Exit codes of commands that can't be started.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;

/// Runs the bootstrap script of the home directory. A failure is logged and doesn't end the session. Returns early
/// with an order to end that arrives meanwhile.
pub(super) async fn bootstrap(signals: &mut Signals) -> Option<StopOrder> {
    let script = Path::new(inside::HOME).join(inside::BOOTSTRAP);
    announce(&own_line::script_runs(inside::BOOTSTRAP));
    let child = match start_script(&script) {
        Ok(child) => child,
        Err(why) => {
            announce(&own_line::script_not_run(inside::BOOTSTRAP, why));
            return None;
        }
    };
    loop {
        match signals.next().await {
            SignalEvent::Order(order) => return Some(order),
            SignalEvent::Child => match code_of(child) {
                Some(0) => return None,
                Some(code) => {
                    announce(&own_line::script_failed(inside::BOOTSTRAP, code));
                    return None;
                }
                None => {}
            },
        }
    }
}

/// Runs the command of a batch session and returns its exit code. Passes on an order to end. The command then has
/// until the engine's stop timeout.
pub(super) async fn batch(signals: &mut Signals, command: &str) -> u8 {
    announce(&in_one_line(command));
    let (child, passing) = match start_command(command) {
        Ok(started) => started,
        Err((why, code)) => {
            announce(&why);
            return code;
        }
    };
    loop {
        match signals.next().await {
            SignalEvent::Order(order) => {
                announce(&own_line::signal_passed(order.name()));
                // The command may have just ended. Its end is then the next event.
                let _ = rustix::process::kill_process_group(child, order.signal());
            }
            SignalEvent::Child => {
                if let Some(code) = code_of(child) {
                    passing.end();
                    return code;
                }
            }
        }
    }
}

fn code_of(child: Pid) -> Option<u8> {
    let ended = processes::collect();
    ended
        .into_iter()
        .find_map(|(pid, code)| (pid == child).then_some(code))
}

/// Starts the script with direct access to the log, because processes that it starts may outlive it.
fn start_script(script: &Path) -> Result<Pid, String> {
    if begins_with_interpreter(script)
        && let Ok(child) = start(&mut Command::new(script))
    {
        return Ok(child);
    }
    // This also runs scripts in a home directory that is mounted with `noexec`.
    let shell =
        shell_choice::for_scripts(path_variable().as_deref()).ok_or_else(own_line::no_shell)?;
    start(Command::new(shell).arg(script)).map_err(|error| error.to_string())
}

fn begins_with_interpreter(script: &Path) -> bool {
    let mut head = [0; 2];
    File::open(script).is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == *b"#!")
}

fn start_command(command: &str) -> Result<(Pid, Passing), (String, u8)> {
    let shell: PathBuf = shell_choice::for_scripts(path_variable().as_deref())
        .ok_or_else(|| (own_line::no_shell(), NOT_FOUND))?;
    let mut command_line = Command::new(&shell);
    command_line.arg("-c").arg(command);
    command_line.stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = start_child(&mut command_line).and_then(|mut child| {
        let passing = Passing::begin(&mut child)?;
        Ok((number_of(&child)?, passing))
    });
    started.map_err(|error| {
        let why = own_line::shell_not_run(shell.display(), error);
        (why, NOT_RUN)
    })
}

/// Starts the command in its own process group, so that signals reach all of its processes.
fn start(command: &mut Command) -> io::Result<Pid> {
    start_child(command).and_then(|child| number_of(&child))
}

fn start_child(command: &mut Command) -> io::Result<Child> {
    preload::give(command);
    command
        .current_dir(inside::HOME)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Returns the process ID, by which [`code_of`] finds the child among all that ended.
fn number_of(child: &Child) -> io::Result<Pid> {
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("the process has no ID"))
}

fn path_variable() -> Option<String> {
    std::env::var("PATH").ok()
}

/// The line that names a command. One of several lines is shortened to its first line and the number of the others.
fn in_one_line(command: &str) -> String {
    let mut lines = command.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => own_line::command(first),
        more => own_line::long_command(first, more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_reported_by_its_first_line() {
        assert_eq!(in_one_line("  make all\n"), "command: make all");
        assert_eq!(
            in_one_line("cd x\nmake\nmake test"),
            "command: cd x … and 2 more lines"
        );
    }

    #[test]
    fn only_a_script_that_says_so_is_run_automatically() {
        let dir = tempfile::tempdir().unwrap();
        let script = |text: &str| {
            let path = dir.path().join("script");
            std::fs::write(&path, text).unwrap();
            begins_with_interpreter(&path)
        };
        assert!(script("#!/bin/sh\necho\n"));
        assert!(!script("echo\n"));
        assert!(!script(""));
        assert!(!begins_with_interpreter(&dir.path().join("none")));
    }
}
