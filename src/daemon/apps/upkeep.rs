//! Counts the traffic of forwards, publishes it, and closes public forwards whose time is over.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::{
    daemon::{clock, main_loop::core::Core},
    model::{change::Change, forward::ForwardId},
    scheduler::fact::UseEvent,
};

/// How often the traffic is looked at while there are connections and a client watches.
const WATCHED: Duration = Duration::from_secs(1);
/// The same while no client watches, for idle checks.
const UNWATCHED: Duration = Duration::from_secs(5);
/// A timer runs at most this long, because it ignores changes of the system time.
const LONGEST: SignedDuration = SignedDuration::from_secs(60);

impl Core {
    /// When the forwards need attention next.
    pub(in crate::daemon) fn forwards_due(&self) -> Option<Instant> {
        self.apps.due
    }

    /// Looks at the traffic of all forwards, and closes those whose time is over.
    pub(in crate::daemon) async fn attend_forwards(&mut self) {
        let now = clock::now();
        let over: Vec<ForwardId> = self
            .apps
            .open
            .values()
            .filter(|open| ends_at(open).is_some_and(|until| until <= now))
            .map(|open| open.forward.id)
            .collect();
        self.close_forwards(over).await;
        let mut used = Vec::new();
        for open in self.apps.open.values_mut() {
            let figures = open.traffic.read();
            let bytes = figures.bytes_in + figures.bytes_out;
            if bytes > open.reported {
                open.reported = bytes;
                let quiet = figures.quiet_for.unwrap_or_default();
                let quiet = SignedDuration::try_from(quiet).unwrap_or_default();
                open.forward.traffic.last_used = now.checked_sub(quiet).ok();
                used.push(open.forward.session);
            }
        }
        for session in used {
            self.used(session, UseEvent::Transferred).await;
        }
        self.publish_forwards();
    }

    /// Publishes the forwards if they differ from what clients know, and plans the next look.
    pub(in crate::daemon) fn publish_forwards(&mut self) {
        let forwards = self.apps.forwards();
        if forwards != self.apps.published {
            self.apps.published.clone_from(&forwards);
            self.publish_change(Change::Forwards { forwards });
        }
        self.plan_forwards();
    }

    /// Without a connection nothing is transferred, so only the gateway's next connection needs a look: the timer is
    /// slow then, and without forwards there is none.
    pub(in crate::daemon) fn plan_forwards(&mut self) {
        let now = clock::now();
        let watched = self.clients.values().any(|client| client.subscribed);
        let pause = if watched { WATCHED } else { UNWATCHED };
        let until = self.apps.open.values().filter_map(ends_at).min();
        let left = until.map(|until| until.duration_since(now).min(LONGEST));
        let left = left.map(|left| Duration::try_from(left).unwrap_or_default());
        let looked = (!self.apps.open.is_empty()).then_some(pause);
        let next = [looked, left].into_iter().flatten().min();
        self.apps.due = next.map(|pause| clock::instant() + pause);
    }
}

fn ends_at(open: &super::registry::OpenForward) -> Option<Timestamp> {
    open.forward.public.as_ref().and_then(|public| public.until)
}
