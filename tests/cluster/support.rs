//! The cluster as `user`, sessions that end with their test, and waiting.

use std::{fs::OpenOptions, future::Future, io::Write as _, sync::Arc, time::Duration};

use futures_util::StreamExt;
use tokio::sync::OnceCell;
use workbay::{
    engine::{
        api::{Attached, Output},
        backendai::{BackendAiConfig, BackendAiEngine, Login},
        manager::{Manager, PageQuery},
    },
    model::{
        capability::{Capabilities, Capability},
        history::HistoryEntry,
        id::{ContextName, SessionId},
        log::LogOptions,
        request::SessionChange,
        resources::Cpu,
        secret::Secret,
        session::Session,
        span::Span,
        spec::LaunchRequest,
        status::{Status, Tab},
    },
};

use crate::poll;

/// For whatever needs no place on a node; a test that works never waits for it.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Until a session has its place and runs; others may use the cluster too.
const PATIENCE_TO_START: Duration = Duration::from_secs(300);
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// What the names of all our sessions begin with.
const PREFIX: &str = "wbt-";

/// Keys and login of the example user, as every new Backend.AI has them.
pub const ACCESS_KEY: &str = "AKIANABBDUSEREXAMPLE";
pub const SECRET_KEY: &str = "C8qnIo29EZvXkPK_MXcuAakYTy4NYrxwmCEyNPlf";
pub const USER: (&str, &str) = ("user@lablup.com", "C8qnIo29");

pub fn manager() -> String {
    std::env::var("WORKBAY_CLUSTER_ENDPOINT").unwrap_or("http://127.0.0.1:8091".to_owned())
}

pub fn web_server() -> String {
    std::env::var("WORKBAY_CLUSTER_WEB").unwrap_or("http://127.0.0.1:8090".to_owned())
}

/// The release of the cluster, where the script that brought it up has said so.
pub fn release() -> Option<String> {
    std::env::var("WORKBAY_CLUSTER_VERSION").ok()
}

