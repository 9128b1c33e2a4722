//! Reports positions in the queue. When one session begins, ten thousand positions may change. The
//! first ones of each queue are reported at once, and the others gradually, the least recently
//! reported first. Positions aren't stored.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{
    backfill::BehindReason,
    decide::{QueueReason, QueuedSession},
};
use crate::{
    model::{
        change::Change,
        id::SessionId,
        policy::{Backfill, GroupRules},
        span::Span,
        text::Clean,
    },
    scheduler::{core::Scheduler, tracked_session::TrackedSession, turn::Turn},
};

/// How many positions of each queue are reported at once.
pub(super) const AT_ONCE: usize = 100;
/// How many of the other positions are reported at a time.
const LATER: usize = 400;
/// The pause until the next of the others are reported.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// A position in a queue, and the latest start of the session there.
#[derive(Clone, Copy, Default)]
struct QueuePosition {
    number: Option<u32>,
    starts_by: Option<Timestamp>,
}

impl QueuePosition {
    fn of(number: u32, placed: &QueuedSession) -> Self {
        Self {
            number: Some(number),
            starts_by: placed.starts_by,
        }
    }
}

impl Scheduler {
    /// Reports the positions that the last round changed.
    pub(super) fn report_positions(&mut self, turn: &mut Turn, now: Timestamp) {
        let lines = std::mem::take(&mut self.queue.lines);
        for (id, at) in &lines.early {
            let why = super::wait_reason::WaitReason::NotBefore(*at).sentence("");
            self.report_position(turn, *id, QueuePosition::default(), &why);
        }
        let mut stale = Vec::new();
        for (group, line) in &lines.groups {
            for (place, placed) in (0_u32..).zip(line) {
                if (place as usize) < AT_ONCE {
                    let why = self.sentence(group, place, placed);
                    self.report_position(turn, placed.id, QueuePosition::of(place, placed), &why);
                } else if let Some(reported_in) = self.is_stale(placed.id, place) {
                    stale.push((reported_in, group, place, placed));
                }
            }
        }
        stale.sort_by_key(|(reported_in, ..)| *reported_in);
        for (_, group, place, placed) in stale.iter().take(LATER) {
            let why = self.sentence(group, *place, placed);
            self.report_position(turn, placed.id, QueuePosition::of(*place, placed), &why);
        }
        let more = stale.len() > LATER;
        self.queue.report_again_at = more.then(|| now.checked_add(PAUSE).ok()).flatten();
        self.queue.lines = lines;
    }

    fn sentence(&self, group: &str, place: u32, placed: &QueuedSession) -> String {
        let number = u64::from(place) + 1;
        let name = |id: SessionId| {
            let session = self.session(id);
            session.map_or_else(|| id.short(), |session| session.name.to_string())
        };
        match &placed.why {
            QueueReason::Tried(wait_reason) => tr_sent!(
                "{why}; position {number} in queue",
                why = wait_reason.sentence(group),
                number
            ),
            QueueReason::Behind { first, because } => {
                let place = tr_sent!(
                    "position {number} in queue, behind {name}",
                    number,
                    name = name(*first)
                );
                match because {
                    BehindReason::DoesNotFit(wait_reason) => {
                        format!("{place}; {}", wait_reason.sentence(group))
                    }
                    BehindReason::WouldDelay { whom, at } => tr_sent!(
                        "{place}; there is room, but {name} starts by {time} and would start later",
                        place,
                        name = name(*whom),
                        time = at.strftime("%Y-%m-%d %H:%M:%S UTC")
                    ),
                    BehindReason::Aged => tr_sent!(
                        "{place}, which has waited for more than {limit}, so no session may pass it",
                        place,
                        limit = self.age_limit(group)
                    ),
                    BehindReason::InOrder(Backfill::Safe) => tr_sent!(
                        "{place}; there is room, but group {group} lets no session pass one \
                         whose start isn't known",
                        place,
                        group
                    ),
                    BehindReason::InOrder(_) => {
                        tr_sent!(
                            "{place}; group {group} starts its sessions strictly in order",
                            place,
                            group
                        )
                    }
                    BehindReason::Far => place,
                }
            }
        }
    }

    fn age_limit(&self, group: &str) -> Span {
        let groups = &self.settings.resources.groups;
        groups
            .get(group)
            .map_or(GroupRules::AGE_LIMIT, GroupRules::age_limit)
    }

    /// The turn of the last report, if it had another position.
    fn is_stale(&self, id: SessionId, place: u32) -> Option<u64> {
        let tracked = self.tracked.get(&id)?;
        let shown = tracked.record.session.placement.queue_position;
        (shown != Some(place)).then_some(tracked.reported_in)
    }

    fn report_position(&mut self, turn: &mut Turn, id: SessionId, place: QueuePosition, why: &str) {
        let number = self.turn_number;
        let Some(tracked) = self.tracked.get_mut(&id) else {
            return;
        };
        let session = &mut tracked.record.session;
        let same_why = session.status_message.as_ref().is_some_and(|it| *it == why);
        let placement = &mut session.placement;
        let same =
            placement.queue_position == place.number && placement.starts_by == place.starts_by;
        if same && same_why {
            return;
        }
        placement.queue_position = place.number;
        placement.starts_by = place.starts_by;
        session.status_message = Some(Clean::new(why));
        tracked.reported_in = number;
        // The other sessions are reported at the end of the turn, with all their changes.
        if !turn.before.contains_key(&id) {
            let session = Box::new(session.clone());
            turn.changes.push(Change::Session { session });
        }
    }

    /// The number of waiting sessions in each group. Sessions with a later start time don't count.
    pub(in crate::scheduler) fn waiting_by_group(&self) -> BTreeMap<&str, u32> {
        let mut counts = BTreeMap::new();
        let early = self.queue.lines.early.iter().map(|(id, _)| *id);
        let early: BTreeSet<SessionId> = early.collect();
        let in_line = |tracked: &&TrackedSession| !early.contains(&tracked.id());
        for tracked in self.waiting().filter(in_line) {
            *counts
                .entry(tracked.record.spec.resource_group.as_str())
                .or_default() += 1;
        }
        counts
    }
}
