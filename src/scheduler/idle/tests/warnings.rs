//! When and how often warnings are sent.

use crate::{
    model::{
        id::SessionId,
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleState},
        span::Span,
    },
    scheduler::tests::play::at,
    state_machine::warnings::Warner,
};

const ID: SessionId = SessionId::from_u128(7);

fn ends(until: i64, limit: Option<u64>) -> IdleCheck {
    let state = IdleState::Counting { until: at(until) };
    IdleCheck {
        limit: limit.map(Span),
        ..IdleCheck::new(IdleChecker::NetworkTimeout, state)
    }
}

/// Lets time pass. Returns the seconds with a warning.
fn warned(warner: &mut Warner, from: i64, to: i64, checks: &[IdleCheck]) -> Vec<i64> {
    let mut seconds = Vec::new();
    seconds.extend(warner.look(at(from), ID, checks).map(|_| from));
    while let Some(due) = warner.next_deadline().filter(|due| *due <= at(to)) {
        let sessions: Vec<SessionId> = warner.due(due).collect();
        assert_eq!(sessions, [ID]);
        let second = due.as_second() - at(0).as_second();
        seconds.extend(warner.look(due, ID, checks).map(|_| second));
    }
    seconds
}

#[test]
fn each_mark_once_and_only_those_shorter_than_the_limit() {
    let hour = [ends(3_600, Some(3_600))];
    let all = warned(&mut Warner::default(), 0, 3_600, &hour);
    assert_eq!(all, [1_800, 3_000, 3_300, 3_540]);
    let half = [ends(1_800, Some(1_800))];
    let all = warned(&mut Warner::default(), 0, 1_800, &half);
    assert_eq!(all, [1_200, 1_500, 1_740]);
    let short = [ends(60, Some(60))];
    assert_eq!(warned(&mut Warner::default(), 0, 60, &short), [30]);
    // A manager doesn't report its limits.
    let unknown = [ends(2_000, None)];
    let all = warned(&mut Warner::default(), 0, 2_000, &unknown);
    assert_eq!(all, [200, 1_400, 1_700, 1_940]);
}

#[test]
fn a_late_client_is_notified_once_at_once() {
    let soon = [ends(290, Some(3_600))];
    assert_eq!(warned(&mut Warner::default(), 0, 290, &soon), [0, 230]);
}

#[test]
fn an_end_that_moved_later_is_warned_of_once_more() {
    let mut warner = Warner::default();
    let limit = Some(3_600);
    let first = [ends(3_600, limit)];
    assert_eq!(warned(&mut warner, 0, 3_305, &first), [1_800, 3_000, 3_300]);
    // A small change of the end doesn't warn again.
    let trembling = [ends(3_610, limit)];
    assert_eq!(warned(&mut warner, 3_306, 3_330, &trembling), [0_i64; 0]);
    // Now the end is 20 minutes away: the mark at 30 has passed, those at 10, 5 and 1 haven't.
    let later = [ends(4_600, limit)];
    assert_eq!(
        warned(&mut warner, 3_400, 4_600, &later),
        [4_000, 4_300, 4_540]
    );
}

#[test]
fn only_the_nearest_end_is_warned_of() {
    let mut lifetime = ends(3_600, Some(86_400));
    lifetime.checker = IdleChecker::SessionLifetime;
    let mut grace = ends(100, Some(3_600));
    grace.basis = IdleBasis::GracePeriod;
    let checks = [ends(7_200, Some(86_400)), lifetime, grace];
    let mut warner = Warner::default();
    let said = warner.look(at(3_400), ID, &checks).unwrap();
    assert_eq!(said.checker, IdleChecker::SessionLifetime);
    assert_eq!(
        said.sentence("train"),
        "train will be reclaimed in 3 min: it reaches its maximum lifetime"
    );
    let resting = [IdleCheck::new(
        IdleChecker::Utilization,
        IdleState::NotCounting,
    )];
    assert_eq!(warner.look(at(3_500), ID, &resting), None);
    assert_eq!(warner.next_deadline(), None);
}
