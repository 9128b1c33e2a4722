//! What every part of the engine shares: the configuration and the line, opened when first needed.

use std::sync::Arc;

use tokio::sync::{Mutex, OnceCell};

use super::{config::BackendAiConfig, http::Http, line::Line};
use crate::engine::api::Result;

pub(super) struct Core {
    pub(super) config: BackendAiConfig,
    http: OnceCell<Arc<Http>>,
    line: Mutex<Option<Arc<Line>>>,
}

impl Core {
    pub(super) fn new(config: BackendAiConfig) -> Self {
        Self {
            config,
            http: OnceCell::new(),
            line: Mutex::new(None),
        }
    }

    /// The line as it is known; asks the manager first where nothing is known yet.
    pub(super) async fn line(&self) -> Result<Arc<Line>> {
        let mut known = self.line.lock().await;
        if let Some(line) = &*known {
            return Ok(line.clone());
        }
        let line = Arc::new(Line::open(self.http().await?, &self.config).await?);
        *known = Some(line.clone());
        Ok(line)
    }

    /// Asks anew what the manager is; a login that failed before is tried again.
    pub(super) async fn probe(&self) -> Result<Arc<Line>> {
        let http = self.http().await?;
        http.forgive().await;
        let line = Arc::new(Line::open(http, &self.config).await?);
        *self.line.lock().await = Some(line.clone());
        Ok(line)
    }

    async fn http(&self) -> Result<Arc<Http>> {
        let make = || async { Http::new(&self.config).map(Arc::new) };
        self.http.get_or_try_init(make).await.cloned()
    }
}
