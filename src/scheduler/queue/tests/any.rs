//! Properties of any queue, and a queue of ten thousand sessions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use proptest::prelude::*;

use super::{named, settings};
use crate::{
    model::{
        id::SessionId,
        policy::{Backfill, GroupRules, QueueOrder, ResourceRules},
        record::Step,
        request::SessionRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        status::Status,
    },
    scheduler::{
        queue::{
            decide::{Decision, QueueReason, Waiter, decide},
            positions::AT_ONCE,
            room::Room,
            wait_reason::WaitReason,
        },
        tests::play::{Play, at, info},
    },
};

/// A session: group, priority, creation time, CPU, MiB, how often it was tried.
type Comes = (usize, i32, i64, u64, u64, u32);

const GROUPS: [&str; 3] = ["all", "half", "new"];

fn rules(skip: u32) -> ResourceRules {
    let group = |most: Option<u64>, order| {
        let mut group = GroupRules {
            order,
            num_retries_to_skip: skip,
            backfill: Backfill::Off,
            ..GroupRules::default()
        };
        group.most.cpu = most.map(Cpu::from_millis);
        group
    };
    let groups = [
        ("all".to_owned(), group(None, QueueOrder::Fifo)),
        ("half".to_owned(), group(Some(2000), QueueOrder::Fifo)),
        ("new".to_owned(), group(Some(3000), QueueOrder::Lifo)),
    ];
    let mut rules = ResourceRules {
        groups: groups.into(),
        ..ResourceRules::default()
    };
    rules.limits.concurrent_sessions = Some(6);
    rules
}

fn waiters(all: &[Comes]) -> Vec<Waiter<'static>> {
    let waiter = |(number, it): (u128, &Comes)| Waiter {
        id: SessionId::from_u128(number << 96),
        name: "",
        group: GROUPS[it.0],
        priority: it.1,
        created_at: at(it.2),
        starts_at: (it.2 % 7 == 0).then(|| at(it.2 * 2)),
        since: at(it.2),
        runs_for: None,
        requested: ResourceSlots::new(Cpu::from_millis(it.3), Bytes::mib(it.4)),
        retries: it.5,
    };
    (1..).zip(all).map(waiter).collect()
}

fn comes() -> impl Strategy<Value = Vec<Comes>> {
    let one = (
        0..3_usize,
        0..3_i32,
        0..40_i64,
        1..3500_u64,
        1..600_u64,
        0..5_u32,
    );
    proptest::collection::vec(one, 0..40)
}

fn used() -> impl Strategy<Value = ResourceSlots> {
    (0..5000_u64, 0..1200_u64)
        .prop_map(|(cpu, mem)| ResourceSlots::new(Cpu::from_millis(cpu), Bytes::mib(mem)))
}

fn decided<'a>(
    rules: &'a ResourceRules,
    others: &ResourceSlots,
    all: &[Waiter<'a>],
    now: Timestamp,
) -> Decision {
    let room = Room::new(rules, &info(), others);
    decide(rules, room, Vec::new(), all, now)
}

#[test]
fn sessions_of_one_launch_have_the_order_of_their_numbers() {
    let names: Vec<String> = (1..=12).map(|number| format!("job-{number}")).collect();
    let rules = rules(0);
    let mut all: Vec<Waiter<'_>> = waiters(&[(0, 0, 1, 3000, 1, 0); 12]);
    for (waiter, name) in all.iter_mut().rev().zip(&names) {
        waiter.name = name;
    }
    let decision = decided(&rules, &ResourceSlots::default(), &all, at(30));
    let line = decision.lines.groups["all"].iter().map(|placed| &placed.id);
    let ids = decision.begin.iter().chain(line);
    let found = ids.filter_map(|id| all.iter().find(|it| it.id == *id));
    let found: Vec<&str> = found.map(|it| it.name).collect();
    assert_eq!(found, names);
}

