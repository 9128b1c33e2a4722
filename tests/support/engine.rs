//! An engine in memory: the whole trait family, with faults on demand.

mod logs;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use futures_util::{StreamExt, stream::BoxStream};
use jiff::Timestamp;
use tokio::sync::{Notify, mpsc};
use workbay::{
    engine::{
        api::{
            AttachRequest, Attached, Containers, CreatePlan, Engine, EngineEvent, EventKind,
            ExecCommand, Folders, Images, Listing, LogChunk, Result, Sighting, Streams,
        },
        error::EngineError,
    },
    model::{
        capability::EngineInfo,
        catalogue::Folder,
        environment::{Environment, EnvironmentSource, ImageFacts},
        id::SessionId,
        log::{LogOptions, LogSource},
        resources::{Bytes, Cpu, ResourceSlots},
        usage::Usage,
    },
};

use super::{
    programs,
    world::{Container, State, World},
};

/// A call that can be made to fail, to wait, or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    Probe,
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
    Folders,
    CreateFolder,
}

/// Cheap to clone: every clone is the same engine.
#[derive(Clone)]
pub struct MemoryEngine {
    shared: Arc<Shared>,
}

struct Shared {
    inner: Mutex<Inner>,
    changed: Notify,
}

struct Inner {
    world: World,
    listeners: Vec<mpsc::Sender<Result<EngineEvent>>>,
    calls: Vec<(Call, Option<SessionId>)>,
    /// The next calls of a kind fail so.
    faults: HashMap<Call, Vec<EngineError>>,
    /// Calls of these kinds wait until released.
    held: BTreeSet<Call>,
    lost: bool,
    others: ResourceSlots,
    environments: Vec<Environment>,
    usage: BTreeMap<SessionId, (Option<u64>, u64)>,
    /// Logs that are written without an end, by the number of the next line.
    floods: BTreeMap<SessionId, u64>,
}

impl MemoryEngine {
    /// 4 CPU, 8 GiB, the host environment and busybox:1.35.
    pub fn new() -> Self {
        Self::on(World::default())
    }

    /// One whose world lies in a file, so that it outlives this process.
    pub fn kept_in(path: &Path) -> Self {
        Self::on(World::read(path))
    }

