//! Any queue of sessions with timeouts: sessions that pass never delay the first one in the queue.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::{
    model::{
        id::SessionId,
        policy::{Backfill, GroupRules, ResourceRules},
        resources::{Bytes, Cpu, ResourceSlots},
    },
    scheduler::{
        queue::{
            backfill::Holding,
            decide::{Decision, Waiter, decide},
            room::Room,
        },
        tests::play::{at, info},
    },
};

/// A session: creation time, CPU, MiB, its timeout, its real duration (in tenths of its timeout),
/// and its priority.
#[derive(Clone, Debug)]
struct Comes {
    at: i64,
    cpu: u64,
    mem: u64,
    timeout: i64,
    tenths: i64,
    priority: i32,
}

fn comes() -> impl Strategy<Value = Comes> {
    let times = (0..60_i64, 1..90_i64, 1..11_i64);
    (times, 1..41_u64, 1..1000_u64, 0..2_i32).prop_map(
        |((at, timeout, tenths), cpu, mem, priority)| Comes {
            at,
            cpu: cpu * 100,
            mem,
            timeout,
            tenths,
            priority,
        },
    )
}

fn rules(backfill: Backfill, most: Option<u32>) -> ResourceRules {
    let mut rules = ResourceRules::default();
    let group = GroupRules {
        backfill,
        ..GroupRules::default()
    };
    rules.groups.insert("default".to_owned(), group);
    rules.limits.concurrent_sessions = most;
    rules
}

fn id(number: usize) -> SessionId {
    SessionId::from_u128(((number as u128) + 1) << 96)
}

/// A machine on which sessions are launched, run and end.
struct SimulatedMachine<'a> {
    rules: &'a ResourceRules,
    all: &'a [Comes],
    begun: BTreeMap<usize, i64>,
    /// The announced start of the first session in the queue, since it is the first.
    promised: BTreeMap<SessionId, Timestamp>,
    passed: usize,
}

impl SimulatedMachine<'_> {
    fn slots(&self, number: usize) -> ResourceSlots {
        let it = &self.all[number];
        ResourceSlots::new(Cpu::from_millis(it.cpu), Bytes::mib(it.mem))
    }

    fn ends(&self, number: usize) -> i64 {
        let it = &self.all[number];
        self.begun[&number] + (it.timeout * it.tenths / 10).max(1).min(it.timeout)
    }

    fn round(&mut self, now: i64) -> Decision {
        let mut room = Room::new(self.rules, &info(), &ResourceSlots::default());
        let running: Vec<usize> = self.begun.keys().copied().collect();
        let mut holdings = Vec::new();
        for number in running.into_iter().filter(|it| self.ends(*it) > now) {
            let slots = self.slots(number);
            room.take("default", &slots);
            holdings.push(Holding {
                group: "default",
                slots,
                ends_at: Some(at(self.begun[&number] + self.all[number].timeout)),
            });
        }
        let waits = (0..self.all.len())
            .filter(|it| self.all[*it].at <= now && !self.begun.contains_key(it));
        let waiters: Vec<Waiter<'static>> = waits.map(|number| self.waiter(number)).collect();
        decide(self.rules, room, holdings, &waiters, at(now))
    }

    fn waiter(&self, number: usize) -> Waiter<'static> {
        let it = &self.all[number];
        Waiter {
            id: id(number),
            name: "",
            group: "default",
            priority: it.priority,
            created_at: at(it.at),
            starts_at: None,
            since: at(it.at),
            runs_for: Some(SignedDuration::from_secs(it.timeout)),
            requested: self.slots(number),
            retries: 0,
        }
    }
}

/// Runs until all sessions have ended; `Err` is what went wrong.
fn run(rules: &ResourceRules, all: &[Comes]) -> Result<usize, TestCaseError> {
    let mut machine = SimulatedMachine {
        rules,
        all,
        begun: BTreeMap::new(),
        promised: BTreeMap::new(),
        passed: 0,
    };
    let longest: i64 = all.iter().map(|it| it.timeout).sum();
    for now in 0..=(60 + longest) {
        let decision = machine.round(now);
        for begins in &decision.begin {
            let number = (0..all.len()).find(|it| id(*it) == *begins).unwrap();
            if let Some(promised) = machine.promised.get(begins) {
                prop_assert!(at(now) <= *promised, "{begins:?} starts later: {promised}");
            }
            machine.begun.insert(number, now);
        }
        let first = decision
            .lines
            .groups
            .get("default")
            .and_then(|line| line.first());
        let came = |of: &SessionId| {
            let number = (0..all.len()).find(|it| id(*it) == *of);
            all[number.unwrap()].at
        };
        let later = decision
            .begin
            .iter()
            .filter(|begun| first.is_some_and(|first| came(begun) > came(&first.id)));
        machine.passed += later.count();
        // Only a later session with a higher priority may delay the first one.
        let first = first.map(|placed| (placed.id, placed.starts_by));
        let priority = |of: &SessionId| {
            let number = (0..all.len()).find(|it| id(*it) == *of);
            all[number.unwrap()].priority
        };
        let urgent = decision.begin.iter().map(priority).max();
        machine.promised.retain(|id, _| {
            first.is_some_and(|(it, _)| it == *id) && urgent.is_none_or(|it| it <= priority(id))
        });
        if let Some((id, starts_by)) = first {
            let starts_by = starts_by.expect("every timeout is known");
            let promised = machine.promised.entry(id).or_insert(starts_by);
            prop_assert!(starts_by <= *promised, "{id:?} is put off to {starts_by}");
            *promised = starts_by;
        }
    }
    prop_assert_eq!(machine.begun.len(), all.len(), "not all have begun");
    Ok(machine.passed)
}

proptest! {
    #[test]
    fn the_first_is_never_delayed_beyond_its_earliest_start(
        all in proptest::collection::vec(comes(), 1..25),
        safe in any::<bool>(),
        most in proptest::option::of(1..6_u32),
    ) {
        let backfill = if safe { Backfill::Safe } else { Backfill::On };
        run(&rules(backfill, most), &all)?;
    }
}

/// The property above would also hold for a queue without any passing.
#[test]
fn sessions_do_pass() {
    let job = |at, cpu, timeout| Comes {
        at,
        cpu,
        mem: 10,
        timeout,
        tenths: 10,
        priority: 0,
    };
    let all = [
        job(0, 3000, 50),
        job(1, 4000, 50),
        job(2, 500, 20),
        job(3, 500, 90),
    ];
    assert_eq!(run(&rules(Backfill::Safe, None), &all).unwrap(), 1);
    assert_eq!(run(&rules(Backfill::Off, None), &all).unwrap(), 0);
}
