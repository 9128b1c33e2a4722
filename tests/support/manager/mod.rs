//! A simulated manager: it checks signatures, answers as a real one does and makes every
//! fault on demand.
//!
//! Used as `#[path = "../support/manager/mod.rs"] mod manager;`. The answers are those of a 26.9.6
//! manager; older ones are played by refusing what they do not know.
#![allow(dead_code, reason = "shared by several test binaries")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

mod answers;
mod check;
mod choosing;
mod folders;
mod http;
mod storage;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc, watch},
};

pub use answers::{node, pending_history};
pub use folders::{invitation, share};
pub use http::Asked;

/// The key pair it accepts (the published example), its user, and the login of its web server.
pub const ACCESS: &str = "AKIAIOSFODNN7EXAMPLE";
pub const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
pub const USER: &str = "user@lablup.com";
pub const USER_ID: &str = "dfa9da54-4b28-432f-be29-c0d680c7a412";
pub const PASSWORD: &str = "C8qnIo29";
pub const PROJECT_ID: &str = "2de2b969-1d04-48a6-af16-0bc8adb3c831";
/// What its clock shows, and by default also ours.
pub const NOW: &str = "2026-11-21T12:26:00Z";

/// The time on both clocks.
pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// What it answers to a request.
#[derive(Clone)]
pub enum Reply {
    Json(u16, Value),
    /// Status, more headers, body.
    Raw(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The head promises the whole body, but only this many bytes of it come.
    Cut(usize, Value),
    /// The connection is closed without an answer.
    Close,
    /// The usual answer, after the gate opens for one request.
    Gate(Arc<Semaphore>),
    /// No answer, and no end.
    Silence,
    /// Server-sent events: texts as they come; the end of the channel ends the stream.
    Events(Arc<tokio::sync::Mutex<mpsc::Receiver<String>>>),
}

impl Reply {
    /// A channel of event texts and the reply that plays them.
    pub fn events() -> (mpsc::Sender<String>, Self) {
        let (sender, receiver) = mpsc::channel(16);
        let receiver = Arc::new(tokio::sync::Mutex::new(receiver));
        (sender, Self::Events(receiver))
    }

    pub fn problem(status: u16, kind: &str, title: &str, msg: &str) -> Self {
        let kind = format!("https://api.backend.ai/probs/{kind}");
        let body = serde_json::json!({"type": kind, "title": title, "msg": msg});
        Self::Json(status, body)
    }

    pub fn html(status: u16) -> Self {
        let body = b"<!DOCTYPE html><html><body>hello</body></html>".to_vec();
        let kind = ("Content-Type", "text/html".to_owned());
        Self::Raw(status, vec![kind], body)
    }
}

/// A scripted manager. It ends when this is dropped.
pub struct Manager {
    state: Arc<Mutex<State>>,
    count: watch::Receiver<usize>,
    address: String,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.server.abort();
    }
}

pub(crate) struct State {
    /// Its version, `26.9.6`.
    pub(crate) version: String,
    /// It is the web server in front of a manager.
    pub(crate) web: bool,
    pub(crate) role: &'static str,
    /// Session nodes as GraphQL has them, newest first.
    pub(crate) sessions: Vec<Value>,
    /// Ids the web server gave out and still knows.
    pub(crate) logins: Vec<String>,
    pub(crate) login_count: usize,
    /// The one-time password that logins need.
    pub(crate) one_time_code: Option<&'static str>,
    pub(crate) password: String,
    /// The requests, oldest first.
    pub(crate) asked: Vec<Asked>,
    /// (part of the request, reply, how often still); the first that fits is played.
    rules: Vec<(String, Reply, usize)>,
    /// Scheduling histories by session, as nodes.
    pub(crate) histories: std::collections::BTreeMap<String, Vec<Value>>,
    pub(crate) images: Vec<Value>,
    pub(crate) folders: Vec<Value>,
    pub(crate) storage: storage::Storage,
    /// Shares of folders, invitations of the user, and invitations to it.
    pub(crate) shared: Vec<Value>,
    pub(crate) sent: Vec<Value>,
    pub(crate) received: Vec<Value>,
    /// Seconds after which batch sessions end.
    pub(crate) timeouts: std::collections::BTreeMap<String, u64>,
    /// The next id of a session that is launched.
    pub(crate) next: u128,
    count: watch::Sender<usize>,
}

