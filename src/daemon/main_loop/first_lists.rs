//! Delays answers to list requests after the state database was lost, until the engines' first lists arrive
//! or a time limit passes.

use std::{fs, path::PathBuf, time::Duration};

use tokio::time::Instant;

use super::{core::Core, snapshots};
use crate::{
    daemon::{clock, connection::inbound::ConnectionId, context::runner::ContextRunner},
    model::{capability::EngineState, status::Tab},
    protocol::message::{Reply, RequestId},
};

/// How long a list request waits for engines that haven't answered yet.
const PATIENCE: Duration = Duration::from_secs(30);

struct Waiting {
    connection: ConnectionId,
    id: RequestId,
    tab: Option<Tab>,
    until: Instant,
}

pub(in crate::daemon) struct Lists {
    /// A file that marks a lost state database or lost sessions; removed once every engine was read.
    mark: Option<PathBuf>,
    waiting: Vec<Waiting>,
}

impl Lists {
    pub fn new(mark: Option<PathBuf>) -> Self {
        Self {
            mark,
            waiting: Vec::new(),
        }
    }

    /// When the first waiting list request times out.
    pub fn due(&self) -> Option<Instant> {
        self.waiting.iter().map(|it| it.until).min()
    }
}

/// Whether the engine of a context hasn't listed its sessions yet, but is connecting.
fn may_be_read(runner: &ContextRunner) -> bool {
    !runner.listed && matches!(runner.known().engine(), EngineState::Connecting)
}

impl Core {
    /// Queues a list request if an engine is still connecting. Returns whether it was queued.
    pub(in crate::daemon) fn wait_for_list(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        tab: Option<Tab>,
    ) -> bool {
        let waits = self.contexts.iter().any(may_be_read);
        if waits {
            let until = clock::instant() + PATIENCE;
            self.lists.waiting.push(Waiting {
                connection,
                id,
                tab,
                until,
            });
        }
        waits
    }

    /// Answers the list requests that are ready or timed out.
    pub(in crate::daemon) fn answer_lists(&mut self) {
        self.note_read();
        let ready = !self.contexts.iter().any(may_be_read);
        let now = clock::instant();
        for list in std::mem::take(&mut self.lists.waiting) {
            let Some(client) = self.clients.get(&list.connection) else {
                continue;
            };
            if !ready && now < list.until {
                self.lists.waiting.push(list);
                continue;
            }
            let seq = client.outbox.seq();
            let (snapshot, _) = snapshots::snapshot(&self.contexts, seq, list.tab);
            self.answer(list.connection, list.id, Ok(Reply::Snapshot { snapshot }));
        }
    }

    fn note_read(&mut self) {
        if self.lists.mark.is_none() {
            return;
        }
        for runner in &mut self.contexts {
            runner.listed |= matches!(runner.known().engine(), EngineState::Connected { .. });
        }
        // The sessions that were found are in the state database once no write is pending.
        if self.contexts.iter().all(|it| it.listed)
            && self.deferred.is_empty()
            && let Some(mark) = self.lists.mark.take()
            && let Err(error) = fs::remove_file(&mark)
        {
            tracing::warn!(%error, mark = %mark.display(), "a mark stays");
        }
    }
}
