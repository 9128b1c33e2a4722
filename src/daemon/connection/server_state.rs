//! The identity of the daemon, and what every connection to it needs.

use std::{path::PathBuf, sync::Arc};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{admission::Admission, inbound::Inbound};
use crate::{
    daemon::upgrade::{Failed, Successor},
    model::{id::InstanceId, settings::AppSettings},
    protocol::reader::Budget,
};

/// The identity of the daemon.
#[derive(Clone, Debug)]
pub(in crate::daemon) struct Identity {
    pub socket: PathBuf,
    pub instance: InstanceId,
    pub started_at: Timestamp,
}

/// What every connection needs.
#[derive(Clone)]
pub(in crate::daemon) struct ServerState {
    pub inbound: mpsc::Sender<Inbound>,
    pub identity: Arc<Identity>,
    /// How the daemon upgrades itself; `None` = it runs inside another program.
    pub successor: Option<Successor>,
    /// The last upgrade that failed.
    pub failed: Option<Failed>,
    /// The directory of the keys of SSH.
    pub keys: PathBuf,
    pub apps: AppSettings,
    /// The limits of clients and streams.
    pub admission: Admission,
    /// The memory limit for all partly received messages.
    pub budget: Budget,
}
