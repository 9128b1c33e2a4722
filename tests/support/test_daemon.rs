//! A daemon in a temporary directory and its clients.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{sync::mpsc, task::JoinHandle};
use workbay::{
    client::{Client, ClientEvent, ConnectOptions},
    config::paths::Paths,
    daemon::{self, Beginning, ContextSetup, Controls, DaemonOptions, EngineFactory},
    model::{
        capability::EngineState,
        change::Change,
        context::{Context, EngineKind},
        failure::Failure,
        history::HistoryEntry,
        id::{ContextName, SessionId, SessionKey},
        request::SessionRequest,
        resources::{Bytes, Cpu},
        session::Session,
        settings::{
            EngineSettings, HistorySettings, HookSettings, LaunchSettings, NotificationSettings,
            Settings, TerminalSettings,
        },
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request, Snapshot},
    store,
};

use super::{MemoryEngine, MemoryScheduler, poll};

/// Generous: a machine under load must not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn settings() -> Settings {
    Settings {
        launch: LaunchSettings {
            environment: "host".into(),
            // Small, so that many of them run on the engine's four cores at once.
            cpu: Cpu::from_millis(10),
            mem: Bytes::mib(256),
            shmem: Bytes::mib(64),
            pids: 512,
            env: BTreeMap::new(),
            secrets: workbay::model::secret_rules::SecretRules::default(),
        },
        engine: EngineSettings {
            endpoint: None,
            stop_grace_seconds: 5,
        },
        notifications: NotificationSettings::default(),
        hooks: HookSettings::default(),
        history: HistorySettings {
            keep_days: 7,
            keep_space: Bytes(0),
        },
        terminal: TerminalSettings::default(),
        ..Settings::blank()
    }
}

/// Options of a daemon below `root` on this engine.
pub fn options(root: &Path, engine: &MemoryEngine, settings: Settings) -> DaemonOptions {
    let engine = engine.clone();
    let factory = EngineFactory::containers(move |_| Ok(Arc::new(engine.clone())));
    DaemonOptions {
        paths: Paths::below(root),
        settings,
        owner: "tester".into(),
        contexts: vec![ContextSetup::new(Context::local(), factory)],
        beginning: Beginning::Here,
        boot: None,
        ended: store::ENDED,
        in_memory: store::ENDED,
        page_limit: None,
    }
}

/// A context on this manager.
pub fn setup(name: &str, manager: &MemoryScheduler) -> ContextSetup {
    let manager = manager.clone();
    let context = Context {
        name: ContextName::new(name).unwrap(),
        kind: EngineKind::Backendai,
        ..Context::local()
    };
    let factory = EngineFactory::scheduler(move |_| Ok(Arc::new(manager.clone())));
    ContextSetup::new(context, factory)
}

/// A daemon inside this process. It can end and start again on the same state database and engine.
pub struct TestDaemon {
    pub root: TempDir,
    pub engine: MemoryEngine,
    pub settings: Settings,
    pub page_limit: Option<u32>,
    /// Ended sessions that are loaded first.
    pub ended: u32,
    /// Ended sessions in memory soon after the start.
    pub in_memory: u32,
    /// The id of the machine's boot.
    pub boot: Option<String>,
    /// Contexts besides the local one.
    pub others: Vec<ContextSetup>,
    running: Option<(Controls, JoinHandle<()>)>,
}

impl TestDaemon {
    pub async fn open() -> Self {
        Self::with(settings()).await
    }

    pub async fn with(settings: Settings) -> Self {
        let mut daemon = Self::closed(settings);
        daemon.start().await;
        daemon
    }

    /// Everything but the daemon.
    pub fn closed(settings: Settings) -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            engine: MemoryEngine::new(),
            settings,
            page_limit: None,
            ended: store::ENDED,
            in_memory: 0,
            boot: None,
            others: Vec::new(),
            running: None,
        }
    }

    pub fn paths(&self) -> Paths {
        Paths::below(self.root.path())
    }

    pub async fn start(&mut self) {
        let mut options = options(self.root.path(), &self.engine, self.settings.clone());
        options.page_limit = self.page_limit;
        options.ended = self.ended;
        options.in_memory = self.in_memory;
        options.boot.clone_from(&self.boot);
        options.contexts.extend(self.others.iter().cloned());
        let controls = Controls::default();
        let steered = controls.clone();
        let task = tokio::spawn(async move {
            daemon::serve(options, steered).await.unwrap();
        });
        controls.ready.cancelled().await;
        self.running = Some((controls, task));
    }

    pub async fn stop(&mut self) {
        if let Some((controls, task)) = self.running.take() {
            controls.stop.cancel();
            task.await.unwrap();
        }
    }

    /// Looks after the socket, as SIGUSR1 does.
    pub fn remake_socket(&self) {
        self.running.as_ref().unwrap().0.remake_socket.notify_one();
    }

    pub async fn restart(&mut self) {
        self.stop().await;
        self.start().await;
    }

    pub async fn client(&self) -> TestClient {
        TestClient::connect(&ConnectOptions::existing(self.paths())).await
    }
}

/// A subscribed client and the sessions it knows, kept up to date by notices alone.
pub struct TestClient {
    pub connection: Client,
    pub snapshot: Snapshot,
    events: mpsc::Receiver<ClientEvent>,
    sessions: Arc<Mutex<BTreeMap<SessionId, Session>>>,
    pub received: Vec<Change>,
    last: u64,
}

