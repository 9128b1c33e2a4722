//! The events that the scheduler handles.

use jiff::SignedDuration;

use super::order::{CommitNumber, ConnectionNumber, OrderKind, PullNumber, SurveyNumber};
pub use super::stop_hook::StopHookEnd;
use crate::model::{
    capability::{Capability, EngineInfo},
    environment::Environment,
    failure::Failure,
    folder::{Folder, FolderChange},
    id::{KernelId, SessionId},
    idle::ActivityKind,
    own_image::CommitStep,
    pull::PullFigures,
    request::{ContextRequest, SessionRequest},
    resources::ResourceSlots,
    spec::LaunchRequest,
    text::Clean,
    usage::Usage,
};
use crate::{engine::api::Sighting, state_machine::Ticket};

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: SchedulerRequest,
    },
    /// The engine is connected. This is what was found on it.
    EngineUp {
        connection: ConnectionNumber,
        info: EngineInfo,
        survey: Survey,
    },
    /// The connection was lost, or the attempt to connect failed.
    EngineDown {
        connection: ConnectionNumber,
        failure: Failure,
    },
    Surveyed {
        survey: SurveyNumber,
        result: Result<Survey, Failure>,
    },
    /// Follows `Surveyed` for a launch that waited for the survey.
    LaunchSurveyed { ticket: Ticket, launch: Box<Launch> },
    /// The engine reported an event of a container. It is only a hint: the container is inspected
    /// before anything is done.
    Happened {
        session: SessionId,
        event: ContainerEvent,
    },
    /// An order about a session was carried out, or it failed.
    Done {
        session: SessionId,
        epoch: u32,
        order: OrderKind,
        result: Result<Option<Sighting>, Failure>,
    },
    /// A stop hook was carried out, or it failed.
    WillDone {
        session: SessionId,
        epoch: u32,
        end: StopHookEnd,
    },
    /// A pull has made progress.
    Pulling {
        number: PullNumber,
        figures: PullFigures,
    },
    /// A pull has succeeded or failed.
    Pulled {
        number: PullNumber,
        result: Result<(), Failure>,
    },
    /// Creating an image has begun a step, has succeeded or has failed.
    Committing {
        session: SessionId,
        number: CommitNumber,
        result: Result<CommitStep, Failure>,
    },
    /// The images of the engine have changed.
    ImagesChanged,
    /// The clients that waited for these answers have disconnected.
    Left { tickets: Vec<Ticket> },
    /// Follows everything that may leave a pull unneeded.
    Unwanted,
    /// A folder was created, renamed or deleted.
    FoldersChanged(FolderChange),
    /// Follows everything that may have made or needs room. It decides which sessions begin and why
    /// the others wait.
    Round,
    /// A session was used, or an activity that counts as use began or ended.
    Used { session: SessionId, usage: UseEvent },
    /// Usage figures of sessions whose utilization is checked.
    Sampled { samples: Vec<(SessionId, Usage)> },
    /// The clock was set forward by this much, or (zero) the machine slept. No warnings were
    /// possible in between.
    Jumped { set_by: SignedDuration },
    /// The home directory of an ended session is deleted before its time.
    HomeUnwanted { session: SessionId },
    /// A deadline has come.
    Tick,
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerRequest {
    Session {
        session: SessionId,
        request: SessionRequest,
    },
    Context(ContextRequest),
    Launch(Box<Launch>),
}

impl SchedulerRequest {
    pub const fn session(session: SessionId, request: SessionRequest) -> Self {
        Self::Session { session, request }
    }
}

/// How a session is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseEvent {
    /// The user typed in a terminal. Reported no more than once a second.
    Typed,
    /// A command or a connection was opened. It counts as use until it is closed.
    Opened(ActivityKind),
    Closed(ActivityKind),
    /// An app transferred data.
    Transferred,
}

/// A requested launch, with the ids that it will have.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The session's id is derived from an idempotency key, so the session may exist already.
    pub repeatable: bool,
    pub request: LaunchRequest,
    pub session: SessionId,
    pub kernel: KernelId,
    /// The ids of a cluster session's other containers, in their order.
    pub subs: Vec<KernelId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerEvent {
    Started,
    Died { exit_code: i64 },
    Other,
}

/// The result of a survey: what is on the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    pub seen: Vec<Sighting>,
    /// The resources that running sessions of other instances use.
    pub others: ResourceSlots,
    /// `None` if they weren't requested.
    pub environments: Option<Vec<Environment>>,
    /// `None` if they weren't requested, or the engine has no folders.
    pub folders: Option<Vec<Folder>>,
    /// What the engine can't isolate sessions from, as far as it is known.
    pub lacks: Vec<(Capability, Clean)>,
}
