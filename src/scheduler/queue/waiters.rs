//! The waiting sessions and the resources in use, as the scheduler knows them.

use jiff::{SignedDuration, Timestamp};

use super::{
    backfill::Holding,
    bounds::wait_start,
    decide::{Decision, Waiter, decide},
    room::Room,
};
use crate::{
    model::{
        capability::EngineState,
        record::{SessionRecord, Step},
        session::SessionType,
        span::Span,
    },
    scheduler::{core::Scheduler, tracked_session::TrackedSession},
};

impl Scheduler {
    /// The resources of the machine now; `None` without an engine.
    pub(in crate::scheduler) fn room(&self) -> Option<Room<'_>> {
        let EngineState::Connected { info } = &self.connection.state else {
            return None;
        };
        let mut room = Room::new(&self.settings.resources, info, &self.others);
        for tracked in self
            .tracked
            .values()
            .filter(|tracked| uses_resources(&tracked.record))
        {
            let spec = &tracked.record.spec;
            room.take(&spec.resource_group, &spec.total_slots());
        }
        Some(room)
    }

    pub(in crate::scheduler) fn waiting(&self) -> impl Iterator<Item = &TrackedSession> {
        self.tracked
            .values()
            .filter(|tracked| tracked.record.step == Step::Wait)
    }

    /// Runs a round without carrying it out. `more` counts as launched.
    pub(in crate::scheduler) fn weigh(
        &self,
        more: Option<&SessionRecord>,
        now: Timestamp,
    ) -> Option<Decision> {
        let room = self.room()?;
        let there = self.waiting().map(|tracked| &tracked.record);
        let waiters = there.chain(more).map(|record| self.waiter(record));
        let waiters: Vec<Waiter<'_>> = waiters.collect();
        let rules = &self.settings.resources;
        Some(decide(rules, room, self.holdings(now), &waiters, now))
    }

    /// The resources that the user's sessions use, and when each one ends at the latest.
    fn holdings(&self, now: Timestamp) -> Vec<Holding<'_>> {
        let holding = self
            .tracked
            .values()
            .filter(|tracked| uses_resources(&tracked.record));
        let holding = holding.map(|tracked| Holding {
            group: &tracked.record.spec.resource_group,
            slots: tracked.record.spec.total_slots(),
            ends_at: self.ends_at(tracked, now),
        });
        holding.collect()
    }

    fn ends_at(&self, tracked: &TrackedSession, now: Timestamp) -> Option<Timestamp> {
        let record = &tracked.record;
        if record.ending.is_some() {
            return now.checked_add(self.time_to_end()).ok();
        }
        let began = tracked.started_at().unwrap_or(now);
        let end = |limit: Option<Span>| began.checked_add(limit?.duration()).ok();
        let reprieve = record.session.reprieve;
        let lifetime = end(self.lifetime(record)).filter(|_| !reprieve.exempt);
        let lifetime = lifetime.map(|end| reprieve.until.map_or(end, |until| until.max(end)));
        let end = [end(timeout(record)), lifetime]
            .into_iter()
            .flatten()
            .min()?;
        end.checked_add(self.time_to_end()).ok()
    }

    /// The longest time from a request to terminate until the end.
    fn time_to_end(&self) -> SignedDuration {
        let grace = self.settings.engine.stop_grace_seconds;
        SignedDuration::from_secs(i64::from(grace))
    }

    fn lifetime(&self, record: &SessionRecord) -> Option<Span> {
        let mut rules = self.settings.resources.idle.clone();
        rules.tighten(&record.spec.idle);
        rules.session_lifetime.filter(|span| span.0 > 0)
    }

    fn waiter<'a>(&self, record: &'a SessionRecord) -> Waiter<'a> {
        let spec = &record.spec;
        let limits = [timeout(record), self.lifetime(record)];
        let limit = limits.into_iter().flatten().min();
        // The duration of a pull isn't known.
        let limit = limit.filter(|_| !self.lacks_image(spec));
        let begins = TIME_TO_BEGIN + self.time_to_end();
        Waiter {
            id: record.session.id,
            name: record.session.name.as_str(),
            group: &spec.resource_group,
            priority: spec.priority,
            created_at: record.session.created_at,
            starts_at: spec.starts_at,
            since: wait_start(record),
            runs_for: limit.and_then(|limit| limit.duration().checked_add(begins)),
            requested: spec.total_slots(),
            retries: record.retries,
        }
    }
}

/// A generous estimate for creating and starting containers.
const TIME_TO_BEGIN: SignedDuration = SignedDuration::from_secs(30);

/// Only batch sessions have a timeout.
fn timeout(record: &SessionRecord) -> Option<Span> {
    let batch = record.session.session_type == SessionType::Batch;
    record.spec.timeout.filter(|_| batch)
}

/// Whether a session has, or may have, a container.
pub(in crate::scheduler) fn uses_resources(record: &SessionRecord) -> bool {
    let session = &record.session;
    match record.step {
        Step::Wait => false,
        Step::Pull | Step::Create | Step::Start | Step::StopHook | Step::Stop | Step::Remove => {
            true
        }
        Step::Settled => !session.has_ended(),
    }
}
