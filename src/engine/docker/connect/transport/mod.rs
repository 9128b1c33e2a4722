//! The transport to an engine: its own socket, or a local socket whose connections are forwarded to it, so
//! that the engine's clients only need Unix sockets.

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

/// Time limit for a socket of this machine to accept a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// An open transport; it is closed when this is dropped.
pub(in crate::engine::docker) struct OpenTransport {
    url: String,
    leads: TransportTarget,
}

enum TransportTarget {
    /// The engine's own socket.
    There(PathBuf),
    Service(Arc<podman_service::Service>),
    Relay(relay::Relay),
}

impl OpenTransport {
    /// Opens the transport and connects once, so that errors are reported immediately. `runtime_dir` is a
    /// directory that only this user can access.
    pub(in crate::engine::docker) async fn open(
        endpoint: &Endpoint,
        runtime_dir: &Path,
    ) -> Result<Self> {
        let url = endpoint.url();
        let leads = match endpoint {
            Endpoint::Socket(socket) => TransportTarget::There(socket.clone()),
            Endpoint::Podman { program } => {
                TransportTarget::Service(podman_service::running(program, runtime_dir).await?)
            }
            Endpoint::Tcp { address, tls } => {
                let far = tls::Port::open(address, tls.as_ref(), &url).await?;
                TransportTarget::Relay(relay::Relay::open(runtime_dir, Arc::new(far))?)
            }
            Endpoint::Ssh(place) => {
                let far = ssh::SshConnector::open(place, runtime_dir).await?;
                TransportTarget::Relay(relay::Relay::open(runtime_dir, Arc::new(far))?)
            }
        };
        Ok(Self { url, leads })
    }

    /// The Unix socket to connect to.
    pub(in crate::engine::docker) fn socket(&self) -> &Path {
        match &self.leads {
            TransportTarget::There(socket) => socket,
            TransportTarget::Service(service) => service.socket(),
            TransportTarget::Relay(relay) => relay.socket(),
        }
    }

    /// The address as users know it.
    pub(in crate::engine::docker) fn url(&self) -> &str {
        &self.url
    }

    /// Connects once without the client library. This shows exactly why a socket fails, and which process of this
    /// machine listens on it; `None` for a relay of this process.
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

    /// Whether the engine is reached over a network.
    pub(in crate::engine::docker) fn is_carried(&self) -> bool {
        matches!(self.leads, TransportTarget::Relay(_))
    }
}
