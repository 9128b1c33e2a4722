//! Lists after a lost database: they wait for the engine's first list, but not for long.

use std::{fs, path::PathBuf, time::Duration};

use tokio::time::Instant;

use super::{clock, core::Core, inbound::ConnectionId, looks, station::Station};
use crate::{
    model::{capability::EngineState, status::Tab},
    protocol::message::{Reply, RequestId},
};

/// How long a list waits for engines that have not answered yet.
const PATIENCE: Duration = Duration::from_secs(30);

struct Waiting {
    connection: ConnectionId,
    id: RequestId,
    tab: Option<Tab>,
    until: Instant,
}

pub(super) struct Lists {
    /// Says that the database was lost, or sessions in it; removed once every engine was read.
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

    /// When the first of them waits no longer.
    pub fn due(&self) -> Option<Instant> {
        self.waiting.iter().map(|it| it.until).min()
    }
}

/// Its sessions are not known yet, and may be in a moment.
fn may_be_read(station: &Station) -> bool {
    !station.listed && matches!(station.heart.engine(), EngineState::Connecting)
}

impl Core {
    /// Whether the list is answered later.
    pub(super) fn wait_for_list(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        tab: Option<Tab>,
    ) -> bool {
        let waits = self.stations.iter().any(may_be_read);
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

    /// Answers those that need not wait any longer.
    pub(super) fn answer_lists(&mut self) {
        self.note_read();
        let ready = !self.stations.iter().any(may_be_read);
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
            let (snapshot, _) = looks::snapshot(&self.stations, seq, list.tab);
            self.answer(list.connection, list.id, Ok(Reply::Snapshot { snapshot }));
        }
    }

    fn note_read(&mut self) {
        if self.lists.mark.is_none() {
            return;
        }
        for station in &mut self.stations {
            station.listed |= matches!(station.heart.engine(), EngineState::Connected { .. });
        }
        // What was found is in the store, unless that is owed.
        if self.stations.iter().all(|it| it.listed)
            && self.owed.is_empty()
            && let Some(mark) = self.lists.mark.take()
            && let Err(error) = fs::remove_file(&mark)
        {
            tracing::warn!(%error, mark = %mark.display(), "a mark stays");
        }
    }
}
