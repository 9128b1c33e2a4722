//! The traits that every engine implements.
//!
//! A call may take as long as the engine takes; callers set timeouts. All calls are idempotent: creating
//! something that exists, ending something that is gone and renaming to the current name succeed.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use async_trait::async_trait;
use bytes::Bytes as Chunk;
use futures_util::stream::BoxStream;
use jiff::Timestamp;
use tokio::sync::mpsc;

pub use crate::model::helper::HelperTask;

pub use super::{
    files::Files,
    losses::Losses,
    streams::{AttachRequest, Attached, DialTarget, ExecCommand, Input, LogChunk, Output, Streams},
};
use crate::model::{
    app::{App, AppStart, ProxyOptions, ProxyUrl},
    capability::{Capability, EngineInfo},
    environment::Environment,
    failure::Failure,
    folder::{Folder, FolderAnswer, FolderRequest},
    id::{KernelId, SessionId},
    own_image::{CommitPlan, CommitStep, ImageProgress, StoredImage},
    pull::PullFigures,
    resources::{Bytes, ResourceSlots},
    secret::Secret,
    spec::LaunchSpec,
    text::Clean,
    usage::Usage,
};

pub type Result<T> = std::result::Result<T, Failure>;

/// What every engine does, whether workbay or the engine decides when a session starts.
#[async_trait]
pub trait Engine: Streams + Apps + Images + Folders + Files + Losses + Send + Sync {
    /// Connects, or checks the connection, and returns what the engine says about itself.
    async fn probe(&self) -> Result<EngineInfo>;

    /// The current usage of these sessions; sessions that can't be sampled are left out. A call must be cheap
    /// enough to run once per [`Engine::usage_period`] with 200 sessions. The engine closes what it kept open
    /// for sessions that are no longer in `asked`.
    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)>;

    /// How often new figures are available.
    fn usage_period(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Whether reading usage is so cheap that it is recorded while no client watches.
    fn reads_cheaply(&self) -> bool {
        false
    }

    /// The figures read when the last container of a session ended, returned only once. The session must have
    /// been in `asked` of [`Engine::usage`] until then.
    fn last_usage(&self, _session: SessionId) -> Option<Usage> {
        None
    }
}

/// A session whose usage is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageAsk {
    pub session: SessionId,
    pub need: Need,
    /// The figures are needed even where reading them is expensive.
    pub idle_checked: bool,
    /// Its home directory has a limit, so it is measured although no client watches.
    pub limited: bool,
}

/// Which figures of a session are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// None now, but the files that are open for the session stay open.
    Kept,
    /// CPU, memory and accelerators, which idle checks use.
    IdleChecks,
    /// What the engine counts, where reading it is cheap.
    Recorded,
    /// All figures.
    Watched,
}

impl UsageAsk {
    /// Requests all figures of a session.
    #[must_use]
    pub const fn all(session: SessionId) -> Self {
        Self {
            session,
            need: Need::Watched,
            idle_checked: false,
            limited: false,
        }
    }

    /// Requests the figures that idle checks use.
    #[must_use]
    pub const fn idle_checked(session: SessionId) -> Self {
        Self {
            session,
            need: Need::IdleChecks,
            idle_checked: true,
            limited: false,
        }
    }

    /// Requests the figures that are recorded while no client watches the session.
    #[must_use]
    pub const fn recorded(session: SessionId) -> Self {
        Self {
            session,
            need: Need::Recorded,
            idle_checked: false,
            limited: false,
        }
    }

    /// Whether to ask the engine where there are no files to read.
    #[must_use]
    pub fn is_worth_asking(&self) -> bool {
        self.idle_checked || self.need == Need::Watched
    }
}

/// An engine that only runs containers: workbay's scheduler decides the rest.
#[async_trait]
pub trait Containers: Engine {
    /// Every container of this instance, in any state, and what other instances of workbay use on the
    /// engine.
    async fn list(&self) -> Result<Listing>;

    /// The current state of one container; `None` when it is gone.
    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>>;

    /// Creates the home directory and the container without starting it. Leaves nothing behind on an error.
    async fn create(&self, plan: &CreatePlan) -> Result<Sighting>;