proptest! {
    /// Sessions begin only within the capacity of the machine and its groups, whatever is in use
    /// before.
    #[test]
    fn never_over_capacity(comes in comes(), others in used(), skip in 0..4_u32) {
        let (rules, all) = (rules(skip), waiters(&comes));
        let decision = decided(&rules, &others, &all, at(30));
        let begun: Vec<_> = all.iter().filter(|it| decision.begin.contains(&it.id)).collect();
        let sum = |group: Option<&str>| {
            let of = begun.iter().filter(|it| group.is_none_or(|group| it.group == group));
            of.fold(ResourceSlots::default(), |sum, it| sum.plus(&it.requested))
        };
        let machine = ResourceSlots::new(Cpu::from_millis(4000), Bytes(Bytes::GIB));
        let all_used = sum(None).plus(&others);
        prop_assert!(begun.is_empty() || all_used.fits(&machine), "{all_used:?}");
        prop_assert!(sum(Some("half")).cpu <= Cpu::from_millis(2000));
        prop_assert!(sum(Some("new")).cpu <= Cpu::from_millis(3000));
        prop_assert!(begun.len() <= 6);
    }

    /// Sessions pass others in their group only by the policy, every session is accounted for, and
    /// none begins before its time.
    #[test]
    fn nobody_is_overtaken_or_lost(comes in comes(), others in used(), skip in 0..4_u32) {
        let (rules, all) = (rules(skip), waiters(&comes));
        let decision = decided(&rules, &others, &all, at(30));
        let by_id: BTreeMap<_, _> = all.iter().map(|it| (it.id, it)).collect();
        let mut seen: BTreeSet<SessionId> = decision.begin.iter().copied().collect();
        seen.extend(decision.lines.early.iter().map(|(id, _)| *id));
        for (group, line) in &decision.lines.groups {
            let mut before: Option<&Waiter<'_>> = None;
            for placed in line {
                prop_assert!(seen.insert(placed.id), "twice");
                let waiter = by_id[&placed.id];
                prop_assert_eq!(waiter.group, group.as_str());
                if let Some(before) = before {
                    let age = if group == "new" {
                        before.created_at >= waiter.created_at
                    } else {
                        before.created_at <= waiter.created_at
                    };
                    let first = before.priority > waiter.priority || before.priority == waiter.priority && age;
                    prop_assert!(first, "out of order");
                }
                before = Some(waiter);
            }
            let strict = line.iter().filter(|it| {
                let hopeful = matches!(&it.why, QueueReason::Tried(wait_reason) if !matches!(wait_reason, WaitReason::Never(_)));
                hopeful && (skip == 0 || by_id[&it.id].retries < skip)
            });
            for head in strict {
                let head = by_id[&head.id];
                for id in decision.begin.iter().filter(|id| by_id[id].group == group.as_str()) {
                    let other = by_id[id];
                    let later = (other.priority, std::cmp::Reverse(other.created_at))
                        < (head.priority, std::cmp::Reverse(head.created_at));
                    prop_assert!(group == "new" || !later, "{:?} overtook {:?}", other, head);
                }
            }
        }
        prop_assert_eq!(seen.len(), all.len());
        for id in &decision.begin {
            prop_assert!(by_id[id].starts_at.is_none_or(|start| start <= at(30)));
        }
    }

    /// The result doesn't depend on the order of the records.
    #[test]
    fn the_order_is_stable(comes in comes(), others in used(), skip in 0..4_u32, turn in 0..40_usize) {
        let (rules, mut all) = (rules(skip), waiters(&comes));
        let one = decided(&rules, &others, &all, at(30));
        let middle = turn.min(all.len());
        all.rotate_left(middle);
        prop_assert_eq!(one, decided(&rules, &others, &all, at(30)));
    }

    /// When sessions end one after the other, all waiting sessions begin eventually.
    #[test]
    fn nobody_starves(comes in comes(), skip in 0..4_u32) {
        let rules = rules(skip);
        let mut all = waiters(&comes);
        all.retain(|it| it.group != "half" || it.requested.cpu <= Cpu::from_millis(2000));
        all.retain(|it| it.group != "new" || it.requested.cpu <= Cpu::from_millis(3000));
        for _ in 0..=all.len() {
            // All running sessions have ended by the next round.
            let decision = decided(&rules, &ResourceSlots::default(), &all, at(100));
            prop_assert!(all.is_empty() || !decision.begin.is_empty(), "nobody begins");
            all.retain(|it| !decision.begin.contains(&it.id));
        }
        prop_assert!(all.is_empty(), "{} wait for ever", all.len());
    }
}

/// A full machine with `count` waiting sessions.
fn crowd(count: u128) -> Play {
    let mut settings = settings(|_| ());
    settings.launch.cpu = Cpu::from_millis(4000);
    let mut play = Play::with(settings);
    play.comes(named("runs"));
    let first = play.comes(named("waits"));
    let record = play.stored[&first].clone();
    for number in 0..count {
        let mut record = record.clone();
        record.session.id = SessionId::from_u128((number + 1000) << 64);
        record.session.name = format!("many-{number}").as_str().into();
        play.stored.insert(record.session.id, record);
    }
    play.restart();
    play.work_off();
    play
}

#[test]
fn ten_thousand_wait_and_a_round_neither_writes_nor_reports_them_all() {
    let mut play = crowd(10_000);
    let waiting = |play: &Play| {
        let sessions = play.scheduler.sessions();
        sessions.filter(|it| it.status == Status::Pending).count()
    };
    assert_eq!(waiting(&play), 10_001);
    let places: BTreeSet<_> = play
        .scheduler
        .sessions()
        .filter_map(|session| session.placement.queue_position)
        .collect();
    assert_eq!(places.len(), 10_001, "each has a place of its own");
    let (written, changes) = (play.written, play.changed.len());
    play.wait(15);
    assert_eq!(play.written, written, "nothing changed, nothing is written");
    assert_eq!(
        play.changed.len(),
        changes,
        "nothing changed, nothing is reported"
    );

    let running = play
        .scheduler
        .sessions()
        .find(|it| it.status == Status::Running);
    let running = running.unwrap().id;
    let force = true;
    play.ask(crate::scheduler::fact::SchedulerRequest::session(
        running,
        SessionRequest::Terminate { force },
    ));
    let changes = play.changed.len();
    while waiting(&play) == 10_001 {
        play.carry_out(0, None);
    }
    let changes = play.changed.len() - changes;
    assert!(changes < 10 * AT_ONCE, "{changes} were reported at once");
    let before = play.written;
    play.work_off();
    assert!(
        play.written - before < 100,
        "a round wrote {}",
        play.written - before
    );
    let last = play
        .scheduler
        .sessions()
        .filter_map(|it| it.placement.queue_position);
    assert_eq!(last.max(), Some(9_999), "all have learned their new places");
}

#[test]
fn a_queue_of_hundreds_comes_to_its_end_in_order() {
    let mut play = crowd(300);
    let mut turns = 0;
    loop {
        let running = play
            .scheduler
            .sessions()
            .find(|it| it.status == Status::Running);
        let Some(running) = running.map(|it| it.id) else {
            break;
        };
        let next = play
            .scheduler
            .sessions()
            .find(|it| it.placement.queue_position == Some(0));
        let next = next.map(|it| it.id);
        play.terminate(running);
        if let Some(next) = next {
            assert_eq!(play.status(next), Status::Running, "not the first in line");
        }
        turns += 1;
    }
    assert_eq!(turns, 302);
    assert!(play.stored.values().all(|it| it.step == Step::Settled));
}
