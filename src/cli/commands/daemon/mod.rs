//! `workbay daemon`: runs the daemon, shows whether it runs, and stops it.

mod process;
mod stop;
mod unit;

use clap::Subcommand;
use serde::Serialize;

use crate::{
    cli::{
        DaemonMode,
        args::Json,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        output,
        times::moment,
    },
    config::paths::Paths,
    protocol::{
        lock_record::{self, Holder},
        message::{DaemonStatus, Reply, Request, Snapshot},
    },
};

#[derive(Debug, Subcommand)]
pub enum DaemonCommand {
    /// Run the daemon in the foreground
    Run {
        /// Run in the background and return when the daemon is ready
        #[arg(long)]
        detached: bool,
        /// Continue as the successor of an older version, in the same process
        #[arg(long, hide = true)]
        take_over: bool,
    },
    /// Show whether the daemon is running
    Status(Json),
    /// Stop the daemon; sessions and shells keep running
    Stop(stop::DaemonStop),
    /// Print a systemd user unit for the daemon
    Unit,
}

impl DaemonCommand {
    /// Sessions keep running without the daemon, unless they are terminated first.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Stop(stop) if stop.terminate_sessions)
    }
}

impl RunCommand for DaemonCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        match self {
            Self::Run {
                detached,
                take_over,
            } => run(invocation, detached, take_over),
            Self::Status(format) => status(&invocation.load_silently()?.paths, format.json),
            Self::Stop(arguments) => stop::stop(&invocation.load()?, &arguments),
            Self::Unit => unit::print(),
        }
    }
}

fn run(invocation: &Invocation<'_>, detached: bool, take_over: bool) -> Outcome {
    let mode = match (detached, take_over) {
        (_, true) => DaemonMode::TakeOver,
        (true, false) => DaemonMode::Detached,
        (false, false) => DaemonMode::Foreground,
    };
    let ended = (invocation.handlers.daemon)(invocation.load()?, mode);
    ended
        .map(|()| 0)
        .map_err(|why| print_to_starter(detached, why.into()))
}

/// The process that starts a detached daemon needs only the reason, and prints the rest itself.
fn print_to_starter(detached: bool, fail: Fail) -> Fail {
    let Some(message) = fail.message().filter(|_| detached) else {
        return fail;
    };
    output::remark(message.as_str());
    Fail::silent(fail.code)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatusJson<'a> {
    running: bool,
    #[serde(flatten)]
    status: &'a DaemonStatus,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotRunning {
    running: bool,
    socket: String,
}

fn status(paths: &Paths, json: bool) -> Outcome {
    if is_absent(paths) {
        return absent(paths, json);
    }
    let status = connection::block_on(ask(paths))?;
    if json {
        let (running, status) = (true, &status);
        output::json(&StatusJson { running, status })?;
    } else {
        output::print(&output::fields(&[
            (tr_later!("Pid"), status.pid.to_string()),
            (tr_later!("Version"), status.version.clone()),
            (tr_later!("Socket"), status.socket.clone()),
            (tr_later!("Started"), moment(status.started_at)),
            (tr_later!("Instance"), status.instance.to_string()),
            (tr_later!("Clients"), status.clients.to_string()),
            (tr_later!("Sessions"), status.sessions.to_string()),
        ]))?;
    }
    Ok(0)
}

/// Asks the running daemon for its status.
pub async fn ask(paths: &Paths) -> Result<DaemonStatus, Fail> {
    let connection = Connection::existing(paths).await?;
    match connection.request(Request::Status).await? {
        Reply::Status { status } => Ok(status),
        other => Err(connection::unexpected(&other)),
    }
}

/// What a running daemon reports. Starts no daemon just to show the configuration.
pub fn snapshot_if_running(paths: &Paths) -> Option<Snapshot> {
    if is_absent(paths) {
        return None;
    }
    let snapshot = async { Connection::existing(paths).await?.snapshot().await };
    connection::block_on(snapshot).ok()
}

/// Whether no process has the daemon's lock.
pub fn is_absent(paths: &Paths) -> bool {
    matches!(lock_record::holder(&paths.lock()), Ok(Holder::Nobody))
}

fn absent(paths: &Paths, json: bool) -> Outcome {
    if json {
        output::json(&NotRunning {
            running: false,
            socket: paths.socket().display().to_string(),
        })?;
        return Ok(code::UNREACHABLE);
    }
    let fail = Fail::new(code::UNREACHABLE, tr!("no daemon is running"));
    Err(fail.hint(tr!(
        "commands start the daemon when they need it. `workbay daemon run` starts it in the \
         foreground"
    )))
}
