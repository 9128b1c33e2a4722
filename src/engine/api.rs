//! The trait family every engine implements.
//!
//! All calls may take as long as the engine takes; callers bound them. All are idempotent: creating
//! what is there, ending what is gone and renaming to the present name succeed.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use async_trait::async_trait;
use bytes::Bytes as Chunk;
use futures_util::stream::BoxStream;
use jiff::Timestamp;
use tokio::sync::mpsc;

use super::error::EngineError;
use crate::model::{
    capability::{Capability, EngineInfo},
    catalogue::Folder,
    environment::Environment,
    id::{KernelId, SessionId},
    log::{LogOptions, LogSource},
    pull::PullFigures,
    resources::ResourceSlots,
    secret::Secret,
    shell::ShellStart,
    spec::LaunchSpec,
    text::Clean,
    usage::Usage,
};

pub type Result<T> = std::result::Result<T, EngineError>;

/// What every engine does, whoever decides when a session starts.
#[async_trait]
pub trait Engine: Streams + Images + Folders + Send + Sync {
    /// Connects, or checks the line, and tells what is there.
    async fn probe(&self) -> Result<EngineInfo>;

    /// Usage of these sessions now; a session that cannot be sampled is left out. Cheap enough to be
    /// asked once in [`Engine::usage_period`] with 200 sessions. What was kept open for sessions that
    /// are not asked for any more is let go.
    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)>;

    /// How often new figures can be had.
    fn usage_period(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Whether usage can be read so cheaply that it is recorded while nobody watches.
    fn reads_cheaply(&self) -> bool {
        false
    }

    /// What was read when the last container of a session ended; told once. The session must have been asked
    /// for until then.
    fn last_usage(&self, _session: SessionId) -> Option<Usage> {
        None
    }
}

/// A session whose usage is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageAsk {
    pub session: SessionId,
    pub need: Need,
    /// Its figures are needed even where they are not cheap.
    pub judged: bool,
}

/// What of a session's usage is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nothing now: what is open for it stays open.
    Kept,
    /// CPU, memory and accelerators, by which idle checks judge.
    Judged,
    /// What the engine counts, where that is cheap.
    Recorded,
    /// All there is to know.
    Watched,
}

impl UsageAsk {
    /// All there is to know of a session.
    #[must_use]
    pub const fn all(session: SessionId) -> Self {
        Self {
            session,
            need: Need::Watched,
            judged: false,
        }
    }

    /// What idle checks judge by.
    #[must_use]
    pub const fn judged(session: SessionId) -> Self {
        Self {
            session,
            need: Need::Judged,
            judged: true,
        }
    }

    /// What is recorded of a session that nobody watches.
    #[must_use]
    pub const fn recorded(session: SessionId) -> Self {
        Self {
            session,
            need: Need::Recorded,
            judged: false,
        }
    }

    /// Whether the engine may be asked where there are no files to be read.
    #[must_use]
    pub fn is_worth_asking(&self) -> bool {
        self.judged || self.need == Need::Watched
    }
}

/// An engine that runs containers and leaves the rest to us: our controller decides.
#[async_trait]
pub trait Containers: Engine {
    /// Every container of this instance, whatever its state, and what other instances of workbay
    /// hold on the engine.
    async fn list(&self) -> Result<Listing>;

    /// One container as it is now; `None` when it is gone.
    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>>;

    /// Makes scratch and container, not started. On any error nothing is left behind.
    async fn create(&self, plan: &CreatePlan) -> Result<Sighting>;

    /// Starts a created container; a running one stays as it is.
    async fn start(&self, session: SessionId) -> Result<()>;

    /// Asks the main process to end, kills it after `grace_seconds` (0 = at once). A container that
    /// is not there is a success.
    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()>;

    /// Copies the log to the session's saved log, then removes the container.
    async fn remove(&self, session: SessionId) -> Result<()>;

    /// Where the session's `/home/work` lies on this machine, if it does.
    fn scratch(&self, _session: SessionId) -> Option<PathBuf> {
        None
    }

    /// Saves files of the running session on this machine, as archives of this name; gives the first.
    async fn save(&self, _session: SessionId, _paths: &[String], _name: &str) -> Result<PathBuf> {
        Err(EngineError::Unsupported(
            "this engine can't save files of a session".to_owned(),
        ))
    }

    /// Gives the session's container its new name.
    async fn rename(&self, session: SessionId, name: &str) -> Result<()>;

    /// Deletes the scratch directory and the saved log of an ended session.
    async fn forget(&self, session: SessionId) -> Result<()>;

    /// Whether it answers at all, whatever becomes of single containers; bounded by the engine itself.
    async fn ping(&self) -> Result<()>;

    /// What happens to containers of this instance from now on. Ends with an error when the line is
    /// lost; the caller then probes and lists again.
    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>>;
}

#[async_trait]
pub trait Streams: Send + Sync {
    /// Log chunks as the engine has them, oldest first; of an ended session from its saved log.
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>>;

    /// Runs a command to its end.
    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached>;

    /// Attaches a terminal to the session's tmux: makes tmux session `main` on demand, detaches an
    /// older client with the same `tag` first.
    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached>;

    /// The control line of a container's tmux (of the main one where none is named): a client that is
    /// told what happens to windows, and takes tmux's commands. It has no size and prints no output of
    /// shells.
    async fn control(&self, _session: SessionId, _kernel: Option<KernelId>) -> Result<Attached> {
        Err(EngineError::Unsupported(
            "this engine has no control connection to a session's tmux".to_owned(),
        ))
    }

