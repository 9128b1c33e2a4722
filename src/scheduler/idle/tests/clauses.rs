//! The rules of Backend.AI's idle checkers, clause by clause, and our own rules about fairness.

use std::collections::BTreeMap;

use super::facts::{IdleFacts, Says, activity, lifetime, network, utilization};
use crate::{
    model::{
        idle::{IdleChecker, Join, Reprieve},
        session::SessionType,
        span::Span,
    },
    scheduler::tests::play::at,
};

/// What is known, when it is checked, and the expected result.
struct ClauseCase {
    clause: &'static str,
    checker: IdleChecker,
    facts: IdleFacts,
    second: i64,
    says: Says,
}

fn row(clause: &'static str, facts: IdleFacts, second: i64, says: Says) -> ClauseCase {
    let rules = &facts.rules;
    let checker = match (rules.network_timeout, rules.session_lifetime) {
        (Some(_), _) => IdleChecker::NetworkTimeout,
        (_, Some(_)) => IdleChecker::SessionLifetime,
        _ => IdleChecker::Utilization,
    };
    ClauseCase {
        clause,
        checker,
        facts,
        second,
        says,
    }
}

fn with(mut facts: IdleFacts, change: impl FnOnce(&mut IdleFacts)) -> IdleFacts {
    change(&mut facts);
    facts
}

fn of_network() -> Vec<ClauseCase> {
    let facts = || IdleFacts::new(network(600));
    let batch = with(facts(), |f| f.session_type = SessionType::Batch);
    let clause = "network_timeout: remaining = last access - now + timeout";
    let used = with(facts(), |f| f.activity = Some(activity(300, 0)));
    let mut rows = vec![
        row(clause, facts(), 599, Says::Ends(600)),
        row(clause, used.clone(), 700, Says::Ends(900)),
        row(clause, used, 901, Says::Over),
    ];
    let clause = "network_timeout: idle when remaining < 0";
    rows.push(row(clause, facts(), 600, Says::Ends(600)));
    rows.push(row(clause, facts(), 601, Says::Over));
    let clause = "network_timeout: batch sessions are never checked";
    rows.push(row(clause, batch, 9_999, Says::Nothing));
    rows.push(row(clause, facts(), 9_999, Says::Over));
    let clause = "network_timeout: an open connection is activity";
    let open = |count| with(facts(), |f| f.activity = Some(activity(0, count)));
    rows.push(row(clause, open(1), 9_999, Says::Rests));
    rows.push(row(clause, open(0), 9_999, Says::Over));
    let clause = "network_timeout: a last access that is not known is not idle";
    let unknown = with(facts(), |f| f.activity = None);
    rows.push(row(clause, unknown, 9_999, Says::Rests));
    rows.push(row(clause, facts(), 9_999, Says::Over));
    let clause = "network_timeout: a timeout of 0 is never";
    rows.push(row(
        clause,
        IdleFacts::new(network(0)),
        9_999,
        Says::Nothing,
    ));
    rows.push(row(clause, facts(), 9_999, Says::Over));
    let clause = "no checker for inference sessions";
    let serving = with(facts(), |f| f.session_type = SessionType::Inference);
    rows.push(row(clause, serving, 9_999, Says::Nothing));
    rows.push(row(clause, facts(), 9_999, Says::Over));
    rows
}

fn of_lifetime() -> Vec<ClauseCase> {
    let facts = || IdleFacts::new(lifetime(1_000));
    let clause = "session_lifetime: idle when remaining <= 0";
    let mut rows = vec![
        row(clause, facts(), 999, Says::Ends(1_000)),
        row(clause, facts(), 1_000, Says::Over),
    ];
    let clause = "session_lifetime: from its start on, its time in the queue does not count";
    let late = || with(facts(), |f| f.started = 500);
    rows.push(row(clause, late(), 1_499, Says::Ends(1_500)));
    rows.push(row(clause, late(), 1_500, Says::Over));
    let clause = "session_lifetime: 0 is off";
    rows.push(row(
        clause,
        IdleFacts::new(lifetime(0)),
        9_999,
        Says::Nothing,
    ));
    rows.push(row(clause, facts(), 9_999, Says::Over));
    let clause = "session_lifetime: whatever it does";
    let busy = with(facts(), |f| {
        f.session_type = SessionType::Batch;
        f.activity = Some(activity(900, 3));
    });
    rows.push(row(clause, busy.clone(), 900, Says::Ends(1_000)));
    rows.push(row(clause, busy, 1_001, Says::Over));
    rows
}

