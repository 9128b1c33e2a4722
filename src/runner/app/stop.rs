//! Ends apps, and waits for their end.

use std::{os::fd::OwnedFd, thread, time::Duration};

use rustix::{
    event::{PollFd, PollFlags},
    process::{Pid, PidfdFlags, Signal},
};

use super::{
    candidates::Candidate,
    files::{AppFiles, Run},
    list::Survey,
    listening,
    patience::until,
    process::{self, ProcessId},
    start::{files, find, lock},
};
use crate::model::{
    app_definition::check_name, app_order::AppOrder, failure::Failure, text::Clean,
};

/// How long an app has to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);
/// How long its processes have to disappear after SIGKILL, and its end to be recorded.
const LAST: Duration = Duration::from_secs(2);

/// How often a port is looked at, whose program isn't known.
const PORT_PAUSE: Duration = Duration::from_secs(1);

type Result<T> = std::result::Result<T, Failure>;

/// Ends an app. Does nothing if it doesn't run.
pub(super) fn run(order: &AppOrder, name: &str) -> Result<()> {
    let is_started = check_name(name).is_ok() && files()?.run(name).is_some();
    let candidate = match find(order, name) {
        Ok(candidate) => Some(candidate),
        Err(_) if is_started => None,
        Err(error) => return other_port(name).map_or(Err(error), |port| Err(not_ours(name, port))),
    };
    let files = files()?;
    if is_started {
        let _lock = lock(&files, name)?;
        end(&files, name)?;
    }
    let port = candidate.and_then(|app: Candidate| app.ports.first().copied());
    match port.filter(|port| listening::is_listening(*port)) {
        Some(port) => Err(not_ours(name, port)),
        None => Ok(()),
    }
}

/// The port that a name means, if a program listens on it.
fn other_port(name: &str) -> Option<u16> {
    name.parse()
        .ok()
        .filter(|port| listening::is_listening(*port))
}

fn not_ours(name: &str, port: u16) -> Failure {
    let what = tr_sent!(
        "'{name}' wasn't started by workbay, and still listens on port {port}",
        name = Clean::new(name),
        port
    );
    Failure::refused(what).hint(tr_sent!("end its program in a shell of the session"))
}

/// Ends all processes of a started app, and waits until its end is recorded.
pub(super) fn end(files: &AppFiles, name: &str) -> Result<()> {
    let Some(run) = files.run(name) else {
        return Ok(());
    };
    let session = run.supervisor.pid;
    let is_same = process::stat(session).is_none_or(|stat| stat.start == run.supervisor.start);
    let members = if is_same {
        process::members(session)
    } else {
        Vec::new()
    };
    if members.is_empty() {
        return Ok(());
    }
    let marked = files.mark_stopped(name);
    marked.map_err(|error| {
        Failure::refused(tr_sent!(
            "app '{name}' can't be stopped: {error}",
            name,
            error
        ))
    })?;
    if run.app.is_alive()
        && let Some(group) = Pid::from_raw(run.app.pid)
    {
        let _ = rustix::process::kill_process_group(group, Signal::TERM);
        let _ = rustix::process::kill_process_group(group, Signal::CONT);
        until(GRACE, || !run.app.is_alive());
    } else {
        process::signal(&members, Signal::TERM);
        until(GRACE, || process::members(session).is_empty());
    }
    let has_ended = until(LAST, || {
        let left = process::members(session);
        process::signal(&left, Signal::KILL);
        left.is_empty()
    });
    if !has_ended {
        return Err(Failure::refused(tr_sent!(
            "app '{name}' doesn't end, not even when it is killed",
            name
        )));
    }
    recorded(files, name, &run);
    Ok(())
}

/// What is recorded of an app that has just ended: with its exit code, unless nothing records it.
pub(super) fn recorded(files: &AppFiles, name: &str, run: &Run) -> Run {
    let now = || files.run(name).filter(|now| now.app == run.app);
    until(LAST, || {
        let is_recorded = now().is_none_or(|now| now.exit_code.is_some());
        is_recorded || !run.supervisor.is_alive()
    });
    now().unwrap_or_else(|| run.clone())
}

/// Waits until an app ends, and returns its exit code if it is known.
pub(super) fn wait(order: &AppOrder, name: &str) -> Result<Option<i64>> {
    if check_name(name).is_ok()
        && let files = files()?
        && let Some(run) = files.run(name)
    {
        wait_for(run.app);
        return Ok(recorded(&files, name, &run).exit_code);
    }
    let port = match find(order, name) {
        Ok(app) => app
            .ports
            .first()
            .copied()
            .filter(|port| listening::is_listening(*port)),
        Err(error) => Some(other_port(name).ok_or(error)?),
    };
    let port = port.ok_or_else(|| {
        Failure::refused(tr_sent!(
            "app '{name}' doesn't run",
            name = Clean::new(name)
        ))
    })?;
    while listening::is_listening(port) {
        match owner(port) {
            Some(owner) => wait_for(owner),
            None => thread::sleep(PORT_PAUSE),
        }
    }
    Ok(None)
}

fn owner(port: u16) -> Option<ProcessId> {
    let survey = Survey::now();
    let listener = survey.listeners.into_iter().find(|one| one.port == port)?;
    ProcessId::of(listener.owner?.pid)
}

/// Waits until a process ends.
fn wait_for(process: ProcessId) {
    let handle = handle(process);
    while process.is_alive() {
        match &handle {
            Some(handle) => {
                let mut events = [PollFd::new(handle, PollFlags::IN)];
                // After an interruption the process is looked at again.
                let _ = rustix::event::poll(&mut events, None);
            }
            None => thread::sleep(PORT_PAUSE / 4),
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Older kernels, and some engines, don't allow it.
fn handle(process: ProcessId) -> Option<OwnedFd> {
    let pid = Pid::from_raw(process.pid)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_waited_for() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = ProcessId::of(i32::try_from(child.id()).unwrap()).unwrap();
        drop(child.stdin.take());
        wait_for(process);
        assert!(!process.is_alive());
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_port_of_another_program_is_named_in_the_refusal() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let order = AppOrder::default();
        let error = run(&order, &port).unwrap_err();
        assert!(
            error.what.as_str().contains("wasn't started by workbay"),
            "{error}"
        );
        // Nobody listens on this one.
        assert!(run(&order, "1").unwrap_err().is_not_found());
        assert!(wait(&order, "1").unwrap_err().is_not_found());
    }
}
