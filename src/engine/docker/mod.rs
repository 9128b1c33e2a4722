//! The Docker engine (Docker or Podman, whichever responds): the only module that names bollard.
//!
//! `connect` finds the engine and handles its differences. `container` creates and lists the containers of sessions.
//! `home` and `folder` prepare the directories mounted into them, `files` opens what is in them, and `toolbox` the bundled tools. `network` controls
//! what they reach, and `image` what they run. `terminal` opens their shells, commands and ports. `remote` does this
//! for an engine that can't see the files of this machine. `log` and `usage` observe them, and `loss` copies their files
//! into folders. `kill` ends their programs.

mod accelerator;
mod app;
mod blocking;
mod client_error;
mod connect;
mod container;
mod files;
mod folder;
mod home;
mod image;
mod kill;
mod log;
mod loss;
mod network;
mod private_directory;
mod quota;
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
    settings::{HostPath, SaveLimits},
    usage::Usage,
};
use accelerator::devices::{Device, Library};
use accelerator::nvidia::Nvidia;
use blocking::off_loop;
use connect::connection::EngineConnection;
use connect::process_env::ProcessEnv;
use connect::transport::OpenTransport;
use container::members::Member;
use folder::{sizes::FolderSizes, store::FolderStore};
use home::directories::Scratches;
use toolbox::Toolbox;

/// An engine that doesn't respond within this time counts as lost. Opening a connection takes four requests,
/// so an engine that takes two seconds for each still passes.
const ANSWER: Duration = Duration::from_secs(12);

/// The settings of the engine, given once when the daemon starts.
#[derive(Clone, Debug)]
pub struct DockerConfig {
    /// The instance that owns what this engine creates; containers of other instances are never changed.
    pub instance: InstanceId,
    /// Directory that contains `sessions/<id>/work` and `sessions/<id>/log`.
    pub state_dir: PathBuf,
    /// Directory of the toolboxes, with a subdirectory for each set of inputs.
    pub toolbox_dir: PathBuf,
    /// Directory of the folders that users mount, with a subdirectory for each.
    pub folders_dir: PathBuf,
    /// Directories of this machine that are folders of every user.
    pub host_paths: Vec<HostPath>,
    /// Directory where stop hooks save files of sessions.
    pub saved_dir: PathBuf,
    /// Size limits of the saved files.
    pub save_limits: SaveLimits,
    /// Files copied into every new home directory; the directory may be missing.
    pub dotfiles_dir: PathBuf,
    /// The system-wide settings of accelerators, by slot name.
    pub accelerators: BTreeMap<String, AcceleratorRules>,
    /// Directory of the user for sockets that lead to engines; its path must be short.
    pub runtime_dir: PathBuf,
    /// What sessions may reach.
    pub network: NetworkRules,
    /// An address, `docker` or `podman` from the configuration; `None` = searched in the documented order.
    pub endpoint: Option<String>,
    /// The preferred shell in terminals, where a session has it.
    pub shell: Option<String>,
    /// The workbay program; a copy of it runs inside sessions.
    pub binary: PathBuf,
}

/// The engine as the daemon uses it. Creating it is free: it connects on the first request.
pub struct DockerEngine {
    config: DockerConfig,
    scratches: Scratches,
    folder_store: FolderStore,
    folder_sizes: FolderSizes,
    /// Whether what killed daemons left in the trash is being deleted.
    swept: AtomicBool,
    library: Arc<dyn Library>,
    /// The devices that the library returned last.
    found: Mutex<Option<Vec<Device>>>,
    connection: tokio::sync::RwLock<Option<Arc<EngineConnection>>>,
    toolbox: tokio::sync::Mutex<Option<Arc<Toolbox>>>,
    /// Locked while the toolbox volume on a remote engine is filled.
    filling: tokio::sync::Mutex<()>,
    /// Cached without expiry: a container id never changes its session.
    containers: Mutex<HashMap<SessionId, Vec<Member>>>,
    /// Whether the engine sees this machine's files, as far as known.
    is_here: AtomicBool,
    /// Locked while cores are chosen and the container that takes them is created, so both are one step.
    creating: tokio::sync::Mutex<()>,
    /// Read-locked while a session joins a network, until its containers exist; write-locked while networks
    /// without containers are removed.
    joining: tokio::sync::RwLock<()>,
    sampler: Arc<Mutex<usage::Sampler>>,
    idle_helpers: super::helper_files::IdleHelpers,
    /// Locked while the files of a session are counted.
    counting: tokio::sync::Mutex<()>,
}