/// Notes what this test doesn't show on this release, for the page of the releases.
pub fn note_lack(name: &str, why: &str) {
    let Ok(path) = std::env::var("WORKBAY_CLUSTER_LACKS") else {
        return;
    };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let test = std::thread::current();
    let line = format!("{}\t{name}\t{why}\n", test.name().unwrap_or("?"));
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

/// The configuration of `user` with keys; tests change what they are about.
pub fn by_keys() -> BackendAiConfig {
    config(
        manager(),
        Login::Api {
            access_key: ACCESS_KEY.to_owned(),
            secret_key: Secret::new(SECRET_KEY),
        },
    )
}

/// The other example user, who is not an administrator.
pub fn by_other_user() -> BackendAiConfig {
    config(
        manager(),
        Login::Api {
            access_key: "AKIANATWOUSEREXAMPLE".to_owned(),
            secret_key: Secret::new("P7oxTDdzHbEpUSs5v7r7EWj9yKstp8VpZ7SEyA-g"),
        },
    )
}

/// The highest administrator of the example users.
pub fn by_admin() -> BackendAiConfig {
    config(
        manager(),
        Login::Api {
            access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_key: Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        },
    )
}

pub fn by_login() -> BackendAiConfig {
    config(
        web_server(),
        Login::Session {
            username: USER.0.to_owned(),
            password: Secret::new(USER.1),
        },
    )
}

/// An engine; no sentence that the cluster is missing: that is `Bench`'s.
pub fn engine(config: BackendAiConfig) -> Arc<dyn Manager> {
    Arc::new(BackendAiEngine::new(config))
}

/// The cluster, with nothing left in it by an earlier run that was cut.
pub struct Bench {
    pub engine: Arc<dyn Manager>,
    /// As reported when the test began. The manager closes connections that rest, so it isn't asked again later.
    capabilities: Capabilities,
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(by_keys()).await
    }

    pub async fn with(config: BackendAiConfig) -> Self {
        static SWEPT: OnceCell<()> = OnceCell::const_new();
        SWEPT.get_or_init(sweep).await;
        let engine = engine(config);
        let capabilities = engine.probe().await.unwrap().capabilities;
        Self {
            engine,
            capabilities,
        }
    }

    /// Why this release lacks a capability; `None` if it has it. Noted for the page of releases that
    /// `scripts/test-matrix` writes.
    pub fn lack(&self, capability: Capability) -> Option<String> {
        let why = self.capabilities.why_not(capability)?.to_string();
        let name = serde_json::to_value(capability).unwrap();
        note_lack(name.as_str().unwrap(), &why);
        Some(why)
    }

    /// Whether this release reports only when each status was reached. Then no entry may say more.
    pub fn lacks_steps(&self, history: &[HistoryEntry]) -> bool {
        let Some(why) = self.lack(Capability::SchedulingSteps) else {
            return false;
        };
        assert!(why.contains("only when each status was reached"), "{why}");
        let says_more = |entry: &HistoryEntry| !entry.steps.is_empty() || entry.attempts > 1;
        assert!(!history.iter().any(says_more), "{history:?}");
        true
    }

    /// What a scheduling history says on the screen: of an attempt, or that there are none.
    pub fn history_message(&self) -> &'static str {
        match self.lack(Capability::SchedulingSteps) {
            Some(_) => "this manager reports",
            None => "schedule-sessions",
        }
    }

    /// The timeout that a session is reported with, where its release reports one.
    pub fn reported_timeout(&self, timeout: Span) -> Option<Span> {
        match self.lack(Capability::BatchTimeout) {
            Some(why) => {
                assert!(why.contains("timeout of a batch session"), "{why}");
                None
            }
            None => Some(timeout),
        }
    }

    /// Puts a session into the queue.
    pub async fn enqueue(&self, request: LaunchRequest) -> Ours {
        Ours(self.engine.launch(&request).await.unwrap())
    }

    /// A session that runs, and what was asked for it.
    pub async fn running(&self, request: LaunchRequest) -> (Ours, LaunchRequest) {
        let (ours, asked, session) = self.started(request).await;
        assert_eq!(session.status, Status::Running, "{session:?}");
        (ours, asked)
    }

    /// A session that has run, and may have ended since. Rarely a node loses a container in the
    /// making; then it is made once more, under another name.
    pub async fn started(&self, request: LaunchRequest) -> (Ours, LaunchRequest, Session) {
        for attempt in ["first", "second"] {
            let asked = LaunchRequest {
                name: Some(name()),
                ..request.clone()
            };
            let ours = self.enqueue(asked.clone()).await;
            let session = self
                .until(ours.id(), PATIENCE_TO_START, |session| {
                    session.status == Status::Running || session.status.is_final()
                })
                .await;
            if session.started_at.is_some() {
                return (ours, asked, session);
            }
            eprintln!("the {attempt} session did not start: {session:?}");
        }
        panic!("no session starts on this cluster");
    }

    pub async fn session(&self, id: SessionId) -> Session {
        let read = self.engine.session(id).await.unwrap();
        read.unwrap_or_else(|| panic!("session {id} is not there"))
    }

    /// Reads it again and again until it is so.
    async fn until(
        &self,
        id: SessionId,
        patience: Duration,
        so: impl Fn(&Session) -> bool,
    ) -> Session {
        let mut last = None;
        let found = poll::until(LOOK_AGAIN, patience, async || {
            let session = self.session(id).await;
            let is_so = so(&session);
            last = Some(session);
            is_so.then(|| last.clone()).flatten()
        })
        .await;
        found.unwrap_or_else(|| panic!("it did not become so: {last:?}"))
    }

    /// Asks again and again until there is an answer.
    pub async fn until_some<T>(&self, what: impl AsyncFn() -> Option<T>) -> T {
        let found = poll::until(LOOK_AGAIN, PATIENCE, async || what().await).await;
        found.expect("it did not happen")
    }

    pub async fn until_session(&self, id: SessionId, so: impl Fn(&Session) -> bool) -> Session {
        self.until(id, PATIENCE, so).await
    }

    /// The same for what must find its place first.
    pub async fn until_long(&self, id: SessionId, so: impl Fn(&Session) -> bool) -> Session {
        self.until(id, PATIENCE_TO_START, so).await
    }

    pub async fn until_status(&self, id: SessionId, status: &Status) -> Session {
        self.until_session(id, |session| session.status == *status)
            .await
    }
}

/// One processor and little memory in the image the cluster has, with a name of ours.
pub fn small() -> LaunchRequest {
    LaunchRequest {
        name: Some(name()),
        cpu: Some("1".parse().unwrap()),
        mem: Some("256m".parse().unwrap()),
        ..LaunchRequest::default()
    }
}

