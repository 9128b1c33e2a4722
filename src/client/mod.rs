//! A client's end of the connection to the daemon: connect (or start the daemon), ask, get notices, open
//! streams.
//!
//! [`Client`] is cheap to clone; the connection lives as long as one clone or one open stream does. Each stream
//! has a connection of its own beside it.

pub mod language;
pub mod launch;
mod link;
mod pulse;
#[cfg(test)]
pub(crate) mod simulated;
mod start;
mod stream;

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::{mpsc, oneshot, watch};

use link::{Connection, Greeted};
pub use pulse::Expecting;
pub use start::Starter;
pub use stream::{Stream, StreamItem, StreamSender};

use crate::{
    config::paths::Paths,
    model::{
        change::Change,
        failure::{Failure, FailureKind},
        id::InstanceId,
        text::Clean,
    },
    protocol::{
        frame::Frame,
        message::{FromClient, Reply, Request, StreamOpen},
    },
};

/// How to reach the daemon.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    pub paths: Paths,
    /// How to start a daemon when none is running; `None` = connect only to an existing one.
    pub starter: Option<Starter>,
    /// How long to wait for an answer of the daemon.
    pub patience: Duration,
}

impl ConnectOptions {
    /// Starts the current program as the daemon when none is running, and waits 10 seconds.
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            starter: Starter::this_program(),
            patience: Duration::from_secs(10),
        }
    }

    /// Connects only to an existing daemon.
    pub fn existing(paths: Paths) -> Self {
        Self {
            starter: None,
            ..Self::new(paths)
        }
    }
}

/// Why there is no connection to the daemon. Each message is a whole sentence for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    NoDaemon(PathBuf),
    Start { program: PathBuf, why: String },
    Daemon(Clean),
    Foreign { socket: PathBuf, uid: u32 },
    Refused(Clean),
    Older(Clean),
    NotResponding { pid: Option<u32>, log: PathBuf },
    Lost(Clean),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::NoDaemon(socket) => tr!(
                "no daemon is running (no answer at {socket}). `workbay daemon run` starts one",
                socket = socket.display()
            ),
            Self::Start { program, why } => tr!(
                "the daemon can't be started as {program}: {why}",
                program = program.display(),
                why
            ),
            Self::Daemon(why) => tr!("the daemon didn't start: {why}", why),
            Self::Foreign { socket, uid } => tr!(
                "the socket {socket} must belong to you, but belongs to user {uid}. Set WORKBAY_RUNTIME_DIR to a directory of your own",
                socket = socket.display(),
                uid
            ),
            Self::Refused(why) => tr!("the daemon refused: {why}", why),
            Self::Older(version) => tr!(
                "the daemon restarted for an upgrade, but is still version {version}. Run `workbay daemon stop`, then try again. Sessions keep running",
                version
            ),
            Self::NotResponding {
                pid: Some(pid),
                log,
            } => tr!(
                "the daemon (pid {pid}) isn't responding. Run `workbay daemon stop`, then try again. Sessions keep running. Its log is {log}",
                pid,
                log = log.display()
            ),
            Self::NotResponding { pid: None, log } => tr!(
                "the daemon isn't responding. Run `workbay daemon stop`, then try again. Sessions keep running. Its log is {log}",
                log = log.display()
            ),
            Self::Lost(why) => why.to_string(),
        })
    }
}

impl std::error::Error for ClientError {}

impl ClientError {
    /// Converts the error to the failure of a request.
    pub fn into_failure(self) -> Failure {
        let kind = match self {
            Self::Foreign { .. } => FailureKind::Denied,
            Self::Refused(_) | Self::Older(_) => FailureKind::Refused,
            _ => FailureKind::Unreachable,
        };
        Failure::new(kind, self.to_string())
    }
}

/// What the daemon sends without a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// After `Request::Subscribe`. `seq` grows by one; ignore those up to the snapshot's.
    Notice { seq: u64, change: Change },
    /// The last event: the connection broke. Connect again.
    Lost { why: Clean },
}

/// The version, process and instance of the daemon, from its greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonHello {
    pub version: String,
    pub pid: u32,
    pub instance: InstanceId,
}

/// How often a daemon may close the connection before its greeting.
const TRIES: u32 = 50;

/// A request that was sent and isn't answered yet.
pub struct PendingReply {
    answered: oneshot::Receiver<Result<Reply, Failure>>,
    client: Client,
    _expecting: Expecting,
}

