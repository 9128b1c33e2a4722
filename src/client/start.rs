//! Connects to the daemon's socket, and starts the daemon if necessary.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::AsyncReadExt,
    net::UnixStream,
    process::{Child, Command},
    time::{sleep, timeout},
};

use super::{ClientError, ConnectOptions, language};
use crate::{
    config::paths::Paths,
    model::text::Clean,
    protocol::lock_record::{self, Holder, LockRecord},
};

/// How often the socket is tried while a daemon starts.
pub(super) const RETRY: Duration = Duration::from_millis(20);
/// The factor for the patience while a daemon is still starting.
const WHILE_IT_BEGINS: u32 = 12;
/// The limit for reading the error output of a failing daemon.
const LAST_WORDS: u64 = 16 * 1024;

/// The command that starts a daemon. It must detach itself, write to stderr why it can't start, and close
/// stderr when it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Added to this process's environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Starter {
    /// `PROGRAM daemon run --detached`, with the current program.
    pub fn this_program() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        Some(Self {
            program,
            arguments: ["daemon", "run", "--detached"].map(OsString::from).into(),
            environment: Vec::new(),
        })
    }
}

/// A connected socket that belongs to this user on the other side.
pub(super) async fn reach(options: &ConnectOptions) -> Result<UnixStream, ClientError> {
    if let Some(socket) = try_connect(&options.paths).await? {
        return Ok(socket);
    }
    let Some(starter) = &options.starter else {
        return Err(ClientError::NoDaemon(options.paths.socket()));
    };
    let failed = match lock_record::holder(&options.paths.lock()) {
        Ok(Holder::Daemon(lock_record)) => {
            wake(lock_record.as_ref());
            None
        }
        _ => Some(start(starter, options.patience).await?),
    };
    let tries = async {
        loop {
            if let Some(socket) = try_connect(&options.paths).await? {
                return Ok(socket);
            }
            sleep(RETRY).await;
        }
    };
    tokio::select! {
        reached = patiently(options, tries) => {
            reached.unwrap_or_else(|| Err(not_responding(&options.paths)))
        }
        error = failure(failed) => Err(error),
    }
}

/// Waits as long as a daemon may take. A daemon that is still starting (and migrates a large database, for
/// example) may take a few times longer.
pub(super) async fn patiently<T>(
    options: &ConnectOptions,
    work: impl Future<Output = T>,
) -> Option<T> {
    let begins = || {
        matches!(
            lock_record::holder(&options.paths.lock()),
            Ok(Holder::Daemon(None))
        )
    };
    tokio::pin!(work);
    for _ in 0..WHILE_IT_BEGINS {
        match timeout(options.patience, &mut work).await {
            Ok(done) => return Some(done),
            Err(_) if begins() => {}
            Err(_) => return None,
        }
    }
    None
}

/// The error for a daemon that runs but isn't responding.
pub(super) fn not_responding(paths: &Paths) -> ClientError {
    let pid = match lock_record::holder(&paths.lock()) {
        Ok(Holder::Daemon(Some(daemon))) => Some(daemon.pid),
        _ => None,
    };
    ClientError::NotResponding {
        pid,
        log: paths.daemon_log(),
    }
}

/// Connects to the socket, or returns `None` when nothing listens. The path in the lock file is tried first:
/// another login may have another runtime directory.
async fn try_connect(paths: &Paths) -> Result<Option<UnixStream>, ClientError> {
    let usual = paths.socket();
    let reported = match lock_record::holder(&paths.lock()) {
        Ok(Holder::Daemon(Some(lock_record))) => Some(PathBuf::from(lock_record.socket)),
        _ => None,
    };
    for path in reported
        .iter()
        .filter(|reported| **reported != usual)
        .chain([&usual])
    {
        match UnixStream::connect(path).await {
            Ok(socket) => return ours(socket, path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(foreign(path));
            }
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Checks that the socket belongs to this user, because another user's socket must not get our messages.
fn ours(socket: UnixStream, path: &Path) -> Result<UnixStream, ClientError> {
    let me = rustix::process::getuid().as_raw();
    match socket.peer_cred() {
        Ok(peer) if peer.uid() == me => Ok(socket),
        Ok(peer) => Err(ClientError::Foreign {
            socket: path.to_path_buf(),
            uid: peer.uid(),
        }),
        Err(_) => Err(foreign(path)),
    }
}

fn foreign(path: &Path) -> ClientError {
    use std::os::unix::fs::MetadataExt;
    ClientError::Foreign {
        socket: path.to_path_buf(),
        uid: path.metadata().map_or(u32::MAX, |meta| meta.uid()),
    }
}

/// Signals a daemon whose socket was deleted (with its runtime directory) to create it again. A daemon
/// without a pid in its lock file is still starting and needs no signal.
fn wake(lock_record: Option<&LockRecord>) {
    let pid = lock_record
        .and_then(|lock_record| i32::try_from(lock_record.pid).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // The process may be ending right now. The following attempts find that out.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::USR1);
    }
}

/// A daemon that was started, and its output until it closed stderr: empty if the start succeeded.
struct Started {
    child: Child,
    said: Vec<u8>,
}

/// Starts the daemon and waits until it is ready, has failed, or another one was faster.
async fn start(starter: &Starter, patience: Duration) -> Result<Started, ClientError> {
    let failed = |why: io::Error| ClientError::Start {
        program: starter.program.clone(),
        why: why.to_string(),
    };
    let mut child = Command::new(&starter.program)
        .args(&starter.arguments)
        .envs(starter.environment.iter().cloned())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let said = last_words(&mut child, patience).await;
    Ok(Started { child, said })
}

/// Ends only when the started daemon fails.
async fn failure(started: Option<Started>) -> ClientError {
    if let Some(Started { mut child, said }) = started
        && let Ok(status) = child.wait().await
        && !status.success()
    {
        return ClientError::Daemon(explain(&said, status));
    }
    std::future::pending().await
}

async fn last_words(child: &mut Child, patience: Duration) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // Output that was read before the timeout is kept.
        let _ = timeout(patience, stderr.take(LAST_WORDS).read_to_end(&mut said)).await;
    }
    said
}

fn explain(said: &[u8], status: std::process::ExitStatus) -> Clean {
    let said = Clean::multiline(String::from_utf8_lossy(said).trim());
    if said.is_empty() {
        return Clean::new(&tr!("it ended immediately ({status})", status));
    }
    language::of(said)
}
