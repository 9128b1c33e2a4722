//! Backfill: lets smaller sessions start before one that waits for room, if that provably doesn't
//! delay it. Its earliest start follows from the timeouts and lifetimes of running sessions. If
//! these aren't known, a setting of the group decides, and only until the first session in the
//! queue has waited too long.

use jiff::Timestamp;

use super::{decide::Waiter, room::Room, wait_reason::WaitReason};
use crate::model::{
    id::SessionId,
    policy::{Backfill, GroupRules},
    resources::ResourceSlots,
};

/// How many sessions behind the head of each queue are tried.
pub(super) const DEPTH: usize = 1000;

/// The resources that a session uses, and when it ends at the latest.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Holding<'a> {
    pub group: &'a str,
    pub slots: ResourceSlots,
    /// `None` if it has no limit.
    pub ends_at: Option<Timestamp>,
}

/// Why a session behind another one doesn't start.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scheduler) enum BehindReason {
    /// It doesn't fit either.
    DoesNotFit(WaitReason),
    /// It fits, but it would delay the session `whom` beyond the time `at`.
    WouldDelay { whom: SessionId, at: Timestamp },
    /// It fits, but the head has waited too long to be passed.
    Aged,
    /// The group keeps its sessions in order, or allows a start only if it provably doesn't delay
    /// others.
    InOrder(Backfill),
    /// It is too far behind in the queue to be tried.
    Far,
}

/// The first session of a queue, which waits for room.
pub(super) struct Head<'a> {
    pub id: SessionId,
    pub group: &'a str,
    backfill: Backfill,
    aged: bool,
    reserved: Option<Reserved<'a>>,
}

/// The earliest time at which a head certainly fits.
struct Reserved<'a> {
    at: Timestamp,
    /// The resources at that time, with the head included.
    room: Room<'a>,
}

impl<'a> Head<'a> {
    pub fn new(
        waiter: &Waiter<'a>,
        rules: Option<&GroupRules>,
        room: &Room<'a>,
        holdings: &[Holding<'a>],
        now: Timestamp,
    ) -> Self {
        let default = GroupRules::default();
        let rules = rules.unwrap_or(&default);
        let limit = rules.age_limit().duration();
        let limit = waiter.since.checked_add(limit);
        Self {
            id: waiter.id,
            group: waiter.group,
            backfill: rules.backfill,
            aged: limit.is_ok_and(|limit| now >= limit),
            reserved: reserve(waiter, room.clone(), holdings, now),
        }
    }

    /// The head's latest start, if every session ends at its limit.
    pub fn starts_by(&self) -> Option<Timestamp> {
        self.reserved.as_ref().map(|reserved| reserved.at)
    }

    fn permits(&self, waiter: &Waiter<'_>, now: Timestamp) -> Result<(), BehindReason> {
        let own = waiter.group == self.group;
        if own && self.backfill == Backfill::Off {
            return Err(BehindReason::InOrder(Backfill::Off));
        }
        match &self.reserved {
            Some(reserved) if reserved.keeps_reservation(waiter, now) => Ok(()),
            Some(reserved) => Err(BehindReason::WouldDelay {
                whom: self.id,
                at: reserved.at,
            }),
            // A group blocks another group only if a delay can be proved.
            None if !own => Ok(()),
            None if self.backfill == Backfill::Safe => Err(BehindReason::InOrder(Backfill::Safe)),
            None if self.aged => Err(BehindReason::Aged),
            None => Ok(()),
        }
    }
}

impl Reserved<'_> {
    /// Whether the head still fits at its time if this session starts now.
    fn keeps_reservation(&self, waiter: &Waiter<'_>, now: Timestamp) -> bool {
        waiter.is_over_by(self.at, now)
            || self.room.refuses(waiter.group, &waiter.requested).is_none()
    }
}

/// Whether the session may start before all heads.
pub(super) fn permit(
    heads: &[Head<'_>],
    waiter: &Waiter<'_>,
    now: Timestamp,
) -> Result<(), BehindReason> {
    let own_first = heads.iter().filter(|head| head.group == waiter.group);
    let others = heads.iter().filter(|head| head.group != waiter.group);
    own_first
        .chain(others)
        .try_for_each(|head| head.permits(waiter, now))
}

/// The session starts now. If it may still run when a head starts, it also takes room at that time.
pub(super) fn note_passed(heads: &mut [Head<'_>], waiter: &Waiter<'_>, now: Timestamp) {
    for reserved in heads.iter_mut().filter_map(|head| head.reserved.as_mut()) {
        if !waiter.is_over_by(reserved.at, now) {
            reserved.room.take(waiter.group, &waiter.requested);
        }
    }
}

fn reserve<'a>(
    head: &Waiter<'a>,
    mut room: Room<'a>,
    holdings: &[Holding<'a>],
    now: Timestamp,
) -> Option<Reserved<'a>> {
    let mut ends: Vec<(Timestamp, &Holding<'_>)> = holdings
        .iter()
        .filter_map(|holding| Some((holding.ends_at?, holding)))
        .collect();
    ends.sort_by_key(|(at, _)| *at);
    for (at, holding) in ends {
        room.subtract(holding.group, &holding.slots);
        if room.refuses(head.group, &head.requested).is_none() {
            room.take(head.group, &head.requested);
            let at = at.max(now);
            return Some(Reserved { at, room });
        }
    }
    None
}

impl Waiter<'_> {
    /// Whether the session has certainly ended by then if it starts now.
    fn is_over_by(&self, at: Timestamp, now: Timestamp) -> bool {
        self.ends_at(now).is_some_and(|end| end <= at)
    }

    /// The latest end of the session if it starts now.
    pub(super) fn ends_at(&self, now: Timestamp) -> Option<Timestamp> {
        now.checked_add(self.runs_for?).ok()
    }
}
