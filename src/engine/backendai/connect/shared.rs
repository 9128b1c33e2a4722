//! What all parts of the engine share: the configuration and the connection, which is opened when
//! it is first needed.

use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, OnceCell};

use super::{config::BackendAiConfig, connection::Line};
use crate::engine::backendai::{
    catalogue::Agents,
    request::http::Http,
    stream::{Held, Known},
};
use crate::{engine::api::Result, model::environment::Environment};

/// Agents that were read within this time aren't read again.
const FRESH: SignedDuration = SignedDuration::from_secs(5);

pub(in crate::engine::backendai) struct Core {
    pub(in crate::engine::backendai) config: BackendAiConfig,
    http: OnceCell<Arc<Http>>,
    line: Mutex<Option<Arc<Line>>>,
    /// The environments as they were last read, for launches.
    environments: StdMutex<Option<Arc<Vec<Environment>>>>,
    /// The agents as they were last read, and when.
    agents: StdMutex<Option<(Timestamp, Arc<Agents>)>>,
    /// The open terminals.
    pub(in crate::engine::backendai) held: Held,
    /// What is known about the sshd of each container.
    pub(in crate::engine::backendai) known: Known,
}

impl Core {
    pub(in crate::engine::backendai) fn new(config: BackendAiConfig) -> Self {
        Self {
            config,
            http: OnceCell::new(),
            line: Mutex::new(None),
            environments: StdMutex::new(None),
            agents: StdMutex::new(None),
            held: Held::default(),
            known: Known::default(),
        }
    }

    /// The known connection. Without one, this asks the manager first.
    pub(in crate::engine::backendai) async fn line(&self) -> Result<Arc<Line>> {
        let mut known = self.line.lock().await;
        if let Some(line) = &*known {
            return Ok(line.clone());
        }
        let line = Arc::new(Line::open(self.http().await?, &self.config).await?);
        *known = Some(line.clone());
        Ok(line)
    }

    /// Reads again what the manager is. A login that failed before is tried again.
    pub(in crate::engine::backendai) async fn probe(&self) -> Result<Arc<Line>> {
        let http = self.http().await?;
        http.forgive().await;
        let line = Arc::new(Line::open(http, &self.config).await?);
        *self.line.lock().await = Some(line.clone());
        Ok(line)
    }

    pub(in crate::engine::backendai) fn known_environments(&self) -> Option<Arc<Vec<Environment>>> {
        let known = self.environments.lock();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(in crate::engine::backendai) fn know_environments(&self, environments: &[Environment]) {
        let mut known = self
            .environments
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known = Some(Arc::new(environments.to_vec()));
    }

    /// The agents, not older than `age`, and fresh if that takes one request; `None` if they can't
    /// be read.
    pub(in crate::engine::backendai) async fn agents(
        &self,
        line: &Line,
        age: SignedDuration,
    ) -> Option<Arc<Agents>> {
        let now = (self.config.clock)();
        let known = self.agents.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner).clone();
        let is_fresh = |(at, agents): &(Timestamp, Arc<Agents>)| {
            let age = if agents.is_one_page() { FRESH } else { age };
            now.duration_since(*at) < age
        };
        if let Some((_, agents)) = known.filter(is_fresh) {
            return Some(agents);
        }
        let agents = line.agents().await.ok().map(Arc::new)?;
        self.know_agents(&agents);
        Some(agents)
    }

    pub(in crate::engine::backendai) fn know_agents(&self, agents: &Arc<Agents>) {
        let known = Some(((self.config.clock)(), agents.clone()));
        *self.agents.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    async fn http(&self) -> Result<Arc<Http>> {
        let make = || async { Http::new(&self.config).map(Arc::new) };
        self.http.get_or_try_init(make).await.cloned()
    }
}
