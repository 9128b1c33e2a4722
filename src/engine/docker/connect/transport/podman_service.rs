//! Podman without a socket: runs `podman system service` while a connection needs it.

use std::{
    fs,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};

use super::socket_check::listens;
use crate::{
    engine::{api::Result, docker::private_directory::private_directory},
    model::{failure::Failure, text::Clean},
};

/// Seconds without a client after which the service ends on its own: this daemon may be killed before it
/// can end the service.
const LEFT_ALONE: &str = "--time=60";
/// How long the service may take until it listens; a user's first start creates their storage.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A service that listens.
pub(super) struct Service {
    socket: PathBuf,
    /// `None` = left running by a daemon that was killed; it ends on its own.
    child: Mutex<Option<Child>>,
}

/// The service of this process; several contexts may use it.
static OURS: tokio::sync::Mutex<Weak<Service>> = tokio::sync::Mutex::const_new(Weak::new());

/// The running service, or a new one, with its socket in `runtime_dir`.
pub(super) async fn running(program: &Path, runtime_dir: &Path) -> Result<Arc<Service>> {
    let mut ours = OURS.lock().await;
    let socket = runtime_dir.join("podman.sock");
    if let Some(known) = ours.upgrade()
        && known.socket == socket
        && known.lives()
    {
        return Ok(known);
    }
    let made = Arc::new(start(program, socket).await?);
    *ours = Arc::downgrade(&made);
    Ok(made)
}

async fn start(program: &Path, socket: PathBuf) -> Result<Service> {
    let dir = socket.parent().unwrap_or(Path::new("/"));
    let failed = |why: &str| failure(program, why);
    private_directory(dir).map_err(|error| failed(&format!("{}: {error}", dir.display())))?;
    if listens(&socket) {
        let child = Mutex::new(None);
        return Ok(Service { socket, child });
    }
    let log = dir.join("podman.log");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let said = options.open(&log);
    let said = said.map_err(|error| failed(&format!("{}: {error}", log.display())))?;
    let child = Command::new(program)
        .args(["system", "service", LEFT_ALONE])
        .arg(format!("unix://{}", socket.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        // Its own group, so that a Ctrl-C at a terminal doesn't reach it.
        .process_group(0)
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let service = Service {
        socket,
        child: Mutex::new(Some(child)),
    };
    let listens = async {
        while !listens(&service.socket) {
            if !service.lives() {
                return false;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        true
    };
    match tokio::time::timeout(PATIENCE, listens).await {
        Ok(true) => Ok(service),
        Ok(false) => Err(failed(&last_words(&log))),
        Err(_) => Err(failed(tr_sent!(
            "it didn't accept connections within a minute"
        ))),
    }
}

fn last_words(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    Clean::new(line.unwrap_or(tr_sent!("it ended without a message"))).into_string()
}

fn failure(program: &Path, why: &str) -> Failure {
    Failure::unreachable(
        &program.display().to_string(),
        tr_sent!("`podman system service` can't be run: {why}", why),
    )
    .hint(tr_sent!("check that `podman info` works"))
}

impl Service {
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// A service that isn't a child of this process is checked by connecting to its socket.
    fn lives(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        match child.as_mut() {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => listens(&self.socket),
        }
    }
}

impl Drop for Service {
    /// Asks the service to end instead of killing it: a rootless one must pass the signal to its own child.
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pid = child.as_ref().and_then(Child::id);
        if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.try_into().ok()?)) {
            // It may have ended on its own.
            let _ = rustix::process::kill_process(pid, Signal::TERM);
        }
    }
}
