//! The state of each idle checker of one session. Pure.

use jiff::{SignedDuration, Timestamp};

use super::averages::{UsageWindow, resources};
use crate::model::{
    idle::{
        Activity, IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleRules, IdleState, Reprieve,
        UtilizationRules,
    },
    resources::ResourceSlots,
    session::SessionType,
    span::Span,
};

/// What is known about one running session.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub session_type: SessionType,
    pub started_at: Timestamp,
    /// `None` if unknown. The session then doesn't count as idle.
    pub activity: Option<Activity>,
    /// The requested resources.
    pub slots: &'a ResourceSlots,
    pub window: &'a UsageWindow,
    /// All rules in force: those of the site, of the preset and of the launch.
    pub rules: &'a IdleRules,
    pub reprieve: Reprieve,
    /// Since when the user could be warned without a gap.
    pub watched_since: Timestamp,
}

/// The longest time between the first warning and the end.
const LONGEST_NOTICE: SignedDuration = SignedDuration::from_mins(5);
const SHORTEST_NOTICE: SignedDuration = SignedDuration::from_secs(1);

/// How early an end is announced: a fifth of the limit, but not more than five minutes.
pub(super) fn notice(limit: Span) -> SignedDuration {
    (limit.duration() / 5).clamp(SHORTEST_NOTICE, LONGEST_NOTICE)
}

/// The checks in force, in the order of evaluation. The first one that has expired ends the
/// session.
pub(super) fn evaluate(case: &Case<'_>, now: Timestamp) -> Vec<IdleCheck> {
    if case.session_type == SessionType::Inference {
        return Vec::new();
    }
    let all = [
        case.network_timeout(now),
        case.session_lifetime(now),
        case.utilization(now),
    ];
    all.into_iter().flatten().collect()
}

/// When to check again if nothing happens before.
pub(super) fn next_check(
    case: &Case<'_>,
    checks: &[IdleCheck],
    now: Timestamp,
) -> Option<Timestamp> {
    let ends = checks.iter().filter_map(|check| match check.state {
        // An idle timeout expires only after more than the whole limit has passed.
        IdleState::Counting { until } if check.basis == IdleBasis::ExpireAfter => {
            until.checked_add(SignedDuration::from_nanos(1)).ok()
        }
        _ => None,
    });
    let grace_end = case.grace_end().filter(|end| *end > now);
    ends.chain(grace_end).min()
}

impl Case<'_> {
    /// Network idle timeout: the session wasn't used for too long. It doesn't apply to batch
    /// sessions.
    fn network_timeout(&self, now: Timestamp) -> Option<IdleCheck> {
        let limit = some(self.rules.network_timeout)?;
        if self.session_type == SessionType::Batch {
            return None;
        }
        // An open connection counts as use.
        let closed = self.activity.filter(|activity| activity.open == 0);
        let end = closed.and_then(|activity| after(activity.at.min(now), limit));
        let state = self.state(end, limit, |until| now > until);
        Some(check(IdleChecker::NetworkTimeout, state, limit))
    }

    /// Maximum lifetime, regardless of use.
    fn session_lifetime(&self, now: Timestamp) -> Option<IdleCheck> {
        let limit = some(self.rules.session_lifetime)?;
        let end = after(self.started_at.min(now), limit);
        let state = self.state(end, limit, |until| now >= until);
        Some(check(IdleChecker::SessionLifetime, state, limit))
    }

    /// Utilization: the session uses too little of the requested resources.
    fn utilization(&self, now: Timestamp) -> Option<IdleCheck> {
        let rules = self.watched()?;
        let limit = rules.time_window;
        let grace_end = self.grace_end().filter(|end| now < *end);
        let fresh = self.window.is_fresh(now, limit);
        let resources = resources(rules, self.slots, fresh.then_some(self.window));
        let mut basis = IdleBasis::ExpireAfter;
        let state = if let Some(end) = grace_end {
            basis = IdleBasis::GracePeriod;
            self.state(after(end, limit), limit, |_| false)
        } else {
            let end = self.window.low_since().filter(|_| fresh);
            let end = end.and_then(|low_since| {
                let known = low_since.checked_add(notice(limit)).ok()?;
                Some(self.window.covers_at(limit)?.max(known))
            });
            self.state(end, limit, |until| now >= until)
        };
        Some(IdleCheck {
            basis,
            join: Some(rules.operator),
            resources: resources.into_iter().map(rounded).collect(),
            ..check(IdleChecker::Utilization, state, limit)
        })
    }

    /// Whether usage figures are needed now.
    pub fn is_sampled(&self, now: Timestamp) -> bool {
        let wanted = self.watched().is_some() && self.session_type != SessionType::Inference;
        wanted && !self.reprieve.exempt && self.grace_end().is_none_or(|end| now >= end)
    }

    /// The rules of the utilization checker, if it has something to check.
    fn watched(&self) -> Option<&UtilizationRules> {
        let rules = self.rules.utilization.as_ref()?;
        (!rules.thresholds.is_empty() && rules.time_window.0 > 0).then_some(rules)
    }

    fn grace_end(&self) -> Option<Timestamp> {
        after(self.started_at, self.watched()?.initial_grace_period)
    }

    /// The state for an end that comes unless something happens. The end is never earlier than a
    /// warning allows.
    fn state(
        &self,
        end: Option<Timestamp>,
        limit: Span,
        is_over: impl Fn(Timestamp) -> bool,
    ) -> IdleState {
        let Some(end) = end.filter(|_| !self.reprieve.exempt) else {
            return IdleState::NotCounting;
        };
        let known = self.watched_since.checked_add(notice(limit));
        let until = end.max(known.unwrap_or(Timestamp::MAX));
        let until = self.reprieve.until.map_or(until, |kept| kept.max(until));
        if is_over(until) {
            IdleState::Over
        } else {
            IdleState::Counting { until }
        }
    }
}

fn check(checker: IdleChecker, state: IdleState, limit: Span) -> IdleCheck {
    IdleCheck {
        limit: Some(limit),
        ..IdleCheck::new(checker, state)
    }
}

/// Memory is reported in whole percents.
fn rounded(mut resource: IdleResource) -> IdleResource {
    if resource.resource.as_str().contains("mem") && resource.average > 0 {
        resource.average -= resource.average % 100;
    }
    resource
}

/// Zero means no limit.
fn some(limit: Option<Span>) -> Option<Span> {
    limit.filter(|limit| limit.0 > 0)
}

fn after(start: Timestamp, span: Span) -> Option<Timestamp> {
    start.checked_add(span.duration()).ok()
}
