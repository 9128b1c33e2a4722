//! Updates what changes while the launcher is open: the free resources when sessions start or end, and the
//! meaning of a start time.

use jiff::{SignedDuration, Timestamp};

use super::Launcher;
use crate::{
    app::{durations, mirror::Mirror, step::Step},
    model::{
        capability::{Capability, EngineState},
        change::Change,
        id::ContextName,
        start_time::StartAt,
    },
};

/// Changes within this time share one request.
const TOGETHER: SignedDuration = SignedDuration::from_millis(300);
/// Minimum time between two requests.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);
/// Minimum time between two requests to a manager, where each takes several requests over a network.
const PAUSE_FAR: SignedDuration = SignedDuration::from_secs(15);

impl Launcher {
    /// Takes a change before the mirror does. If it can affect the free resources, they are requested again
    /// soon.
    pub fn notice(&mut self, change: &Change, mirror: &Mirror, now: Timestamp) {
        let context = self.info.context;
        if !moves_room(change, context, mirror) {
            return;
        }
        let mut soon = now.saturating_add(TOGETHER).ok();
        if !mirror.can(context, Capability::Schedules) {
            soon = soon.max(self.asked_at.saturating_add(PAUSE).ok());
        }
        self.due = self.due.into_iter().chain(soon).min();
    }

    /// When the engine may be asked again. Until then, the daemon answers from its last reading and from
    /// later changes of sessions.
    fn may_ask_at(&self, mirror: &Mirror) -> Option<Timestamp> {
        let far = mirror.can(self.info.context, Capability::Schedules);
        let pause = if far { PAUSE_FAR } else { PAUSE };
        self.asked_at.saturating_add(pause).ok()
    }

    /// When a request is due, or a text changes because time passes.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        let start = self.start_changes(now);
        [self.due, start].into_iter().flatten().min()
    }

    fn start_changes(&self, now: Timestamp) -> Option<Timestamp> {
        match self.request.starts_at? {
            // The start time is shown in minutes.
            after @ StartAt::After(_) => {
                let into = after.moment(now).as_second().rem_euclid(60);
                Some(durations::after(now, 60 - into))
            }
            // At this time, the start time becomes too late, or means tomorrow.
            StartAt::At(at) => Some(at).filter(|at| *at > now),
        }
    }

    /// Updates the start time and sends the request if they are due.
    pub fn tick(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.info.now < now && self.request.starts_at.is_some() {
            self.info.now = now;
            self.check();
        }
        if self.due.is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.due = None;
        self.info.now = now;
        self.take_changes(mirror);
        let free = self.may_ask_at(mirror);
        let ready = free.is_none_or(|at| at <= now);
        let asked_at = self.asked_at;
        let step = self.ask_catalogue(mirror, ready);
        if !ready {
            self.asked_at = asked_at;
            self.due = free;
        }
        step.into_iter().collect()
    }
}

/// Whether a change affects the free resources or the queue of a context.
fn moves_room(change: &Change, context: ContextName, mirror: &Mirror) -> bool {
    match change {
        Change::Session { session } if session.context == context => {
            mirror.session(session.key()).is_none_or(|old| {
                old.status != session.status || old.requested_slots != session.requested_slots
            })
        }
        Change::Gone { session } => {
            let old = mirror
                .session(*session)
                .filter(|_| session.context == context);
            old.is_some_and(|old| !old.status.is_final())
        }
        // The requests to the disconnected engine got no answers, so they are repeated.
        Change::Engine {
            context: of,
            engine,
        } => {
            let back = matches!(**engine, EngineState::Connected { .. });
            *of == context && back && mirror.engine_info(context).is_none()
        }
        _ => false,
    }
}
