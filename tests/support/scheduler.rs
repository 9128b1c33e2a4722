//! A manager in memory: an engine that schedules by itself, with thousands of sessions and faults on
//! demand.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use futures_util::{StreamExt, stream::BoxStream};
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::{Notify, mpsc};
use workbay::{
    engine::{
        api::{
            AttachRequest, Attached, DialTarget, Engine, ExecCommand, Folders, Images, LogChunk,
            Result, Streams,
        },
        error::EngineError,
        scheduler::{Page, PageQuery, Progress, Scheduler, SchedulerEvent, Totals},
    },
    model::{
        capability::{Capabilities, Capability, EngineInfo},
        catalogue::{Catalogue, Folder, OwnerChoices},
        environment::Environment,
        history::{HistoryEntry, Outcome},
        id::SessionId,
        launch::LaunchField,
        log::{LogOptions, LogSource},
        session::Session,
        spec::LaunchRequest,
        status::{Status, Tab},
        usage::Usage,
    },
};

use super::{MemoryEngine, engine, programs};

/// What can be asked of it: made to fail, to wait, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    Probe,
    Page,
    Totals,
    Rows,
    Session,
    Launch,
    Terminate,
    Rename,
    History,
    Commit,
    Catalogue,
    CreateFolder,
    FindOwner,
    Environments,
    Events,
    Usage,
    Logs,
    Attach,
    Dial,
}

/// Cheap to clone: every clone is the same manager.
#[derive(Clone)]
pub struct MemoryScheduler {
    shared: Arc<Shared>,
}

struct Shared {
    inner: Mutex<Inner>,
    changed: Notify,
    /// Runs the programs of terminals.
    programs: MemoryEngine,
}

#[derive(Default)]
struct Inner {
    sessions: BTreeMap<SessionId, Session>,
    made: u64,
    listeners: Vec<mpsc::Sender<Result<SchedulerEvent>>>,
    calls: Vec<Question>,
    faults: HashMap<Question, Vec<EngineError>>,
    held: BTreeSet<Question>,
    lost: bool,
    deaf: bool,
    usage: BTreeMap<SessionId, Usage>,
    /// What can be chosen from.
    offer: Catalogue,
    /// What was asked to be launched, oldest first.
    launches: Vec<LaunchRequest>,
}

impl MemoryScheduler {
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                inner: Mutex::default(),
                changed: Notify::new(),
                programs: MemoryEngine::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap()
    }

    /// A session of that status, younger than all others; without any event.
    pub fn add(&self, status: &str) -> SessionId {
        self.lock().make(None, status)
    }

    pub fn add_many(&self, count: usize, status: &str) {
        let mut inner = self.lock();
        for _ in 0..count {
            inner.make(None, status);
        }
    }

    /// The engine brings a session to a status and tells of it.
    pub fn bring(&self, id: SessionId, status: &str) {
        self.edit(id, |session| session.status = Status::from(status));
        self.tell(id);
    }

    /// Changes a session without telling.
    pub fn edit(&self, id: SessionId, change: impl FnOnce(&mut Session)) {
        change(self.lock().sessions.get_mut(&id).expect("it is there"));
    }

    pub fn vanish(&self, id: SessionId) {
        self.lock().sessions.remove(&id);
    }

    pub fn session_of(&self, id: SessionId) -> Option<Session> {
        self.lock().sessions.get(&id).cloned()
    }

    /// Sends an event.
    pub fn tell(&self, session: SessionId) {
        let event = SchedulerEvent {
            session,
            event: "session_changed".into(),
            reason: None,
        };
        self.lock()
            .listeners
            .retain(|listener| listener.try_send(Ok(event.clone())).is_ok());
    }

    /// What can be chosen from at a launch, from now on.
    pub fn offer(&self, offer: Catalogue) {
        self.lock().offer = offer;
    }

    /// What was asked to be launched, oldest first.
    pub fn launches(&self) -> Vec<LaunchRequest> {
        self.lock().launches.clone()
    }

    /// How many listen to events.
    pub fn listeners(&self) -> usize {
        let mut inner = self.lock();
        inner.listeners.retain(|listener| !listener.is_closed());
        inner.listeners.len()
    }

    /// The stream of events ends.
    pub fn end_events(&self) {
        self.lock().listeners.clear();
    }

    /// It has no events from now on.
    pub fn have_no_events(&self) {
        self.lock().deaf = true;
    }

    pub fn fail_next(&self, question: Question, error: EngineError) {
        let mut inner = self.lock();
        inner.faults.entry(question).or_default().push(error);
    }

    /// Questions of this kind wait until [`release`](Self::release).
    pub fn hold(&self, question: Question) {
        self.lock().held.insert(question);
    }

    pub fn release(&self, question: Question) {
        self.lock().held.remove(&question);
        self.shared.changed.notify_waiters();
    }

    /// It stops answering; its events end.
    pub fn cut(&self) {
        let mut inner = self.lock();
        inner.lost = true;
        inner.listeners.clear();
    }

    pub fn restore(&self) {
        self.lock().lost = false;
    }

    pub fn set_usage(&self, id: SessionId, usage: Usage) {
        self.lock().usage.insert(id, usage);
    }

    /// How often it was asked that.
    pub fn count(&self, question: Question) -> usize {
        let inner = self.lock();
        inner.calls.iter().filter(|made| **made == question).count()
    }

    /// How often it was asked anything.
    pub fn asked(&self) -> usize {
        self.lock().calls.len()
    }

    /// Notes the question, waits while it is held, fails as scripted.
    async fn enter(&self, question: Question) -> Result<()> {
        self.lock().calls.push(question);
        loop {
            let changed = self.shared.changed.notified();
            if !self.lock().held.contains(&question) {
                break;
            }
            changed.await;
        }
        let mut inner = self.lock();
        if inner.lost {
            return Err(engine::unreachable());
        }
        match inner.faults.get_mut(&question) {
            Some(faults) if !faults.is_empty() => Err(faults.remove(0)),
            _ => Ok(()),
        }
    }
}

