//! Ends a program that was started beside a session: the engine starts such programs but has no request to
//! end them.

mod pidfd;

use std::{fs, time::Duration};

use bollard::{
    exec::{CreateExecOptions, StartExecOptions},
    models::ExecInspectResponse,
};
use rustix::process::{Pid, Signal};

use self::pidfd::ProcessHandle;
use super::connect::connection::EngineConnection;

/// How to end a program whose reader is gone.
#[derive(Clone, Debug)]
pub(super) enum KillMethod {
    /// Through this machine's process table.
    Here,
    /// With a command of the runner inside, for processes on another machine. Only the program's own user may do this.
    Inside {
        argv: Vec<String>,
        user: Option<String>,
    },
    /// The program ends when its input ends.
    ByItself,
}

/// How often it is tried to end a program, and how long it gets each time: three seconds.
const ATTEMPTS: u32 = 5;
const CHECKS: u32 = 15;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// How often an engine is asked whether a program has started, and the time between: half a minute, for machines under
/// load. A program whose start the engine never received is given up after it.
const START_CHECKS: u32 = 300;
const START_LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Time between asking and killing.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the program of exec `exec` in `container`: asks first, then kills. [`KillMethod::Here`] uses this machine's
/// process table: sessions run as the caller (or the caller is root). A program that is being started is ended when
/// it has started, because until then there is no process to signal.
pub(super) async fn end(
    connection: &EngineConnection,
    exec: &str,
    container: &str,
    ending: &KillMethod,
) {
    if matches!(ending, KillMethod::ByItself) || !has_started(connection, exec).await {
        return;
    }
    match ending {
        KillMethod::Here => {
            // Its process may not be in the container yet, or the engine may be too slow to tell.
            for _ in 0..ATTEMPTS {
                end_here(connection, exec, container).await;
                if has_ended(connection, exec).await {
                    return;
                }
            }
            tracing::warn!(container, "a program without a reader keeps running");
        }
        KillMethod::Inside { argv, user } => {
            for _ in 0..ATTEMPTS {
                end_inside(connection, container, argv, user.as_deref()).await;
                if has_ended(connection, exec).await {
                    return;
                }
            }
            tracing::warn!(container, "a program without a reader keeps running");
        }
        KillMethod::ByItself => {}
    }
}

/// Waits until the program has started. `false` = it has ended, or it never starts.
async fn has_started(connection: &EngineConnection, exec: &str) -> bool {
    for _ in 0..START_CHECKS {
        // Without an answer, the exec is gone with its container or the engine is disconnected.
        let Ok(known) = connection.docker.inspect_exec(exec).await else {
            return false;
        };
        match ExecPhase::of(&known) {
            ExecPhase::Starting => tokio::time::sleep(START_LOOK_AGAIN).await,
            ExecPhase::Running => return true,
            ExecPhase::Ended => return false,
        }
    }
    false
}

/// What an engine reports about an exec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExecPhase {
    /// It has no process yet.
    Starting,
    Running,
    Ended,
}

impl ExecPhase {
    fn of(known: &ExecInspectResponse) -> Self {
        let has_process = known.pid.is_some_and(|pid| pid > 0);
        if known.running == Some(true) {
            // Docker reports an exec as running before its process exists.
            return if has_process {
                Self::Running
            } else {
                Self::Starting
            };
        }
        // Before the start, Docker has no exit code and Podman has the code 0. After the end, Docker keeps the process
        // id, and Podman reports that the exec can be removed.
        let ended = has_process
            || known.can_remove == Some(true)
            || known.exit_code.is_some_and(|code| code != 0);
        if ended { Self::Ended } else { Self::Starting }
    }
}

/// Whether it ends within a few seconds. A program that was dropped while it started isn't found inside yet.
async fn has_ended(connection: &EngineConnection, exec: &str) -> bool {
    for _ in 0..CHECKS {
        match connection.docker.inspect_exec(exec).await {
            Ok(known) if known.running == Some(true) => tokio::time::sleep(LOOK_AGAIN).await,
            // The exec is gone with its container, or the engine can't report its state.
            Ok(_) | Err(_) => return true,
        }
    }
    false
}