fn of_grace_and_window() -> Vec<ClauseCase> {
    let facts = || IdleFacts::new(utilization(Join::And, &[("cpu_util", 5)]));
    let clause = "utilization: nothing counts in the initial grace period";
    let graced = || {
        with(facts(), |f| {
            let rules = f.rules.utilization.as_mut().unwrap();
            rules.initial_grace_period = Span(300);
        })
    };
    let mut rows = vec![
        // remaining = end of the grace period - now + window
        row(clause, graced(), 0, Says::Grace(400)),
        row(clause, graced(), 299, Says::Grace(400)),
        row(clause, graced().using(300, 400, 0, 0), 400, Says::Over),
    ];
    let clause = "utilization: judged once the first sample + window has passed";
    rows.push(row(clause, facts(), 99, Says::Rests));
    let young = facts().using(0, 95, 0, 0);
    rows.push(row(clause, young, 99, Says::Ends(100)));
    let whole = facts().using(0, 100, 0, 0);
    rows.push(row(clause, whole, 100, Says::Over));
    let clause = "utilization: fine when the average is at the threshold";
    let at_it = facts().using(0, 200, 50, 0);
    rows.push(row(clause, at_it, 200, Says::Rests));
    let below = facts().using(0, 200, 49, 0);
    rows.push(row(clause, below, 200, Says::Over));
    let clause = "utilization: the average of the window counts, not what was before";
    let slept = facts().using(0, 100, 900, 0).using(105, 400, 0, 0);
    rows.push(row(clause, slept, 400, Says::Over));
    let woke = facts().using(0, 300, 0, 0).using(305, 315, 900, 0);
    rows.push(row(clause, woke, 315, Says::Rests));
    let clause = "utilization: a series with a hole restarts";
    let hole = facts().using(0, 200, 0, 0).using(230, 300, 0, 0);
    rows.push(row(clause, hole, 300, Says::Ends(330)));
    let none = facts().using(0, 330, 0, 0);
    rows.push(row(clause, none, 330, Says::Over));
    let clause = "utilization: figures that are old tell nothing";
    let old = facts().using(0, 200, 0, 0);
    rows.push(row(clause, old.clone(), 221, Says::Rests));
    rows.push(row(clause, old, 220, Says::Over));
    rows
}

fn of_thresholds() -> Vec<ClauseCase> {
    let both = [("cpu_util", 5), ("mem", 10)];
    let and = || IdleFacts::new(utilization(Join::And, &both));
    let or = || IdleFacts::new(utilization(Join::Or, &both));
    let clause = "utilization: and = only when all are below";
    let mut rows = vec![
        row(clause, and().using(0, 200, 0, 50), 200, Says::Rests),
        row(clause, and().using(0, 200, 900, 0), 200, Says::Rests),
        row(clause, and().using(0, 200, 0, 0), 200, Says::Over),
    ];
    let clause = "utilization: or = when any is below";
    rows.push(row(clause, or().using(0, 200, 900, 50), 200, Says::Rests));
    rows.push(row(clause, or().using(0, 200, 0, 50), 200, Says::Over));
    rows.push(row(clause, or().using(0, 200, 900, 0), 200, Says::Over));
    let clause = "utilization: mem = used / asked";
    let mem = |used| IdleFacts::new(utilization(Join::And, &both[1..])).using(0, 200, 0, used);
    rows.push(row(clause, mem(10), 200, Says::Rests));
    rows.push(row(clause, mem(9), 200, Says::Over));
    let clause = "utilization: cpu_util = busy / cores asked";
    let cpu = |cores: u64| {
        let facts = IdleFacts::new(utilization(Join::And, &both[..1])).using(0, 200, 150, 0);
        with(facts, |f| {
            f.slots.cpu = crate::model::resources::Cpu::from_millis(cores * 1000);
        })
    };
    rows.push(row(clause, cpu(1), 200, Says::Rests));
    rows.push(row(clause, cpu(4), 200, Says::Over));
    let clause = "utilization: what was not asked for is left out";
    let gpu = |asked: u64, busy: u32| {
        let rules = utilization(Join::Or, &[("cpu_util", 5), ("cuda_util", 5)]);
        let facts = IdleFacts::new(rules).using(0, 200, 900, 0).devices(busy);
        with(facts, |f| {
            f.slots.accelerators.insert("cuda.device".to_owned(), asked);
        })
    };
    rows.push(row(clause, gpu(0, 0), 200, Says::Rests));
    rows.push(row(clause, gpu(1_000, 9_000), 200, Says::Rests));
    rows.push(row(clause, gpu(1_000, 0), 200, Says::Over));
    let clause = "utilization: what has no value is left out";
    let unknown = |cpu: u64| {
        let facts = gpu(1_000, 0);
        with(facts, |f| {
            f.samples.clear();
            *f = f.clone().using(0, 200, cpu, 0);
        })
    };
    rows.push(row(clause, unknown(900), 200, Says::Rests));
    rows.push(row(clause, unknown(0), 200, Says::Over));
    let clause = "utilization: without any value never";
    let blind = |value: bool| {
        let facts = IdleFacts::new(utilization(Join::Or, &both[..1])).using(0, 200, 0, 0);
        with(facts, |f| {
            for sample in f.samples.iter_mut().filter(|_| !value) {
                sample.cpu = None;
            }
        })
    };
    rows.push(row(clause, blind(false), 200, Says::Rests));
    rows.push(row(clause, blind(true), 200, Says::Over));
    let clause = "utilization: nothing watched = never";
    let watching = |count: usize| {
        let facts = IdleFacts::new(utilization(Join::Or, &both[..count]));
        facts.using(0, 200, 0, 0)
    };
    rows.push(row(clause, watching(0), 200, Says::Nothing));
    rows.push(row(clause, watching(1), 200, Says::Over));
    rows
}

