//! No session is reclaimed without a warning, whatever happens to the clock and the daemon.

use jiff::SignedDuration;
use proptest::prelude::*;

use super::{
    super::evaluate::notice,
    facts::{IdleFacts, activity, lifetime, network, utilization},
    lives::{ends_after_its_notice, pass, play, runs, used},
};
use crate::{
    model::{
        idle::{IdleRules, IdleState, Join, Reprieve},
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::{
        fact::{Fact, UseEvent},
        tests::play::at,
    },
};

/// The machine slept.
const SLEPT: Fact = Fact::Jumped {
    set_by: SignedDuration::ZERO,
};

#[test]
fn a_daemon_that_wasnt_running_warns_before_it_ends() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    play.now += 5_000;
    play.restart();
    ends_after_its_notice(&mut play, id);
}

#[test]
fn a_machine_that_slept_warns_before_it_ends() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    play.now += 5_000;
    play.handle(SLEPT);
    ends_after_its_notice(&mut play, id);
}

#[test]
fn a_clock_that_was_set_back_does_not_make_it_live_for_ever() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    play.now += 100_000;
    play.handle(SLEPT);
    used(&mut play, id, UseEvent::Typed);
    play.now -= 100_000;
    play.handle(SLEPT);
    pass(&mut play, 590);
    assert_eq!(play.status(id), Status::Running);
    pass(&mut play, 30);
    assert_eq!(play.status(id), Status::Terminated);
}

fn rules() -> impl Strategy<Value = IdleRules> {
    prop_oneof![
        (1..5_000_u64).prop_map(network),
        (1..5_000_u64).prop_map(lifetime),
        Just(utilization(Join::And, &[("cpu_util", 5)])),
    ]
}

fn facts() -> impl Strategy<Value = IdleFacts> {
    let second = -6_000..6_000_i64;
    let used = (second.clone(), 0..2_u32);
    let kept = (any::<bool>(), proptest::option::of(second.clone()));
    (rules(), second.clone(), used, kept, second).prop_map(
        |(rules, started, (used, open), (exempt, until), since)| {
            let mut facts = IdleFacts::new(rules).using(0, 200, 0, 0);
            facts.started = started;
            facts.activity = Some(activity(used, open));
            facts.reprieve = Reprieve {
                exempt,
                extended: 0,
                until: until.map(at),
            };
            facts.watched_since = since;
            facts
        },
    )
}

/// One action of the user, or an accident, while a session runs.
#[derive(Clone, Debug)]
enum Stimulus {
    Type,
    Wait(i64),
    Jump(i64),
    Restart(i64),
}

fn stimulus() -> impl Strategy<Value = Stimulus> {
    prop_oneof![
        Just(Stimulus::Type),
        (1..900_i64).prop_map(Stimulus::Wait),
        (-3_000..3_000_i64).prop_map(Stimulus::Jump),
        (0..3_000_i64).prop_map(Stimulus::Restart),
    ]
}

proptest! {
    #[test]
    fn only_a_warned_session_is_over(facts in facts(), second in -6_000..12_000_i64) {
        for check in facts.evaluated(second) {
            let limit = check.limit.unwrap();
            let known = at(facts.watched_since) + notice(limit);
            let kept = facts.reprieve.until.is_some_and(|until| at(second) < until);
            match check.state {
                IdleState::Over => {
                    prop_assert!(at(second) >= known && !kept && !facts.reprieve.exempt);
                }
                IdleState::Counting { until } => prop_assert!(until >= known && until >= at(second)),
                IdleState::NotCounting => {}
            }
        }
    }

    #[test]
    fn nobody_is_ended_unwarned(actions in proptest::collection::vec(stimulus(), 1..12)) {
        let mut play = play(network(600));
        let id = runs(&mut play, LaunchRequest::default());
        // Since when the daemon could warn without a gap.
        let mut since = play.now;
        let mut seen = 0;
        for action in actions {
            match action {
                Stimulus::Type => used(&mut play, id, UseEvent::Typed),
                Stimulus::Wait(seconds) => pass(&mut play, seconds),
                Stimulus::Jump(seconds) => {
                    play.now += seconds;
                    (since, seen) = (play.now, play.notices.len());
                    play.handle(SLEPT);
                }
                Stimulus::Restart(seconds) => {
                    play.now += seconds;
                    (since, seen) = (play.now, play.notices.len());
                    play.restart();
                    pass(&mut play, 1);
                }
            }
            let session = play.session(id);
            if session.status.is_live() {
                continue;
            }
            let ended = session.terminated_at.unwrap();
            prop_assert!(ended >= at(since) + SignedDuration::from_secs(120));
            let warned = &play.notices[seen..];
            prop_assert!(warned.len() >= 2, "{warned:?}");
            prop_assert!(ended.duration_since(warned[0].at).as_secs() >= 119);
            break;
        }
    }
}
