//! Logs of the engine in memory: written, followed, flooded.

use bytes::Bytes as Chunk;
use workbay::model::id::SessionId;

use super::MemoryEngine;
use crate::support::world::{Container, State};

/// Lines that a flood writes at once.
const FLOOD_LINES: u64 = 2_000;

impl MemoryEngine {
    /// The session writes to its log; followers see it.
    pub fn write_log(&self, session: SessionId, text: &str) {
        let mut inner = self.lock();
        inner.world.logs.entry(session).or_default().push_str(text);
        drop(inner);
        self.shared.changed.notify_waiters();
    }

    /// The session writes `flood 0`, `flood 1`, … as fast as they are read, until
    /// [`calm`](Self::calm).
    pub fn flood(&self, session: SessionId) {
        self.lock().floods.insert(session, 0);
        self.shared.changed.notify_waiters();
    }

    /// Ends a flood. Returns how many lines of it were read.
    pub fn calm(&self, session: SessionId) -> u64 {
        self.lock().floods.remove(&session).unwrap_or_default()
    }

    /// How many lines of a flood were read so far.
    pub fn flooded(&self, session: SessionId) -> u64 {
        self.lock()
            .floods
            .get(&session)
            .copied()
            .unwrap_or_default()
    }

    fn is_running(&self, session: SessionId) -> bool {
        let runs = |found: Container| found.state == State::Running;
        !self.shared.script.is_cut() && self.container(session).is_ok_and(runs)
    }

    /// What a log has beyond `read` bytes. Waits for it when the log is followed.
    pub(super) async fn next_of_log(
        &self,
        session: SessionId,
        read: usize,
        follow: bool,
    ) -> Option<(Chunk, usize)> {
        loop {
            let changed = self.shared.changed.notified();
            if let Some(next) = self.rest_of_log(session, read) {
                return Some(next);
            }
            if !follow || !self.is_running(session) {
                return None;
            }
            changed.await;
        }
    }

    /// And how many bytes of the log have been read then. A flood isn't kept.
    fn rest_of_log(&self, session: SessionId, read: usize) -> Option<(Chunk, usize)> {
        let mut inner = self.lock();
        let text = inner.world.logs.get(&session).map_or("", String::as_str);
        if text.len() > read {
            let rest = Chunk::copy_from_slice(&text.as_bytes()[read..]);
            return Some((rest, text.len()));
        }
        let next = inner.floods.get_mut(&session)?;
        let lines: Vec<String> = (*next..*next + FLOOD_LINES)
            .map(|number| format!("flood {number}\n"))
            .collect();
        *next += FLOOD_LINES;
        Some((Chunk::from(lines.concat()), read))
    }
}