impl Inner {
    fn make(&mut self, name: Option<&str>, status: &str) -> SessionId {
        self.made += 1;
        let id = SessionId::from_u128(u128::from(self.made) << 64);
        let made = json!({
            "id": id, "context": "local", "name": name.map_or_else(
                || format!("job-{:05}", self.made), ToOwned::to_owned,
            ),
            "type": "interactive", "status": status, "status_info": null, "status_message": null,
            "environment": {
                "name": "python", "version": "3.11", "source": "image",
                "reference": "python:3.11",
            },
            "requested_slots": {"cpu": 1.0, "mem": 1}, "shmem": 0, "owner": "me@example.com",
            "created_at": Timestamp::from_second(1_800_000_000 + self.made.cast_signed()).unwrap(),
            "started_at": null, "terminated_at": null, "kernels": [], "scratch": null,
            "pending_request": null,
        });
        self.sessions
            .insert(id, serde_json::from_value(made).unwrap());
        id
    }

    fn of(&self, tab: Tab) -> impl Iterator<Item = &Session> {
        self.sessions.values().filter(move |s| s.tab() == tab)
    }
}

/// The keys are wrong.
pub fn denied() -> EngineError {
    EngineError::Denied {
        why: "the manager does not know this access key".into(),
        mend: Some("look at the keys in contexts.toml".into()),
    }
}

#[async_trait]
impl Folders for MemoryScheduler {
    async fn folders(&self) -> Result<Vec<Folder>> {
        Ok(self.lock().offer.folders.clone())
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        self.enter(Question::CreateFolder).await?;
        let mut inner = self.lock();
        if inner.offer.folders.iter().any(|it| it.name == name) {
            return Err(EngineError::AtField {
                field: LaunchField::Folders,
                why: format!("a folder {name} is there already"),
                mend: None,
            });
        }
        let folder = Folder {
            id: format!("folder-{name}").into(),
            ..Folder::own(name, "memory")
        };
        inner.offer.folders.push(folder.clone());
        Ok(folder)
    }
}

#[async_trait]
impl Engine for MemoryScheduler {
    async fn probe(&self) -> Result<EngineInfo> {
        self.enter(Question::Probe).await?;
        Ok(EngineInfo {
            version: "1".into(),
            api_version: "1".into(),
            capabilities: Capabilities {
                missing: vec![(Capability::Exec, "a manager runs no command".into())],
                open_streams_keep_alive: true,
            },
            ..EngineInfo::new("Memory".into(), "memory:".into())
        })
    }

    async fn usage(&self, sessions: &[SessionId], now: Timestamp) -> Vec<(SessionId, Usage)> {
        if self.enter(Question::Usage).await.is_err() {
            return Vec::new();
        }
        let inner = self.lock();
        let sampled = sessions.iter().filter_map(|id| {
            let usage = inner.usage.get(id)?;
            Some((
                *id,
                Usage {
                    at: now,
                    ..usage.clone()
                },
            ))
        });
        sampled.collect()
    }
}

#[async_trait]
impl Scheduler for MemoryScheduler {
    async fn page(&self, query: &PageQuery) -> Result<Page> {
        self.enter(Question::Page).await?;
        let inner = self.lock();
        let text = query.text.clone().unwrap_or_default();
        let found = inner.of(query.tab);
        let mut found: Vec<&Session> = found
            .filter(|session| session.name.as_str().contains(&text))
            .collect();
        found.sort_by_key(|session| std::cmp::Reverse(session.created_at));
        let total = found.len() as u64;
        let page = found.into_iter().skip(query.offset as usize);
        let sessions = page.take(query.limit as usize).cloned().collect();
        Ok(Page { sessions, total })
    }

