//! Warnings before the engine's idle checks reclaim a session. The engine decides, the observer
//! counts down.

use jiff::Timestamp;

use super::{core::Observer, turn::Turn};
use crate::model::{
    id::SessionId,
    notice::{Level, NoticeKind},
};

impl Observer {
    /// Warns if it is time, based on the checks as last read.
    pub(super) fn warn(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let session = self.rows.get(&id).map(|row| &row.shown);
        let Some(session) = session.filter(|session| session.status.is_live()) else {
            return self.warner.forget(id);
        };
        if let Some(warning) = self.warner.look(now, id, &session.idle_checks) {
            let text = warning.sentence(session.name.as_str());
            let kind = NoticeKind::IdleWarning {
                checker: warning.checker,
                until: warning.until,
            };
            turn.notice(kind, Level::Warning, Some(id), &text);
        }
    }

    pub(super) fn warn_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let due: Vec<SessionId> = self.warner.due(now).collect();
        for id in due {
            self.warn(turn, now, id);
        }
    }
}
