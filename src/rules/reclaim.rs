//! What idle checks mean for a session: which of them reclaims it first, and how soon.

use jiff::Timestamp;

use crate::model::{
    idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
    session::Session,
    span::Span,
};

const HOUR: i64 = 60 * 60;

/// When idle checks reclaim a session, the soonest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reclaim {
    /// The session is over a limit.
    Due,
    At(Timestamp),
    /// A user exempted the session.
    Exempt,
    /// Nothing is counted.
    Never,
}

/// The state of a checker, with the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// There is no data to evaluate.
    NoData,
    /// The checker doesn't apply yet.
    Grace,
    Safe,
    Warning,
    AtRisk,
    Over,
}

impl Standing {
    pub fn word(self) -> &'static str {
        match self {
            Self::NoData => tr!("no data"),
            Self::Grace => tr!("grace period"),
            Self::Safe => tr!("safe"),
            Self::Warning => tr!("warning"),
            Self::AtRisk => tr!("at risk"),
            Self::Over => tr!("over"),
        }
    }
}

/// The check that reclaims a session first, and when.
pub fn nearest(checks: &[IdleCheck]) -> Option<(&IdleCheck, Timestamp)> {
    let ends = checks.iter().filter_map(|check| match check.state {
        IdleState::Counting { until } if check.basis == IdleBasis::ExpireAfter => {
            Some((check, until))
        }
        _ => None,
    });
    ends.min_by_key(|(_, until)| *until)
}

/// When idle checks reclaim a session. Only running sessions are reclaimed.
pub fn reclaim(session: &Session) -> Reclaim {
    let checks = &session.idle_checks;
    if !session.status.is_live() {
        return Reclaim::Never;
    }
    if checks.iter().any(|check| check.state == IdleState::Over) {
        return Reclaim::Due;
    }
    match nearest(checks) {
        Some((_, until)) => Reclaim::At(until),
        None if session.reprieve.exempt => Reclaim::Exempt,
        None => Reclaim::Never,
    }
}

/// Seconds until what the checker announces; `None` = it announces nothing.
pub fn left(check: &IdleCheck, now: Timestamp) -> Option<i64> {
    match check.state {
        IdleState::Counting { until } => Some(until.as_second() - now.as_second()),
        IdleState::NotCounting | IdleState::Over => None,
    }
}

/// The state of a checker at `now`.
pub fn standing(check: &IdleCheck, now: Timestamp) -> Standing {
    let left = left(check, now);
    let grace = check.basis == IdleBasis::GracePeriod;
    match (&check.state, left) {
        (IdleState::Over, _) => Standing::Over,
        (_, Some(_)) if grace => Standing::Grace,
        (_, Some(..0)) => Standing::Over,
        (_, left) if check.checker == IdleChecker::Utilization => of_use(check, left),
        (_, Some(left)) => of_time(left, check.limit),
        (_, None) => Standing::Safe,
    }
}

/// The remaining times below which the state is a warning and at risk. For a short limit, they are a part of
/// it, so that a session doesn't start with a warning.
fn near(limit: Option<Span>) -> (i64, i64) {
    let limit = limit.and_then(|limit| i64::try_from(limit.seconds()).ok());
    let limit = limit.unwrap_or(i64::MAX);
    ((limit / 4).min(4 * HOUR), (limit / 12).min(HOUR))
}

fn of_time(left: i64, limit: Option<Span>) -> Standing {
    let (warning, risk) = near(limit);
    match left {
        _ if left < risk => Standing::AtRisk,
        _ if left < warning => Standing::Warning,
        _ => Standing::Safe,
    }
}

/// While the reclaim time is far away, the figures don't matter. With `and`, one resource in use keeps the
/// session. With `or`, one idle resource reclaims it.
fn of_use(check: &IdleCheck, left: Option<i64>) -> Standing {
    let (far, _) = near(check.limit);
    if left.is_some_and(|left| left >= far) {
        return Standing::Safe;
    }
    let known = check.resources.iter().map(of_resource);
    let known = known.filter(|standing| *standing != Standing::NoData);
    let joined = match check.join.unwrap_or_default() {
        Join::And => known.min(),
        Join::Or => known.max(),
    };
    joined.unwrap_or(Standing::NoData)
}

