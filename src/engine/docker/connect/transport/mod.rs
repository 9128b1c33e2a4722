//! The way to an engine: its own socket, or a socket of ours whose connections are carried there, so that
//! whoever speaks to the engine needs to know of sockets only.

mod podman_service;
mod relay;
pub(in crate::engine::docker) mod socket_check;
mod ssh;
mod ssh_master;
pub(in crate::engine::docker) mod ssh_target;
pub(in crate::engine::docker) mod tls;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::net::UnixStream;

use super::endpoint::Endpoint;
use crate::engine::api::Result;
use crate::engine::docker::client_error;

/// How long a socket of this machine may take to accept us.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open way; it is closed when this is dropped.
pub(in crate::engine::docker) struct Way {
    url: String,
    leads: Leads,
}

enum Leads {
    /// The engine's own socket.
    There(PathBuf),
    Service(Arc<podman_service::Service>),
    Relay(relay::Relay),
}

impl Way {
    /// Opens the way and goes it once, so that what is wrong with it is told here. `runtime_dir` is a
    /// directory of this person's own.
    pub(in crate::engine::docker) async fn open(
        endpoint: &Endpoint,
        runtime_dir: &Path,
    ) -> Result<Self> {
        let url = endpoint.url();
        let leads = match endpoint {
            Endpoint::Socket(socket) => Leads::There(socket.clone()),
            Endpoint::Podman { program } => {
                Leads::Service(podman_service::running(program, runtime_dir).await?)
            }
            Endpoint::Tcp { address, tls } => {
                let far = tls::Port::open(address, tls.as_ref(), &url).await?;
                Leads::Relay(relay::Relay::open(runtime_dir, Arc::new(far))?)
            }
            Endpoint::Ssh(place) => {
                let far = ssh::Door::open(place, runtime_dir).await?;
                Leads::Relay(relay::Relay::open(runtime_dir, Arc::new(far))?)
            }
        };
        Ok(Self { url, leads })
    }

    /// The Unix socket to speak to.
    pub(in crate::engine::docker) fn socket(&self) -> &Path {
        match &self.leads {
            Leads::There(socket) => socket,
            Leads::Service(service) => service.socket(),
            Leads::Relay(relay) => relay.socket(),
        }
    }

    /// The address as a person knows it.
    pub(in crate::engine::docker) fn url(&self) -> &str {
        &self.url
    }

    /// Connects once by hand: it tells exactly what is wrong with a socket, and which process of this
    /// machine listens on it; `None` where that is a relay of ours.
    pub(in crate::engine::docker) async fn listener(&self) -> Result<Option<i32>> {
        let dial = UnixStream::connect(self.socket());
        let stream = tokio::time::timeout(PATIENCE, dial)
            .await
            .map_err(|_| {
                client_error::unreachable(&self.url, &std::io::ErrorKind::TimedOut.into())
            })?
            .map_err(|error| client_error::unreachable(&self.url, &error))?;
        let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
        Ok(peer.filter(|_| !self.is_carried()))
    }

    /// The engine was reached over a network.
    pub(in crate::engine::docker) fn is_carried(&self) -> bool {
        matches!(self.leads, Leads::Relay(_))
    }
}
