//! One round: decides which sessions begin, and what blocks the others.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use jiff::{SignedDuration, Timestamp};

use super::{
    backfill::{self, BehindReason, DEPTH, Head, Holding},
    room::Room,
    wait_reason::WaitReason,
};
use crate::model::{
    id::SessionId,
    natural,
    policy::{GroupRules, QueueOrder, ResourceRules},
    resources::ResourceSlots,
};

/// A session in the queue.
#[derive(Clone, Debug)]
pub(in crate::scheduler) struct Waiter<'a> {
    pub id: SessionId,
    pub name: &'a str,
    pub group: &'a str,
    pub priority: i32,
    pub created_at: Timestamp,
    pub starts_at: Option<Timestamp>,
    /// When it was created, or could have started.
    pub since: Timestamp,
    /// The longest time from its start until it has ended; `None` if it has no limit.
    pub runs_for: Option<SignedDuration>,
    /// The resources of all its containers.
    pub requested: ResourceSlots,
    /// How many attempts found no room.
    pub retries: u32,
}

/// The result of a round.
#[derive(Debug, Default, PartialEq)]
pub(in crate::scheduler) struct Decision {
    /// In the order in which they begin.
    pub begin: Vec<SessionId>,
    pub lines: WaitingSessions,
}

/// The waiting sessions, with the reasons.
#[derive(Debug, Default, PartialEq)]
pub(in crate::scheduler) struct WaitingSessions {
    /// The queue of each group, its first session first.
    pub groups: BTreeMap<String, Vec<QueuedSession>>,
    /// Sessions that aren't in a queue yet, because they have a start time.
    pub early: Vec<(SessionId, Timestamp)>,
}

/// A position in a queue.
#[derive(Debug, PartialEq)]
pub(in crate::scheduler) struct QueuedSession {
    pub id: SessionId,
    pub why: QueueReason,
    /// For the session that blocks its group: its latest start, if known.
    pub starts_by: Option<Timestamp>,
}

#[derive(Debug, PartialEq)]
pub(in crate::scheduler) enum QueueReason {
    /// The session was tried and doesn't fit now.
    Tried(WaitReason),
    /// Another session blocks the group.
    Behind {
        first: SessionId,
        because: BehindReason,
    },
}

/// A group's queue during a round.
struct Queue<'w, 'a> {
    waiters: Vec<&'w Waiter<'a>>,
    next: usize,
    /// The session that blocks the rest of the queue.
    blocked_by: Option<&'w Waiter<'a>>,
    skip_after: u32,
    placed: Vec<QueuedSession>,
}

/// Tries the heads of all queues, the most urgent first, until every session has begun or is
/// blocked. Then sessions behind the heads begin if that doesn't delay a head.
pub(in crate::scheduler) fn decide<'a>(
    rules: &'a ResourceRules,
    mut room: Room<'a>,
    mut holdings: Vec<Holding<'a>>,
    waiters: &[Waiter<'a>],
    now: Timestamp,
) -> Decision {
    let mut decision = Decision::default();
    let mut queues = in_order(rules, waiters, now, &mut decision.lines.early);
    while let Some(queue) = most_urgent(&mut queues, |queue| queue.blocked_by.is_none()) {
        let waiter = queue.waiters[queue.next];
        queue.next += 1;
        match room.refuses(waiter.group, &waiter.requested) {
            None => {
                room.take(waiter.group, &waiter.requested);
                holdings.push(Holding {
                    group: waiter.group,
                    slots: waiter.requested.clone(),
                    ends_at: waiter.ends_at(now),
                });
                decision.begin.push(waiter.id);
            }
            Some(wait_reason) => queue.block(waiter, wait_reason),
        }
    }
    let heads = queues.values().filter_map(|queue| queue.blocked_by);
    let heads = heads.map(|head| {
        let rules = rules.groups.get(head.group);
        Head::new(head, rules, &room, &holdings, now)
    });
    let heads: Vec<Head<'_>> = heads.collect();
    for head in &heads {
        if let Some(queue) = queues.get_mut(head.group) {
            queue.note_start(head);
        }
    }
    backfill(&mut queues, room, heads, now, &mut decision.begin);
    for (group, queue) in queues {
        if !queue.placed.is_empty() {
            decision.lines.groups.insert(group.to_owned(), queue.placed);
        }
    }
    decision
}

