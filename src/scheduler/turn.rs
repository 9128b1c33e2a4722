//! The consequences of one event, in the order in which they take effect: writes, changes, answers,
//! orders.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{fact::Fact, order::Order, tracked_session::TrackedSession};
use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::{ContextName, SessionId},
        notice::{Level, Notice, NoticeKind},
        record::Write,
    },
    state_machine::{Answer, Ticket},
};

/// The consequences of one event. None of them may take effect before `writes` are in the state
/// database.
#[derive(Debug)]
pub struct Turn {
    context: ContextName,
    now: Timestamp,
    pub writes: Vec<Write>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Failure>)>,
    /// The requests that the engine may be asked directly.
    pub admitted: Vec<Ticket>,
    pub orders: Vec<Order>,
    /// Events to handle right after this turn.
    pub follow: Vec<Fact>,
    /// The whole turn follows from one request, so it can be undone if it can't be written.
    pub refusable: bool,
    /// A round of the queue follows, whether or not a session changed.
    pub(super) stirred: bool,
    /// Images whose pull began in this turn.
    pub(super) begun: Vec<String>,
    /// Sessions as they were before this turn.
    pub(super) before: BTreeMap<SessionId, Option<TrackedSession>>,
}

impl Turn {
    pub(super) fn new(context: ContextName, now: Timestamp) -> Self {
        Self {
            context,
            now,
            writes: Vec::new(),
            changes: Vec::new(),
            answers: Vec::new(),
            admitted: Vec::new(),
            orders: Vec::new(),
            follow: Vec::new(),
            refusable: false,
            stirred: false,
            begun: Vec::new(),
            before: BTreeMap::new(),
        }
    }

    /// The time of the event.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn answer(&mut self, ticket: Ticket, answer: Result<Answer, Failure>) {
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
