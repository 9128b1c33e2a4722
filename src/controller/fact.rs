//! What the controller hears.

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

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Asked {
        ticket: Ticket,
        ask: Ask,
    },
    /// The line stands; this is what was found.
    EngineUp {
        line: LineNumber,
        info: EngineInfo,
        survey: Survey,
    },
    /// The line broke or could not be made.
    EngineDown {
        line: LineNumber,
        fault: Fault,
    },
    Surveyed {
        survey: SurveyNumber,
        result: Result<Survey, Fault>,
    },
    /// Follows `Surveyed` for a launch that waited for it.
    LaunchSurveyed {
        ticket: Ticket,
        launch: Box<Launch>,
    },
    /// The engine told of a container. A hint: the container is looked at before anything is done.
    Happened {
        session: SessionId,
        event: Happening,
    },
    /// An order about a session was carried out or failed.
    Done {
        session: SessionId,
        epoch: u32,
        order: OrderKind,
        result: Result<Option<Sighting>, Fault>,
    },
    /// A stop hook was carried out, or not.
    WillDone {
        session: SessionId,
        epoch: u32,
        end: StopHookEnd,
    },
    /// A pull went on.
    Pulling {
        number: PullNumber,
        figures: PullFigures,
    },
    /// A pull ended; what it was to bring is there, or not.
    Pulled {
        number: PullNumber,
        result: Result<(), Fault>,
    },
    /// Who waited for these answers has gone.
    Left {
        tickets: Vec<Ticket>,
    },
    /// Follows whatever may leave a pull without anybody who wants it.
    Unwanted,
    /// A folder was made, or not.
    FolderMade {
        ticket: Ticket,
        result: Result<Folder, Fault>,
    },
    /// Follows whatever may have made room, or needs some: who may begin, and who waits for what.
    Round,
    /// A person used a session, or what counts as use began or ended.
    Used {
        session: SessionId,
        usage: Use,
    },
    /// Figures of sessions whose utilization is judged.
    Sampled {
        samples: Vec<(SessionId, Usage)>,
    },
    /// The clock was set forward by so much (zero: it was not, the machine slept): nobody could be warned
    /// meanwhile.
    Jumped {
        set_by: SignedDuration,
    },
    /// A deadline came.
    Tick,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    Launch(Box<Launch>),
    Rename {
        session: SessionId,
        name: String,
    },
    /// Of one that waits.
    Priority {
        session: SessionId,
        priority: i32,
    },
    Terminate {
        session: SessionId,
        force: bool,
    },
    /// The record of an ended session deleted, with what is kept of it.
    Delete {
        session: SessionId,
    },
    /// One full list from the engine.
    Refresh,
    /// The environments read anew.
    Environments,
    /// What can be chosen from at a launch; the folders are read anew.
    Catalogue,
    CreateFolder {
        name: String,
    },
    /// What a session was launched with.
    Again {
        session: SessionId,
    },
    /// An image fetched, by its reference or its name in the catalogue.
    Pull {
        image: String,
    },
    /// Idle checks put off or on again.
    Keep {
        session: SessionId,
        keep: Keep,
    },
}

/// How a session is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Somebody typed in a terminal; told once a second at most.
    Typed,
    /// A command or a connection was opened, and counts until it is closed.
    Opened(ActivityKind),
    Closed(ActivityKind),
}

/// A launch as asked, with the ids it will have.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The session's id follows from an idempotency key: it may exist already.
    pub repeatable: bool,
    pub request: LaunchRequest,
    pub session: SessionId,
    pub kernel: KernelId,
    /// Of a cluster's other containers, in their order.
    pub subs: Vec<KernelId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    Started,
    Died { exit_code: i64 },
    Other,
}

/// What is on the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    pub seen: Vec<Sighting>,
    /// What other instances' running sessions hold.
    pub others: ResourceSlots,
    /// `None` = not asked for.
    pub environments: Option<Vec<Environment>>,
    /// `None` = not asked for, or there are none on this engine.
    pub folders: Option<Vec<Folder>>,
    /// What the engine cannot keep sessions from, as far as is known by now.
    pub lacks: Vec<(Capability, Clean)>,
}

/// Why the engine did not do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// A sentence.
    pub text: Clean,
    /// What a person can do.
    pub hint: Option<Clean>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The line to the engine is gone.
    Lost,
    /// The engine does not accept who we are: asking again soon makes it worse.
    Denied,
    /// There is no such container.
    NotFound,
    /// A launch cannot be, for what stands in this field of it.
    Field(LaunchField),
    /// The image is not on the engine.
    NoImage,
    /// A registry does not answer.
    Away,
    /// The line to a registry broke in the middle.
    Broken,
    /// Anything else; asking again may or may not help.
    Failed,
}

impl Fault {
    pub fn is_lost(&self) -> bool {
        self.kind == FaultKind::Lost
    }

    /// Text and hint as one; as two where the text is parted by a colon already.
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
