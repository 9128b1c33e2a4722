//! The events that the controller handles.

use jiff::SignedDuration;

use super::order::{LineNumber, OrderKind, PullNumber, SurveyNumber};
pub use super::stop_hook::StopHookEnd;
use crate::engine::api::Sighting;
use crate::model::{
    capability::{Capability, EngineInfo},
    catalogue::Folder,
    environment::Environment,
    id::{KernelId, SessionId},
    idle::{ActivityKind, Keep},
    launch::LaunchField,
    pull::PullFigures,
    resources::ResourceSlots,
    spec::LaunchRequest,
    text::Clean,
    usage::Usage,
};

pub use super::order::Ticket;

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: Ask,
    },
    /// The engine is connected. This is what was found on it.
    EngineUp {
        line: LineNumber,
        info: EngineInfo,
        survey: Survey,
    },
    /// The connection was lost, or the attempt to connect failed.
    EngineDown {
        line: LineNumber,
        fault: Fault,
    },
    Surveyed {
        survey: SurveyNumber,
        result: Result<Survey, Fault>,
    },
    /// Follows `Surveyed` for a launch that waited for the survey.
    LaunchSurveyed {
        ticket: Ticket,
        launch: Box<Launch>,
    },
    /// The engine reported an event of a container. It is only a hint: the container is inspected
    /// before anything is done.
    Happened {
        session: SessionId,
        event: Happening,
    },
    /// An order about a session was carried out, or it failed.
    Done {
        session: SessionId,
        epoch: u32,
        order: OrderKind,
        result: Result<Option<Sighting>, Fault>,
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
        result: Result<(), Fault>,
    },
    /// The clients that waited for these answers have disconnected.
    Left {
        tickets: Vec<Ticket>,
    },
    /// Follows everything that may leave a pull unneeded.
    Unwanted,
    /// Creating a folder has succeeded or failed.
    FolderMade {
        ticket: Ticket,
        result: Result<Folder, Fault>,
    },
    /// Follows everything that may have made or needs room. It decides which sessions begin and why
    /// the others wait.
    Round,
    /// A session was used, or an activity that counts as use began or ended.
    Used {
        session: SessionId,
        usage: Use,
    },
    /// Usage figures of sessions whose utilization is checked.
    Sampled {
        samples: Vec<(SessionId, Usage)>,
    },
    /// The clock was set forward by this much, or (zero) the machine slept. No warnings were
    /// possible in between.
    Jumped {
        set_by: SignedDuration,
    },
    /// A deadline has come.
    Tick,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    Launch(Box<Launch>),
    Rename {
        session: SessionId,
        name: String,
    },
    /// Changes the priority of a waiting session.
    Priority {
        session: SessionId,
        priority: i32,
    },
    Terminate {
        session: SessionId,
        force: bool,
    },
    /// Deletes the record of an ended session and everything that is kept of it.
    Delete {
        session: SessionId,
    },
    /// Reads the full list from the engine.
    Refresh,
    /// Reads the environments again.
    Environments,
    /// Returns what can be chosen for a launch. The folders are read again.
    Catalogue,
    CreateFolder {
        name: String,
    },
    /// Returns the settings that a session was launched with.
    Again {
        session: SessionId,
    },
    /// Pulls an image, by its reference or its name in the catalog.
    Pull {
        image: String,
    },
    /// Extends idle checks, or switches them off or on.
    Keep {
        session: SessionId,
        keep: Keep,
    },
}

/// How a session is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The user typed in a terminal. Reported no more than once a second.
    Typed,
    /// A command or a connection was opened. It counts as use until it is closed.
    Opened(ActivityKind),
    Closed(ActivityKind),
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
pub enum Happening {
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

/// Why the engine failed to do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// One sentence.
    pub text: Clean,
    /// What the user can do about it.
    pub hint: Option<Clean>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The connection to the engine is lost.
    Lost,
    /// The engine doesn't accept our credentials. Retrying soon makes it worse.
    Denied,
    /// The container doesn't exist.
    NotFound,
    /// A launch isn't possible because of this field.
    Field(LaunchField),
    /// The engine doesn't have the image.
    NoImage,
    /// A registry doesn't respond.
    Away,
    /// The connection to a registry broke during a transfer.
    Broken,
    /// Any other failure. A retry may or may not help.
    Failed,
}

impl Fault {
    pub fn is_lost(&self) -> bool {
        self.kind == FaultKind::Lost
    }

    /// Text and hint in one sentence, or in two if the text already has a colon.
    pub fn sentence(&self) -> String {
        match &self.hint {
            Some(hint) if self.text.as_str().contains(": ") => {
                let mut letters = hint.as_str().chars();
                let first = letters.next().map(char::to_uppercase);
                let hint: String = first.into_iter().flatten().chain(letters).collect();
                format!("{}. {hint}", self.text)
            }
            Some(hint) => format!("{}: {hint}", self.text),
            None => self.text.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mend_is_a_sentence_of_its_own_where_there_is_a_colon_already() {
        for (text, said) in [
            ("the disk is full", "the disk is full: free some room"),
            ("it is away: no way", "it is away: no way. Free some room"),
            ("a:5000 is away", "a:5000 is away: free some room"),
        ] {
            let fault = Fault {
                kind: FaultKind::Failed,
                text: text.into(),
                hint: Some("free some room".into()),
            };
            assert_eq!(fault.sentence(), said);
        }
    }
}
