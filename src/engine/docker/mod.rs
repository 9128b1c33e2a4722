//! The Docker engine (Docker or Podman, whichever responds): the only module that names bollard.
//!
//! `connect` finds the engine and knows what is particular to it, `container` creates and lists the containers of
//! sessions, `home` and `folder` are what is mounted into them, `toolbox` is the bundled tools, `network` is what they
//! reach, `image` is what they run, `terminal` is their shells, commands and ports, `remote` is all of this on an
//! engine that can't see the files of this machine, `log` and `usage` observe them, `kill` ends their programs.

mod accelerator;
mod blocking;
mod client_error;
mod connect;
mod container;
mod folder;
mod home;
mod image;
mod kill;
mod log;
mod network;
mod private_directory;
mod remote;
mod save;
mod terminal;
mod toolbox;
mod usage;

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::time::timeout;

use super::api::{Engine, Result, UsageAsk};
use crate::model::{
    capability::EngineInfo,
    id::{InstanceId, SessionId},
    network::NetworkRules,
    policy::AcceleratorRules,
    settings::SaveLimits,
    usage::Usage,
};
use accelerator::devices::{Device, Library};
use accelerator::nvidia::Nvidia;
use blocking::off_loop;
use connect::connection::Line;
use connect::process_env::Surroundings;
use connect::transport::Way;
use container::members::Member;
use folder::store::Shelf;
use home::directories::Scratches;
use toolbox::Toolbox;

/// An engine that does not say what it is, or that it is there, for so long is taken for lost. Opening a
/// line takes four answers, so a slow one of two seconds for each is not.
const ANSWER: Duration = Duration::from_secs(12);

/// What the engine is told once, when the daemon starts.
#[derive(Clone, Debug)]
pub struct DockerConfig {
    /// The store that owns what this engine makes; containers of others are never touched.
    pub instance: InstanceId,
    /// Directory below which `sessions/<id>/work` and `sessions/<id>/log` lie.
    pub state_dir: PathBuf,
    /// Directory that holds the toolboxes, one below it for each set of inputs.
    pub toolbox_dir: PathBuf,
    /// Directory that holds the folders people mount, one below it for each.
    pub folders_dir: PathBuf,
    /// Directory in which files of sessions are saved by their stop hooks.
    pub saved_dir: PathBuf,
    /// What those files may take.
    pub save_limits: SaveLimits,
    /// Files that every new home begins with; it need not be there.
    pub dotfiles_dir: PathBuf,
    /// What the site says of accelerators, by slot name.
    pub accelerators: BTreeMap<String, AcceleratorRules>,
    /// Directory of this person's own for sockets that lead to engines; its path must be short.
    pub runtime_dir: PathBuf,
    /// What sessions may reach.
    pub network: NetworkRules,
    /// An address, `docker` or `podman` by configuration; `None` = found in the documented order.
    pub endpoint: Option<String>,
    /// The shell that is preferred in terminals, where a session has it.
    pub shell: Option<String>,
    /// The workbay program, whose copy runs inside sessions.
    pub binary: PathBuf,
}

/// The engine as the daemon holds it. Making it costs nothing: it connects when first asked.
pub struct DockerEngine {
    config: DockerConfig,
    scratches: Scratches,
    shelf: Shelf,
    library: Arc<dyn Library>,
    /// What the library told last.
    found: Mutex<Option<Vec<Device>>>,
    line: tokio::sync::RwLock<Option<Arc<Line>>>,
    toolbox: tokio::sync::Mutex<Option<Arc<Toolbox>>>,
    /// Held by who fills its volume on an engine elsewhere.
    filling: tokio::sync::Mutex<()>,
    /// Container ids never change their session, so what was seen once holds.
    containers: Mutex<HashMap<SessionId, Vec<Member>>>,
    /// The engine sees this machine's files, as far as is known.
    is_here: AtomicBool,
    /// Choosing cores and making the container that takes them is one step.
    creating: tokio::sync::Mutex<()>,
    /// Read by who puts a session on a network, until its containers are there; written by who removes
    /// networks without containers.
    joining: tokio::sync::RwLock<()>,
    sampler: Arc<Mutex<usage::Sampler>>,
}

