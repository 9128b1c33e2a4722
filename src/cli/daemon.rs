//! `workbay daemon status` and `stop`.

use std::time::Duration;

use serde::Serialize;

use super::{
    fail::{Fail, Outcome, code},
    line::{self, Line},
    ls::moment,
    output,
};
use crate::{
    config::paths::Paths,
    protocol::{
        message::{DaemonStatus, Reply, Request},
        presence::{self, Holder},
    },
};

/// How long a daemon may take to end before `stop` gives up.
const PATIENCE: u64 = 15;

#[derive(Serialize)]
struct Shown<'a> {
    running: bool,
    #[serde(flatten)]
    status: &'a DaemonStatus,
}

#[derive(Serialize)]
struct NotRunning {
    running: bool,
    socket: String,
}

pub fn status(paths: &Paths, json: bool) -> Outcome {
    if is_absent(paths) {
        return absent(paths, json);
    }
    let status = line::block_on(ask(paths))?;
    if json {
        let (running, status) = (true, &status);
        output::json(&Shown { running, status })?;
    } else {
        output::print(&output::fields(&[
            ("Pid", status.pid.to_string()),
            ("Version", status.version.clone()),
            ("Socket", status.socket.clone()),
            ("Started", moment(status.started_at)),
            ("Instance", status.instance.to_string()),
            ("Clients", status.clients.to_string()),
            ("Sessions", status.sessions.to_string()),
        ]))?;
    }
    Ok(0)
}

/// What the living daemon says of itself.
pub async fn ask(paths: &Paths) -> Result<DaemonStatus, Fail> {
    let line = Line::existing(paths).await?;
    match line.ask(Request::Status).await? {
        Reply::Status { status } => Ok(status),
        other => Err(line::unexpected(&other)),
    }
}

/// Nobody holds the lock.
pub fn is_absent(paths: &Paths) -> bool {
    matches!(presence::holder(&paths.lock()), Ok(Holder::Nobody))
}

fn absent(paths: &Paths, json: bool) -> Outcome {
    if json {
        output::json(&NotRunning {
            running: false,
            socket: paths.socket().display().to_string(),
        })?;
        return Ok(code::UNREACHABLE);
    }
    let fail = Fail::new(code::UNREACHABLE, "no daemon is running");
    Err(fail.help("any command that needs it starts it; `workbay daemon run` does so by hand"))
}

/// Ends it and waits until its lock is free, so that the next one can start.
pub fn stop(paths: &Paths) -> Outcome {
    if is_absent(paths) {
        output::remark("No daemon is running.");
        return Ok(0);
    }
    line::block_on(async {
        let mut line = Line::existing(paths).await?;
        line.tell(Request::Stop).await?;
        let work = async {
            line.closed().await;
            while !is_absent(paths) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(0)
        };
        line::within(Some(PATIENCE), "stopping the daemon", work).await
    })
}
