//! A client's end of the connection to the daemon: connect (or start the daemon), ask, get notices, open
//! streams.
//!
//! [`Client`] is cheap to clone; the connection lives as long as one clone or one open stream does. Each stream
//! has a connection of its own beside it.

pub mod launch;
mod link;
mod pulse;
mod start;
mod stream;

use std::{path::PathBuf, sync::Arc, time::Duration};

use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};

use link::{Connection, Greeted};
pub use pulse::Expecting;
pub use start::Starter;
pub use stream::{Stream, StreamItem, StreamSender};

use crate::{
    config::paths::Paths,
    model::{change::Change, id::InstanceId, text::Clean},
    protocol::{
        frame::Frame,
        message::{Failure, FailureKind, FromClient, Reply, Request, StreamOpen},
    },
};

/// How to reach the daemon.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    pub paths: Paths,
    /// How to start a daemon when none lives; `None` = only an existing one is asked.
    pub starter: Option<Starter>,
    /// How long a daemon may take to answer.
    pub patience: Duration,
}

impl ConnectOptions {
    /// Starts this very program as the daemon when none lives, waits 10 seconds.
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            starter: Starter::this_program(),
            patience: Duration::from_secs(10),
        }
    }

    /// Only an existing daemon is asked.
    pub fn existing(paths: Paths) -> Self {
        Self {
            starter: None,
            ..Self::new(paths)
        }
    }
}

/// Why there is no line to the daemon. Each is a whole sentence for a person.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClientError {
    #[error("no daemon is running (no answer at {}). `workbay daemon run` starts one", .0.display())]
    NoDaemon(PathBuf),
    #[error("the daemon can't be started as {}: {why}", .program.display())]
    Start { program: PathBuf, why: String },
    #[error("the daemon didn't start: {0}")]
    Daemon(Clean),
    #[error(
        "the socket {} must belong to you, but belongs to user {uid}. Set WORKBAY_RUNTIME_DIR to \
         a directory of your own", .socket.display()
    )]
    Foreign { socket: PathBuf, uid: u32 },
    #[error("the daemon refused: {0}")]
    Refused(Clean),
    #[error(
        "the daemon restarted for an upgrade, but is still version {0}. Run `workbay daemon \
         stop`, then try again. Sessions keep running"
    )]
    Older(Clean),
    #[error(
        "the daemon{} isn't responding. Run `workbay daemon stop`, then try again. Sessions keep \
         running. Its log is {}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default(),
        .log.display()
    )]
    Silent { pid: Option<u32>, log: PathBuf },
    #[error("{0}")]
    Lost(Clean),
}

impl ClientError {
    /// The same as a failure of a request.
    pub fn into_failure(self) -> Failure {
        let kind = match self {
            Self::Foreign { .. } => FailureKind::Auth,
            Self::Refused(_) | Self::Older(_) => FailureKind::Refused,
            _ => FailureKind::Unreachable,
        };
        Failure::new(kind, self.to_string())
    }
}

/// What comes without being asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// After `Request::Subscribe`. `seq` grows by one; ignore those up to the snapshot's.
    Notice { seq: u64, change: Change },
    /// The last event: the line broke. Connect again.
    Lost { why: Clean },
}

/// What the daemon said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonHello {
    pub version: String,
    pub pid: u32,
    pub instance: InstanceId,
}

/// How often a daemon may close the connection before its greeting.
const TRIES: u32 = 50;

/// A request that was put and is not answered yet.
pub struct Asked {
    answered: oneshot::Receiver<Result<Reply, Failure>>,
    client: Client,
    _expecting: Expecting,
}

impl Asked {
    /// Waits for the answer.
    pub async fn answer(self) -> Result<Reply, Failure> {
        let lost = || Err(self.client.shared.lost_failure());
        self.answered.await.unwrap_or_else(|_| lost())
    }
}

/// The line to the daemon.
#[derive(Clone)]
pub struct Client {
    out: mpsc::Sender<Frame<FromClient>>,
    shared: Arc<link::Shared>,
    hello: Arc<DaemonHello>,
    /// How the connections of streams are made.
    options: Arc<ConnectOptions>,
}

impl Client {
    /// Connects, starting the daemon when its lock is free, and waits until it answers.
    ///
    /// The receiver must be drained (or dropped) by whoever subscribes: notices that nobody takes
    /// hold back the answers behind them.
    pub async fn connect(
        options: &ConnectOptions,
    ) -> Result<(Self, mpsc::Receiver<ClientEvent>), ClientError> {
        Ok(link::begin(dial(options).await?, options))
    }

    /// To a daemon that a test plays at the other end of the socket.
    #[cfg(test)]
    pub(crate) async fn over(socket: tokio::net::UnixStream) -> Self {
        let options = ConnectOptions::existing(Paths::below(std::path::Path::new("/nowhere")));
        match link::greet(socket, &options).await {
            Ok(Greeted::Hello(connection)) => link::begin(connection, &options).0,
            _ => panic!("no connection"),
        }
    }

    /// What the daemon said about itself.
    pub fn hello(&self) -> &DaemonHello {
        &self.hello
    }

    /// Whether the daemon isn't responding: something was expected of it, and it gave no sign of life.
    pub fn silence(&self) -> watch::Receiver<bool> {
        self.shared.pulse.silence()
    }

    /// As long as what is returned lives, something is expected of the daemon.
    pub fn expect(&self) -> Expecting {
        self.shared.pulse.expect()
    }

    /// Somebody is here: if the daemon was quiet for long, it is asked for a sign of life.
    pub fn check(&self) {
        self.shared.pulse.check();
    }

    /// Asks and waits for the answer.
    pub async fn ask(&self, request: Request) -> Result<Reply, Failure> {
        self.put(request).await?.answer().await
    }

    /// Asks. Requests reach the daemon in the order in which this returned for them.
    pub async fn put(&self, request: Request) -> Result<Asked, Failure> {
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
        Ok(Asked {
            answered,
            client: self.clone(),
            _expecting: expecting,
        })
    }

    /// Whether the connection ended: what was asked before and not answered may have been done.
    pub fn is_lost(&self) -> bool {
        self.shared.is_lost()
    }

    /// Opens a stream. Whether it could be opened comes as its first item.
    pub fn open(&self, open: StreamOpen) -> Stream {
        Stream::open(self.clone(), open)
    }

    /// A connection for a stream.
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
    // A daemon that dies right now, or becomes another program, still takes connections for a moment.
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
    Err(start::silent(&options.paths))
}
