//! One round: who begins, who is held up by what.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use jiff::Timestamp;

use super::{hold::Hold, room::Room};
use crate::model::{
    id::SessionId,
    policy::{GroupRules, QueueOrder, ResourceRules},
    resources::ResourceSlots,
};

/// A session that waits.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Waiter<'a> {
    pub id: SessionId,
    pub group: &'a str,
    pub priority: i32,
    pub created_at: Timestamp,
    pub starts_at: Option<Timestamp>,
    /// Of all its containers.
    pub wants: ResourceSlots,
    /// How often it was tried and did not fit.
    pub retries: u32,
}

/// What a round has decided.
#[derive(Debug, Default, PartialEq)]
pub(in crate::controller) struct Decision {
    /// In the order they begin.
    pub begin: Vec<SessionId>,
    pub lines: Lines,
}

/// Who waits, and why.
#[derive(Debug, Default, PartialEq)]
pub(in crate::controller) struct Lines {
    /// By group, the first in line first.
    pub groups: BTreeMap<String, Vec<Placed>>,
    /// Not in line yet: they have a time to start.
    pub early: Vec<(SessionId, Timestamp)>,
}

/// A place in line.
#[derive(Debug, PartialEq)]
pub(in crate::controller) struct Placed {
    pub id: SessionId,
    pub why: Why,
}

#[derive(Debug, PartialEq)]
pub(in crate::controller) enum Why {
    /// It was tried.
    Tried(Hold),
    /// The one that holds its group up.
    Behind(SessionId),
}

/// A group's line while it is gone through.
struct Queue<'w, 'a> {
    waiters: Vec<&'w Waiter<'a>>,
    next: usize,
    /// Who holds the rest up.
    blocked_by: Option<SessionId>,
    skip_after: u32,
    placed: Vec<Placed>,
}

/// Goes through all lines, the most urgent head first, until everybody has begun or is held up.
pub(in crate::controller) fn decide(
    rules: &ResourceRules,
    mut room: Room<'_>,
    waiters: &[Waiter<'_>],
    now: Timestamp,
) -> Decision {
    let mut decision = Decision::default();
    let mut queues = in_order(rules, waiters, now, &mut decision.lines.early);
    while let Some(queue) = most_urgent(&mut queues) {
        let waiter = queue.waiters[queue.next];
        queue.next += 1;
        match room.refuses(waiter.group, &waiter.wants) {
            None => {
                room.take(waiter.group, &waiter.wants);
                decision.begin.push(waiter.id);
            }
            Some(hold) => {
                let tried_enough = queue.skip_after > 0 && waiter.retries >= queue.skip_after;
                // What can never begin holds up nobody.
                let hopeless = matches!(hold, Hold::Never(_) | Hold::NoGroup);
                if !tried_enough && !hopeless {
                    queue.blocked_by = Some(waiter.id);
                }
                queue.placed.push(Placed {
                    id: waiter.id,
                    why: Why::Tried(hold),
                });
            }
        }
    }
    for (group, mut queue) in queues {
        if let Some(by) = queue.blocked_by {
            let rest = queue.waiters[queue.next..].iter();
            queue.placed.extend(rest.map(|waiter| Placed {
                id: waiter.id,
                why: Why::Behind(by),
            }));
        }
        if !queue.placed.is_empty() {
            decision.lines.groups.insert(group.to_owned(), queue.placed);
        }
    }
    decision
}

/// Each group's line, and those who may not begin yet.
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

/// The highest priority first; of the same the oldest, or the newest; ids settle the rest.
fn precedes(order: QueueOrder, one: &Waiter<'_>, other: &Waiter<'_>) -> Ordering {
    let age = match order {
        QueueOrder::Fifo => one.created_at.cmp(&other.created_at),
        QueueOrder::Lifo => other.created_at.cmp(&one.created_at),
    };
    Reverse(one.priority)
        .cmp(&Reverse(other.priority))
        .then(age)
        .then(one.id.cmp(&other.id))
}

/// Groups share the machine: of all their heads the most urgent, then the oldest, is tried first.
fn most_urgent<'q, 'w, 'a>(
    queues: &'q mut BTreeMap<&'a str, Queue<'w, 'a>>,
) -> Option<&'q mut Queue<'w, 'a>> {
    queues
        .values_mut()
        .filter(|queue| queue.blocked_by.is_none() && queue.next < queue.waiters.len())
        .min_by(|one, other| {
            let (one, other) = (one.waiters[one.next], other.waiters[other.next]);
            precedes(QueueOrder::Fifo, one, other)
        })
}