    /// Detaches every terminal client this instance left in the session (after a daemon's death).
    async fn detach_all(&self, session: SessionId) -> Result<()>;

    /// A TCP stream to a port in the session.
    async fn dial(&self, _session: SessionId, _to: &DialTarget) -> Result<Attached> {
        Err(EngineError::Unsupported(
            "this engine can't open a connection to a port in a session".to_owned(),
        ))
    }
}

/// Which port of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialTarget {
    /// A service of the session (`ttyd`, `jupyter`); it is started when it is not up.
    pub service: String,
    /// One of its ports; `None` = its first.
    pub port: Option<u16>,
}

#[async_trait]
pub trait Images: Send + Sync {
    /// What can be launched: the host environment (where it can be had) and every image the engine has.
    async fn environments(&self) -> Result<Vec<Environment>>;

    /// Fetches an image from its registry. The stream tells how far it is, a few times a second at
    /// most, and ends when the image is there and can be run. Dropping it gives the pull up, and
    /// nothing of it stays.
    async fn pull(&self, _reference: &str) -> Result<BoxStream<'static, Result<PullFigures>>> {
        Err(EngineError::Unsupported(
            "this engine pulls images automatically".to_owned(),
        ))
    }
}

/// Folders that survive sessions.
#[async_trait]
pub trait Folders: Send + Sync {
    /// Those the caller may mount.
    async fn folders(&self) -> Result<Vec<Folder>> {
        Err(no_folders())
    }

    /// Makes an empty one; a name that is taken is an error.
    async fn create_folder(&self, _name: &str) -> Result<Folder> {
        Err(no_folders())
    }
}

fn no_folders() -> EngineError {
    EngineError::Unsupported("this engine has no folders".to_owned())
}

/// Everything an engine needs to make a session's container.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatePlan {
    pub session: SessionId,
    pub kernel: KernelId,
    pub name: String,
    pub owner: String,
    pub created_at: Timestamp,
    pub spec: LaunchSpec,
    /// Limit of processes.
    pub pids: i64,
    /// A cluster's other containers, in their order; they are made, started and ended with the main one.
    pub subs: Vec<KernelId>,
    /// Values of the spec's secret variables; they are on no label and in no log.
    pub secrets: BTreeMap<String, Secret>,
}

/// The engine's own list.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub ours: Vec<Sighting>,
    /// The sum of what other instances' running sessions hold.
    pub others: ResourceSlots,
    /// What of [`Capability::OF_NETWORK`] is missing, as far as is known by now.
    pub lacks: Vec<(Capability, Clean)>,
}

/// A container as the engine shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub session: SessionId,
    pub kernel: KernelId,
    pub container_id: Clean,
    /// Container name's session part, as far as the engine knows it.
    pub name: Option<Clean>,
    /// The main container's; a cluster without its main container is `Dead`.
    pub state: ContainerState,
    /// Where the engine's machine reaches the main container while it runs.
    pub address: Option<Clean>,
    /// A cluster's other containers, in their order.
    pub subs: Vec<SubSighting>,
    /// Where its `/home/work` is on this machine ([`Containers::scratch`]). Listings leave it out.
    pub scratch: Option<String>,
    /// From the labels, so that a lost state database can be filled again.
    pub recorded: Option<Box<Recorded>>,
}

/// Another container of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubSighting {
    pub kernel: KernelId,
    /// `sub1`.
    pub hostname: Clean,
    pub container_id: Clean,
    pub state: ContainerState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerState {
    Created,
    Running {
        started_at: Option<Timestamp>,
    },
    Paused,
    Restarting,
    Exited {
        exit_code: i64,
        oom_killed: bool,
        finished_at: Option<Timestamp>,
    },
    /// The engine failed to start or remove it.
    Dead {
        why: Clean,
    },
}

/// What our labels say about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub name: Clean,
    pub created_at: Timestamp,
    pub owner: Clean,
    pub spec: LaunchSpec,
}

/// Something happened to a container of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineEvent {
    pub session: SessionId,
    pub at: Timestamp,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Started,
    Died {
        exit_code: i64,
    },
    OutOfMemory,
    Removed,
    Paused,
    Unpaused,
    Renamed {
        name: Clean,
    },
    /// Another container of a cluster started, ended or went; its session is to be looked at.
    SubChanged,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    pub source: LogSource,
    pub bytes: Chunk,
}

/// A command run beside the session's main process, as its user, in /home/work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecCommand {
    /// Never passed through a shell.
    pub argv: Vec<String>,
    /// A terminal of this size; `None` = plain pipes.
    pub tty: Option<(u16, u16)>,
    /// In this container of a cluster; `None` = the main one.
    pub kernel: Option<KernelId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachRequest {
    /// Who attaches: one per pane of a face; attaching again with it replaces the older client.
    pub tag: String,
    pub columns: u16,
    pub rows: u16,
    /// How a shell begins that is not there yet.
    pub start: ShellStart,
}

/// A running exec or terminal. Dropping `input` closes stdin; dropping all of it detaches.
pub struct Attached {
    /// Output in order; bounded, so a slow reader slows the writer.
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
    /// The last item: the line broke.
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
    /// Closes stdin and goes on reading.
    Eof,
}
