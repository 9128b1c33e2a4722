//! The size of the home directories of watched sessions. They are measured rarely and one after the other,
//! because a home directory may have very many files.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::{SignedDuration, Timestamp};

use super::disk::{self, DiskUsage};
use crate::model::{id::SessionId, resources::Bytes};

/// Minimum time between two measurements of a home directory.
const PAUSE: SignedDuration = SignedDuration::from_secs(60);
/// The minimum time per entry of a large home directory: measuring an entry takes up to a hundredth of it.
const PAUSE_FOR_EACH: SignedDuration = SignedDuration::from_micros(500);

#[derive(Clone, Default)]
pub(super) struct Homes {
    shared: Arc<Mutex<HomeRecord>>,
}

#[derive(Default)]
struct HomeRecord {
    homes: HashMap<SessionId, MeasuredHome>,
    /// Whether a measurement is running.
    busy: bool,
}

struct MeasuredHome {
    at: Timestamp,
    found: DiskUsage,
}

impl MeasuredHome {
    fn is_due(&self, now: Timestamp) -> bool {
        let entries = i32::try_from(self.found.entries).unwrap_or(i32::MAX);
        let pause = PAUSE.max(PAUSE_FOR_EACH * entries);
        // A clock that was set back must not stop the measurements.
        now < self.at || now.duration_since(self.at) >= pause
    }
}

impl Homes {
    fn lock(&self) -> std::sync::MutexGuard<'_, HomeRecord> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The size at the last measurement.
    pub(super) fn held(&self, session: SessionId) -> Option<Bytes> {
        self.lock().homes.get(&session)?.found.held
    }

    /// Forgets sessions that aren't watched anymore; they are measured again when they are watched again.
    pub(super) fn keep_only(&self, is_wanted: impl Fn(&SessionId) -> bool) {
        self.lock().homes.retain(|session, _| is_wanted(session));
    }

    /// A turn to measure those of the sessions that are due; `None` when none are, or while another turn
    /// is running.
    pub(super) fn turn(
        &self,
        sessions: impl Iterator<Item = SessionId>,
        now: Timestamp,
    ) -> Option<Measurement> {
        let mut known = self.lock();
        if known.busy {
            return None;
        }
        let is_due = |session: &SessionId| {
            let home = known.homes.get(session);
            home.is_none_or(|home| home.is_due(now))
        };
        let due: Vec<SessionId> = sessions.filter(is_due).collect();
        if due.is_empty() {
            return None;
        }
        known.busy = true;
        drop(known);
        Some(Measurement {
            due,
            homes: self.clone(),
        })
    }
}

/// A running measurement. It ends when this is dropped, so also after a panic or if it never starts.
pub(super) struct Measurement {
    due: Vec<SessionId>,
    homes: Homes,
}

impl Measurement {
    /// Measures the directories; blocks on disk access.
    pub(super) fn look(self, place: impl Fn(SessionId) -> Vec<PathBuf>, at: Timestamp) {
        for session in &self.due {
            let found = disk::look(&place(*session));
            self.homes
                .lock()
                .homes
                .insert(*session, MeasuredHome { at, found });
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.homes.lock().busy = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_looked_at_once_and_not_again_at_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), vec![1; 100_000]).unwrap();
        let homes = Homes::default();
        let (one, other) = (SessionId::from_u128(1), SessionId::from_u128(2));
        assert_eq!(homes.held(one), None);
        let at = |second| Timestamp::from_second(second).unwrap();
        let turn =
            |sessions: &[SessionId], second| homes.turn(sessions.iter().copied(), at(second));
        let due = |sessions: &[SessionId], second| {
            turn(sessions, second).map_or(Vec::new(), |turn| turn.due.clone())
        };
        let first = turn(&[one, other], 0).unwrap();
        assert_eq!(first.due, [one, other]);
        assert_eq!(due(&[one], 99), [], "a user watches");
        let place = |session| match session {
            it if it == one => vec![dir.path().to_path_buf()],
            _ => vec![dir.path().join("none")],
        };
        first.look(place, at(0));
        assert!(homes.held(one).unwrap() > Bytes(100_000));
        assert_eq!(homes.held(other), None, "it cannot be found out");
        assert_eq!(due(&[one, other], 59), []);
        homes.keep_only(|session| *session == one);
        assert_eq!(due(&[one, other], 59), [other]);
        assert_eq!(due(&[one], 60), [one]);
    }

    #[test]
    fn a_look_that_panics_ends_its_turn() {
        let homes = Homes::default();
        let one = SessionId::from_u128(1);
        let turn = || homes.turn(std::iter::once(one), Timestamp::UNIX_EPOCH);
        let first = turn().unwrap();
        assert!(turn().is_none(), "a user watches");
        let look = || first.look(|_| panic!("the disk has gone"), Timestamp::UNIX_EPOCH);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)).unwrap_err();
        assert!(turn().is_some(), "the home is looked at again");
    }

    #[test]
    fn a_home_of_many_files_is_looked_at_more_seldom() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let home = MeasuredHome {
            at: at(1000),
            found: DiskUsage {
                held: None,
                entries: 1_000_000,
            },
        };
        assert!(!home.is_due(at(1499)) && home.is_due(at(1500)));
        assert!(home.is_due(at(900)), "the clock was set back");
    }
}
