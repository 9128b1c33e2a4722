//! A Backend.AI manager as an engine: it schedules, we ask, watch and tell.
//!
//! The only place that speaks its HTTP. `docs/backendai.md` says what is spoken.

mod blob;
mod capabilities;
mod config;
mod core;
mod fault;
mod features;
mod gql;
mod http;
mod line;
mod login;
mod pace;
mod place;
mod problem;
mod sign;
mod skew;
mod stream;
mod tls;
mod version;

use std::sync::Arc;

pub use config::{BackendAiConfig, Login};

/// One manager, as one user. Cheap to clone; clones share the connections and what is known.
#[derive(Clone)]
pub struct BackendAiEngine {
    core: Arc<core::Core>,
}

impl BackendAiEngine {
    /// Nothing is sent before the first request.
    pub fn new(config: BackendAiConfig) -> Self {
        Self {
            core: Arc::new(core::Core::new(config)),
        }
    }
}

impl std::fmt::Debug for BackendAiEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("BackendAiEngine")
            .field(&self.core.config)
            .finish()
    }
}
