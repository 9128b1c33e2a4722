//! `workbay daemon status` and `stop`.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::{
    fail::{Fail, Outcome, code},
    line::{self, Line},
    output,
    times::moment,
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
        let mut line = match ask_to_end(paths).await {
            Ok(line) => Some(line),
            Err(fail) => {
                end_by_signal(paths, fail)?;
                None
            }
        };
        let work = async {
            if let Some(line) = &mut line {
                line.closed().await;
            }
            while !is_absent(paths) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(0)
        };
        line::within(Some(PATIENCE), "stopping the daemon", work).await
    })
}

/// The line, which it closes when it ends.
async fn ask_to_end(paths: &Paths) -> Result<Line, Fail> {
    let line = Line::existing(paths).await?;
    let asked = line.tell(Request::Stop);
    line::within(Some(PATIENCE), "stopping the daemon", asked).await?;
    Ok(line)
}

/// One that cannot be asked, because it is another version's or silent, is told by the signal that means the
/// same: other sentences send people here.
fn end_by_signal(paths: &Paths, fail: Fail) -> Result<(), Fail> {
    let daemon = match presence::holder(&paths.lock()) {
        Ok(Holder::Daemon(Some(daemon))) => daemon,
        Ok(Holder::Nobody) => return Ok(()),
        _ => return Err(fail),
    };
    let pid = daemon.pid.try_into().ok().and_then(Pid::from_raw);
    let pid = pid.filter(|pid| has_open(*pid, &paths.lock()));
    match pid.map(|pid| kill_process(pid, Signal::TERM)) {
        Some(Ok(())) => Ok(()),
        _ => Err(fail),
    }
}

/// Whether the process has the file open. Where machines share a home, the number may be that of a process of
/// another one, and here of somebody who has nothing to do with it.
fn has_open(pid: Pid, file: &Path) -> bool {
    let identity = |path: &Path| {
        let facts = fs::metadata(path).ok()?;
        Some((facts.dev(), facts.ino()))
    };
    let Some(wanted) = identity(file) else {
        return false;
    };
    let open = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    let mut open = open.into_iter().flatten().flatten();
    open.any(|one| identity(&one.path()) == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_file_open_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let (open, shut) = (dir.path().join("open"), dir.path().join("shut"));
        let _held = fs::File::create(&open).unwrap();
        fs::write(&shut, "").unwrap();
        let me = rustix::process::getpid();
        assert!(has_open(me, &open) && !has_open(me, &shut));
    }
}
