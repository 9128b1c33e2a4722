//! Ends a program of this container after its client has gone, if it can't be ended from outside.

use std::{
    fs,
    process::{Command, ExitCode},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal};

/// The variable that identifies a program and the processes that it started.
const KEY: &str = "WORKBAY_KEY";

/// How long programs have to end after each signal.
const GRACE: Duration = Duration::from_millis(500);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Sets the key in the environment of a command, if there is one.
pub(super) fn mark(command: &mut Command, key: Option<&str>) {
    if let Some(key) = key {
        command.env(KEY, key);
    }
}

/// Sends SIGHUP first, as a closed terminal does, then SIGTERM and SIGKILL.
pub(super) fn run(key: &str) -> ExitCode {
    for sign in [Signal::HUP, Signal::TERM, Signal::KILL] {
        for pid in with_key(key) {
            // The signal goes to the whole group if the process leads one. The process may have ended already.
            if rustix::process::kill_process_group(pid, sign).is_err() {
                let _ = rustix::process::kill_process(pid, sign);
            }
        }
        let tries = GRACE.as_millis() / LOOK_AGAIN.as_millis();
        for _ in 0..tries {
            if with_key(key).is_empty() {
                return ExitCode::SUCCESS;
            }
            thread::sleep(LOOK_AGAIN);
        }
    }
    ExitCode::FAILURE
}

/// Returns the processes with the key in their environment or arguments, except this one.
fn with_key(key: &str) -> Vec<Pid> {
    let variable = format!("{KEY}={key}");
    let option = format!("--key={key}");
    let me = rustix::process::getpid();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| {
        let number = entry.ok()?.file_name().to_str()?.parse::<i32>().ok()?;
        Pid::from_raw(number).filter(|pid| *pid != me)
    });
    pids.filter(|pid| {
        let contains = |file: &str, word: &str| {
            let path = format!("/proc/{}/{file}", pid.as_raw_nonzero());
            let words = fs::read(path).unwrap_or_default();
            words
                .split(|byte| *byte == 0)
                .any(|one| one == word.as_bytes())
        };
        contains("environ", &variable) || contains("cmdline", &option)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bears_the_key_is_ended_and_nothing_else() {
        let key = format!("test-{}", std::process::id());
        let sleep = |key: &str| {
            let mut command = Command::new("sleep");
            mark(command.arg("1000"), Some(key));
            command.spawn().unwrap()
        };
        let (mut one, mut other) = (sleep(&key), sleep("another"));
        // A program that has just started may have no variables yet.
        while with_key(&key).is_empty() && one.try_wait().unwrap().is_none() {
            thread::sleep(LOOK_AGAIN);
        }
        assert_eq!(run(&key), ExitCode::SUCCESS);
        assert!(!one.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
