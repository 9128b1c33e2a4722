//! Checks a session, and then reports, warns and ends it.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{
    averages,
    evaluate::{Case, evaluate, next_check},
    reclaim_reason,
};
use crate::{
    model::{
        id::SessionId,
        idle::{Activity, IdleCheck, IdleResource, IdleRules, IdleState},
        notice::{Level, NoticeKind},
        record::Ending,
    },
    scheduler::{core::Scheduler, tracked_session::TrackedSession, turn::Turn},
    state_machine::warnings::tolerance,
};

/// The longest time until activity is written to the record. A daemon that is killed loses only
/// this much.
const NOTED: SignedDuration = SignedDuration::from_mins(1);
/// The shortest time between two reports of checks and activity.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);
/// Averages that differ by less, in hundredths of a percent, count as equal.
const SAME_AVERAGE: u64 = 50;

impl Scheduler {
    /// All rules that apply to a session.
    pub(in crate::scheduler) fn idle_rules(&self, tracked: &TrackedSession) -> IdleRules {
        let mut rules = self.settings.resources.idle.clone();
        rules.tighten(&tracked.record.spec.idle);
        rules
    }

    /// Checks a session now.
    pub(in crate::scheduler) fn check_idle(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        let Some(tracked) = self.tracked.get(&id) else {
            return;
        };
        let session = &tracked.record.session;
        let (true, Some(started_at)) = (tracked.is_checked(), tracked.started_at()) else {
            return self.idle.forget(id);
        };
        let rules = self.idle_rules(tracked);
        let since = *self.idle.since.get_or_insert(now);
        let clock = self.idle.clock(session, now);
        let case = Case {
            session_type: session.session_type,
            started_at,
            activity: Some(clock.activity),
            slots: &session.requested_slots,
            window: &clock.window,
            rules: &rules,
            reprieve: session.reprieve,
            watched_since: clock.included_at.map_or(since, |at| at.max(since)),
        };
        let checks = evaluate(&case, now);
        let next = next_check(&case, &checks, now);
        let over = checks.iter().find(|check| check.state == IdleState::Over);
        let over = over.map(|check| (check.clone(), reclaim_reason::reclaimed(&case, check, now)));
        let sampled = case.is_sampled(now).then_some(rules.utilization).flatten();
        clock.period = sampled.map(|rules| averages::period(rules.time_window));
        if clock.period.is_none() {
            clock.window.clear();
        }
        self.warn(turn, now, id, &checks);
        let again = self.report_checks(turn, now, id, checks);
        self.idle.plan(id, next.into_iter().chain(again).min());
        if let Some((check, ending)) = over {
            self.reclaim(turn, now, id, check, ending);
        }
    }

    /// Checks all running sessions again.
    pub(in crate::scheduler) fn check_all_idle(&mut self, turn: &mut Turn, now: Timestamp) {
        let checked = self.tracked.values().filter(|tracked| tracked.is_checked());
        let ids: Vec<SessionId> = checked.map(TrackedSession::id).collect();
        for id in ids {
            self.check_idle(turn, now, id);
        }
    }

    /// The sessions that need usage figures, and how often.
    pub fn sampled(&self) -> Vec<(SessionId, Duration)> {
        let wanted = self.idle.clocks.iter();
        wanted
            .filter_map(|(id, clock)| Some((*id, clock.period?)))
            .collect()
    }

    fn warn(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, checks: &[IdleCheck]) {
        let warning = self.idle.warner.look(now, id, checks);
        if let (Some(warning), Some(session)) = (warning, self.session(id)) {
            let text = warning.sentence(session.name.as_str());
            let kind = NoticeKind::IdleWarning {
                checker: warning.checker,
                until: warning.until,
            };
            turn.notice(kind, Level::Warning, Some(id), &text);
        }
    }

    /// Updates the shown checks if they have changed. If they were reported just now, returns when
    /// to try again.
    fn report_checks(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        checks: Vec<IdleCheck>,
    ) -> Option<Timestamp> {
        let shown = &self.tracked.get(&id)?.record.session;
        let clock = self.idle.clocks.get_mut(&id)?;
        let same = are_same(&shown.idle_checks, &checks);
        if same && is_noted(shown.activity, clock.activity) {
            return None;
        }
        let pause = clock.reported_at.and_then(|at| at.checked_add(PAUSE).ok());
        if let Some(at) = pause.filter(|at| *at > now) {
            return Some(at);
        }
        clock.reported_at = Some(now);
        let activity = clock.activity;
        let session = &mut self.change(turn, id)?.record.session;
        session.idle_checks = checks;
        session.activity = Some(activity);
        None
    }

    fn reclaim(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        check: IdleCheck,
        ending: Ending,
    ) {
        if self.may_be_ended(id) {
            let checker = check.checker;
            let kind = NoticeKind::Reclaimed { checker };
            self.end_when_due(turn, now, id, ending, Some(kind));
        }
    }
}

fn is_noted(shown: Option<Activity>, known: Activity) -> bool {
    shown.is_some_and(|shown| {
        let late = known.at.duration_since(shown.at).abs() >= NOTED;
        shown.open == known.open && !late
    })
}

/// Whether the checks are equal enough not to be reported: small changes of an end or an average
/// don't count.
fn are_same(shown: &[IdleCheck], checks: &[IdleCheck]) -> bool {
    let pairs = || shown.iter().zip(checks);
    shown.len() == checks.len() && pairs().all(|(shown, check)| is_same(shown, check))
}

fn is_same(shown: &IdleCheck, check: &IdleCheck) -> bool {
    let same_state = match (shown.state, check.state) {
        (IdleState::Counting { until: old }, IdleState::Counting { until: new }) => {
            new.duration_since(old).abs() < tolerance(check.limit)
        }
        (old, new) => old == new,
    };
    let pairs = shown.resources.iter().zip(&check.resources);
    same_state
        && shown.checker == check.checker
        && shown.basis == check.basis
        && shown.limit == check.limit
        && shown.join == check.join
        && shown.resources.len() == check.resources.len()
        && pairs.into_iter().all(is_same_average)
}

fn is_same_average((shown, now): (&IdleResource, &IdleResource)) -> bool {
    let side = |it: &IdleResource| (it.average < 0, it.average < it.threshold);
    let near = shown.average.abs_diff(now.average) < SAME_AVERAGE;
    let same = shown.resource == now.resource && shown.threshold == now.threshold;
    same && near && side(shown) == side(now)
}
