//! How often the queue has tried a session: many tries for one reason are one entry of its history.

use jiff::Timestamp;

use super::{
    decide::order_of,
    hold::{Hold, steps},
};
use crate::{
    controller::{core::Controller, turn::Turn},
    model::{
        history::{HistoryEntry, Outcome},
        id::SessionId,
        record::Write,
        status::Status,
        text::Clean,
    },
};

/// The phase of all that a queue decides.
pub(super) const PHASE: &str = "schedule-sessions";

/// The tries since this daemon began, or since the session came.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Tries {
    first: Timestamp,
    last: Timestamp,
    count: u32,
    /// How many of them its history knows.
    written: u32,
    /// The entries they are in; each reason has its own.
    entries: u32,
    hold: Hold,
}

/// Beyond so many entries the last one is told anew with each reason: two reasons may take turns for days.
const ENTRIES: u32 = 20;

impl Tries {
    fn begin(now: Timestamp, hold: &Hold, entries: u32) -> Self {
        Self {
            first: now,
            last: now,
            count: 1,
            written: 0,
            entries,
            hold: hold.clone(),
        }
    }
}

impl Controller {
    /// It was tried and did not fit. Its history is written when that is new, or for a new reason.
    pub(super) fn note_try(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, hold: &Hold) {
        let Some(held) = self.held.get_mut(&id) else {
            return;
        };
        held.record.retries = held.record.retries.saturating_add(1);
        let entries = held.tries.as_ref().map_or(0, |tries| tries.entries);
        let fresh = match &mut held.tries {
            Some(tries) if tries.hold.is_like(hold) || entries >= ENTRIES => {
                let fresh = !tries.hold.is_like(hold);
                tries.last = now;
                tries.count = tries.count.saturating_add(1);
                tries.hold.clone_from(hold);
                fresh
            }
            _ => true,
        };
        if !fresh {
            return;
        }
        // What was tried for the reason before is complete.
        self.write_tries(turn, id);
        if let Some(held) = self.held.get_mut(&id)
            && held.tries.as_ref().is_none_or(|it| !it.hold.is_like(hold))
        {
            held.tries = Some(Tries::begin(now, hold, entries + 1));
            self.write_tries(turn, id);
        }
    }

    /// What was not written yet of the tries.
    pub(super) fn write_tries(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(held) = self.held.get_mut(&id) else {
            return;
        };
        let group = &held.record.spec.resource_group;
        let order = order_of(&self.settings.resources, group);
        let Some(tries) = held.tries.as_mut().filter(|it| it.written < it.count) else {
            return;
        };
        let entry = HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some(Clean::new(&tries.hold.sentence(group))),
            error_code: Some(tries.hold.code().into()),
            attempts: tries.count,
            until: (tries.count > 1).then_some(tries.last),
            steps: steps(order, Some((&tries.hold, group)), tries.last),
            ..HistoryEntry::new(
                id,
                tries.first,
                PHASE,
                Some(Status::Pending),
                Status::Pending,
            )
        };
        let first = tries.written == 0;
        tries.written = tries.count;
        turn.writes.push(if first {
            Write::History(entry)
        } else {
            Write::HistoryAgain(entry)
        });
    }
}
