//! Forwards: ports of this machine that lead to a port of a session.

use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{app::AppProtocol, id::SessionKey, span::Span, text::Clean};

/// The number of a forward, unique within an instance.
pub type ForwardId = u64;

/// A port of this machine that leads to a port of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Forward {
    pub id: ForwardId,
    pub session: SessionKey,
    pub session_name: Clean,
    pub target: ForwardTarget,
    /// The title of the app, or the number of the port.
    pub title: Clean,
    pub protocol: AppProtocol,
    /// The address that the port listens on.
    #[cfg_attr(test, schemars(with = "String"))]
    pub address: IpAddr,
    pub port: u16,
    /// The page that is opened first.
    pub path: Clean,
    /// The URL without a token. A manager's proxy has its own URL.
    pub address_url: Clean,
    /// Set if anyone may use it, without a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<PublicAccess>,
    pub opened_at: Timestamp,
    /// Why it doesn't lead to its session at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Clean>,
    #[serde(default)]
    pub traffic: ForwardTraffic,
}

/// What a forward has transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ForwardTraffic {
    /// Bytes from its clients to the session.
    pub received: u64,
    /// Bytes from the session to its clients.
    pub sent: u64,
    /// Connections that are open now.
    pub connections: u64,
    pub last_used: Option<Timestamp>,
}

/// Where a forward leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ForwardTarget {
    /// An app of the session; `port` is one of its ports, `None` = the first.
    App {
        app: Clean,
        #[serde(default)]
        port: Option<u16>,
    },
    /// A port on the session's own loopback.
    Port { port: u16 },
    /// workbay's SSH server for the session.
    Ssh,
}

/// Who may use a public forward, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublicAccess {
    /// Networks like `10.0.0.0/8` whose members may use it; empty = everyone.
    #[serde(default)]
    pub allowed: Vec<Clean>,
    /// When it is closed.
    #[serde(default)]
    pub until: Option<Timestamp>,
}

/// How a forward is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForwardOptions {
    /// The port of this machine to try first.
    pub preferred_port: Option<u16>,
    /// Opens it to other machines, without a token.
    pub public: Option<PublicOptions>,
    /// How clients speak to it; `None` = as the app does, HTTP for plain ports.
    pub protocol: Option<AppProtocol>,
}

/// The request for a public forward.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PublicOptions {
    /// Networks like `10.0.0.0/8` whose members may use it; empty = everyone.
    pub allowed: Vec<String>,
    /// When it is closed, from now on.
    pub expires: Option<Span>,
}

/// The answer to opening a forward or to asking for its URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OpenedForward {
    #[serde(flatten)]
    pub forward: Forward,
    /// With a token that works once and for a few minutes.
    pub url: String,
    /// Why the preferred port isn't used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Clean>,
}

/// What an SSH client needs to enter a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SshAccess {
    /// The name of the account in the session.
    pub user: Clean,
    /// The file of the private key on this machine.
    pub identity_file: String,
    /// The file that names the host key of the session, for `UserKnownHostsFile`.
    pub known_hosts_file: String,
    /// The name of the session in that file.
    pub host_key_alias: String,
}
