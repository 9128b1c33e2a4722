//! The consequences of one event.

use jiff::Timestamp;

use super::{fact::Fact, order::Order};
use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::{ContextName, SessionId},
        notice::{Level, Notice, NoticeKind},
        record::AuditEntry,
    },
    state_machine::{Answer, Ticket},
};

/// The consequences of one event. None of them may take effect before `audits` are in the state
/// database.
#[derive(Debug)]
pub struct Turn {
    context: ContextName,
    now: Timestamp,
    /// Audit entries. If there are any, the whole turn follows from one request, so it can be
    /// undone if it can't be written.
    pub audits: Vec<AuditEntry>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Failure>)>,
    /// The queries that the engine may be asked directly.
    pub admitted: Vec<Ticket>,
    pub orders: Vec<Order>,
    /// Events to handle right after this turn.
    pub follow: Vec<Fact>,
}

impl Turn {
    pub(super) fn new(context: ContextName, now: Timestamp) -> Self {
        Self {
            context,
            now,
            audits: Vec::new(),
            changes: Vec::new(),
            answers: Vec::new(),
            admitted: Vec::new(),
            orders: Vec::new(),
            follow: Vec::new(),
        }
    }

    pub(super) fn answer(&mut self, ticket: Ticket, answer: Result<Answer, Failure>) {
        self.answers.push((ticket, answer));
    }

    pub(super) fn message(&mut self, level: Level, session: Option<SessionId>, text: &str) {
        self.notice(NoticeKind::Message, level, session, text);
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
