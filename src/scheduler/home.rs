//! A session that takes over the home directory of one that has ended.

use super::{core::Scheduler, tracked_session::TrackedSession, turn::Turn};
use crate::model::{
    failure::Failure, id::SessionId, record::Step, spec::LaunchRequest, text::Clean,
};

impl Scheduler {
    /// Checks that the requested home directory exists and no other session uses it.
    pub(super) fn check_home(&self, request: &LaunchRequest) -> Result<(), Failure> {
        let Some(from) = request.home_of else {
            return Ok(());
        };
        let tracked = self.find(from)?;
        let session = &tracked.record.session;
        let name = &session.name;
        if !session.has_ended() || tracked.record.step != Step::Settled {
            let text = tr_sent!(
                "session {name} hasn't ended: its home directory is in use",
                name
            );
            return Err(Failure::refused(text)
                .hint(tr_sent!("terminate it, or launch without --same-home")));
        }
        if let Some(other) = self.successor(from) {
            let text = tr_sent!(
                "session {other} has taken over the home directory of {name}",
                other,
                name
            );
            let hint = tr_sent!(
                "relaunch {other} instead, or launch without --same-home",
                other
            );
            return Err(Failure::refused(text).hint(hint));
        }
        if tracked.record.forgotten || session.home.is_none() {
            let text = tr_sent!(
                "the home directory of session {name} is already deleted",
                name
            );
            return Err(Failure::refused(text).hint(tr_sent!("launch without --same-home")));
        }
        Ok(())
    }

    /// The name of the session that the home directory belongs to now, or will belong to: the last of those that took
    /// it over from one another.
    fn successor(&self, from: SessionId) -> Option<&Clean> {
        let mut owner = self.tracked.get(&from)?;
        while let Some(next) = self.home_taker(owner) {
            owner = next;
        }
        let session = &owner.record.session;
        let has_it = session.home.is_some() || !session.has_ended();
        (session.id != from && has_it).then_some(&session.name)
    }

    /// The session that took over the home directory of `earlier`, or waits for it.
    fn home_taker(&self, earlier: &TrackedSession) -> Option<&TrackedSession> {
        let session = &earlier.record.session;
        let mut others = self.tracked.values();
        others.find(|it| {
            let waits = !it.record.session.has_ended();
            let from = it.record.spec.home_of;
            // A session that ended before it was created has taken nothing.
            from == Some(session.id) && (waits || session.home.is_none())
        })
    }

    /// The unfinished session that uses this home directory or will use it.
    fn home_user(&self, from: SessionId) -> Option<&TrackedSession> {
        let mut others = self.tracked.values();
        others.find(|other| {
            other.record.spec.home_of == Some(from) && !other.record.session.has_ended()
        })
    }

    /// Whether the home directory must be kept for a session that isn't created yet, regardless of
    /// its age.
    pub(super) fn is_home_wanted(&self, id: SessionId) -> bool {
        let home = self
            .tracked
            .get(&id)
            .map(|tracked| &tracked.record.session.home);
        home.is_some_and(Option::is_some) && self.home_user(id).is_some()
    }

    /// After the later session is created, the home directory doesn't belong to the earlier one any
    /// more.
    pub(super) fn note_home_taken(&mut self, turn: &mut Turn, id: SessionId) {
        let from = self.tracked.get(&id).and_then(|it| it.record.spec.home_of);
        if let Some(earlier) = from.and_then(|from| self.change(turn, from)) {
            earlier.record.session.home = None;
        }
    }
}
