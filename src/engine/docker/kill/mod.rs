//! Ends a program that was started beside a session: the engine starts such programs but has no request to
//! end them.

mod pidfd;

use std::{fs, time::Duration};

use bollard::exec::{CreateExecOptions, StartExecOptions};
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

/// How often a program inside is asked to end, and how long it gets each time: three seconds.
const ATTEMPTS: u32 = 5;
const LOOKS: u32 = 15;
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Time between asking and killing.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the program of exec `exec` in `container`: asks first, then kills. [`KillMethod::Here`] uses this machine's
/// process table: sessions run as the caller (or the caller is root).
pub(super) async fn end(
    connection: &EngineConnection,
    exec: &str,
    container: &str,
    ending: &KillMethod,
) {
    match ending {
        KillMethod::Here => end_here(connection, exec, container).await,
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

/// Whether it ends within a few seconds. A program that was dropped while it started isn't found inside yet.
async fn has_ended(connection: &EngineConnection, exec: &str) -> bool {
    for _ in 0..LOOKS {
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
