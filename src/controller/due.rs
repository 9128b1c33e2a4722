//! Sessions whose time is over: the timeout of a batch session, the lifetime that any may have.

use jiff::Timestamp;

use super::{core::Controller, ended::ending, held::Held, turn::Turn};
use crate::model::{
    change::Level,
    id::SessionId,
    record::{Ending, Step},
    session::{BatchResult, SessionType},
    span::Span,
};

/// The exit code of a command that ran out of time (Backend.AI's).
const OUT_OF_TIME: i64 = -2;

/// Which time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    Timeout,
    Lifetime,
}

#[derive(Clone, Copy, Debug)]
struct Due {
    at: Timestamp,
    limit: Limit,
    span: Span,
}

impl Controller {
    /// When a session that lives is ended whatever it does.
    fn due(&self, held: &Held) -> Option<Due> {
        let session = &held.record.session;
        let started = session.started_at?;
        if held.record.step != Step::Settled || !session.status.is_live() {
            return None;
        }
        let timeout = held.record.spec.timeout;
        let timeout = timeout.filter(|_| session.session_type == SessionType::Batch);
        let lifetime = self.settings.resources.limits.session_lifetime;
        let limits = [(Limit::Timeout, timeout), (Limit::Lifetime, lifetime)];
        limits
            .into_iter()
            .filter_map(|(limit, span)| {
                let span = span?;
                let at = started.checked_add(span.duration()).ok()?;
                Some(Due { at, limit, span })
            })
            .min_by_key(|due| (due.at, due.limit))
    }

    /// Has the session looked after when its time is over.
    pub(super) fn plan_due(&mut self, id: SessionId) {
        let due = self.held.get(&id).and_then(|held| self.due(held));
        if let Some(due) = due {
            self.deadlines.insert((due.at, id));
        }
    }

    /// After a (new) line: what became due without one is due still.
    pub(super) fn plan_all_due(&mut self) {
        let live = self.held.values().filter_map(|held| {
            let due = self.due(held)?;
            Some((due.at, held.id()))
        });
        let live: Vec<_> = live.collect();
        self.deadlines.extend(live);
    }

    /// Ends the session if its time is over. One that is being looked at may have ended by itself:
    /// it comes back when it has not.
    pub(super) fn end_if_due(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        let Some(held) = self.held.get(&id) else {
            return;
        };
        let Some(due) = self.due(held).filter(|due| due.at <= now) else {
            return;
        };
        if !self.is_connected() || held.inspecting || held.missed {
            return;
        }
        let ending = match due.limit {
            Limit::Timeout => self.time_is_out(turn, id, due.span),
            Limit::Lifetime => ending(
                "idle-session-lifetime",
                format!(
                    "it lived as long as a session may ({}) and was ended",
                    due.span
                ),
            ),
        };
        self.end_when_due(turn, now, id, ending);
    }

    fn time_is_out(&mut self, turn: &mut Turn, id: SessionId, timeout: Span) -> Ending {
        if let Some(held) = self.change(turn, id) {
            let session = &mut held.record.session;
            session.result = BatchResult::Failure;
            if let Some(kernel) = session.kernels.first_mut() {
                kernel.exit_code = Some(OUT_OF_TIME);
            }
        }
        let text = format!(
            "its command ran longer than its timeout of {timeout} and was ended (exit code \
             {OUT_OF_TIME})"
        );
        ending("task-timeout", text)
    }

    /// Asks a running session to end, as it was decided.
    fn end_when_due(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, ending: Ending) {
        let message = ending.message.clone();
        self.begin_ending(turn, now, id, "terminate-sessions", ending);
        let Some(held) = self.change(turn, id) else {
            return;
        };
        held.record.step = Step::Stop;
        if let Some(why) = &message {
            let text = format!("{} is ended: {why}", held.record.session.name);
            turn.message(Level::Warning, Some(id), text);
        }
        self.issue(turn, id);
    }
}