/// Thresholds are lower bounds. Below twice the threshold is near, and above ten times the threshold is safe.
pub fn of_resource(resource: &IdleResource) -> Standing {
    let IdleResource {
        average, threshold, ..
    } = resource;
    match *average {
        ..0 => Standing::NoData,
        average if average < threshold.saturating_mul(2) => Standing::AtRisk,
        average if average < threshold.saturating_mul(10) => Standing::Warning,
        _ => Standing::Safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_second(1_000_000).unwrap()
    }

    fn counting(checker: IdleChecker, left: i64) -> IdleCheck {
        let until = Timestamp::from_second(1_000_000 + left).unwrap();
        IdleCheck::new(checker, IdleState::Counting { until })
    }

    fn utilization(left: i64, join: Join, averages: &[i64]) -> IdleCheck {
        let resource = |average: &i64| IdleResource {
            resource: "cpu_util".into(),
            average: *average,
            threshold: 500,
        };
        IdleCheck {
            join: Some(join),
            resources: averages.iter().map(resource).collect(),
            ..counting(IdleChecker::Utilization, left)
        }
    }

    #[test]
    fn time_is_red_below_an_hour_and_orange_below_four() {
        for (left, standing_then) in [
            (-1, Standing::Over),
            (0, Standing::AtRisk),
            (HOUR - 1, Standing::AtRisk),
            (HOUR, Standing::Warning),
            (4 * HOUR - 1, Standing::Warning),
            (4 * HOUR, Standing::Safe),
        ] {
            let check = counting(IdleChecker::NetworkTimeout, left);
            assert_eq!(standing(&check, now()), standing_then, "{left}");
        }
        // A limit of three hours shows a warning in its last quarter, not from its start.
        for (left, standing_then) in [
            (3 * HOUR - 60, Standing::Safe),
            (HOUR, Standing::Safe),
            (44 * 60, Standing::Warning),
            (14 * 60, Standing::AtRisk),
        ] {
            let mut check = counting(IdleChecker::SessionLifetime, left);
            check.limit = Some(Span(3 * 60 * 60));
            assert_eq!(standing(&check, now()), standing_then, "{left}");
        }
        let mut grace = counting(IdleChecker::Utilization, 60);
        grace.basis = IdleBasis::GracePeriod;
        assert_eq!(standing(&grace, now()), Standing::Grace);
    }

    #[test]
    fn one_good_resource_saves_with_and_one_bad_one_ends_with_or() {
        for (averages, and, or) in [
            (&[999][..], Standing::AtRisk, Standing::AtRisk),
            (&[1_000], Standing::Warning, Standing::Warning),
            (&[4_999], Standing::Warning, Standing::Warning),
            (&[5_000], Standing::Safe, Standing::Safe),
            (&[100, 5_000], Standing::Safe, Standing::AtRisk),
            (&[1_000, 100], Standing::Warning, Standing::AtRisk),
            (&[-1, 5_000], Standing::Safe, Standing::Safe),
            (&[-1], Standing::NoData, Standing::NoData),
            (&[], Standing::NoData, Standing::NoData),
        ] {
            let of = |join| standing(&utilization(60, join, averages), now());
            assert_eq!((of(Join::And), of(Join::Or)), (and, or), "{averages:?}");
        }
        let far = utilization(4 * HOUR, Join::Or, &[100]);
        assert_eq!(standing(&far, now()), Standing::Safe);
    }

    #[test]
    fn the_nearest_end_counts_and_a_grace_period_is_none() {
        let mut grace = counting(IdleChecker::Utilization, 10);
        grace.basis = IdleBasis::GracePeriod;
        let checks = [
            counting(IdleChecker::SessionLifetime, 500),
            counting(IdleChecker::NetworkTimeout, 90),
            grace,
        ];
        let (check, until) = nearest(&checks).unwrap();
        assert_eq!(check.checker, IdleChecker::NetworkTimeout);
        assert_eq!(until.as_second(), 1_000_090);
    }

    #[test]
    fn the_soonest_sorts_first() {
        let at = Reclaim::At(now());
        let mut all = [Reclaim::Never, Reclaim::Exempt, at, Reclaim::Due];
        all.sort_unstable();
        assert_eq!(all, [Reclaim::Due, at, Reclaim::Exempt, Reclaim::Never]);
    }
}
