//! What the homes of watched sessions hold, looked at seldom and one after the other: a home may have
//! very many files.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::disk;
use crate::model::{id::SessionId, resources::Bytes};

/// A home is looked at once in this time at most.
const PAUSE: Duration = Duration::from_secs(60);
/// And for a hundredth of the time at most.
const REST: u32 = 100;

#[derive(Clone, Default)]
pub(super) struct Homes {
    shared: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    homes: HashMap<SessionId, Home>,
    /// Somebody is looking.
    busy: bool,
}

struct Home {
    held: Option<Bytes>,
    next: Instant,
}

/// A session and the directories of its homes.
pub(super) type Place = (SessionId, Vec<PathBuf>);

impl Homes {
    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As it was when it was looked at last.
    pub(super) fn held(&self, session: SessionId) -> Option<Bytes> {
        self.lock().homes.get(&session)?.held
    }

    /// Sessions that are not watched any more are looked at anew when they are again.
    pub(super) fn keep_only(&self, is_wanted: impl Fn(&SessionId) -> bool) {
        self.lock().homes.retain(|session, _| is_wanted(session));
    }

    /// Those of the sessions that it is time to look at; empty while somebody does. Who gets any must
    /// [look](Self::look).
    pub(super) fn due(&self, sessions: impl Iterator<Item = SessionId>) -> Vec<SessionId> {
        let mut known = self.lock();
        if known.busy {
            return Vec::new();
        }
        let now = Instant::now();
        let is_due = |session: &SessionId| {
            let home = known.homes.get(session);
            home.is_none_or(|home| home.next <= now)
        };
        let due: Vec<SessionId> = sessions.filter(is_due).collect();
        known.busy = !due.is_empty();
        due
    }

    /// Blocks on the disk.
    pub(super) fn look(&self, places: Vec<Place>) {
        for (session, directories) in places {
            let begun = Instant::now();
            let held = disk::held(&directories);
            let took = begun.elapsed();
            let next = begun + PAUSE.max(took * REST);
            self.lock().homes.insert(session, Home { held, next });
        }
        self.lock().busy = false;
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
        assert_eq!(homes.due([one, other].into_iter()), [one, other]);
        assert_eq!(homes.due([one].into_iter()), [], "somebody looks");
        let places = vec![
            (one, vec![dir.path().to_path_buf()]),
            (other, vec![dir.path().join("none")]),
        ];
        homes.look(places);
        assert!(homes.held(one).unwrap() > Bytes(100_000));
        assert_eq!(homes.held(other), None, "it cannot be found out");
        assert_eq!(homes.due([one, other].into_iter()), []);
        homes.keep_only(|session| *session == one);
        assert_eq!(homes.due([one, other].into_iter()), [other]);
    }
}
