//! Where an engine is, and how it is reached.

use std::path::PathBuf;

use super::transport::{ssh_target::SshPlace, tls::TlsFiles};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) enum Endpoint {
    /// A Unix socket of this machine.
    Socket(PathBuf),
    /// Podman without a socket: we run its service ourselves.
    Podman { program: PathBuf },
    /// A TCP port, `host:port`, with TLS where there is material for it.
    Tcp {
        address: String,
        tls: Option<TlsFiles>,
    },
    /// Over SSH, as Docker's own client does it.
    Ssh(SshPlace),
}

impl Endpoint {
    /// As Docker writes it: `unix:///var/run/docker.sock`.
    pub(in crate::engine::docker) fn url(&self) -> String {
        match self {
            Self::Socket(socket) => format!("unix://{}", socket.display()),
            Self::Podman { program } => format!("podman ({})", program.display()),
            Self::Tcp { address, .. } => format!("tcp://{address}"),
            Self::Ssh(place) => place.url(),
        }
    }
}