    fn on(world: World) -> Self {
        let inner = Inner {
            world,
            listeners: Vec::new(),
            calls: Vec::new(),
            faults: HashMap::new(),
            held: BTreeSet::new(),
            lost: false,
            others: ResourceSlots::default(),
            environments: vec![host(), image("busybox", "1.35")],
            usage: BTreeMap::new(),
            floods: BTreeMap::new(),
        };
        Self {
            shared: Arc::new(Shared {
                inner: Mutex::new(inner),
                changed: Notify::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap()
    }

    /// The next call of this kind fails.
    pub fn fail_next(&self, call: Call, error: EngineError) {
        self.lock().faults.entry(call).or_default().push(error);
    }

    /// Calls of this kind wait until [`release`](Self::release).
    pub fn hold(&self, call: Call) {
        self.lock().held.insert(call);
    }

    pub fn release(&self, call: Call) {
        self.lock().held.remove(&call);
        self.shared.changed.notify_waiters();
    }

    /// The engine stops answering; its events end.
    pub fn cut(&self) {
        let mut inner = self.lock();
        inner.lost = true;
        inner.listeners.clear();
        drop(inner);
        self.shared.changed.notify_waiters();
    }

    pub fn restore(&self) {
        self.lock().lost = false;
    }

    /// The main process of a session ends.
    pub fn die(&self, session: SessionId, code: i64, oom: bool) {
        self.change(session, |container| {
            container.state = State::Exited { code, oom };
            EventKind::Died { exit_code: code }
        });
    }

    /// One of a cluster's other containers ends.
    pub fn die_sub(&self, session: SessionId, hostname: &str, code: i64, oom: bool) {
        self.change(session, |container| {
            let mut subs = container.subs.iter_mut();
            let sub = subs.find(|sub| sub.hostname == hostname);
            sub.expect("the container is there").state = State::Exited { code, oom };
            EventKind::Died { exit_code: code }
        });
    }

    /// Somebody starts it again.
    pub fn revive_sub(&self, session: SessionId, hostname: &str) {
        self.change(session, |container| {
            let mut subs = container.subs.iter_mut();
            let sub = subs.find(|sub| sub.hostname == hostname);
            sub.expect("the container is there").state = State::Running;
            EventKind::Started
        });
    }

    /// Somebody removes it.
    pub fn vanish_sub(&self, session: SessionId, hostname: &str) {
        self.change(session, |container| {
            container.subs.retain(|sub| sub.hostname != hostname);
            EventKind::Removed
        });
    }

    pub fn pause(&self, session: SessionId) {
        self.change(session, |container| {
            container.state = State::Paused;
            EventKind::Paused
        });
    }

    /// Somebody removes the container.
    pub fn vanish(&self, session: SessionId) {
        self.lock().world.containers.remove(&session);
        self.save_and_tell(session, EventKind::Removed);
    }

    /// What other instances hold.
    pub fn set_others(&self, mem: Bytes) {
        self.lock().others = ResourceSlots::new(Cpu::from_millis(1000), mem);
    }

    pub fn set_usage(&self, session: SessionId, cpu_millis: Option<u64>, mem: Bytes) {
        self.lock().usage.insert(session, (cpu_millis, mem.0));
    }

    pub fn add_image(&self, name: &str, version: &str) {
        self.lock().environments.push(image(name, version));
    }

    pub fn containers(&self) -> Vec<Container> {
        self.lock().world.containers.values().cloned().collect()
    }

    pub fn forgotten(&self) -> Vec<SessionId> {
        self.lock().world.forgotten.clone()
    }

    /// How often a call was made.
    pub fn count(&self, call: Call) -> usize {
        let inner = self.lock();
        inner.calls.iter().filter(|(made, _)| *made == call).count()
    }

    fn change(&self, session: SessionId, act: impl FnOnce(&mut Container) -> EventKind) {
        let kind = {
            let mut inner = self.lock();
            let container = inner.world.containers.get_mut(&session);
            act(container.expect("the container is there"))
        };
        self.save_and_tell(session, kind);
    }

    fn save_and_tell(&self, session: SessionId, kind: EventKind) {
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

    /// Notes the call, waits while it is held, fails as scripted.
    async fn enter(&self, call: Call, session: Option<SessionId>) -> Result<()> {
        self.lock().calls.push((call, session));
        loop {
            let changed = self.shared.changed.notified();
            if !self.lock().held.contains(&call) {
                break;
            }
            changed.await;
        }
        let mut inner = self.lock();
        if inner.lost {
            return Err(unreachable());
        }
        match inner.faults.get_mut(&call) {
            Some(faults) if !faults.is_empty() => Err(faults.remove(0)),
            _ => Ok(()),
        }
    }

    fn container(&self, session: SessionId) -> Result<Container> {
        let inner = self.lock();
        let container = inner.world.containers.get(&session).cloned();
        container.ok_or_else(|| EngineError::NotFound(session.short()))
    }
}

pub fn unreachable() -> EngineError {
    EngineError::Unreachable {
        endpoint: "memory:".into(),
        why: "connection refused".into(),
        mend: Some("start the engine".into()),
    }
}

pub fn host() -> Environment {
    Environment {
        name: "host".into(),
        version: "debian-12".into(),
        source: EnvironmentSource::Host,
        size: None,
        unavailable: None,
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
        facts: ImageFacts::default(),
    }
}

#[async_trait]
impl Folders for MemoryEngine {
    async fn folders(&self) -> Result<Vec<Folder>> {
        self.enter(Call::Folders, None).await?;
        let names = self.lock().world.folders.clone();
        Ok(names
            .iter()
            .map(|name| Folder::own(name, "memory"))
            .collect())
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        self.enter(Call::CreateFolder, None).await?;
        let mut inner = self.lock();
        if inner.world.folders.iter().any(|known| known == name) {
            let why = format!("there is a folder '{name}' already");
            return Err(EngineError::Refused(why));
        }
        inner.world.folders.push(name.to_owned());
        inner.world.save();
        Ok(Folder::own(name, "memory"))
    }
}

#[async_trait]
impl Engine for MemoryEngine {
    async fn probe(&self) -> Result<EngineInfo> {
        self.enter(Call::Probe, None).await?;
        Ok(EngineInfo {
            version: "1".into(),
            api_version: "1".into(),
            cpus: Cpu::from_millis(4000),
            memory: Bytes(8 * Bytes::GIB),
            ..EngineInfo::new("Memory".into(), "memory:".into())
        })
    }

    async fn usage(&self, sessions: &[SessionId], now: Timestamp) -> Vec<(SessionId, Usage)> {
        if self.enter(Call::Usage, None).await.is_err() {
            return Vec::new();
        }
        let inner = self.lock();
        let sampled = sessions.iter().filter_map(|id| {
            let (cpu, mem) = inner.usage.get(id)?;
            Some((*id, Usage::new(now, cpu.map(Cpu::from_millis), Bytes(*mem))))
        });
        sampled.collect()
    }
}

#[async_trait]
impl Containers for MemoryEngine {
    async fn list(&self) -> Result<Listing> {
        self.enter(Call::List, None).await?;
        let inner = self.lock();
        Ok(Listing {
            ours: inner
                .world
                .containers
                .values()
                .map(Container::sighting)
                .collect(),
            others: inner.others.clone(),
        })
    }

    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>> {
        self.enter(Call::Inspect, Some(session)).await?;
        Ok(self.container(session).ok().map(|found| found.sighting()))
    }

    async fn create(&self, plan: &CreatePlan) -> Result<Sighting> {
        self.enter(Call::Create, Some(plan.session)).await?;
        let mut inner = self.lock();
        let sighting = inner.world.create(plan);
        inner.world.save();
        Ok(sighting)
    }

    fn scratch(&self, session: SessionId) -> Option<PathBuf> {
        Some(PathBuf::from(format!("/scratch/{session}")))
    }

    async fn start(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Start, Some(session)).await?;
        if self.container(session)?.state == State::Running {
            return Ok(());
        }
        *self.lock().world.started.entry(session).or_default() += 1;
        self.change(session, |container| {
            container.start();
            EventKind::Started
        });
        if let Some(code) = self.container(session)?.short_command() {
            self.die(session, code, false);
        }
        Ok(())
    }

    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()> {
        self.enter(Call::Stop, Some(session)).await?;
        if self.container(session).is_ok_and(|found| found.runs()) {
            let code = if grace_seconds == 0 { 137 } else { 143 };
            self.change(session, |container| {
                container.stop(code);
                EventKind::Died { exit_code: code }
            });
        }
        Ok(())
    }

    async fn remove(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Remove, Some(session)).await?;
        if self.container(session).is_ok() {
            self.vanish(session);
        }
        Ok(())
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        self.enter(Call::Rename, Some(session)).await?;
        self.container(session)?;
        self.change(session, |container| {
            name.clone_into(&mut container.name);
            EventKind::Renamed { name: name.into() }
        });
        Ok(())
    }

    async fn forget(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Forget, Some(session)).await?;
        let mut inner = self.lock();
        inner.world.forgotten.push(session);
        inner.world.save();
        Ok(())
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>> {
        self.enter(Call::Events, None).await?;
        let (tell, told) = mpsc::channel(1024);
        self.lock().listeners.push(tell);
        let next = |mut told: mpsc::Receiver<_>| async move {
            let event = told.recv().await?;
            Some((event, told))
        };
        Ok(futures_util::stream::unfold(told, next).boxed())
    }
}

#[async_trait]
impl Streams for MemoryEngine {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        self.enter(Call::Logs, Some(session)).await?;
        let engine = self.clone();
        let next = move |read: usize| {
            let engine = engine.clone();
            async move {
                let (bytes, read) = engine.next_of_log(session, read, options.follow).await?;
                let source = LogSource::Stderr;
                Some((Ok(LogChunk { source, bytes }), read))
            }
        };
        Ok(futures_util::stream::unfold(0, next).boxed())
    }

    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        self.enter(Call::Exec, Some(session)).await?;
        self.container(session)?;
        Ok(programs::run(self, session, &command.argv))
    }

    async fn attach(&self, session: SessionId, _request: AttachRequest) -> Result<Attached> {
        self.enter(Call::Attach, Some(session)).await?;
        self.container(session)?;
        Ok(programs::run(self, session, &["shell".to_owned()]))
    }

    async fn detach_all(&self, session: SessionId) -> Result<()> {
        self.enter(Call::DetachAll, Some(session)).await
    }
}

#[async_trait]
impl Images for MemoryEngine {
    async fn environments(&self) -> Result<Vec<Environment>> {
        self.enter(Call::Environments, None).await?;
        Ok(self.lock().environments.clone())
    }
}
