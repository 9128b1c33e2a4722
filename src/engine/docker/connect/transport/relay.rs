//! A local socket whose connections are forwarded to a remote engine.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Once},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    sync::Semaphore,
    task::{JoinHandle, JoinSet},
};

use rustix::io::Errno;

use super::{socket_check::asked, ssh_master::is_masters};
use crate::{
    engine::{api::Result, docker::private_directory::private_directory},
    model::failure::Failure,
};

/// Maximum number of connections being opened at once: a server refuses more clients that aren't logged in yet.
const AT_ONCE: usize = 4;
/// Wait time before accepting again after a failed accept.
const PAUSE: Duration = Duration::from_millis(100);
static CLEARED: Once = Once::new();
/// Prefix and suffix of the sockets, including those that a killed daemon left.
const PREFIX: &str = "engine-";
const SUFFIX: &str = ".sock";

/// Both directions of a connection.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A request that every engine answers.
const PING: &[u8] = b"GET /_ping HTTP/1.0\r\nHost: workbay\r\n\r\n";

/// Whether the other end responds like an engine. Some servers reject a client only at this point.
pub(super) async fn answers(stream: &mut impl Stream) -> io::Result<bool> {
    stream.write_all(PING).await?;
    stream.flush().await?;
    let mut head = [0; 5];
    stream.read_exact(&mut head).await?;
    Ok(&head == b"HTTP/")
}

/// The remote end that connections are forwarded to.
#[async_trait]
pub(super) trait RemoteEnd: Send + Sync {
    /// A new connection to the engine.
    async fn connect(&self) -> io::Result<Box<dyn Stream>>;
}

/// Listens until it is dropped; its connections end with it.
pub(super) struct Relay {
    socket: PathBuf,
    task: JoinHandle<()>,
}

impl Relay {
    pub(super) fn open(runtime_dir: &Path, far: Arc<dyn RemoteEnd>) -> Result<Self> {
        let name = format!("{PREFIX}{}{SUFFIX}", uuid::Uuid::new_v4().simple());
        let socket = runtime_dir.join(name);
        // Before this process creates its first socket: checking whether a socket listens means connecting to it.
        CLEARED.call_once(|| clear(runtime_dir));
        let listener = listen(runtime_dir, &socket).map_err(|error| {
            Failure::internal(tr_sent!("a socket can't be created at {socket}: {error}. Check the owner and permissions of the \
                 directory", socket = socket.display(), error))
        })?;
        let task = tokio::spawn(carry_all(listener, far));
        Ok(Self { socket, task })
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
        // The socket may be gone with its directory.
        let _ = fs::remove_file(&self.socket);
    }
}

/// Removes the sockets of relays and of shared SSH logins on which no process listens anymore.
fn clear(dir: &Path) {
    // The directory may not exist yet.
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_one = name.is_some_and(|name| {
            name.starts_with(PREFIX) && name.ends_with(SUFFIX) || is_masters(name)
        });
        if is_one && asked(&path) == Err(Errno::CONNREFUSED) {
            // Another process may have removed it first.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Only this user may connect: every connection has all rights of the engine.
fn listen(dir: &Path, socket: &Path) -> io::Result<UnixListener> {
    private_directory(dir)?;
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

async fn carry_all(listener: UnixListener, far: Arc<dyn RemoteEnd>) {
    let turn = Arc::new(Semaphore::new(AT_ONCE));
    // Ends every connection when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((ours, _)) => {
                    connections.spawn(carry(ours, Arc::clone(&far), Arc::clone(&turn)));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection to the engine wasn't accepted");
                    // Probably out of file handles, so an immediate retry would fail too.
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Closes `ours` when the connection can't be opened or breaks, so that its other end notices.
async fn carry(mut ours: UnixStream, far: Arc<dyn RemoteEnd>, turn: Arc<Semaphore>) {
    let connected = {
        let Ok(_turn) = turn.acquire().await else {
            return;
        };
        far.connect().await
    };
    match connected {
        Ok(mut theirs) => {
            let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
        }
        Err(error) => tracing::warn!(%error, "the engine can't be reached"),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Sends back what it receives, and `end` at the end.
    struct Echo;

    #[async_trait]
    impl RemoteEnd for Echo {
        async fn connect(&self) -> io::Result<Box<dyn Stream>> {
            let (ours, mut theirs) = tokio::io::duplex(64);
            tokio::spawn(async move {
                let mut received = Vec::new();
                theirs.read_to_end(&mut received).await.unwrap();
                received.extend_from_slice(b" end");
                theirs.write_all(&received).await.unwrap();
            });
            Ok(Box::new(ours))
        }
    }

    #[test]
    fn sockets_that_a_killed_daemon_left_are_cleared_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        // Closed without being removed, as by a process that was killed.
        for name in ["engine-left.sock", "ssh-01234567", "daemon.sock"] {
            drop(std::os::unix::net::UnixListener::bind(at(name)).unwrap());
        }
        let _other = std::os::unix::net::UnixListener::bind(at("engine-other.sock")).unwrap();
        clear(dir.path());
        assert!(!at("engine-left.sock").exists() && !at("ssh-01234567").exists());
        assert!(at("engine-other.sock").exists() && at("daemon.sock").exists());
    }

    #[tokio::test]
    async fn both_directions_are_carried_and_ended_apart() {
        let dir = tempfile::tempdir().unwrap();
        let relay = Relay::open(&dir.path().join("run"), Arc::new(Echo)).unwrap();
        let socket = relay.socket().to_owned();
        let mode = fs::metadata(&socket).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut stream = UnixStream::connect(&socket).await.unwrap();
        stream.write_all(b"hello").await.unwrap();
        stream.shutdown().await.unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).await.unwrap();
        assert_eq!(said, "hello end");
        drop(relay);
        assert!(!socket.exists());
    }
}