    async fn totals(&self) -> Result<Totals> {
        self.enter(Question::Totals).await?;
        let inner = self.lock();
        Ok(Tab::ALL.map(|tab| inner.of(tab).count() as u64))
    }

    async fn rows(&self, sessions: &[SessionId]) -> Result<Vec<Session>> {
        self.enter(Question::Rows).await?;
        let inner = self.lock();
        let found = sessions.iter().filter_map(|id| inner.sessions.get(id));
        Ok(found.cloned().collect())
    }

    async fn session(&self, session: SessionId) -> Result<Option<Session>> {
        self.enter(Question::Session).await?;
        Ok(self.session_of(session))
    }

    async fn launch(&self, request: &LaunchRequest) -> Result<SessionId> {
        self.enter(Question::Launch).await?;
        self.lock().launches.push(request.clone());
        let id = self.lock().make(request.name.as_deref(), "PENDING");
        self.tell(id);
        Ok(id)
    }

    async fn terminate(&self, session: SessionId, force: bool) -> Result<()> {
        self.enter(Question::Terminate).await?;
        if self.session_of(session).is_none() {
            return Err(EngineError::NotFound(session.short()));
        }
        self.bring(session, if force { "TERMINATED" } else { "TERMINATING" });
        Ok(())
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        self.enter(Question::Rename).await?;
        self.edit(session, |session| session.name = name.into());
        Ok(())
    }

    async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>> {
        self.enter(Question::History).await?;
        Ok(vec![HistoryEntry {
            session,
            at: Timestamp::UNIX_EPOCH,
            phase: "schedule".into(),
            from: None,
            to: Status::Pending,
            result: Outcome::NeedRetry,
            message: Some("no room".into()),
            error_code: None,
            attempts: 3,
            until: None,
            steps: Vec::new(),
        }])
    }

    async fn commit(
        &self,
        _session: SessionId,
        _image_name: &str,
    ) -> Result<BoxStream<'static, Result<Progress>>> {
        self.enter(Question::Commit).await?;
        let steps = (1..=3).map(|step| {
            Ok(Progress {
                message: format!("Step {step}").into(),
                done: f64::from(step),
                total: 3.0,
            })
        });
        Ok(futures_util::stream::iter(steps).boxed())
    }

    async fn catalogue(&self, project: Option<&str>) -> Result<Catalogue> {
        self.enter(Question::Catalogue).await?;
        Ok(Catalogue {
            project: project.map(Into::into),
            ..self.lock().offer.clone()
        })
    }

    async fn find_owner(&self, email: &str) -> Result<OwnerChoices> {
        self.enter(Question::FindOwner).await?;
        Ok(OwnerChoices {
            email: email.into(),
            access_keys: vec!["AKIAOTHER".into()],
            projects: vec!["default".into()],
        })
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<SchedulerEvent>>> {
        self.enter(Question::Events).await?;
        let mut inner = self.lock();
        if inner.deaf {
            return Err(EngineError::Unsupported("no events".into()));
        }
        let (tell, told) = mpsc::channel(1024);
        inner.listeners.push(tell);
        let next = |mut told: mpsc::Receiver<_>| async move {
            let event = told.recv().await?;
            Some((event, told))
        };
        Ok(futures_util::stream::unfold(told, next).boxed())
    }
}

#[async_trait]
impl Streams for MemoryScheduler {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        self.enter(Question::Logs).await?;
        let text = format!("log of {} kernel {:?}\n", session.short(), options.kernel);
        let chunk = LogChunk {
            source: LogSource::Stdout,
            bytes: text.into(),
        };
        Ok(futures_util::stream::iter([Ok(chunk)]).boxed())
    }

    async fn exec(&self, _session: SessionId, _command: ExecCommand) -> Result<Attached> {
        Err(EngineError::Unsupported("a manager runs no command".into()))
    }

    async fn attach(&self, session: SessionId, _request: AttachRequest) -> Result<Attached> {
        self.enter(Question::Attach).await?;
        let shell = ["shell".to_owned()];
        Ok(programs::run(&self.shared.programs, session, &shell))
    }

    async fn detach_all(&self, _session: SessionId) -> Result<()> {
        Ok(())
    }

    async fn dial(&self, session: SessionId, _to: &DialTarget) -> Result<Attached> {
        self.enter(Question::Dial).await?;
        let cat = ["cat".to_owned()];
        Ok(programs::run(&self.shared.programs, session, &cat))
    }
}

#[async_trait]
impl Images for MemoryScheduler {
    async fn environments(&self) -> Result<Vec<Environment>> {
        self.enter(Question::Environments).await?;
        Ok(vec![engine::image("python", "3.11")])
    }
}
