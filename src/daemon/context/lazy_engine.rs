//! Creates an engine when it is first needed, and again after it denied access.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    daemon::options::{EngineSetup, Make},
    engine::{
        api::{Containers, Engine, Result},
        manager::Manager,
    },
    model::failure::Failure,
};

/// Cheap to clone: every clone supplies the same engine.
pub(in crate::daemon) struct LazyEngine<T: ?Sized> {
    shared: Arc<LazyState<T>>,
}

struct LazyState<T: ?Sized> {
    make: Make<T>,
    setup: EngineSetup,
    made: Mutex<Option<Arc<T>>>,
}

impl<T: ?Sized> Clone for LazyEngine<T> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<T: ?Sized + Send + Sync + 'static> LazyEngine<T> {
    pub fn new(make: Make<T>, setup: EngineSetup) -> Self {
        Self {
            shared: Arc::new(LazyState {
                make,
                setup,
                made: Mutex::new(None),
            }),
        }
    }

    fn made(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.shared
            .made
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine, if it was created.
    pub fn there(&self) -> Option<Arc<T>> {
        self.made().clone()
    }

    /// The engine, created now if necessary. Only a context's single attempt to connect calls this first, so
    /// the engine is never created twice at the same time.
    pub async fn get(&self) -> Result<Arc<T>> {
        if let Some(engine) = self.there() {
            return Ok(engine);
        }
        let shared = self.shared.clone();
        let making = tokio::task::spawn_blocking(move || (shared.make)(&shared.setup));
        let engine = making.await.map_err(|error| {
            Failure::internal(tr_sent!("the engine can't be set up: {error}", error))
        })??;
        *self.made() = Some(engine.clone());
        Ok(engine)
    }

    /// Makes the next call of [`Self::get`] create the engine again.
    pub fn discard(&self) {
        *self.made() = None;
    }
}

/// The functions that both kinds of engines have in common.
#[derive(Clone)]
pub(in crate::daemon) enum AnyEngine {
    Containers(LazyEngine<dyn Containers>),
    Manager(LazyEngine<dyn Manager>),
}

impl AnyEngine {
    pub fn there(&self) -> Option<Arc<dyn Engine>> {
        match self {
            Self::Containers(lazy_engine) => Some(lazy_engine.there()?),
            Self::Manager(lazy_engine) => Some(lazy_engine.there()?),
        }
    }
}
