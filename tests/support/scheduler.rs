//! A manager in memory: an engine that schedules on its own, with thousands of sessions and faults on
//! demand.

mod answers;
mod asked;
mod steering;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use jiff::Timestamp;
use serde_json::json;
use tokio::sync::mpsc;
use workbay::{
    engine::{api::Result, manager::ManagerEvent},
    model::{
        catalogue::Catalogue, failure::Failure, id::SessionId, session::Session,
        spec::LaunchRequest, status::Tab, usage::Usage,
    },
};

use super::{MemoryEngine, script::Script};

/// The requests to it, which can be made to fail, to wait, or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    Probe,
    Page,
    Totals,
    Rows,
    Session,
    Launch,
    Terminate,
    Rename,
    Prioritize,
    History,
    Commit,
    Statistics,
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
    script: Script<Question>,
    inner: Mutex<Inner>,
    /// Runs the programs of terminals.
    programs: MemoryEngine,
}

#[derive(Default)]
struct Inner {
    sessions: BTreeMap<SessionId, Session>,
    made: u64,
    listeners: Vec<mpsc::Sender<Result<ManagerEvent>>>,
    deaf: bool,
    usage: BTreeMap<SessionId, Usage>,
    /// The choices for a launch.
    offer: Catalogue,
    /// The requested launches, oldest first.
    launches: Vec<LaunchRequest>,
}

impl MemoryScheduler {
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                script: Script::new(),
                inner: Mutex::default(),
                programs: MemoryEngine::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap()
    }

    async fn enter(&self, question: Question) -> Result<()> {
        self.shared.script.enter(question).await
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
            "started_at": null, "terminated_at": null, "kernels": [], "home": null,
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

/// Whether the keys are wrong.
pub fn denied() -> Failure {
    Failure::denied("the manager does not know this access key")
        .hint("look at the keys in contexts.toml")
}
