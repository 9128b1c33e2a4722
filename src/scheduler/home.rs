//! A session that takes over the home directory of one that has ended.

use super::{core::Controller, held::Held, turn::Turn};
use crate::model::{failure::Failure, id::SessionId, record::Step, spec::LaunchRequest};

impl Controller {
    /// Checks that the requested home directory exists and no other session uses it.
    pub(super) fn check_home(&self, request: &LaunchRequest) -> Result<(), Failure> {
        let Some(from) = request.home_of else {
            return Ok(());
        };
        let held = self.find(from)?;
        let session = &held.record.session;
        let name = &session.name;
        if !session.has_ended() || held.record.step != Step::Settled {
            let text = format!("session {name} hasn't ended: its home directory is in use");
            return Err(Failure::refused(text).hint("terminate it, or launch without --same-home"));
        }
        if held.record.forgotten || session.home.is_none() {
            let text = format!("the home directory of session {name} is already deleted");
            return Err(Failure::refused(text).hint("launch without --same-home"));
        }
        match self.heir(from).map(|other| &other.record.session.name) {
            Some(other) => {
                let text = format!("session {other} already uses the home directory of {name}");
                Err(Failure::refused(text).hint("launch without --same-home"))
            }
            None => Ok(()),
        }
    }

    /// The unfinished session that uses this home directory or will use it.
    fn heir(&self, from: SessionId) -> Option<&Held> {
        let mut others = self.held.values();
        others.find(|other| {
            other.record.spec.home_of == Some(from) && !other.record.session.has_ended()
        })
    }

    /// Whether the home directory must be kept for a session that isn't created yet, regardless of
    /// its age.
    pub(super) fn is_home_wanted(&self, id: SessionId) -> bool {
        let home = self.held.get(&id).map(|held| &held.record.session.home);
        home.is_some_and(Option::is_some) && self.heir(id).is_some()
    }

    /// After the later session is created, the home directory doesn't belong to the earlier one any
    /// more.
    pub(super) fn note_home_taken(&mut self, turn: &mut Turn, id: SessionId) {
        let from = self.held.get(&id).and_then(|it| it.record.spec.home_of);
        if let Some(earlier) = from.and_then(|from| self.change(turn, from)) {
            earlier.record.session.home = None;
        }
    }
}
