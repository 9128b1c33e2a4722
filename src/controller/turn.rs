//! What follows from one fact, in the order it is to be done: write, tell, answer, order.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    fact::{Fact, Fault, FaultKind, Ticket},
    held::Held,
    order::Order,
};
use crate::model::{
    catalogue::{Catalogue, Folder, OwnerChoices},
    change::Change,
    environment::Environment,
    history::HistoryEntry,
    id::{ContextName, SessionId},
    launch::{LaunchField, again::Recalled},
    notice::{Level, Notice, NoticeKind},
    record::Write,
    session::Session,
    text::Clean,
};

/// What follows from one fact. Nothing of it may be done before `writes` is in the store.
#[derive(Debug)]
pub struct Turn {
    context: ContextName,
    now: Timestamp,
    pub writes: Vec<Write>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    pub orders: Vec<Order>,
    /// To be handled right after this turn.
    pub follow: Vec<Fact>,
    /// Everything in it follows from one request, so it can be taken back when it cannot be written.
    pub refusable: bool,
    /// Who waits in the queue is looked at anew, whether or not a session changed.
    pub(super) stirred: bool,
    /// Images whose pull was begun by it.
    pub(super) begun: Vec<String>,
    /// Sessions as they were before it.
    pub(super) before: BTreeMap<SessionId, Option<Held>>,
}

/// What a request got.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Done,
    Session(Box<Session>),
    /// The session that a launch made.
    Launched(Box<Session>),
    /// An earlier request with the same idempotency key launched it.
    Repeated(Box<Session>),
    Environments(Vec<Environment>),
    Catalogue(Box<Catalogue>),
    /// What a session was launched with.
    Again(Box<Recalled>),
    Folder(Folder),
    Owner(OwnerChoices),
    /// How many sessions there are that were asked for.
    Reached(u64),
    /// Newest first.
    History(Vec<HistoryEntry>),
}

/// Why a request was refused: a sentence and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: Clean,
    pub help: Option<Clean>,
    /// The field of a launch it is about.
    pub field: Option<LaunchField>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// Bad input.
    Usage,
    NotFound,
    /// The engine does not answer.
    Unreachable,
    /// The engine does not accept who we are.
    Denied,
    /// Not in this state, or beyond a limit.
    Refused,
}

impl Refusal {
    pub fn new(kind: RefusalKind, message: impl Into<Clean>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            field: None,
        }
    }

    /// What the engine could not do, as the answer to who asked for it.
    pub(super) fn of(fault: &Fault) -> Self {
        let kind = if fault.is_lost() {
            RefusalKind::Unreachable
        } else {
            RefusalKind::Refused
        };
        Self {
            kind,
            message: fault.text.clone(),
            help: fault.hint.clone(),
            field: match fault.kind {
                FaultKind::Field(field) => Some(field),
                _ => None,
            },
        }
    }

    pub fn about(mut self, field: LaunchField) -> Self {
        self.field = Some(field);
        self
    }

    pub fn with_help(mut self, help: impl Into<Clean>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn usage(message: impl Into<Clean>) -> Self {
        Self::new(RefusalKind::Usage, message)
    }

    pub fn refused(message: impl Into<Clean>) -> Self {
        Self::new(RefusalKind::Refused, message)
    }
}

impl Turn {
    pub(super) fn new(context: ContextName, now: Timestamp) -> Self {
        Self {
            context,
            now,
            writes: Vec::new(),
            changes: Vec::new(),
            answers: Vec::new(),
            orders: Vec::new(),
            follow: Vec::new(),
            refusable: false,
            stirred: false,
            begun: Vec::new(),
            before: BTreeMap::new(),
        }
    }

    /// When it happens.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn answer(&mut self, ticket: Ticket, answer: Result<Answer, Refusal>) {
        self.answers.push((ticket, answer));
    }

    pub(super) fn message(&mut self, level: Level, session: Option<SessionId>, text: String) {
        self.notice(NoticeKind::Message, level, session, &text);
    }

    pub(super) fn notice(
        &mut self,
        kind: NoticeKind,
        level: Level,
        session: Option<SessionId>,
        text: &str,
    ) {
        let what = (self.now, kind, level);
        let notice = Notice::within(self.context, what, session, text);
        self.changes.push(notice.into());
    }
}