impl DockerEngine {
    /// Never fails and does nothing yet; `probe` reports.
    pub fn new(config: DockerConfig) -> Self {
        save::remove_unfinished(&config.saved_dir);
        Self {
            scratches: Scratches::new(
                config.state_dir.join("sessions"),
                config.dotfiles_dir.clone(),
            ),
            shelf: Shelf::new(config.folders_dir.clone()),
            library: Arc::new(Nvidia::default()),
            found: Mutex::new(None),
            config,
            line: tokio::sync::RwLock::new(None),
            toolbox: tokio::sync::Mutex::new(None),
            filling: tokio::sync::Mutex::new(()),
            containers: Mutex::new(HashMap::new()),
            is_here: AtomicBool::new(true),
            creating: tokio::sync::Mutex::new(()),
            joining: tokio::sync::RwLock::new(()),
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
        let line = Arc::new(self.open_line().await?);
        self.is_here.store(line.remote.is_none(), Ordering::Relaxed);
        *slot = Some(Arc::clone(&line));
        Ok(line)
    }

    /// Finds the engine and asks what it is. The way there may take its time, an answer may not.
    async fn open_line(&self) -> Result<Line> {
        let configured = self.config.endpoint.as_deref();
        let endpoint = connect::discover::find(configured, &Surroundings::of_process())?;
        let way = Way::open(&endpoint, &self.config.runtime_dir).await?;
        let url = way.url().to_owned();
        let opened = timeout(ANSWER, Line::open(way)).await;
        opened.map_err(|_| client_error::silent(&url, ANSWER))?
    }

    /// Whether it has a word for us.
    async fn answers(&self) -> Result<()> {
        let line = self.line().await?;
        match timeout(ANSWER, line.docker.ping()).await {
            Ok(answer) => answer.map(|_| ()).map_err(|error| line.fault(error)),
            Err(_) => Err(client_error::silent(line.url(), ANSWER)),
        }
    }

    /// The toolbox, built when it is not there yet or no longer.
    async fn toolbox(&self, line: &Line) -> Result<Arc<Toolbox>> {
        let mut slot = self.toolbox.lock().await;
        if let Some(known) = slot.as_ref().filter(|toolbox| toolbox.is_there()) {
            return Ok(Arc::clone(known));
        }
        let (dir, binary) = (self.config.toolbox_dir.clone(), self.config.binary.clone());
        let made = off_loop(move || Toolbox::prepare(&dir, &binary)).await?;
        let made = Arc::new(made);
        *slot = Some(Arc::clone(&made));
        if made.is_new {
            let (toolbox, in_use) = (
                Arc::clone(&made),
                container::list::toolboxes_in_use(line).await?,
            );
            let pruned = tokio::task::spawn_blocking(move || toolbox.prune_others(&in_use)).await;
            if let Ok(Err(error)) = pruned {
                tracing::warn!(%error, "older bundled tools can't be removed");
            }
        }
        Ok(made)
    }

    /// The accelerators of this machine, as they were found last.
    async fn devices(&self, line: &Line) -> Result<Vec<Device>> {
        let known = {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.clone()
        };
        match known {
            Some(devices) => Ok(devices),
            None => self.find_devices(line).await,
        }
    }

    /// Looks for them anew. An engine elsewhere cannot give what is here, and Podman takes no request
    /// for devices.
    async fn find_devices(&self, line: &Line) -> Result<Vec<Device>> {
        let devices = if line.remote.is_none() && line.habits.gives_devices {
            let library = Arc::clone(&self.library);
            off_loop(move || Ok(library.devices())).await?
        } else {
            Vec::new()
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = Some(devices.clone());
        Ok(devices)
    }

    async fn with_accelerators(&self, line: &Line, mut info: EngineInfo) -> Result<EngineInfo> {
        let devices = self.find_devices(line).await?;
        info.accelerators = accelerator::devices::amounts(&devices, &self.config.accelerators);
        let missing = &mut info.capabilities.missing;
        missing.extend(self.lacks_of_network(line));
        Ok(info)
    }
}

#[async_trait]
impl Engine for DockerEngine {
    /// Looks for the engine anew when the line we had is gone: it may answer somewhere else now.
    async fn probe(&self) -> Result<EngineInfo> {
        let known = self.line.read().await.as_ref().map(Arc::clone);
        if let Some(line) = known {
            match timeout(ANSWER, line.refresh()).await {
                Ok(Ok(info)) => return self.with_accelerators(&line, info).await,
                Ok(Err(_)) => *self.line.write().await = None,
                Err(_) => {
                    *self.line.write().await = None;
                    return Err(client_error::silent(line.url(), ANSWER));
                }
            }
        }
        let line = self.line().await?;
        self.with_accelerators(&line, line.info()).await
    }

    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)> {
        usage::sample(self, asked, now).await
    }

    fn reads_cheaply(&self) -> bool {
        usage::is_cheap(self)
    }

    fn last_usage(&self, session: SessionId) -> Option<Usage> {
        usage::last(self, session)
    }
}