impl Manager {
    /// A 26.9.6 manager with one user and no sessions.
    pub async fn start() -> Self {
        Self::with(false).await
    }

    /// The web server of such a manager.
    pub async fn web() -> Self {
        Self::with(true).await
    }

    async fn with(web: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, count) = watch::channel(0);
        let state = Arc::new(Mutex::new(State {
            version: "26.9.6".to_owned(),
            web,
            role: "user",
            sessions: Vec::new(),
            logins: Vec::new(),
            login_count: 0,
            one_time_code: None,
            password: PASSWORD.to_owned(),
            asked: Vec::new(),
            rules: Vec::new(),
            histories: std::collections::BTreeMap::new(),
            images: vec![answers::image()],
            folders: choosing::folders(),
            storage: storage::Storage::default(),
            shared: Vec::new(),
            sent: Vec::new(),
            received: Vec::new(),
            timeouts: std::collections::BTreeMap::new(),
            next: 0x1000,
            count: sender,
        }));
        let shared = state.clone();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Self {
            state,
            count,
            address,
            server,
        }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Changes its state.
    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    pub fn be(&self, version: &str) {
        self.set(|state| version.clone_into(&mut state.version));
    }

    pub fn put(&self, session: Value) {
        self.set(|state| state.sessions.insert(0, session));
    }

    /// Plays `reply` for every request whose line or body contains `part` (`POST /session`,
    /// `compute_session_nodes`).
    pub fn on(&self, part: &str, reply: Reply) {
        self.times(usize::MAX, part, reply);
    }

    /// The same for the next N requests.
    pub fn times(&self, times: usize, part: &str, reply: Reply) {
        self.set(|state| state.rules.insert(0, (part.to_owned(), reply, times)));
    }

    /// Removes all faults.
    pub fn hint(&self) {
        self.set(|state| state.rules.clear());
    }

    /// Every login is forgotten, as after a restart of the web server.
    pub fn forget_logins(&self) {
        self.set(|state| state.logins.clear());
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// Requests whose line or body contains `part`.
    pub fn count(&self, part: &str) -> usize {
        self.asked()
            .iter()
            .filter(|asked| asked.contains(part))
            .count()
    }

    /// Waits until such a request arrives.
    pub async fn wait_for(&self, part: &str) {
        let mut count = self.count.clone();
        while self.count(part) == 0 {
            count.changed().await.unwrap();
        }
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut reader = http::HttpReader::default();
    while let Some(asked) = reader.next(&mut stream).await {
        let (rule, usual) = {
            let mut state = state.lock().unwrap();
            state.asked.push(asked.clone());
            let count = state.asked.len();
            let _ = state.count.send(count);
            (state.rule(&asked), state.answer(&asked))
        };
        let reply = match rule {
            Some(Reply::Gate(gate)) => {
                let Ok(permit) = gate.acquire_owned().await else {
                    return;
                };
                permit.forget();
                usual
            }
            Some(reply) => reply,
            None => usual,
        };
        if !http::write(&mut stream, reply).await {
            return;
        }
    }
}

impl State {
    fn rule(&mut self, asked: &Asked) -> Option<Reply> {
        let at = self
            .rules
            .iter()
            .position(|(part, _, left)| *left > 0 && asked.contains(part))?;
        let (_, reply, left) = &mut self.rules[at];
        *left = left.saturating_sub(1);
        Some(reply.clone())
    }
}
