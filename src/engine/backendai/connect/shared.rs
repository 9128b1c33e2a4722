//! What all parts of the engine share: the configuration and the connection, which is opened when
//! it is first needed.

use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, OnceCell};

use super::{config::BackendAiConfig, connection::ManagerConnection};
use crate::engine::backendai::{
    catalogue::Agents,
    files::Uploads,
    folder::FolderSizes,
    request::http::Http,
    stream::{KnownSshd, OpenTerminals},
};
use crate::{
    engine::{api::Result, helper_files::IdleHelpers},
    model::{environment::Environment, one_time_code::OneTimeCode},
};

/// Agents that were read within this time aren't read again.
const FRESH: SignedDuration = SignedDuration::from_secs(5);

pub(in crate::engine::backendai) struct SharedState {
    pub(in crate::engine::backendai) config: BackendAiConfig,
    http: OnceCell<Arc<Http>>,
    connection: Mutex<Option<Arc<ManagerConnection>>>,
    /// The environments as they were last read, for launches.
    environments: StdMutex<Option<Arc<Vec<Environment>>>>,
    /// The agents as they were last read, and when.
    agents: StdMutex<Option<(Timestamp, Arc<Agents>)>>,
    /// The sizes of folders as they were last read.
    pub(in crate::engine::backendai) folder_sizes: FolderSizes,
    /// The open terminals.
    pub(in crate::engine::backendai) held: OpenTerminals,
    /// What is known about the sshd of each container.
    pub(in crate::engine::backendai) known: KnownSshd,
    /// The uploads that were interrupted.
    pub(in crate::engine::backendai) uploads: Uploads,
    /// Helpers in sessions that wait for the next request about files.
    pub(in crate::engine::backendai) idle_helpers: IdleHelpers,
}

impl SharedState {
    pub(in crate::engine::backendai) fn new(config: BackendAiConfig) -> Self {
        Self {
            config,
            http: OnceCell::new(),
            connection: Mutex::new(None),
            environments: StdMutex::new(None),
            agents: StdMutex::new(None),
            folder_sizes: FolderSizes::default(),
            held: OpenTerminals::default(),
            known: KnownSshd::default(),
            uploads: Uploads::default(),
            idle_helpers: IdleHelpers::reusable(),
        }
    }

    /// The known connection. Without one, this asks the manager first.
    pub(in crate::engine::backendai) async fn connection(&self) -> Result<Arc<ManagerConnection>> {
        let mut known = self.connection.lock().await;
        if let Some(connection) = &*known {
            return Ok(connection.clone());
        }
        let connection = Arc::new(ManagerConnection::open(self.http().await?, &self.config).await?);
        *known = Some(connection.clone());
        Ok(connection)
    }

    /// Reads again what the manager is. A login that failed before is tried again.
    pub(in crate::engine::backendai) async fn probe(&self) -> Result<Arc<ManagerConnection>> {
        let http = self.http().await?;
        http.forgive().await;
        let connection = Arc::new(ManagerConnection::open(http, &self.config).await?);
        *self.connection.lock().await = Some(connection.clone());
        Ok(connection)
    }

    /// Uses the one-time password for the next login.
    pub(in crate::engine::backendai) async fn use_code(&self, code: OneTimeCode) -> Result<()> {
        self.http().await?.use_code(code).await
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
        connection: &ManagerConnection,
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
        let agents = connection.agents().await.ok().map(Arc::new)?;
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