    /// Starts a created container; does nothing if it is running.
    async fn start(&self, session: SessionId) -> Result<()>;

    /// Asks the main process to end and kills it after `grace_seconds` (0 = immediately). Succeeds when the
    /// container doesn't exist.
    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()>;

    /// Copies the log to the session's saved log, then removes the container.
    async fn remove(&self, session: SessionId) -> Result<()>;

    /// The path of the session's `/home/work` on this machine, if it is on this machine.
    fn home(&self, _session: SessionId) -> Option<PathBuf> {
        None
    }

    /// Saves files of the running session on this machine as archives with this name; returns the first path.
    async fn save(&self, _session: SessionId, _paths: &[String], _name: &str) -> Result<PathBuf> {
        Err(Failure::unsupported(tr_sent!(
            "this engine can't save files of a session"
        )))
    }

    /// How many bytes the quota of a folder leaves now; `None` = it has none, or the folder can't be measured.
    async fn room(&self, _folder: &str) -> Option<Bytes> {
        None
    }

    /// Creates an image from the session's main container. The last step is [`CommitStep::Done`]. Dropping the stream
    /// cancels it and leaves nothing of the image behind.
    async fn commit(&self, _plan: &CommitPlan) -> Result<BoxStream<'static, Result<CommitStep>>> {
        let text = tr_sent!("this engine can't create images from sessions");
        Err(Failure::unsupported(text).hint(tr_sent!("use a context with Docker")))
    }

    /// Renames the session's container.
    async fn rename(&self, session: SessionId, name: &str) -> Result<()>;

    /// Deletes the home directory and the saved log of an ended session.
    async fn forget(&self, session: SessionId) -> Result<()>;

    /// Checks that the engine responds at all. The engine limits the time itself.
    async fn ping(&self) -> Result<()>;

    /// Events of this instance's containers from now on. Ends with an error when the connection is lost;
    /// the caller then probes and lists again.
    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>>;
}

/// The apps of a session.
#[async_trait]
pub trait Apps: Send + Sync {
    /// The apps that the session has, with their state, in the order of the app launcher.
    async fn apps(&self, _session: SessionId) -> Result<Vec<App>> {
        Err(no_apps())
    }

    /// Starts an app if it doesn't run, and waits until it answers on its port. A failure has the last lines that the
    /// app printed.
    async fn start_app(&self, _session: SessionId, _start: &AppStart) -> Result<App> {
        Err(no_apps())
    }

    /// Starts an app if it doesn't run, and opens it at the engine's own proxy.
    async fn proxy_app(
        &self,
        _session: SessionId,
        _start: &AppStart,
        _options: &ProxyOptions,
    ) -> Result<ProxyUrl> {
        let why = tr_sent!("only Backend.AI clusters have an app proxy");
        Err(Failure::unsupported(why)
            .hint(tr_sent!("`workbay app start` opens a port of this machine")))
    }

    /// Ends an app and waits until it has ended. Succeeds if it doesn't run.
    async fn stop_app(&self, _session: SessionId, _app: &str) -> Result<()> {
        Err(no_apps())
    }

    /// Waits until a running app ends, and returns how it ended: its exit code, `None` if it isn't known.
    async fn app_end(&self, _session: SessionId, _app: &str) -> Result<Option<i64>> {
        Err(no_apps())
    }

    /// The last lines that an app printed, oldest first.
    async fn app_log(&self, _session: SessionId, _app: &str) -> Result<Vec<Clean>> {
        Err(no_apps())
    }
}

fn no_apps() -> Failure {
    Failure::unsupported(tr_sent!("this engine has no apps"))
}

#[async_trait]
pub trait Images: Send + Sync {
    /// What can be launched: the host environment (where available) and every image the engine has.
    async fn environments(&self) -> Result<Vec<Environment>>;

