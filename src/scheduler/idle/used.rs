//! Handles events about use: sessions are used, their usage figures, and jumps of the clock.

use jiff::Timestamp;

use crate::{
    model::{
        id::SessionId,
        idle::{Activity, ActivityKind},
        usage::Usage,
    },
    scheduler::{core::Scheduler, fact::UseEvent, turn::Turn},
};

impl Scheduler {
    /// A session was used, or an activity that counts as use began or ended.
    pub(in crate::scheduler) fn used(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        usage: UseEvent,
    ) {
        let Some(session) = self.tracked.get(&id).map(|tracked| &tracked.record.session) else {
            return;
        };
        if !session.status.is_live() {
            return;
        }
        let activity = &mut self.idle.clock(session, now).activity;
        *activity = after_use(*activity, now, usage);
        self.check_idle(turn, now, id);
    }

    /// Handles usage figures. They count for sessions whose utilization is checked.
    pub(in crate::scheduler) fn sampled_now(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        samples: Vec<(SessionId, Usage)>,
    ) {
        for (id, usage) in samples {
            let Some(tracked) = self.tracked.get(&id) else {
                continue;
            };
            let rules = self.idle_rules(tracked).utilization;
            let slots = &tracked.record.session.requested_slots;
            let clock = self.idle.clocks.get_mut(&id);
            if let (Some(clock), Some(rules)) = (clock.filter(|it| it.period.is_some()), rules) {
                clock.window.push(usage.at.min(now), &usage, slots, &rules);
                self.check_idle(turn, now, id);
            }
        }
    }

    /// The clock was set, or the machine slept: what became due meanwhile gets a new notice.
    pub(in crate::scheduler) fn jumped(&mut self, turn: &mut Turn, now: Timestamp) {
        self.idle.restart(now);
        for clock in self.idle.clocks.values_mut() {
            clock.window.clear();
            clock.activity.at = clock.activity.at.min(now);
        }
        self.check_all_idle(turn, now);
    }
}

fn after_use(activity: Activity, now: Timestamp, usage: UseEvent) -> Activity {
    let (kind, open) = match usage {
        UseEvent::Typed => (ActivityKind::Typed, activity.open),
        UseEvent::Transferred => (ActivityKind::App, activity.open),
        UseEvent::Opened(kind) => (kind, activity.open.saturating_add(1)),
        UseEvent::Closed(kind) => (kind, activity.open.saturating_sub(1)),
    };
    Activity {
        at: now,
        kind,
        open,
    }
}
