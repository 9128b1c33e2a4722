//! What must be true whenever nothing is in progress.

use std::collections::BTreeSet;

use super::Play;
use crate::model::{id::SessionId, status::Status};

impl Play {
    pub fn check_rest(&self) {
        let running: BTreeSet<SessionId> = self
            .scheduler
            .sessions()
            .filter(|session| session.status.is_live())
            .map(|session| session.id)
            .collect();
        let there: BTreeSet<SessionId> = self.there.keys().copied().collect();
        let kept: BTreeSet<SessionId> = self
            .scheduler
            .sessions()
            .filter(|session| {
                let info = session.status_info.as_ref();
                info.is_some_and(|info| *info == "failed-to-terminate")
            })
            .map(|session| session.id)
            .collect();
        let strays: Vec<_> = there.difference(&running).collect();
        assert!(
            strays.iter().all(|id| kept.contains(id)),
            "strays: {strays:?}"
        );
        assert!(running.is_subset(&there), "running without a container");
        for session in self.scheduler.sessions() {
            let waits = session.status == Status::Pending;
            let rests = matches!(
                session.status,
                Status::Running
                    | Status::RunningDegraded
                    | Status::Terminated
                    | Status::Cancelled
                    | Status::Error
            );
            let rests = rests || waits && session.placement.queue_position.is_some();
            assert!(rests, "{} hangs in {}", session.name, session.status);
            assert_eq!(session.pending_request, None);
            let mut stored = self.stored[&session.id].session.clone();
            if waits {
                // Positions are reported but not stored.
                stored.placement.queue_position = session.placement.queue_position;
                stored.placement.starts_by = session.placement.starts_by;
                stored.status_message.clone_from(&session.status_message);
            }
            assert_eq!(stored, *session, "the store knows another session");
        }
        assert!(self.scheduler.pulls.is_empty(), "a pull is left over");
        for id in &self.launched {
            assert!(self.stored.contains_key(id), "a session was lost");
        }
        for id in &self.stop_hooks {
            let times = self.stop_hooks.iter().filter(|it| *it == id).count();
            assert!(times <= 2, "a stop hook was begun {times} times");
        }
        for ticket in 1..=self.asked {
            assert!(self.answered.contains_key(&ticket), "ticket {ticket} waits");
        }
    }
}