/// Tries the sessions behind the heads, the most urgent first.
fn backfill<'a>(
    queues: &mut BTreeMap<&'a str, Queue<'_, 'a>>,
    mut room: Room<'a>,
    mut heads: Vec<Head<'a>>,
    now: Timestamp,
    begin: &mut Vec<SessionId>,
) {
    let mut tried = 0;
    while let Some(queue) = most_urgent(queues, |queue| queue.blocked_by.is_some()) {
        let waiter = queue.waiters[queue.next];
        queue.next += 1;
        tried += 1;
        let because = if tried > DEPTH {
            BehindReason::Far
        } else if let Some(wait_reason) = room.refuses(waiter.group, &waiter.requested) {
            BehindReason::DoesNotFit(wait_reason)
        } else if let Err(because) = backfill::permit(&heads, waiter, now) {
            because
        } else {
            room.take(waiter.group, &waiter.requested);
            backfill::note_passed(&mut heads, waiter, now);
            begin.push(waiter.id);
            continue;
        };
        queue.place_behind(waiter.id, because);
    }
}

impl<'w, 'a> Queue<'w, 'a> {
    /// The session doesn't fit. It blocks the ones behind it, unless it was tried often enough or
    /// can never fit.
    fn block(&mut self, waiter: &'w Waiter<'a>, wait_reason: WaitReason) {
        let tried_enough = self.skip_after > 0 && waiter.retries >= self.skip_after;
        let hopeless = matches!(wait_reason, WaitReason::Never(_) | WaitReason::NoGroup);
        if !tried_enough && !hopeless {
            self.blocked_by = Some(waiter);
        }
        self.placed.push(QueuedSession {
            id: waiter.id,
            why: QueueReason::Tried(wait_reason),
            starts_by: None,
        });
    }

    fn note_start(&mut self, head: &Head<'_>) {
        let mut placed = self.placed.iter_mut();
        if let Some(placed) = placed.find(|placed| placed.id == head.id) {
            placed.starts_by = head.starts_by();
        }
    }

    fn place_behind(&mut self, id: SessionId, because: BehindReason) {
        if let Some(first) = self.blocked_by {
            let first = first.id;
            self.placed.push(QueuedSession {
                id,
                why: QueueReason::Behind { first, because },
                starts_by: None,
            });
        }
    }
}

/// Sorts the sessions of each group, and separates those with a later start time.
fn in_order<'w, 'a>(
    rules: &ResourceRules,
    waiters: &'w [Waiter<'a>],
    now: Timestamp,
    early: &mut Vec<(SessionId, Timestamp)>,
) -> BTreeMap<&'a str, Queue<'w, 'a>> {
    let mut queues: BTreeMap<&str, Queue<'_, '_>> = BTreeMap::new();
    for waiter in waiters {
        if let Some(at) = waiter.starts_at.filter(|at| *at > now) {
            early.push((waiter.id, at));
            continue;
        }
        let queue = queues.entry(waiter.group).or_insert_with(|| Queue {
            waiters: Vec::new(),
            next: 0,
            blocked_by: None,
            skip_after: rules
                .groups
                .get(waiter.group)
                .map_or(0, |group| group.num_retries_to_skip),
            placed: Vec::new(),
        });
        queue.waiters.push(waiter);
    }
    early.sort_by_key(|(id, at)| (*at, *id));
    for (group, queue) in &mut queues {
        let order = order_of(rules, group);
        queue
            .waiters
            .sort_unstable_by(|one, other| precedes(order, one, other));
    }
    queues
}

pub(super) fn order_of(rules: &ResourceRules, group: &str) -> QueueOrder {
    let rules: Option<&GroupRules> = rules.groups.get(group);
    rules.map_or_else(QueueOrder::default, |group| group.order)
}

/// The highest priority comes first. Equal priorities are ordered by age, as the group's setting
/// says. Sessions of one launch have the same age: their numbers decide.
fn precedes(order: QueueOrder, one: &Waiter<'_>, other: &Waiter<'_>) -> Ordering {
    let age = match order {
        QueueOrder::Fifo => one.created_at.cmp(&other.created_at),
        QueueOrder::Lifo => other.created_at.cmp(&one.created_at),
    };
    Reverse(one.priority)
        .cmp(&Reverse(other.priority))
        .then(age)
        .then_with(|| natural::compare(one.name, other.name))
        .then(one.id.cmp(&other.id))
}

/// Groups share the machine, so the most urgent head of all these queues is tried first, then the
/// oldest.
fn most_urgent<'q, 'w, 'a>(
    queues: &'q mut BTreeMap<&'a str, Queue<'w, 'a>>,
    of: impl Fn(&Queue<'w, 'a>) -> bool,
) -> Option<&'q mut Queue<'w, 'a>> {
    queues
        .values_mut()
        .filter(|queue| of(queue) && queue.next < queue.waiters.len())
        .min_by(|one, other| {
            let (one, other) = (one.waiters[one.next], other.waiters[other.next]);
            precedes(QueueOrder::Fifo, one, other)
        })
}
