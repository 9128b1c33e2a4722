//! A requested change of a session, and how it is shown.

use jiff::{SignedDuration, Timestamp};

use crate::{
    model::{id::SessionId, session::Session, status::Status, text::Clean},
    state_machine::Ticket,
};

/// A request that the engine accepted is shown as pending only for this long.
const PATIENCE: SignedDuration = SignedDuration::from_mins(1);

#[derive(Clone, Debug)]
pub(super) struct Deed {
    pub session: SessionId,
    pub kind: Kind,
    /// The clients that wait until the engine has accepted it.
    pub tickets: Vec<Ticket>,
    /// When the engine accepted it.
    pub taken_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Terminate {
        force: bool,
    },
    Rename {
        name: String,
    },
    Prioritize {
        priority: i32,
    },
    Commit {
        image_name: String,
        progress: Option<Clean>,
    },
}

impl Deed {
    pub fn is_taken(&self) -> bool {
        self.taken_at.is_some()
    }

    /// When the request isn't shown as pending any more.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.taken_at?.checked_add(PATIENCE).ok()
    }

    pub(super) fn is_shown_by(&self, session: &Session) -> bool {
        let over = session.status.is_final();
        match &self.kind {
            Kind::Terminate { .. } => over || session.status == Status::Terminating,
            Kind::Rename { name } => over || session.name == name.as_str(),
            Kind::Prioritize { priority } => {
                session.status != Status::Pending || session.placement.priority == Some(*priority)
            }
            Kind::Commit { .. } => false,
        }
    }

    pub(super) fn words(&self) -> String {
        match &self.kind {
            Kind::Terminate { .. } => "terminating".to_owned(),
            Kind::Rename { name } => format!("renaming to {name}"),
            Kind::Prioritize { priority } => format!("changing its priority to {priority}"),
            Kind::Commit {
                image_name,
                progress: None,
            } => format!("{} {image_name}", Session::COMMITTING),
            Kind::Commit {
                image_name,
                progress: Some(progress),
            } => format!("{} {image_name}: {progress}", Session::COMMITTING),
        }
    }

    pub(super) fn failed(&self, name: &str) -> String {
        match &self.kind {
            Kind::Terminate { .. } => format!("{name} couldn't be terminated"),
            Kind::Rename { name: new } => format!("{name} couldn't be renamed to {new}"),
            Kind::Prioritize { .. } => format!("the priority of {name} couldn't be changed"),
            Kind::Commit { image_name, .. } => {
                format!("the image {image_name} couldn't be created from {name}")
            }
        }
    }
}
