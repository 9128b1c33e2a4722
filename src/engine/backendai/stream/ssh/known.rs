//! Remembers, in memory only, the host key of each container's sshd and the key that it accepts.

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

/// The number of remembered containers. Beyond it, containers without an open connection are
/// forgotten.
const KEPT: usize = 512;

/// The session, and the container if it isn't the main one.
type ContainerKey = (SessionId, Option<KernelId>);

/// The containers that one engine has opened SSH connections to.
#[derive(Default)]
pub(in super::super::super) struct KnownSshd {
    sshds: Mutex<HashMap<ContainerKey, Arc<Sshd>>>,
}

/// The sshd of one container.
#[derive(Default)]
pub(super) struct Sshd {
    /// The fingerprint of the first host key that it showed.
    host: Mutex<Option<String>>,
    key: Turn<Option<Secret>>,
    /// Only one login runs at a time: sshd refuses more than a few unauthenticated connections.
    door: Turn<()>,
}

impl KnownSshd {
    /// The sshd of the session's main container.
    pub(super) fn of(&self, session: SessionId) -> Arc<Sshd> {
        self.at((session, None))
    }

    /// The sshd of another container.
    pub(super) fn of_container(&self, session: SessionId, kernel: KernelId) -> Arc<Sshd> {
        self.at((session, Some(kernel)))
    }

    fn at(&self, key: ContainerKey) -> Arc<Sshd> {
        let mut sshds = self.sshds.lock().unwrap_or_else(PoisonError::into_inner);
        if sshds.len() >= KEPT && !sshds.contains_key(&key) {
            sshds.retain(|_, sshd| Arc::strong_count(sshd) > 1);
        }
        sshds.entry(key).or_default().clone()
    }
}

impl Sshd {
    /// Waits until no other login runs.
    pub(super) async fn door(&self) -> MutexGuard<'_, ()> {
        self.door.lock().await
    }

    /// The key for the login, and whether it was known before.
    pub(super) async fn key(&self, http: &Http, session: SessionId) -> Result<(Secret, bool)> {
        let mut known = self.key.lock().await;
        if let Some(key) = &*known {
            return Ok((key.clone(), true));
        }
        let key = key::fetch(http, session).await?;
        *known = Some(key.clone());
        Ok((key, false))
    }

    /// Forgets a key that sshd doesn't accept (any more).
    pub(super) async fn forget_key(&self) {
        *self.key.lock().await = None;
    }

    /// Accepts the first host key as the session's own. For any other key the error is the first
    /// one.
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
        let known = KnownSshd::default();
        let (one, other) = (SessionId::from_u128(1), SessionId::from_u128(2));
        assert_eq!(known.of(one).meet("SHA256:a"), Ok(()));
        assert_eq!(known.of(one).meet("SHA256:a"), Ok(()));
        assert_eq!(known.of(one).meet("SHA256:b"), Err("SHA256:a".to_owned()));
        assert_eq!(known.of(other).meet("SHA256:b"), Ok(()));
        let sub = known.of_container(one, KernelId::from_u128(3));
        assert_eq!(sub.meet("SHA256:b"), Ok(()));
    }

    #[test]
    fn what_is_remembered_has_an_end_and_one_in_use_stays() {
        let known = KnownSshd::default();
        let first = known.of(SessionId::from_u128(0));
        first.meet("SHA256:a").unwrap();
        for number in 1..=KEPT as u128 {
            known.of(SessionId::from_u128(number));
        }
        assert!(known.sshds.lock().unwrap().len() <= KEPT);
        assert!(known.of(SessionId::from_u128(0)).meet("SHA256:b").is_err());
    }
}
