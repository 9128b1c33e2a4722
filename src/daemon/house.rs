//! Who the daemon is, and what every connection to it needs.

use std::{path::PathBuf, sync::Arc};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{
    admission::Admission,
    inbound::Inbound,
    upgrade::{Failed, Successor},
};
use crate::{model::id::InstanceId, protocol::reader::Budget};

/// Who the daemon is.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub socket: PathBuf,
    pub instance: InstanceId,
    pub started_at: Timestamp,
}

/// What every connection needs.
#[derive(Clone)]
pub(super) struct House {
    pub inbound: mpsc::Sender<Inbound>,
    pub identity: Arc<Identity>,
    /// What the daemon may become; `None` = it lives inside another program.
    pub successor: Option<Successor>,
    /// What it could not become before.
    pub failed: Option<Failed>,
    /// Who is connected.
    pub admission: Admission,
    /// What messages that arrived in part may take together.
    pub budget: Budget,
}
