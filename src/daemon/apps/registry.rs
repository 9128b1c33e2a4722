//! The open forwards.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::Arc,
};

use tokio::{sync::mpsc, task::AbortHandle, time::Instant};
use tokio_util::sync::DropGuard;

use super::target::Inside;
use crate::{
    daemon::connection::inbound::Inbound,
    gateway::{TokenBook, Traffic},
    model::{
        forward::{Forward, ForwardId, ForwardTarget},
        id::SessionKey,
        secret::Secret,
        settings::AppSettings,
        text::Clean,
    },
};

/// What the registry is built from.
pub(in crate::daemon) struct AppsSetup {
    pub settings: AppSettings,
    /// The directory of the keys of SSH and of the gateway.
    pub keys: PathBuf,
    pub inbound: mpsc::Sender<Inbound>,
    /// The forwards that the last daemon had open.
    pub stored: Vec<Forward>,
}

/// The forwards that are open, and what watches over their apps.
pub(in crate::daemon) struct Apps {
    pub(super) settings: AppSettings,
    pub(super) keys: PathBuf,
    pub(in crate::daemon) inbound: mpsc::Sender<Inbound>,
    pub(super) stored: Vec<Forward>,
    pub(super) open: BTreeMap<ForwardId, OpenForward>,
    /// The tasks that wait for the end of an app.
    pub(super) watched: HashMap<(SessionKey, Clean), AbortOnDrop>,
    /// From which the secrets of forwards are derived. Read when it is first needed.
    pub(super) key: Option<Secret>,
    pub(super) last_id: ForwardId,
    /// The forwards as clients know them.
    pub(super) published: Vec<Forward>,
    /// When the traffic is counted next.
    pub(super) due: Option<Instant>,
}

/// A forward, and what serves it.
pub(super) struct OpenForward {
    pub forward: Forward,
    pub traffic: Arc<Traffic>,
    /// `None` = public.
    pub tokens: Option<Arc<TokenBook>>,
    /// Its port changes when the app is started again on another one.
    pub inside: Arc<Inside>,
    /// The bytes that were last reported as use of the session.
    pub reported: u64,
    /// Dropping it closes the port and its connections.
    pub _serving: DropGuard,
}

/// Ends a task when it is dropped.
pub(super) struct AbortOnDrop(pub AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Apps {
    pub fn new(setup: AppsSetup) -> Self {
        Self {
            settings: setup.settings,
            keys: setup.keys,
            inbound: setup.inbound,
            last_id: setup.stored.iter().map(|it| it.id).max().unwrap_or(0),
            stored: setup.stored,
            open: BTreeMap::new(),
            watched: HashMap::new(),
            key: None,
            published: Vec::new(),
            due: None,
        }
    }

    /// The forwards with their traffic, oldest first.
    pub fn forwards(&self) -> Vec<Forward> {
        self.open.values().map(OpenForward::current).collect()
    }

    /// The forward that leads to the same target of a session, by its kind of access.
    pub(super) fn equal(
        &self,
        session: SessionKey,
        target: &ForwardTarget,
        is_public: bool,
    ) -> Option<ForwardId> {
        let is_equal = |open: &&OpenForward| {
            let forward = &open.forward;
            forward.session == session
                && forward.public.is_some() == is_public
                && is_same(&forward.target, target)
        };
        self.open
            .values()
            .find(is_equal)
            .map(|open| open.forward.id)
    }

    /// The forwards of a session, or only those of one of its apps.
    pub(super) fn of(&self, session: SessionKey, app: Option<&Clean>) -> Vec<ForwardId> {
        let is_meant = |open: &&OpenForward| {
            let is_of_app = |app: &Clean| match &open.forward.target {
                ForwardTarget::App { app: one, .. } => one == app,
                _ => false,
            };
            open.forward.session == session && app.is_none_or(is_of_app)
        };
        let found = self.open.values().filter(is_meant);
        found.map(|open| open.forward.id).collect()
    }
}

/// Whether two targets are the same app or port. The port of an app may differ from one start to the next.
fn is_same(one: &ForwardTarget, other: &ForwardTarget) -> bool {
    match (one, other) {
        (ForwardTarget::App { app: one, .. }, ForwardTarget::App { app: other, .. }) => {
            one == other
        }
        (one, other) => one == other,
    }
}

impl OpenForward {
    fn current(&self) -> Forward {
        let figures = self.traffic.read();
        let mut forward = self.forward.clone();
        forward.traffic.received = figures.bytes_in;
        forward.traffic.sent = figures.bytes_out;
        forward.traffic.connections = figures.connections_now;
        forward
    }
}