    /// Fetches an image from its registry. The stream reports progress a few times per second and ends when
    /// the image can be run. Dropping the stream cancels the pull and leaves nothing of it behind.
    async fn pull(&self, _reference: &str) -> Result<BoxStream<'static, Result<PullFigures>>> {
        Err(Failure::unsupported(tr_sent!(
            "this engine pulls images automatically"
        )))
    }

    /// All images, those that the caller created from sessions first.
    async fn stored_images(&self) -> Result<Vec<StoredImage>> {
        Err(no_images())
    }

    /// Removes an image that no container uses.
    async fn remove_image(&self, _reference: &str) -> Result<()> {
        Err(no_images())
    }

    /// The image as an archive that [`Images::import_image`] takes. Dropping the stream cancels it.
    async fn export_image(&self, _reference: &str) -> Result<BoxStream<'static, Result<Chunk>>> {
        Err(no_images())
    }

    /// Stores the images of an archive. If the input ends without [`Input::Eof`], nothing is kept. The last item of the
    /// stream names the images.
    async fn import_image(
        &self,
        _archive: mpsc::Receiver<Input>,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        Err(no_images())
    }

    /// Sends the image to a registry, as `target`. The last item of the stream names the image there.
    async fn push_image(
        &self,
        _reference: &str,
        _target: &str,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        Err(no_images())
    }
}

fn no_images() -> Failure {
    Failure::unsupported(tr_sent!("this engine doesn't manage images"))
        .hint(tr_sent!("use the engine's own program for its images"))
}

/// Folders that survive sessions.
#[async_trait]
pub trait Folders: Send + Sync {
    /// The folders that the caller may mount.
    async fn folders(&self) -> Result<Vec<Folder>> {
        Err(no_folders())
    }

    /// Creates an empty folder; fails if the name is taken.
    async fn create_folder(&self, _name: &str) -> Result<Folder> {
        Err(no_folders())
    }

    /// Carries out a request about folders. Dropping the returned future cancels a copy, which leaves nothing behind.
    async fn folder(&self, request: &FolderRequest) -> Result<FolderAnswer> {
        match request {
            FolderRequest::List { trash: false, .. } => {
                Ok(FolderAnswer::Folders(self.folders().await?))
            }
            FolderRequest::Create { new } => {
                let folder = self.create_folder(&new.name).await?;
                Ok(FolderAnswer::Folder(Box::new(folder)))
            }
            _ => Err(no_folders()),
        }
    }
}

fn no_folders() -> Failure {
    Failure::unsupported(tr_sent!("this engine has no folders"))
}

/// Everything an engine needs to create a session's container.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatePlan {
    pub session: SessionId,
    pub kernel: KernelId,
    pub name: String,
    pub owner: String,
    pub created_at: Timestamp,
    pub spec: LaunchSpec,
    /// Maximum number of processes.
    pub pids: i64,
    /// The other containers of a cluster, in order; they are created, started and ended with the main container.
    pub subs: Vec<KernelId>,
    /// Values of the spec's secret variables; they are never written to labels or logs.
    pub secrets: BTreeMap<String, Secret>,
}

/// The engine's list of containers.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub ours: Vec<Sighting>,
    /// The sum of what running sessions of other instances use.
    pub others: ResourceSlots,
    /// The missing capabilities of [`Capability::OF_NETWORK`], as far as known.
    pub lacks: Vec<(Capability, Clean)>,
}

/// A container as the engine reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub session: SessionId,
    pub kernel: KernelId,
    pub container_id: Clean,
    /// The session part of the container's name, as far as the engine knows it.
    pub name: Option<Clean>,
    /// The main container's state; a cluster without its main container is `Dead`.
    pub state: ContainerState,
    /// The address by which the engine's machine reaches the main container while it runs.
    pub address: Option<Clean>,
    /// The other containers of a cluster, in order.
    pub subs: Vec<SubSighting>,
    /// The path of the session's `/home/work` on this machine ([`Containers::home`]). Listings leave it out.
    pub home: Option<String>,
    /// Read from the labels, so that a lost state database can be restored.
    pub recorded: Option<Box<Recorded>>,
}

/// Another container of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubSighting {
    pub kernel: KernelId,
    /// For example `sub1`.
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

/// What the labels say about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub name: Clean,
    pub created_at: Timestamp,
    pub owner: Clean,
    pub spec: LaunchSpec,
}

/// An event of one of the instance's containers.
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
    /// Another container of a cluster started, ended or disappeared; its session must be checked.
    SubChanged,
}
