//! Stops the daemon: by a request, or by signals to its process.

use std::{
    fs,
    os::{fd::OwnedFd, unix::fs::MetadataExt as _},
    path::Path,
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use tokio::time::timeout;

use super::is_absent;
use crate::{
    cli::{
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        output,
    },
    config::paths::Paths,
    protocol::{
        lock_record::{self, Holder},
        message::Request,
    },
};

/// How long a daemon may take to answer a request to stop.
const ANSWERS: Duration = Duration::from_secs(5);
/// How long it may take to stop after it has answered, because it finishes pending orders.
const ENDS: Duration = Duration::from_secs(15);
/// How long it may take to stop after a signal.
const ENDS_BY_SIGNAL: Duration = Duration::from_secs(5);

/// Stops the daemon and waits until its lock is free, so that the next one can start. Sends a request first.
/// A daemon that doesn't answer or doesn't stop gets signals. Sessions keep running in each case.
pub fn stop(paths: &Paths) -> Outcome {
    if is_absent(paths) {
        output::remark(tr!("No daemon is running."));
        return Ok(0);
    }
    connection::block_on(async {
        // Finds the process before the request, because later its number may belong to another process.
        let process = Process::find(paths);
        let refused = match timeout(ANSWERS, request_stop(paths)).await {
            Ok(Ok(_connection)) if ends_within(ENDS, paths).await => return Ok(0),
            Ok(Err(fail)) => Some(fail),
            Ok(Ok(_)) | Err(_) => None,
        };
        if is_absent(paths) {
            return Ok(0);
        }
        let Some(process) = process else {
            return Err(refused.unwrap_or_else(|| not_found(paths)));
        };
        if refused.is_some() || !process.is_stuck() {
            process.send(Signal::TERM)?;
            if ends_within(ENDS_BY_SIGNAL, paths).await {
                return Ok(0);
            }
        }
        process.send(Signal::KILL)?;
        if ends_within(ENDS_BY_SIGNAL, paths).await {
            let pid = process.pid.as_raw_nonzero();
            output::remark(&tr!(
                "The daemon (pid {pid}) didn't respond and was killed. Sessions keep running.",
                pid
            ));
            return Ok(0);
        }
        Err(process.survives())
    })
}

/// Sends the request. Returns the connection, which closes when the daemon ends.
async fn request_stop(paths: &Paths) -> Result<Connection, Fail> {
    let connection = Connection::existing(paths).await?;
    connection.request_done(Request::Stop).await?;
    Ok(connection)
}

/// Whether the daemon's lock becomes free in time.
async fn ends_within(limit: Duration, paths: &Paths) -> bool {
    let ends = async {
        while !is_absent(paths) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(limit, ends).await.is_ok()
}

/// The daemon's process. Signals reach only this process, even if its number is reused.
struct Process {
    pid: Pid,
    handle: OwnedFd,
}

impl Process {
    /// The process that the lock file names, if it has the lock file open.
    fn find(paths: &Paths) -> Option<Self> {
        let Ok(Holder::Daemon(Some(daemon))) = lock_record::holder(&paths.lock()) else {
            return None;
        };
        let pid = Pid::from_raw(daemon.pid.try_into().ok()?)?;
        // Opens the handle before the check, so that the check is about the process of the handle.
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        has_open(pid, &paths.lock()).then_some(Self { pid, handle })
    }

    fn send(&self, signal: Signal) -> Result<(), Fail> {
        match pidfd_send_signal(&self.handle, signal) {
            // The process has just ended.
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => {
                let pid = self.pid.as_raw_nonzero();
                let text = tr!("the daemon (pid {pid}) can't be ended: {error}", pid, error);
                Err(Fail::new(code::FAILED, text).hint(tr!("run `kill -KILL {pid}`", pid)))
            }
        }
    }

    /// Whether a signal or a debugger stopped the process, so that only KILL has an effect.
    fn is_stuck(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid.as_raw_nonzero()));
        let stat = stat.unwrap_or_default();
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        matches!(state, Some('T' | 't'))
    }

    /// The kernel ends the process when its current operation allows (for example, a disk that doesn't
    /// respond).
    fn survives(&self) -> Fail {
        let pid = self.pid.as_raw_nonzero();
        let text = tr!(
            "the daemon (pid {pid}) was killed, but hasn't ended yet",
            pid
        );
        Fail::new(code::TIMEOUT, text).hint(tr!(
            "run `cat /proc/{pid}/wchan` to see what it waits for",
            pid
        ))
    }
}

fn not_found(paths: &Paths) -> Fail {
    let text = tr!(
        "the daemon doesn't respond, and {lock} doesn't name its process",
        lock = paths.lock().display()
    );
    let help = tr!(
        "find it with `fuser {lock}` and end it with `kill`",
        lock = paths.lock().display()
    );
    Fail::new(code::UNREACHABLE, text).hint(help)
}

/// Whether the process has the file open. If machines share a home directory, the number may be of a process
/// on another machine, and of an unrelated process on this one.
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
