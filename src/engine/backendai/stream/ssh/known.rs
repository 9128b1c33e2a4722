//! What is remembered of the sshd of each container: the key it shows and the key it takes. In memory only.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{Mutex as Turn, MutexGuard};

use super::{super::super::request::http::Http, key};
use crate::{
    engine::api::Result,
    model::{
        id::{KernelId, SessionId},
        secret::Secret,
    },
};

/// So many are remembered; beyond, those nobody speaks with are forgotten.
const KEPT: usize = 512;

/// The session, and the container where it is not the main one.
type Key = (SessionId, Option<KernelId>);

/// The containers one engine has spoken SSH with.
#[derive(Default)]
pub(in super::super::super) struct Known {
    sshds: Mutex<HashMap<Key, Arc<Sshd>>>,
}

/// The sshd of one container.
#[derive(Default)]
pub(super) struct Sshd {
    /// The fingerprint of the key it has shown first.
    host: Mutex<Option<String>>,
    key: Turn<Option<Secret>>,
    /// One comes in at a time: sshd refuses more than a few that have not.
    door: Turn<()>,
}

impl Known {
    /// Of the session's main container.
    pub(super) fn of(&self, session: SessionId) -> Arc<Sshd> {
        self.at((session, None))
    }

    /// Of another container.
    pub(super) fn of_container(&self, session: SessionId, kernel: KernelId) -> Arc<Sshd> {
        self.at((session, Some(kernel)))
    }

    fn at(&self, key: Key) -> Arc<Sshd> {
        let mut sshds = self.sshds.lock().unwrap_or_else(PoisonError::into_inner);
        if sshds.len() >= KEPT && !sshds.contains_key(&key) {
            sshds.retain(|_, sshd| Arc::strong_count(sshd) > 1);
        }
        sshds.entry(key).or_default().clone()
    }
}

impl Sshd {
    /// Waits for one's turn to come in.
    pub(super) async fn door(&self) -> MutexGuard<'_, ()> {
        self.door.lock().await
    }

    /// The key that lets in, and whether it was known before.
    pub(super) async fn key(&self, http: &Http, session: SessionId) -> Result<(Secret, bool)> {
        let mut known = self.key.lock().await;
        if let Some(key) = &*known {
            return Ok((key.clone(), true));
        }
        let key = key::fetch(http, session).await?;
        *known = Some(key.clone());
        Ok((key, false))
    }

    /// The key does not let in (any more).
    pub(super) async fn forget_key(&self) {
        *self.key.lock().await = None;
    }

    /// Takes the first key that is shown for the session's own; any other one is answered with the first.
    pub(super) fn meet(&self, fingerprint: &str) -> std::result::Result<(), String> {
        let mut host = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        match host.as_deref() {
            None => *host = Some(fingerprint.to_owned()),
            Some(first) if first != fingerprint => return Err(first.to_owned()),
            Some(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_of_a_session_is_its_own() {
        let known = Known::default();
        let (one, other) = (SessionId::from_u128(1), SessionId::from_u128(2));
        assert_eq!(known.of(one).meet("SHA256:a"), Ok(()));
        assert_eq!(known.of(one).meet("SHA256:a"), Ok(()));
        assert_eq!(known.of(one).meet("SHA256:b"), Err("SHA256:a".to_owned()));
        assert_eq!(known.of(other).meet("SHA256:b"), Ok(()));
        let sub = known.of_container(one, KernelId::from_u128(3));
        assert_eq!(sub.meet("SHA256:b"), Ok(()));
    }

    #[test]
    fn what_is_remembered_has_an_end_and_who_is_spoken_with_stays() {
        let known = Known::default();
        let first = known.of(SessionId::from_u128(0));
        first.meet("SHA256:a").unwrap();
        for number in 1..=KEPT as u128 {
            known.of(SessionId::from_u128(number));
        }
        assert!(known.sshds.lock().unwrap().len() <= KEPT);
        assert!(known.of(SessionId::from_u128(0)).meet("SHA256:b").is_err());
    }
}