/// Starts the ending command in the background: it tries for as long as [`end_here`] does.
async fn end_inside(
    connection: &EngineConnection,
    container: &str,
    argv: &[String],
    user: Option<&str>,
) {
    let options = CreateExecOptions {
        cmd: Some(argv.to_vec()),
        user: user.map(str::to_owned),
        // Its user may not have access to the session's home directory.
        working_dir: Some("/".to_owned()),
        ..CreateExecOptions::default()
    };
    // If the container is gone, its programs have ended.
    let Ok(made) = connection.docker.create_exec(container, options).await else {
        return;
    };
    let options = StartExecOptions {
        detach: true,
        ..StartExecOptions::default()
    };
    if let Err(error) = connection.docker.start_exec(&made.id, Some(options)).await {
        tracing::warn!(container, %error, "a program without a reader can't be stopped");
    }
}

async fn end_here(connection: &EngineConnection, exec: &str, container: &str) {
    for (sign, wait) in [
        (Signal::HUP, GRACE),
        (Signal::TERM, GRACE),
        (Signal::KILL, Duration::ZERO),
    ] {
        let Some(program) = running(connection, exec, container).await else {
            return;
        };
        // The program leads its own group. Children of a shell with job control have their own groups,
        // which get the hang-up of their terminal.
        let reached = program.signal_group(sign, |pid| belongs(pid, container));
        if !reached || program.ends_within(wait).await {
            return;
        }
    }
}

/// The program's process on this machine, if it still runs and is the expected one.
async fn running(
    connection: &EngineConnection,
    exec: &str,
    container: &str,
) -> Option<ProcessHandle> {
    let known = connection.docker.inspect_exec(exec).await.ok()?;
    if known.running != Some(true) {
        return None;
    }
    let pid = Pid::from_raw(i32::try_from(known.pid?).ok()?)?;
    match ProcessHandle::take(pid, |pid| belongs(pid, container)) {
        Ok(held) => held,
        Err(error) => {
            tracing::warn!(container, %error, "a program without a reader keeps running");
            None
        }
    }
}

/// Process ids are reused: only a process in the container's control group is accepted or, where containers
/// have none, a child of the container's monitor process.
fn belongs(pid: Pid, container: &str) -> bool {
    let of = |pid: &str, file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
    let pid = pid.as_raw_nonzero().to_string();
    if of(&pid, "cgroup").is_some_and(|groups| groups.contains(container)) {
        return true;
    }
    let keeper = of(&pid, "status").and_then(|status| {
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        of(parent.trim(), "cmdline")
    });
    keeper.is_some_and(|command| command.contains(container))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_process_is_starting_until_the_engine_says_that_it_ended() {
        let phase = |running, pid, exit_code, can_remove| {
            ExecPhase::of(&ExecInspectResponse {
                running: Some(running),
                pid: Some(pid),
                exit_code,
                can_remove: Some(can_remove),
                ..ExecInspectResponse::default()
            })
        };
        // Docker.
        assert_eq!(phase(false, 0, None, false), ExecPhase::Starting);
        assert_eq!(phase(true, 0, None, false), ExecPhase::Starting);
        assert_eq!(phase(true, 7, None, false), ExecPhase::Running);
        assert_eq!(phase(false, 7, Some(0), false), ExecPhase::Ended);
        assert_eq!(phase(false, 0, Some(126), false), ExecPhase::Ended);
        // Podman.
        assert_eq!(phase(false, 0, Some(0), false), ExecPhase::Starting);
        assert_eq!(phase(true, 7, Some(0), false), ExecPhase::Running);
        assert_eq!(phase(false, 0, Some(0), true), ExecPhase::Ended);
    }
}