/// One that waits for ever, since no node is so large; it costs the cluster nothing.
pub fn too_large() -> LaunchRequest {
    LaunchRequest {
        cpu: Some("64".parse().unwrap()),
        ..small()
    }
}

/// A name that nobody has.
pub fn name() -> String {
    format!("{PREFIX}{}", SessionId::random().short())
}

/// A session of ours; ended with its test, so that the next one finds its place free.
pub struct Ours(SessionId);

impl Ours {
    pub fn id(&self) -> SessionId {
        self.0
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        let id = self.0;
        // A runtime of its own: the test's may be the one that is unwinding.
        let ended = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(end(&engine(by_keys()), id));
        });
        if ended.join().is_err() {
            eprintln!("session {id} may be left on the cluster");
        }
    }
}

/// Ends it and waits until its place is free.
pub async fn end(engine: &Arc<dyn Manager>, id: SessionId) {
    within(engine.probe()).await.unwrap();
    let ended = poll::until(LOOK_AGAIN, PATIENCE, async || {
        match engine.session(id).await.unwrap() {
            Some(session) if !session.status.is_final() => {}
            _ => return Some(()),
        }
        // It may be between two states that cannot be left; the next attempt shows it.
        let kill = SessionChange::Terminate { force: true };
        let _ = engine.change(id, &kill).await;
        None
    });
    ended.await.expect("it did not end");
}

/// Ends what an earlier run left.
async fn sweep() {
    let engine = engine(by_keys());
    match engine.probe().await {
        Err(why) if why.is_lost() => panic!(
            "no cluster answers at {} ({why}): run `make test-cluster`, which brings one up",
            manager()
        ),
        other => other.unwrap(),
    };
    for tab in [Tab::Running, Tab::Others] {
        for session in page(&engine, tab, Some(PREFIX)).await {
            if session.name.as_str().starts_with(PREFIX) {
                end(&engine, session.id).await;
            }
        }
    }
}

/// The first hundred sessions of a tab whose name contains `text`.
pub async fn page(engine: &Arc<dyn Manager>, tab: Tab, text: Option<&str>) -> Vec<Session> {
    let query = PageQuery {
        tab,
        text: text.map(str::to_owned),
        offset: 0,
        limit: 100,
    };
    engine.page(&query).await.unwrap().sessions
}

/// Waits for `what`, but not for ever.
pub async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what)
        .await
        .expect("it did not happen")
}

/// Output of a stream, until its text contains what is waited for.
pub async fn read_until(
    attached: &mut Attached,
    seen: &mut String,
    condition: impl Fn(&str) -> bool,
) {
    within(async {
        while !condition(seen) {
            match attached.output.recv().await {
                Some(Output::Stdout(bytes)) => seen.push_str(&String::from_utf8_lossy(&bytes)),
                other => panic!("the stream ended with {other:?} after:\n{seen}"),
            }
        }
    })
    .await;
}

/// A log to its end.
pub async fn read_log(
    engine: &Arc<dyn Manager>,
    session: SessionId,
    options: LogOptions,
) -> String {
    within(async {
        let mut chunks = engine.logs(session, options).await.unwrap();
        let mut log = Vec::new();
        while let Some(chunk) = chunks.next().await {
            log.extend_from_slice(&chunk.unwrap().bytes);
        }
        String::from_utf8_lossy(&log).into_owned()
    })
    .await
}

/// A context's name for whatever needs one.
pub fn context() -> ContextName {
    ContextName::new("cluster").unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the real clock of a real engine")]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

fn config(endpoint: String, login: Login) -> BackendAiConfig {
    BackendAiConfig {
        context: context(),
        endpoint,
        login,
        domain: None,
        project: None,
        ca_file: None,
        all_users: false,
        shares_per_device: None,
        insecure: false,
        clock: now,
    }
}

/// As many processors as the one node has.
pub async fn cores_of_the_node(bench: &Bench) -> Cpu {
    let info = bench.engine.probe().await.unwrap();
    let catalogue = bench.engine.catalogue(None).await.unwrap();
    let agents = catalogue.agents.iter().map(|agent| agent.available.cpu);
    agents.max().unwrap_or(info.cpus)
}
