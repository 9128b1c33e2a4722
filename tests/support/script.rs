//! The script of an engine in memory: its calls are counted, made to wait, made to fail, or all of them lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard},
};

use tokio::sync::Notify;
use workbay::{engine::api::Result, model::failure::Failure};

/// `C` are the kinds of calls.
pub struct Script<C> {
    inner: Mutex<ScriptState<C>>,
    released: Notify,
}

struct ScriptState<C> {
    calls: Vec<C>,
    /// How the next calls of a kind fail.
    faults: BTreeMap<C, Vec<Failure>>,
    /// Calls of these kinds wait until released.
    held: BTreeSet<C>,
    lost: bool,
}

impl<C: Copy + Ord> Script<C> {
    pub fn new() -> Self {
        let inner = ScriptState {
            calls: Vec::new(),
            faults: BTreeMap::new(),
            held: BTreeSet::new(),
            lost: false,
        };
        Self {
            inner: Mutex::new(inner),
            released: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ScriptState<C>> {
        self.inner.lock().unwrap()
    }

    /// The next call of this kind fails.
    pub fn fail_next(&self, call: C, error: Failure) {
        self.lock().faults.entry(call).or_default().push(error);
    }

    /// Calls of this kind wait until [`release`](Self::release).
    pub fn hold(&self, call: C) {
        self.lock().held.insert(call);
    }

    pub fn release(&self, call: C) {
        self.lock().held.remove(&call);
        self.released.notify_waiters();
    }

    /// Every call fails until [`restore`](Self::restore).
    pub fn cut(&self) {
        self.lock().lost = true;
    }

    pub fn restore(&self) {
        self.lock().lost = false;
    }

    pub fn is_cut(&self) -> bool {
        self.lock().lost
    }

    /// How often a call was made.
    pub fn count(&self, call: C) -> usize {
        self.lock()
            .calls
            .iter()
            .filter(|made| **made == call)
            .count()
    }

    /// How often any call was made.
    pub fn count_all(&self) -> usize {
        self.lock().calls.len()
    }

    /// Counts the call, waits while such calls wait, fails as scripted.
    pub async fn enter(&self, call: C) -> Result<()> {
        self.lock().calls.push(call);
        loop {
            let released = self.released.notified();
            if !self.lock().held.contains(&call) {
                break;
            }
            released.await;
        }
        let mut inner = self.lock();
        if inner.lost {
            return Err(unreachable());
        }
        match inner.faults.get_mut(&call) {
            Some(faults) if !faults.is_empty() => Err(faults.remove(0)),
            _ => Ok(()),
        }
    }
}

pub fn unreachable() -> Failure {
    Failure::unreachable("memory:", "connection refused").hint("start the engine")
}
