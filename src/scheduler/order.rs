//! Orders of the scheduler. They are idempotent: each may be carried out twice.

use crate::{
    engine::api::CreatePlan,
    model::{id::SessionId, own_image::CommitPlan, stop_hook::StopHook},
};

/// The number of an attempt to connect. It distinguishes events of an old connection from those of the
/// current one.
pub type ConnectionNumber = u32;

/// The number of a pull. Each attempt has its own.
pub type PullNumber = u64;

/// The number of an order to create an image.
pub type CommitNumber = u64;

/// The number of a survey.
pub type SurveyNumber = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Connect to the engine and take a survey.
    Connect {
        connection: ConnectionNumber,
    },
    Survey {
        survey: SurveyNumber,
        /// Also read environments and folders.
        environments: bool,
    },
    /// Pull an image, and report progress until it is complete.
    Pull {
        number: PullNumber,
        reference: String,
    },
    /// Cancel a pull that isn't needed any more.
    CancelPull {
        number: PullNumber,
    },
    /// Create an image from a session, and report each step.
    Commit {
        number: CommitNumber,
        plan: Box<CommitPlan>,
    },
    /// Cancel the creation of an image.
    CancelCommit {
        number: CommitNumber,
    },
    Create {
        epoch: u32,
        plan: Box<CreatePlan>,
    },
    Start {
        session: SessionId,
        epoch: u32,
    },
    /// Run the session's stop hook.
    StopHook {
        session: SessionId,
        epoch: u32,
        stop_hook: Box<StopHookPlan>,
    },
    Stop {
        session: SessionId,
        epoch: u32,
        grace_seconds: u32,
    },
    /// Save the log and remove the container.
    Remove {
        session: SessionId,
        epoch: u32,
    },
    Rename {
        session: SessionId,
        epoch: u32,
        name: String,
    },
    /// Delete the home directory and the saved log.
    Forget {
        session: SessionId,
        epoch: u32,
    },
    /// Detach terminal clients that an earlier daemon left.
    DetachAll {
        session: SessionId,
        epoch: u32,
    },
    Inspect {
        session: SessionId,
        epoch: u32,
    },
}

/// The kinds of orders. Failure points, logs and tests use this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderKind {
    Connect,
    Survey,
    Pull,
    CancelPull,
    Commit,
    CancelCommit,
    Create,
    Start,
    StopHook,
    Stop,
    Remove,
    Rename,
    Forget,
    DetachAll,
    Inspect,
}

/// A stop hook, and where its files are saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopHookPlan {
    pub stop_hook: StopHook,
    /// A folder in the session; `None` is this machine.
    pub place: Option<String>,
    /// The name of the files there.
    pub file: String,
}

impl OrderKind {
    pub const ALL: [Self; 15] = [
        Self::Connect,
        Self::Survey,
        Self::Pull,
        Self::CancelPull,
        Self::Commit,
        Self::CancelCommit,
        Self::Create,
        Self::Start,
        Self::StopHook,
        Self::Stop,
        Self::Remove,
        Self::Rename,
        Self::Forget,
        Self::DetachAll,
        Self::Inspect,
    ];

    /// The name in logs and in `WORKBAY_FAULT`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Survey => "survey",
            Self::Pull => "pull",
            Self::CancelPull => "cancel-pull",
            Self::Commit => "commit",
            Self::CancelCommit => "cancel-commit",
            Self::Create => "create",
            Self::Start => "start",
            Self::StopHook => "will",
            Self::Stop => "stop",
            Self::Remove => "remove",
            Self::Rename => "rename",
            Self::Forget => "forget",
            Self::DetachAll => "detach-all",
            Self::Inspect => "inspect",
        }
    }
}

impl Order {
    pub const fn kind(&self) -> OrderKind {
        match self {
            Self::Connect { .. } => OrderKind::Connect,
            Self::Survey { .. } => OrderKind::Survey,
            Self::Pull { .. } => OrderKind::Pull,
            Self::CancelPull { .. } => OrderKind::CancelPull,
            Self::Commit { .. } => OrderKind::Commit,
            Self::CancelCommit { .. } => OrderKind::CancelCommit,
            Self::Create { .. } => OrderKind::Create,
            Self::Start { .. } => OrderKind::Start,
            Self::StopHook { .. } => OrderKind::StopHook,
            Self::Stop { .. } => OrderKind::Stop,
            Self::Remove { .. } => OrderKind::Remove,
            Self::Rename { .. } => OrderKind::Rename,
            Self::Forget { .. } => OrderKind::Forget,
            Self::DetachAll { .. } => OrderKind::DetachAll,
            Self::Inspect { .. } => OrderKind::Inspect,
        }
    }

    /// The session of the order, and the epoch that its answer must have.
    pub fn about(&self) -> Option<(SessionId, u32)> {
        match self {
            Self::Connect { .. }
            | Self::Survey { .. }
            | Self::Pull { .. }
            | Self::CancelPull { .. }
            | Self::Commit { .. }
            | Self::CancelCommit { .. } => None,
            Self::Create { epoch, plan } => Some((plan.session, *epoch)),
            Self::Start { session, epoch }
            | Self::StopHook { session, epoch, .. }
            | Self::Stop { session, epoch, .. }
            | Self::Remove { session, epoch }
            | Self::Rename { session, epoch, .. }
            | Self::Forget { session, epoch }
            | Self::DetachAll { session, epoch }
            | Self::Inspect { session, epoch } => Some((*session, *epoch)),
        }
    }
}
