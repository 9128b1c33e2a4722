//! A socket of ours whose connections are carried to an engine elsewhere.

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
use crate::engine::{
    api::Result, docker::private_directory::private_directory, error::EngineError,
};

/// Connections that are being made at once: a server that lets nobody in refuses more.
const AT_ONCE: usize = 4;
/// Before a connection is taken again after one that could not be.
const PAUSE: Duration = Duration::from_millis(100);
static CLEARED: Once = Once::new();
/// How the sockets are called: ours, and those that a daemon left which was killed.
const PREFIX: &str = "engine-";
const SUFFIX: &str = ".sock";

/// Both directions of a connection.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A question that every engine answers.
const PING: &[u8] = b"GET /_ping HTTP/1.0\r\nHost: workbay\r\n\r\n";

/// Whether what is at the other end speaks as engines do. Some say only now that they do not want us.
pub(super) async fn answers(stream: &mut impl Stream) -> io::Result<bool> {
    stream.write_all(PING).await?;
    stream.flush().await?;
    let mut head = [0; 5];
    stream.read_exact(&mut head).await?;
    Ok(&head == b"HTTP/")
}

/// Where connections are carried to.
#[async_trait]
pub(super) trait Far: Send + Sync {
    /// A new connection to the engine.
    async fn connect(&self) -> io::Result<Box<dyn Stream>>;
}

/// Open as long as this lives; its connections end with it.
pub(super) struct Relay {
    socket: PathBuf,
    task: JoinHandle<()>,
}

impl Relay {
    pub(super) fn open(runtime_dir: &Path, far: Arc<dyn Far>) -> Result<Self> {
        let name = format!("{PREFIX}{}{SUFFIX}", uuid::Uuid::new_v4().simple());
        let socket = runtime_dir.join(name);
        // Before the first of this process is there: to ask one whether it listens is to connect to it.
        CLEARED.call_once(|| clear(runtime_dir));
        let listener = listen(runtime_dir, &socket).map_err(|error| {
            EngineError::Host(format!(
                "a socket can't be created at {}: {error}. Check the owner and permissions of the \
                 directory",
                socket.display()
            ))
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
        // It may be gone with its directory.
        let _ = fs::remove_file(&self.socket);
    }
}

/// Removes the sockets of relays, and of what shares their logins, on which nobody listens any more.
fn clear(dir: &Path) {
    // It need not be there yet.
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_one = name.is_some_and(|name| {
            name.starts_with(PREFIX) && name.ends_with(SUFFIX) || is_masters(name)
        });
        if is_one && asked(&path) == Err(Errno::CONNREFUSED) {
            // Another one may have been quicker.
            let _ = fs::remove_file(&path);
        }
    }
}

/// For this person alone: who may connect may do what the engine does.
fn listen(dir: &Path, socket: &Path) -> io::Result<UnixListener> {
    private_directory(dir)?;
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

async fn carry_all(listener: UnixListener, far: Arc<dyn Far>) {
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
                    // Out of file handles, most likely: no use in trying at once.
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// A connection that cannot be made, or breaks, is closed: whoever holds the other end hears of it.
async fn carry(mut ours: UnixStream, far: Arc<dyn Far>, turn: Arc<Semaphore>) {
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

    /// Says back what it hears, and `end` at the end.
    struct Echo;

    #[async_trait]
    impl Far for Echo {
        async fn connect(&self) -> io::Result<Box<dyn Stream>> {
            let (ours, mut theirs) = tokio::io::duplex(64);
            tokio::spawn(async move {
                let mut heard = Vec::new();
                theirs.read_to_end(&mut heard).await.unwrap();
                heard.extend_from_slice(b" end");
                theirs.write_all(&heard).await.unwrap();
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
