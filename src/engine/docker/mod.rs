//! The Docker engine (Docker or Podman, whichever answers): the only place that names bollard.
//!
//! `connect` finds the socket, `line` keeps what is known about the engine behind it, `create` turns
//! a plan into a container, `host` is the environment that needs no image, `toolbox` is what we mount
//! into every session, `scratch` is its home, `hijack`, `exec` and `attach` are its terminals, `logs`
//! and `usage` watch it.

mod attach;
mod connect;
mod cores;
mod create;
mod events;
mod exec;
mod fault;
mod hijack;
mod host;
mod images;
mod kill;
mod labels;
mod line;
mod logs;
mod mounts;
mod saved_log;
mod scratch;
mod sessions;
mod sighting;
mod skeleton;
mod streams;
mod toolbox;
mod usage;
mod variables;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use jiff::Timestamp;

use super::{
    api::{Engine, Folders, Result},
    error::EngineError,
};
use crate::model::{
    capability::EngineInfo,
    id::{InstanceId, SessionId},
    usage::Usage,
};
use line::Line;
use scratch::Scratches;
use toolbox::Toolbox;

/// What the engine is told once, when the daemon starts.
#[derive(Clone, Debug)]
pub struct DockerConfig {
    /// The store that owns what this engine makes; containers of others are never touched.
    pub instance: InstanceId,
    /// Directory below which `sessions/<id>/work` and `sessions/<id>/log` lie.
    pub state_dir: PathBuf,
    /// Directory that holds the toolboxes, one below it for each set of inputs.
    pub toolbox_dir: PathBuf,
    /// `unix:///…` by configuration; `None` = found in the documented order.
    pub endpoint: Option<String>,
    /// The workbay program, whose copy runs inside sessions.
    pub binary: PathBuf,
}

/// The engine as the daemon holds it. Making it costs nothing: it connects when first asked.
pub struct DockerEngine {
    config: DockerConfig,
    scratches: Scratches,
    line: tokio::sync::RwLock<Option<Arc<Line>>>,
    toolbox: tokio::sync::Mutex<Option<Arc<Toolbox>>>,
    /// Container ids never change their session, so what was seen once holds.
    containers: Mutex<HashMap<SessionId, String>>,
    /// Choosing cores and making the container that takes them is one step.
    creating: tokio::sync::Mutex<()>,
    sampler: Arc<Mutex<usage::Sampler>>,
}

impl DockerEngine {
    /// Never fails and does nothing yet; `probe` reports.
    pub fn new(config: DockerConfig) -> Self {
        Self {
            scratches: Scratches::new(config.state_dir.join("sessions")),
            config,
            line: tokio::sync::RwLock::new(None),
            toolbox: tokio::sync::Mutex::new(None),
            containers: Mutex::new(HashMap::new()),
            creating: tokio::sync::Mutex::new(()),
            sampler: Arc::new(Mutex::new(usage::Sampler::default())),
        }
    }

    /// The line to the engine: the one we have, or a new one.
    async fn line(&self) -> Result<Arc<Line>> {
        if let Some(line) = self.line.read().await.as_ref() {
            return Ok(Arc::clone(line));
        }
        let mut slot = self.line.write().await;
        if let Some(line) = slot.as_ref() {
            return Ok(Arc::clone(line));
        }
        let line = Arc::new(Line::open(self.config.endpoint.as_deref()).await?);
        *slot = Some(Arc::clone(&line));
        Ok(line)
    }

    /// The toolbox, built when it is not there yet or no longer.
    async fn toolbox(&self, line: &Line) -> Result<Arc<Toolbox>> {
        let mut slot = self.toolbox.lock().await;
        if let Some(known) = slot.as_ref().filter(|toolbox| toolbox.is_there()) {
            return Ok(Arc::clone(known));
        }
        let (dir, binary) = (self.config.toolbox_dir.clone(), self.config.binary.clone());
        let made = sessions::off_loop(move || Toolbox::prepare(&dir, &binary)).await?;
        let made = Arc::new(made);
        *slot = Some(Arc::clone(&made));
        if made.is_new {
            let (toolbox, in_use) = (Arc::clone(&made), sessions::toolboxes_in_use(line).await?);
            let pruned = tokio::task::spawn_blocking(move || toolbox.prune_others(&in_use)).await;
            if let Ok(Err(error)) = pruned {
                tracing::warn!(%error, "older toolboxes could not be removed");
            }
        }
        Ok(made)
    }

    fn remembered(&self, session: SessionId) -> Option<String> {
        let map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.get(&session).cloned()
    }

    fn remember(&self, session: SessionId, container: &str) {
        let mut map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.insert(session, container.to_owned());
    }

    fn forget_container(&self, session: SessionId) {
        let mut map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.remove(&session);
    }

    /// The id of the session's container, or `NotFound`.
    async fn container(&self, line: &Line, session: SessionId) -> Result<String> {
        if let Some(id) = self.remembered(session) {
            return Ok(id);
        }
        let found = sessions::find(line, self.config.instance, session).await?;
        let id = found.ok_or_else(|| EngineError::NotFound(session.to_string()))?;
        self.remember(session, &id);
        Ok(id)
    }
}

#[async_trait]
impl Folders for DockerEngine {}

#[async_trait]
impl Engine for DockerEngine {
    /// Looks for the engine anew when the line we had is gone: it may answer somewhere else now.
    async fn probe(&self) -> Result<EngineInfo> {
        let known = self.line.read().await.as_ref().map(Arc::clone);
        if let Some(line) = known {
            match line.refresh().await {
                Ok(info) => return Ok(info),
                Err(_) => *self.line.write().await = None,
            }
        }
        let line = self.line().await?;
        Ok(line.info())
    }

    async fn usage(&self, sessions: &[SessionId], now: Timestamp) -> Vec<(SessionId, Usage)> {
        usage::sample(self, sessions, now).await
    }
}
