//! One round: who begins, who is held up by what.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use jiff::{SignedDuration, Timestamp};

use super::{
    backfill::{self, Because, DEPTH, Head, Holding},
    hold::Hold,
    room::Room,
};
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
    /// When it came, or may have begun.
    pub since: Timestamp,
    /// Until it has ended, once it may start, at the latest; `None` = nothing ends it.
    pub runs_for: Option<SignedDuration>,
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
    /// Of the one that holds its group up: when it starts at the latest, where that is known.
    pub starts_by: Option<Timestamp>,
}

#[derive(Debug, PartialEq)]
pub(in crate::controller) enum Why {
    /// It was tried.
    Tried(Hold),
    /// Another one holds its group up.
    Behind { first: SessionId, because: Because },
}

/// A group's line while it is gone through.
struct Queue<'w, 'a> {
    waiters: Vec<&'w Waiter<'a>>,
    next: usize,
    /// Who holds the rest up.
    blocked_by: Option<&'w Waiter<'a>>,
    skip_after: u32,
    placed: Vec<Placed>,
}

/// Goes through all lines, the most urgent head first, until everybody has begun or is held up; then through
/// those behind the heads, who begin where that delays no head.
pub(in crate::controller) fn decide<'a>(
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
        match room.refuses(waiter.group, &waiter.wants) {
            None => {
                room.take(waiter.group, &waiter.wants);
                holdings.push(Holding {
                    group: waiter.group,
                    slots: waiter.wants.clone(),
                    ends_at: waiter.ends_at(now),
                });
                decision.begin.push(waiter.id);
            }
            Some(hold) => queue.hold_up(waiter, hold),
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
            queue.tell_start(head);
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

/// Those behind the heads, the most urgent first.
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
            Because::Far
        } else if let Some(hold) = room.refuses(waiter.group, &waiter.wants) {
            Because::Hold(hold)
        } else if let Err(because) = backfill::permit(&heads, waiter, now) {
            because
        } else {
            room.take(waiter.group, &waiter.wants);
            backfill::note_passed(&mut heads, waiter, now);
            begin.push(waiter.id);
            continue;
        };
        queue.place_behind(waiter.id, because);
    }
}

impl<'w, 'a> Queue<'w, 'a> {
    /// It does not fit: it holds up the others, unless it was tried often enough or never fits.
    fn hold_up(&mut self, waiter: &'w Waiter<'a>, hold: Hold) {
        let tried_enough = self.skip_after > 0 && waiter.retries >= self.skip_after;
        let hopeless = matches!(hold, Hold::Never(_) | Hold::NoGroup);
        if !tried_enough && !hopeless {
            self.blocked_by = Some(waiter);
        }
        self.placed.push(Placed {
            id: waiter.id,
            why: Why::Tried(hold),
            starts_by: None,
        });
    }

    fn tell_start(&mut self, head: &Head<'_>) {
        let mut placed = self.placed.iter_mut();
        if let Some(placed) = placed.find(|placed| placed.id == head.id) {
            placed.starts_by = head.starts_by();
        }
    }

    fn place_behind(&mut self, id: SessionId, because: Because) {
        if let Some(first) = self.blocked_by {
            let first = first.id;
            self.placed.push(Placed {
                id,
                why: Why::Behind { first, because },
                starts_by: None,
            });
        }
    }
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

/// Groups share the machine: of all heads of such queues the most urgent, then the oldest, is tried first.
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
