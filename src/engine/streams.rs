//! Logs, commands, terminals and connections to ports of a session.

use async_trait::async_trait;
use bytes::Bytes as Chunk;
use futures_util::stream::BoxStream;
use tokio::sync::mpsc;

use super::{
    api::{HelperTask, Result},
    port_stream::{PipedStream, PortStream},
};
use crate::model::{
    failure::Failure,
    id::{KernelId, SessionId},
    log::{LogOptions, LogSource},
    shell_start::ShellStart,
    text::Clean,
};

#[async_trait]
pub trait Streams: Send + Sync {
    /// Log chunks as the engine has them, oldest first. For an ended session they come from its saved log.
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>>;

    /// Runs a command until it ends.
    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached>;

    /// Attaches a terminal to the session's tmux. Creates tmux session `main` if needed and first detaches
    /// an older client with the same `tag`.
    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached>;

    /// The control connection to a container's tmux (the main container by default): a client that receives
    /// reports about windows and takes tmux commands. It has no size and prints no output of shells.
    async fn control(&self, _session: SessionId, _kernel: Option<KernelId>) -> Result<Attached> {
        Err(Failure::unsupported(tr_sent!(
            "this engine has no control connection to a session's tmux"
        )))
    }

    /// Detaches every terminal client that this instance left in the session, for example after a daemon crash.
    async fn detach_all(&self, session: SessionId) -> Result<()>;

    /// A TCP stream to a port in the session.
    async fn dial(&self, _session: SessionId, _to: &DialTarget) -> Result<Attached> {
        Err(Failure::unsupported(tr_sent!(
            "this engine can't open a connection to a port in a session"
        )))
    }

    /// A connection to a port in the session as one byte stream. Where the engine can, it is the connection itself.
    async fn connect(&self, session: SessionId, to: &DialTarget) -> Result<PortStream> {
        let attached = self.dial(session, to).await?;
        Ok(Box::new(PipedStream::new(attached)))
    }

    /// Starts a helper of workbay in the session's main container, as the session's user in /home/work. Its stdin and
    /// stdout are pipes. It ends when its stdin or the returned value is closed.
    async fn helper(&self, _session: SessionId, _task: HelperTask) -> Result<Attached> {
        Err(Failure::unsupported(tr_sent!(
            "this engine can't run workbay's helpers in a session"
        )))
    }

    /// Whether `/home/work/id_container` is the key of the engine's own SSH server, so that workbay's must not replace it.
    fn has_own_key_file(&self) -> bool {
        false
    }
}

/// A port of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialTarget {
    /// A service of the session (`ttyd`, `jupyter`), which managers start if it isn't running, or a port as a number.
    pub service: String,
    /// One of the service's ports, or the port of an app that isn't a service; `None` = its first.
    pub port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    pub source: LogSource,
    pub bytes: Chunk,
}

/// A command that runs beside the session's main process, as the same user, in /home/work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecCommand {
    /// Never interpreted by a shell.
    pub argv: Vec<String>,
    /// The size of its terminal; `None` = plain pipes.
    pub tty: Option<(u16, u16)>,
    /// The container of a cluster to run in; `None` = the main one.
    pub kernel: Option<KernelId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachRequest {
    /// Identifies the client, one tag per pane; attaching again with the same tag replaces the older client.
    pub tag: String,
    pub columns: u16,
    pub rows: u16,
    /// How to start the shell if it doesn't exist yet.
    pub start: ShellStart,
}

/// A running exec or terminal. Dropping `input` closes stdin; dropping the whole value detaches.
pub struct Attached {
    /// Output in order. The channel is bounded, so a slow reader slows the writer.
    pub output: mpsc::Receiver<Output>,
    pub input: mpsc::Sender<Input>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    Stdout(Chunk),
    Stderr(Chunk),
    /// The last item: the exit code where the engine knows it.
    End {
        exit_code: Option<i64>,
    },
    /// The last item: the connection broke.
    Lost {
        why: Clean,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Bytes(Chunk),
    Resize {
        columns: u16,
        rows: u16,
    },
    /// Closes stdin; reading continues.
    Eof,
}
