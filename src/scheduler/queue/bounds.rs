//! Sessions that have waited too long.

use jiff::Timestamp;

use crate::{
    model::{history::Outcome, id::SessionId, record::SessionRecord, span::Span},
    scheduler::{core::Scheduler, turn::Turn},
};

/// What is due now, and the time of the next one.
#[derive(Default)]
struct Due {
    now: Vec<SessionId>,
    next: Option<Timestamp>,
}

impl Due {
    fn note(&mut self, id: SessionId, at: Timestamp, now: Timestamp) {
        if at <= now {
            self.now.push(id);
        } else {
            self.next = Some(self.next.map_or(at, |next| next.min(at)));
        }
    }
}

impl Scheduler {
    /// Cancels sessions that have waited longer than the group allows. Returns when the next one is
    /// due.
    pub(super) fn cancel_overdue(&mut self, turn: &mut Turn, now: Timestamp) -> Option<Timestamp> {
        let mut due = Due::default();
        for tracked in self.waiting() {
            let at = self.pending_timeout(&tracked.record).and_then(|timeout| {
                wait_start(&tracked.record)
                    .checked_add(timeout.duration())
                    .ok()
            });
            if let Some(at) = at {
                due.note(tracked.id(), at, now);
            }
        }
        for id in due.now {
            let Some(tracked) = self.tracked.get(&id) else {
                continue;
            };
            let Some(timeout) = self.pending_timeout(&tracked.record) else {
                continue;
            };
            let why = tr_sent!(
                "waited {timeout}, the maximum of group {resource_group}",
                timeout,
                resource_group = tracked.record.spec.resource_group
            );
            self.leave_with(turn, now, id, Outcome::Expired, "pending-timeout", &why);
        }
        due.next
    }

    fn pending_timeout(&self, record: &SessionRecord) -> Option<Span> {
        let groups = &self.settings.resources.groups;
        groups.get(&record.spec.resource_group)?.pending_timeout
    }
}

/// The time until a later start time doesn't count as waiting.
pub(super) fn wait_start(record: &SessionRecord) -> Timestamp {
    let created_at = record.session.created_at;
    record
        .spec
        .starts_at
        .map_or(created_at, |at| at.max(created_at))
}