fn of_fairness() -> Vec<ClauseCase> {
    let facts = || IdleFacts::new(network(600));
    let since = |second| with(facts(), |f| f.watched_since = second);
    let clause = "no end without notice: a fifth of the limit after it could first be reported";
    let mut rows = vec![
        row(clause, since(5_000), 5_000, Says::Ends(5_120)),
        row(clause, since(5_000), 5_121, Says::Over),
    ];
    let clause = "no end without notice: five minutes are enough";
    let long = || {
        with(IdleFacts::new(lifetime(86_400)), |f| {
            f.watched_since = 90_000;
        })
    };
    rows.push(row(clause, long(), 90_299, Says::Ends(90_300)));
    rows.push(row(clause, long(), 90_300, Says::Over));
    let clause = "no end without notice: a second at least";
    let short = || with(IdleFacts::new(lifetime(2)), |f| f.watched_since = 10);
    rows.push(row(clause, short(), 10, Says::Ends(11)));
    rows.push(row(clause, short(), 11, Says::Over));
    let clause = "no end without notice: a fifth of the window after use went down";
    let busy =
        || IdleFacts::new(utilization(Join::And, &[("cpu_util", 50)])).using(0, 200, 1_000, 0);
    // The average falls below a half after 50 s without use.
    let rests = busy().using(205, 265, 0, 0);
    let Says::Ends(end) = rests.says(&IdleChecker::Utilization, 265) else {
        panic!("it has rested for more than half of the window");
    };
    assert!((270..=285).contains(&end), "{end}");
    rows.push(row(clause, rests, 266, Says::Ends(end)));
    rows.push(row(clause, busy().using(205, 300, 0, 0), end, Says::Over));
    let clause = "a clock that was set back: times in the future become now";
    let ahead = with(facts(), |f| f.activity = Some(activity(10_000, 0)));
    rows.push(row(clause, ahead.clone(), 100, Says::Ends(700)));
    rows.push(row(clause, ahead, 10_601, Says::Over));
    let born = with(IdleFacts::new(lifetime(1_000)), |f| f.started = 10_000);
    rows.push(row(clause, born.clone(), 100, Says::Ends(1_100)));
    rows.push(row(clause, born, 11_000, Says::Over));
    let clause = "an exempt session is not terminated";
    let exempt = |exempt| with(facts(), |f| f.reprieve.exempt = exempt);
    rows.push(row(clause, exempt(true), 9_999, Says::Rests));
    rows.push(row(clause, exempt(false), 9_999, Says::Over));
    let clause = "an extended session is not terminated before";
    let extended = with(facts(), |f| {
        f.reprieve = Reprieve {
            extended: 1,
            until: Some(at(2_000)),
            ..Reprieve::default()
        };
    });
    rows.push(row(clause, extended.clone(), 1_999, Says::Ends(2_000)));
    rows.push(row(clause, extended, 2_001, Says::Over));
    rows
}

#[test]
fn every_clause_holds_for_sessions_that_live_and_for_those_that_end() {
    let parts = [
        of_network(),
        of_lifetime(),
        of_grace_and_window(),
        of_thresholds(),
        of_fairness(),
    ];
    let mut outcomes: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for row in parts.into_iter().flatten() {
        let said = row.facts.says(&row.checker, row.second);
        assert_eq!(said, row.says, "{} at {}", row.clause, row.second);
        let (lives, ends) = outcomes.entry(row.clause).or_default();
        *lives |= said != Says::Over;
        *ends |= said == Says::Over;
    }
    for (clause, both) in outcomes {
        assert_eq!(both, (true, true), "{clause}: a row is missing");
    }
}

#[test]
fn figures_are_reported_beside_the_verdict() {
    let rules = utilization(Join::And, &[("cpu_util", 5), ("mem", 10), ("cuda_util", 5)]);
    let mut facts = IdleFacts::new(rules).using(0, 200, 42, 0);
    facts.slots.accelerators.insert("cuda.device".into(), 1_000);
    for sample in &mut facts.samples {
        sample.mem = crate::model::resources::Bytes(12_800_000);
    }
    let check = facts.evaluated(200).remove(0);
    assert_eq!(
        (check.limit, check.join),
        (Some(Span(100)), Some(Join::And))
    );
    let readings = check.resources.iter();
    let readings: Vec<_> = readings
        .map(|it| (it.resource.as_str(), it.average, it.threshold))
        .collect();
    // Memory is in whole percents. A resource without a value is reported as such.
    let expected = [
        ("cpu_util", 420, 500),
        ("cuda_util", -1, 500),
        ("mem", 1_200, 1_000),
    ];
    assert_eq!(readings, expected);
}