impl TestClient {
    pub async fn connect(options: &ConnectOptions) -> Self {
        let (connection, events) = Client::connect(options).await.unwrap();
        let reply = connection.ask(Request::Subscribe).await.unwrap();
        let Reply::Snapshot { snapshot } = reply else {
            panic!("no snapshot but {reply:?}");
        };
        let sessions = snapshot.sessions.iter().map(|s| (s.id, s.clone()));
        Self {
            connection,
            events,
            sessions: Arc::new(Mutex::new(sessions.collect())),
            received: Vec::new(),
            last: snapshot.seq,
            snapshot: *snapshot,
        }
    }

    pub fn session(&self, id: SessionId) -> Option<Session> {
        self.sessions.lock().unwrap().get(&id).cloned()
    }

    pub fn sessions(&self) -> Vec<Session> {
        self.sessions.lock().unwrap().values().cloned().collect()
    }

    /// The number of sessions that it knows.
    pub fn count(&self) -> usize {
        self.sessions.lock().unwrap().len()
    }

    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        self.events.recv().await
    }

    /// Takes the next notice, checking that none is missing.
    pub async fn receive(&mut self) -> Change {
        let event = tokio::time::timeout(PATIENCE, self.events.recv())
            .await
            .expect("a notice comes in time");
        match event {
            Some(ClientEvent::Notice { seq, change }) => {
                assert_eq!(seq, self.last + 1, "a notice is missing before {change:?}");
                self.last = seq;
                let mut sessions = self.sessions.lock().unwrap();
                match &change {
                    Change::Session { session } => {
                        sessions.insert(session.id, (**session).clone());
                    }
                    Change::Gone { session } => drop(sessions.remove(&session.id)),
                    _ => {}
                }
                drop(sessions);
                self.received.push(change.clone());
                change
            }
            other => panic!("the line ended: {other:?}"),
        }
    }

    /// Receives notices until the session is so.
    pub async fn until(&mut self, id: SessionId, so: impl Fn(&Session) -> bool) -> Session {
        loop {
            if let Some(session) = self.session(id)
                && so(&session)
            {
                return session;
            }
            self.receive().await;
        }
    }

    pub async fn until_status(&mut self, id: SessionId, status: Status) -> Session {
        self.until(id, |session| session.status == status).await
    }

    pub async fn until_received(&mut self, so: impl Fn(&Change) -> bool) -> Change {
        loop {
            let change = self.receive().await;
            if so(&change) {
                return change;
            }
        }
    }

    /// Waits for a message with these words, unless it has arrived already.
    pub async fn until_notified(&mut self, words: &str) {
        let says = |change: &Change| match change {
            Change::Notice { notice } => notice.text.as_str().contains(words),
            _ => false,
        };
        if !self.received.iter().any(says) {
            self.until_received(says).await;
        }
    }

    /// Waits until the engine answers.
    pub async fn until_connected(&mut self) {
        let stands = |engine: &EngineState| matches!(engine, EngineState::Connected { .. });
        let has_text = |change: &Change| match change {
            Change::Engine { engine, .. } => stands(engine),
            _ => false,
        };
        let contexts = &self.snapshot.contexts;
        let already = contexts.iter().any(|state| stands(&state.engine));
        if !already && !self.received.iter().any(has_text) {
            self.until_received(has_text).await;
        }
    }

    pub async fn launch(&self, request: LaunchRequest) -> Result<Session, Failure> {
        self.launch_in(ContextName::local(), request).await
    }

    pub async fn launch_in(
        &self,
        context: ContextName,
        request: LaunchRequest,
    ) -> Result<Session, Failure> {
        let launch = Box::new(request);
        match self
            .connection
            .ask(Request::Launch { context, launch })
            .await?
        {
            Reply::Launched { mut sessions, .. } => Ok(sessions.remove(0)),
            other => panic!("no session but {other:?}"),
        }
    }

    /// Launches by name and waits until it runs.
    pub async fn run(&mut self, name: &str) -> SessionId {
        let session = self.launch(named(name)).await.unwrap();
        self.until_status(session.id, Status::Running).await;
        session.id
    }

    pub async fn terminate(&self, session: SessionId, force: bool) -> Result<Reply, Failure> {
        let session = SessionKey::local(session);
        let request = Request::session(session, SessionRequest::Terminate { force });
        self.connection.ask(request).await
    }

    /// Oldest first.
    pub async fn history(&self, session: SessionId) -> Vec<HistoryEntry> {
        let session = SessionKey::local(session);
        match self
            .connection
            .ask(Request::session(session, SessionRequest::History))
            .await
        {
            Ok(Reply::History { mut entries }) => {
                entries.reverse();
                entries
            }
            other => panic!("no history but {other:?}"),
        }
    }
}

pub fn named(name: &str) -> LaunchRequest {
    LaunchRequest {
        name: Some(name.to_owned()),
        ..LaunchRequest::default()
    }
}

/// Waits for a condition that no notice reports.
pub async fn eventually(what: &str, so: impl Fn() -> bool) {
    let pause = Duration::from_millis(5);
    let came = poll::until(pause, PATIENCE, async || so().then_some(())).await;
    assert!(came.is_some(), "it never came: {what}");
}