impl DockerEngine {
    /// Never fails and doesn't connect; `probe` reports problems.
    pub fn new(config: DockerConfig) -> Self {
        save::remove_unfinished(&config.saved_dir);
        loss::remove_unfinished(&config.folders_dir);
        Self {
            scratches: Scratches::new(
                config.state_dir.join("sessions"),
                config.dotfiles_dir.clone(),
            ),
            folder_store: FolderStore::new(config.folders_dir.clone())
                .with_host_paths(config.host_paths.clone()),
            folder_sizes: FolderSizes::default(),
            swept: AtomicBool::new(false),
            library: Arc::new(Nvidia::default()),
            found: Mutex::new(None),
            config,
            connection: tokio::sync::RwLock::new(None),
            toolbox: tokio::sync::Mutex::new(None),
            filling: tokio::sync::Mutex::new(()),
            containers: Mutex::new(HashMap::new()),
            is_here: AtomicBool::new(true),
            creating: tokio::sync::Mutex::new(()),
            joining: tokio::sync::RwLock::new(()),
            sampler: Arc::new(Mutex::new(usage::Sampler::default())),
            idle_helpers: super::helper_files::IdleHelpers::default(),
            counting: tokio::sync::Mutex::new(()),
        }
    }

    /// The current connection to the engine, or a new one.
    async fn connection(&self) -> Result<Arc<EngineConnection>> {
        if let Some(connection) = self.connection.read().await.as_ref() {
            return Ok(Arc::clone(connection));
        }
        let mut slot = self.connection.write().await;
        if let Some(connection) = slot.as_ref() {
            return Ok(Arc::clone(connection));
        }
        let connection = Arc::new(self.open_line().await?);
        self.is_here
            .store(connection.remote.is_none(), Ordering::Relaxed);
        *slot = Some(Arc::clone(&connection));
        let (tidied, instance) = (Arc::clone(&connection), self.config.instance);
        tokio::spawn(async move { image::own::remove_leftovers(&tidied, instance).await });
        Ok(connection)
    }

    /// Finds the engine and asks what it is. Only the answers have a time limit, not opening the way to it.
    async fn open_line(&self) -> Result<EngineConnection> {
        let configured = self.config.endpoint.as_deref();
        let endpoint = connect::discover::find(configured, &ProcessEnv::of_process())?;
        let transport = OpenTransport::open(&endpoint, &self.config.runtime_dir).await?;
        let url = transport.url().to_owned();
        let opened = timeout(ANSWER, EngineConnection::open(transport)).await;
        opened.map_err(|_| client_error::silent(&url, ANSWER))?
    }

    /// Checks that the engine responds.
    async fn answers(&self) -> Result<()> {
        let connection = self.connection().await?;
        match timeout(ANSWER, connection.docker.ping()).await {
            Ok(answer) => answer.map(|_| ()).map_err(|error| connection.fault(error)),
            Err(_) => Err(client_error::silent(connection.url(), ANSWER)),
        }
    }

    /// The toolbox; it is built if it doesn't exist or was removed.
    async fn toolbox(&self, connection: &EngineConnection) -> Result<Arc<Toolbox>> {
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
                container::list::toolboxes_in_use(connection).await?,
            );
            let pruned = tokio::task::spawn_blocking(move || toolbox.prune_others(&in_use)).await;
            if let Ok(Err(error)) = pruned {
                tracing::warn!(%error, "older bundled tools can't be removed");
            }
        }
        Ok(made)
    }

    /// The accelerators of this machine, as found last.
    async fn devices(&self, connection: &EngineConnection) -> Result<Vec<Device>> {
        let known = {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.clone()
        };
        match known {
            Some(devices) => Ok(devices),
            None => self.find_devices(connection).await,
        }
    }

    /// Searches for accelerators again. A remote engine can't use this machine's devices, and Podman takes no
    /// device requests.
    async fn find_devices(&self, connection: &EngineConnection) -> Result<Vec<Device>> {
        let devices = if connection.remote.is_none() && connection.quirks.gives_devices {
            let library = Arc::clone(&self.library);
            off_loop(move || Ok(library.devices())).await?
        } else {
            Vec::new()
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = Some(devices.clone());
        Ok(devices)
    }

    async fn with_accelerators(
        &self,
        connection: &EngineConnection,
        mut info: EngineInfo,
    ) -> Result<EngineInfo> {
        let devices = self.find_devices(connection).await?;
        info.accelerators = accelerator::devices::amounts(&devices, &self.config.accelerators);
        info.devices = accelerator::devices::named(&devices);
        let missing = &mut info.capabilities.missing;
        missing.extend(self.lacks_of_network(connection));
        missing.extend(self.lacks_of_quotas(connection).await);
        Ok(info)
    }
}

#[async_trait]
impl Engine for DockerEngine {
    /// Searches for the engine again when the known connection is lost: its address may have changed.
    async fn probe(&self) -> Result<EngineInfo> {
        let known = self.connection.read().await.as_ref().map(Arc::clone);
        if let Some(connection) = known {
            match timeout(ANSWER, connection.refresh()).await {
                Ok(Ok(info)) => return self.with_accelerators(&connection, info).await,
                Ok(Err(_)) => *self.connection.write().await = None,
                Err(_) => {
                    *self.connection.write().await = None;
                    return Err(client_error::silent(connection.url(), ANSWER));
                }
            }
        }
        let connection = self.connection().await?;
        self.with_accelerators(&connection, connection.info()).await
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
