//! The address of an engine and how to reach it.

use std::path::PathBuf;

use super::transport::{ssh_target::SshPlace, tls::TlsFiles};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) enum Endpoint {
    /// A Unix socket of this machine.
    Socket(PathBuf),
    /// Podman without a socket: workbay runs its service.
    Podman { program: PathBuf },
    /// A TCP port, `host:port`, with TLS if there are certificates.
    Tcp {
        address: String,
        tls: Option<TlsFiles>,
    },
    /// Over SSH, as Docker's own client connects.
    Ssh(SshPlace),
}

impl Endpoint {
    /// The address as Docker writes it: `unix:///var/run/docker.sock`.
    pub(in crate::engine::docker) fn url(&self) -> String {
        match self {
            Self::Socket(socket) => format!("unix://{}", socket.display()),
            Self::Podman { program } => format!("podman ({})", program.display()),
            Self::Tcp { address, .. } => format!("tcp://{address}"),
            Self::Ssh(place) => place.url(),
        }
    }
}
