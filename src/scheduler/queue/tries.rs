//! The queue's attempts to start a session. Many attempts with the same reason are one entry of its
//! history.

use jiff::Timestamp;

use super::{
    decide::order_of,
    wait_reason::{WaitReason, steps},
};
use crate::{
    model::{
        history::{HistoryEntry, Outcome},
        id::SessionId,
        record::Write,
        status::Status,
        text::Clean,
    },
    scheduler::{core::Scheduler, turn::Turn},
};

/// The phase of all decisions of a queue.
pub(super) const PHASE: &str = "schedule-sessions";

/// The attempts since this daemon started, or since the session was created.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Tries {
    first: Timestamp,
    last: Timestamp,
    count: u32,
    /// How many of them are in its history.
    written: u32,
    /// The number of history entries. Each reason has its own.
    entries: u32,
    wait_reason: WaitReason,
}

/// The most entries. Beyond it, the last entry is rewritten for each new reason, because two
/// reasons may alternate for days.
const ENTRIES: u32 = 20;

impl Tries {
    fn begin(now: Timestamp, wait_reason: &WaitReason, entries: u32) -> Self {
        Self {
            first: now,
            last: now,
            count: 1,
            written: 0,
            entries,
            wait_reason: wait_reason.clone(),
        }
    }
}

impl Scheduler {
    /// Counts an attempt without success. Its history is written the first time, and for every new
    /// reason.
    pub(super) fn note_try(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        wait_reason: &WaitReason,
    ) {
        let Some(tracked) = self.tracked.get_mut(&id) else {
            return;
        };
        tracked.record.retries = tracked.record.retries.saturating_add(1);
        let entries = tracked.tries.as_ref().map_or(0, |tries| tries.entries);
        let fresh = match &mut tracked.tries {
            Some(tries) if tries.wait_reason.is_like(wait_reason) || entries >= ENTRIES => {
                let fresh = !tries.wait_reason.is_like(wait_reason);
                tries.last = now;
                tries.count = tries.count.saturating_add(1);
                tries.wait_reason.clone_from(wait_reason);
                fresh
            }
            _ => true,
        };
        if !fresh {
            return;
        }
        // The attempts for the previous reason are complete.
        self.write_tries(turn, id);
        if let Some(tracked) = self.tracked.get_mut(&id)
            && tracked
                .tries
                .as_ref()
                .is_none_or(|it| !it.wait_reason.is_like(wait_reason))
        {
            tracked.tries = Some(Tries::begin(now, wait_reason, entries + 1));
            self.write_tries(turn, id);
        }
    }

    /// Writes the attempts that aren't in the history yet.
    pub(super) fn write_tries(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(tracked) = self.tracked.get_mut(&id) else {
            return;
        };
        let group = &tracked.record.spec.resource_group;
        let order = order_of(&self.settings.resources, group);
        let Some(tries) = tracked.tries.as_mut().filter(|it| it.written < it.count) else {
            return;
        };
        let entry = HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some(Clean::new(&tries.wait_reason.sentence(group))),
            error_code: Some(tries.wait_reason.code().into()),
            attempts: tries.count,
            until: (tries.count > 1).then_some(tries.last),
            steps: steps(order, Some((&tries.wait_reason, group)), tries.last),
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
