//! A Backend.AI manager as an engine: the manager schedules, workbay requests, watches and reports.
//!
//! Only this module uses its HTTP API. `docs/backendai.md` describes the requests.

mod app;
mod catalogue;
mod connect;
mod files;
mod folder;
#[cfg(test)]
mod fuzz;
mod image;
mod launch;
mod loss;
mod request;
mod session;
mod stream;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use jiff::Timestamp;

use super::{
    api::{Engine, Need, Result, UsageAsk},
    manager::{self, Manager, ManagerEvent, PageQuery, ProgressStream, SessionPage, Totals},
};
use crate::{
    model::{
        capability::EngineInfo,
        catalogue::{Catalogue, OwnerChoices},
        history::HistoryEntry,
        id::SessionId,
        one_time_code::OneTimeCode,
        request::SessionChange,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        usage::Usage,
    },
    rules::launch::relaunch::Recalled,
};

pub use connect::config::{BackendAiConfig, Login};

/// Agents collect statistics every 5 s, and managers read them later.
const USAGE_PERIOD: Duration = Duration::from_secs(10);

/// One manager, as one user. Clones are cheap and share the connections and the cached data.
#[derive(Clone)]
pub struct BackendAiEngine {
    core: Arc<connect::shared::SharedState>,
}

impl BackendAiEngine {
    /// Doesn't send anything before the first request.
    pub fn new(config: BackendAiConfig) -> Self {
        Self {
            core: Arc::new(connect::shared::SharedState::new(config)),
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

#[async_trait]
impl Engine for BackendAiEngine {
    async fn probe(&self) -> Result<EngineInfo> {
        Ok(self.core.probe().await?.info.clone())
    }

    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)> {
        let asked = asked.iter().filter(|one| one.need > Need::Kept);
        let sessions: Vec<SessionId> = asked.map(|one| one.session).collect();
        if sessions.is_empty() {
            return Vec::new();
        }
        let answer = async { self.core.connection().await?.usage(&sessions, now).await };
        answer.await.unwrap_or_else(|error| {
            tracing::debug!(%error, "no usage");
            Vec::new()
        })
    }

    fn usage_period(&self) -> Duration {
        USAGE_PERIOD
    }
}

#[async_trait]
impl Manager for BackendAiEngine {
    async fn page(&self, query: &PageQuery) -> Result<SessionPage> {
        self.read_page(query).await
    }

    async fn totals(&self) -> Result<Totals> {
        self.core.connection().await?.count().await
    }

    async fn rows(&self, sessions: &[SessionId]) -> Result<Vec<Session>> {
        self.read_rows(sessions).await
    }

    async fn session(&self, session: SessionId) -> Result<Option<Session>> {
        self.read_session(session).await
    }

    async fn recall(&self, session: SessionId) -> Result<Option<Recalled>> {
        self.recalled(session).await
    }

    async fn launch(&self, request: &LaunchRequest) -> Result<SessionId> {
        self.enqueue(request).await
    }

    async fn change(&self, session: SessionId, change: &SessionChange) -> Result<ProgressStream> {
        match change {
            SessionChange::Terminate { force } => self.end(session, *force).await?,
            SessionChange::Rename { name } => self.name(session, name).await?,
            SessionChange::Priority { priority } => self.set_priority(session, *priority).await?,
            SessionChange::Commit { image_name } => {
                return self.make_image(session, image_name).await;
            }
        }
        Ok(manager::done())
    }

    async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>> {
        self.core.connection().await?.history(session).await
    }

    async fn use_code(&self, code: OneTimeCode) -> Result<()> {
        self.core.use_code(code).await
    }

    async fn statistics(&self) -> Result<Statistics> {
        self.read_statistics().await
    }

    async fn catalogue(&self, project: Option<&str>) -> Result<Catalogue> {
        self.read_catalogue(project).await
    }

    async fn find_owner(&self, email: &str) -> Result<OwnerChoices> {
        self.core.connection().await?.owner(email).await
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<ManagerEvent>>> {
        self.listen().await
    }
}