impl PendingReply {
    /// Waits for the answer.
    pub async fn answer(self) -> Result<Reply, Failure> {
        let lost = || Err(self.client.shared.lost_failure());
        self.answered.await.unwrap_or_else(|_| lost())
    }
}

/// The control connection to the daemon.
#[derive(Clone)]
pub struct Client {
    out: mpsc::Sender<Frame<FromClient>>,
    shared: Arc<link::LinkState>,
    hello: Arc<DaemonHello>,
    /// The options for connecting the streams.
    options: Arc<ConnectOptions>,
}

impl Client {
    /// Connects, starting the daemon when its lock is free, and waits until it answers.
    ///
    /// The caller must drain (or drop) the receiver if it subscribes: notices that nobody reads delay the
    /// answers behind them.
    pub async fn connect(
        options: &ConnectOptions,
    ) -> Result<(Self, mpsc::Receiver<ClientEvent>), ClientError> {
        Ok(link::begin(dial(options).await?, options))
    }

    /// Connects to a daemon that a test simulates at the other end of the socket.
    #[cfg(test)]
    pub(crate) async fn over(
        socket: tokio::net::UnixStream,
    ) -> (Self, mpsc::Receiver<ClientEvent>) {
        let options = ConnectOptions::existing(Paths::below(std::path::Path::new("/nowhere")));
        match link::greet(socket, &options).await {
            Ok(Greeted::Hello(connection)) => link::begin(connection, &options),
            _ => panic!("no connection"),
        }
    }

    /// The version, process and instance of the daemon, from its greeting.
    pub fn hello(&self) -> &DaemonHello {
        &self.hello
    }

    /// Whether the daemon isn't responding: the client expected a message and received nothing.
    pub fn unresponsive(&self) -> watch::Receiver<bool> {
        self.shared.pulse.unresponsive()
    }

    /// While the returned value exists, the client expects messages of the daemon.
    pub fn expect(&self) -> Expecting {
        self.shared.pulse.expect()
    }

    /// The user is active: if the daemon was quiet for long, the client checks whether it responds.
    pub fn check(&self) {
        self.shared.pulse.check();
    }

    /// Sends a request and waits for the answer.
    pub async fn ask(&self, request: Request) -> Result<Reply, Failure> {
        self.put(request).await?.answer().await
    }

    /// Sends a request. Requests reach the daemon in the order in which the calls of this function return.
    pub async fn put(&self, request: Request) -> Result<PendingReply, Failure> {
        if let Request::Watch { sessions } = &request {
            self.shared.pulse.watching(!sessions.is_empty());
        }
        let expecting = self.expect();
        let (answer, answered) = oneshot::channel();
        let id = self.shared.expect_answer(answer)?;
        let ask = Frame::Control(FromClient::Ask { id, request });
        if self.out.send(ask).await.is_err() {
            return Err(self.shared.lost_failure());
        }
        Ok(PendingReply {
            answered,
            client: self.clone(),
            _expecting: expecting,
        })
    }

    /// Whether the connection ended. The daemon may have carried out requests that it didn't answer.
    pub fn is_lost(&self) -> bool {
        self.shared.is_lost()
    }

    /// Opens a stream. Its first item reports whether that succeeded.
    pub fn open(&self, open: StreamOpen) -> Stream {
        Stream::open(self.clone(), open)
    }

    /// Connects a stream.
    async fn dial(&self) -> Result<Connection, Failure> {
        if self.is_lost() {
            return Err(self.shared.lost_failure());
        }
        let dialed = dial(&self.options).await;
        dialed.map_err(|error| match error {
            ClientError::NoDaemon(_) => self.shared.lost_failure(),
            error => error.into_failure(),
        })
    }
}

/// A connection to a daemon that has answered the greeting.
async fn dial(options: &ConnectOptions) -> Result<Connection, ClientError> {
    let mut was = None;
    // A daemon that is ending or upgrading still accepts connections for a moment.
    for _ in 0..TRIES {
        let socket = start::reach(options).await?;
        match link::greet(socket, options).await? {
            Greeted::Hello(connection) => return Ok(connection),
            Greeted::Nothing => {}
            Greeted::Upgrading(now) if was.as_ref().is_none_or(|was| *was == now) => {
                was = Some(now);
            }
            Greeted::Upgrading(now) => return Err(ClientError::Older(now.version.into())),
        }
        tokio::time::sleep(start::RETRY).await;
    }
    Err(start::not_responding(&options.paths))
}
