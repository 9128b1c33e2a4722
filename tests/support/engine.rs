//! An engine in memory: the whole trait family, with faults on demand.

mod answers;
mod containers;
mod logs;
mod steering;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard},
};

use jiff::Timestamp;
use tokio::sync::{Notify, mpsc};
use workbay::{
    engine::api::{EngineEvent, EventKind, Result},
    model::{
        environment::{Environment, EnvironmentSource, ImageFacts},
        failure::Failure,
        id::SessionId,
        loss::Unsaved,
        resources::{Bytes, ResourceSlots},
        usage::Usage,
    },
};

use super::{
    script::Script,
    world::{Container, World},
};

/// A call that can be made to fail, to wait, or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    Probe,
    Ping,
    List,
    Inspect,
    Create,
    Start,
    Stop,
    Remove,
    Rename,
    Forget,
    Events,
    Usage,
    Logs,
    Exec,
    Attach,
    DetachAll,
    Environments,
    Pull,
    Folders,
    CreateFolder,
}

/// Cheap to clone: every clone is the same engine.
#[derive(Clone)]
pub struct MemoryEngine {
    shared: Arc<Shared>,
}

struct Shared {
    script: Script<Call>,
    inner: Mutex<Inner>,
    /// Something was done to a container or its log.
    changed: Notify,
}

struct Inner {
    world: World,
    listeners: Vec<mpsc::Sender<Result<EngineEvent>>>,
    others: ResourceSlots,
    environments: Vec<Environment>,
    usage: BTreeMap<SessionId, Usage>,
    /// Usage is read without asking anybody.
    cheap: bool,
    last_usage: BTreeMap<SessionId, Usage>,
    /// The files of sessions that aren't in a folder.
    unsaved: BTreeMap<SessionId, Unsaved>,
    /// Logs that are written without an end, by the number of the next line.
    floods: BTreeMap<SessionId, u64>,
}

impl MemoryEngine {
    /// 4 CPU, 8 GiB, the host environment and busybox:1.35.
    pub fn new() -> Self {
        Self::on(World::default())
    }

    /// An engine whose state is in a file, so that it outlives this process.
    pub fn kept_in(path: &Path) -> Self {
        Self::on(World::read(path))
    }

    fn on(world: World) -> Self {
        let inner = Inner {
            world,
            listeners: Vec::new(),
            others: ResourceSlots::default(),
            environments: vec![host(), image("busybox", "1.35")],
            usage: BTreeMap::new(),
            cheap: false,
            last_usage: BTreeMap::new(),
            unsaved: BTreeMap::new(),
            floods: BTreeMap::new(),
        };
        Self {
            shared: Arc::new(Shared {
                script: Script::new(),
                inner: Mutex::new(inner),
                changed: Notify::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap()
    }

    fn change(&self, session: SessionId, act: impl FnOnce(&mut Container) -> EventKind) {
        let kind = {
            let mut inner = self.lock();
            let container = inner.world.containers.get_mut(&session);
            act(container.expect("the container is there"))
        };
        self.save_and_send(session, kind);
    }

    fn save_and_send(&self, session: SessionId, kind: EventKind) {
        let mut inner = self.lock();
        inner.world.save();
        let event = EngineEvent {
            session,
            at: Timestamp::UNIX_EPOCH,
            kind,
        };
        inner
            .listeners
            .retain(|listener| listener.try_send(Ok(event.clone())).is_ok());
        drop(inner);
        self.shared.changed.notify_waiters();
    }

    async fn enter(&self, call: Call) -> Result<()> {
        self.shared.script.enter(call).await
    }

    fn container(&self, session: SessionId) -> Result<Container> {
        let inner = self.lock();
        let container = inner.world.containers.get(&session).cloned();
        container.ok_or_else(|| Failure::session_not_found(session.short()))
    }
}

pub fn host() -> Environment {
    Environment {
        name: "host".into(),
        version: "debian-12".into(),
        source: EnvironmentSource::Host,
        size: None,
        unavailable: None,
        absent: false,
        facts: ImageFacts::default(),
    }
}

pub fn image(name: &str, version: &str) -> Environment {
    Environment {
        name: name.into(),
        version: version.into(),
        source: EnvironmentSource::Image {
            reference: format!("{name}:{version}"),
        },
        size: Some(Bytes::mib(4)),
        unavailable: None,
        absent: false,
        facts: ImageFacts::default(),
    }
}
