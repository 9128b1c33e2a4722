//! The connection to one engine, and what is known about that engine.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use bollard::{API_DEFAULT_VERSION, Docker, models::SystemInfo};

use super::{
    locality::{self, LocalityInputs},
    quirks::{ContainerProgram, QuirkInputs, Quirks},
    raw_request,
    transport::OpenTransport,
};
use crate::{
    engine::{
        api::Result,
        docker::{client_error, image::registry_login, network::Firewall},
    },
    model::{
        capability::{Capabilities, Capability, EngineInfo},
        context::EngineKind,
        failure::Failure,
        resources::{Bytes, Cpu},
        text::Clean,
    },
};

/// Time limit of one request, in seconds.
const TIMEOUT: u64 = 120;

/// An engine that answered.
pub(in crate::engine::docker) struct EngineConnection {
    pub(in crate::engine::docker) docker: Docker,
    transport: OpenTransport,
    pub(in crate::engine::docker) quirks: Quirks,
    pub(in crate::engine::docker) cpus: u32,
    /// Why the engine doesn't share this machine's files and processes; `None` = it does.
    pub(in crate::engine::docker) remote: Option<String>,
    /// The processor of the engine's machine; empty if the engine doesn't report it.
    pub(in crate::engine::docker) processor: String,
    info: Mutex<EngineInfo>,
    pub(in crate::engine::docker) firewall: Firewall,
}

impl EngineConnection {
    /// Connects and asks the engine what it is.
    pub(in crate::engine::docker) async fn open(transport: OpenTransport) -> Result<Self> {
        let listener = transport.listener().await?;
        let url = transport.url().to_owned();
        let socket = format!("unix://{}", transport.socket().display());
        let docker = Docker::connect_with_unix(&socket, TIMEOUT, API_DEFAULT_VERSION)
            .map_err(|error| client_error::translate(error, &url))?;
        let docker = docker
            .with_request_modifier(registry_login::respell)
            .negotiate_version()
            .await
            .map_err(|error| client_error::translate(error, &url))?;
        let known = ask(&docker, &url).await?;
        let podman = match &known.podman {
            Some(version) => {
                Some(raw_request::podman_info(transport.socket(), &url, version).await?)
            }
            None => None,
        };
        let seen = LocalityInputs {
            docker: &docker,
            transport: &transport,
            kind: known.kind(),
            listener,
            kernel: known.kernel.as_deref(),
        };
        let remote = locality::why_remote(&seen).await;
        let quirks = Quirks::of(&QuirkInputs {
            info: &known.info,
            podman: podman.as_ref(),
            process: listener.filter(|_| remote.is_none()),
        });
        let info = engine_info(&docker, &known, &url, remote.as_deref());
        Ok(Self {
            docker,
            transport,
            quirks,
            cpus: known.info.ncpu.and_then(|n| n.try_into().ok()).unwrap_or(1),
            remote,
            processor: known.info.architecture.unwrap_or_default(),
            info: Mutex::new(info),
            firewall: Firewall::default(),
        })
    }

    /// The engine's address as users know it.
    pub(in crate::engine::docker) fn url(&self) -> &str {
        self.transport.url()
    }

    pub(in crate::engine::docker) fn socket(&self) -> &Path {
        self.transport.socket()
    }

    /// What the engine reported last.
    pub(in crate::engine::docker) fn info(&self) -> EngineInfo {
        self.info
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Asks the engine again; an error means that the connection is lost.
    pub(in crate::engine::docker) async fn refresh(&self) -> Result<EngineInfo> {
        let known = ask(&self.docker, self.url()).await?;
        let info = engine_info(&self.docker, &known, self.url(), self.remote.as_deref());
        *self.info.lock().unwrap_or_else(PoisonError::into_inner) = info.clone();
        Ok(info)
    }

    /// Translates an error of this connection's client.
    pub(in crate::engine::docker) fn fault(&self, error: bollard::errors::Error) -> Failure {
        client_error::translate(error, self.url())
    }

    /// Fails unless the engine shares this machine's files.
    pub(in crate::engine::docker) fn must_be_local(&self) -> Result<()> {
        match &self.remote {
            None => Ok(()),
            Some(why) => Err(Failure::unsupported(why.clone())),
        }
    }
}

/// What an engine reports about itself.
struct EngineReport {
    /// Podman's own version.
    podman: Option<String>,
    version: String,
    kernel: Option<String>,
    info: SystemInfo,
}

impl EngineReport {
    fn kind(&self) -> ContainerProgram {
        match self.podman {
            Some(_) => ContainerProgram::Podman,
            None => ContainerProgram::Docker,
        }
    }
}

async fn ask(docker: &Docker, url: &str) -> Result<EngineReport> {
    let translate = |error| client_error::translate(error, url);
    let version = docker.version().await.map_err(translate)?;
    let info = docker.info().await.map_err(translate)?;
    let names = version.components.unwrap_or_default();
    let podman = names.iter().find(|part| part.name.contains("Podman"));
    Ok(EngineReport {
        podman: podman.map(|part| part.version.clone()),
        version: version.version.unwrap_or_default(),
        kernel: version
            .kernel_version
            .or_else(|| info.kernel_version.clone()),
        info,
    })
}

fn engine_info(
    docker: &Docker,
    known: &EngineReport,
    url: &str,
    remote: Option<&str>,
) -> EngineInfo {
    let api = docker.client_version();
    let of_this_machine = [
        Capability::HostEnvironment,
        Capability::Folders,
        Capability::DiskLimit,
    ];
    let remote = remote
        .into_iter()
        .flat_map(|why| of_this_machine.map(|capability| (capability, Clean::new(why))));
    let lacks = Capabilities::of(EngineKind::Docker).missing;
    let kind = Clean::new(known.kind().word());
    EngineInfo {
        // Debian appends `+dfsg1`, which is useless to users.
        version: Clean::new(known.version.split('+').next().unwrap_or_default()),
        api_version: Clean::new(&format!("{}.{}", api.major_version, api.minor_version)),
        cpus: Cpu::from_millis(known.info.ncpu.unwrap_or(0).max(0).unsigned_abs() * 1000),
        memory: Bytes(known.info.mem_total.unwrap_or(0).max(0).unsigned_abs()),
        capabilities: Capabilities {
            missing: remote.chain(lacks).collect(),
            open_streams_keep_alive: false,
        },
        ..EngineInfo::new(kind, Clean::new(url))
    }
}
