//! What waits to be written to one client.
//!
//! A slow client never holds up the daemon and never misses anything: a newer state of the same
//! session takes the place of the older one that still waits, so the queue is no longer than there
//! are things to tell about.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    model::{change::Change, id::SessionKey},
    protocol::message::FromDaemon,
};

/// Answers that may wait before the client's next request is read.
const ANSWERS: usize = 128;
/// A client with more notices waiting is given up: it has long stopped reading.
const NOTICES: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    filled: Notify,
    drained: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    /// With the number of the notice that goes before, at the latest.
    answers: VecDeque<(u64, FromDaemon)>,
    notices: VecDeque<Change>,
    /// The number of the first waiting notice, less one.
    seq: u64,
    /// Where a session's waiting notice is: counted like `seq`.
    places: HashMap<SessionKey, u64>,
    subscribed: bool,
    closed: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Written as soon as possible, before notices that wait.
    pub fn answer(&self, message: FromDaemon) {
        self.lock().answers.push_back((0, message));
        self.filled.notify_one();
    }

    /// Written when every notice that waits now has been.
    pub fn answer_after_notices(&self, message: FromDaemon) {
        let mut inner = self.lock();
        let last = inner.seq + inner.notices.len() as u64;
        inner.answers.push_back((last, message));
        drop(inner);
        self.filled.notify_one();
    }

    /// Notices go to this client from now on; those that wait are in the snapshot to come. The
    /// number of the last notice before it.
    pub fn subscribe(&self) -> u64 {
        let mut inner = self.lock();
        inner.subscribed = true;
        // The numbers of dropped notices are not used again: they count as told by the snapshot.
        inner.seq += inner.notices.len() as u64;
        inner.notices.clear();
        inner.places.clear();
        inner.seq
    }

    /// The number of the last notice that was handed out or waits.
    pub fn seq(&self) -> u64 {
        let inner = self.lock();
        inner.seq + inner.notices.len() as u64
    }

    pub fn notice(&self, change: &Change) {
        let mut inner = self.lock();
        if inner.subscribed && !inner.closed {
            inner.add(change);
            self.filled.notify_one();
        }
    }

    /// Whether the client lags so far behind that passing figures are better left out.
    pub fn lags(&self) -> bool {
        self.lock().notices.len() > 64
    }

    /// Everything that waits, as far as it fits one write; `None` when the client is given up.
    pub async fn next(&self) -> Option<Vec<FromDaemon>> {
        loop {
            {
                let mut inner = self.lock();
                let batch = inner.take();
                if !batch.is_empty() {
                    self.drained.notify_one();
                    return Some(batch);
                }
                if inner.closed {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Waits until the client has taken enough of its answers to ask more.
    pub async fn room(&self) {
        while self.lock().answers.len() >= ANSWERS {
            self.drained.notified().await;
        }
    }

    /// Nothing more is added; what waits is still written.
    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_one();
    }
}

impl Inner {
    fn add(&mut self, change: &Change) {
        if let Change::Session { session } = change {
            let next = self.seq + self.notices.len() as u64 + 1;
            let place = *self.places.entry(session.key()).or_insert(next);
            let index = (place - self.seq - 1) as usize;
            if let Some(older) = self.notices.get_mut(index) {
                older.clone_from(change);
                return;
            }
        }
        self.notices.push_back(change.clone());
        if self.notices.len() > NOTICES {
            self.closed = true;
        }
    }

    fn take(&mut self) -> Vec<FromDaemon> {
        /// One write stays small enough for keys and terminals to pass between.
        const BATCH: usize = 64;
        let mut batch = self.due_answers();
        while batch.len() < BATCH
            && let Some(change) = self.notices.pop_front()
        {
            self.seq += 1;
            if let Change::Session { session } = &change {
                self.places.remove(&session.key());
            }
            let seq = self.seq;
            batch.push(FromDaemon::Notice { seq, change });
        }
        batch.append(&mut self.due_answers());
        batch
    }

    fn due_answers(&mut self) -> Vec<FromDaemon> {
        let seq = self.seq;
        let (due, later) = std::mem::take(&mut self.answers)
            .into_iter()
            .partition(|(after, _)| *after <= seq);
        self.answers = later;
        let due: VecDeque<(u64, FromDaemon)> = due;
        due.into_iter().map(|(_, answer)| answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        id::SessionId,
        notice::{Level, Notice},
    };

    fn message(text: &str) -> Change {
        Notice::message(jiff::Timestamp::UNIX_EPOCH, Level::Info, text).into()
    }

    fn session(number: u128, name: &str) -> Change {
        let json = serde_json::json!({
            "id": SessionId::from_u128(number), "context": "local", "name": name,
            "type": "interactive", "status": "RUNNING", "status_info": null,
            "status_message": null,
            "environment": {"name": "host", "version": "1", "source": "host"},
            "requested_slots": {"cpu": 1.0, "mem": 1}, "shmem": 0, "owner": "me",
            "created_at": "2026-01-01T00:00:00Z", "started_at": null, "terminated_at": null,
            "kernels": [], "scratch": null, "pending_request": null,
        });
        Change::Session {
            session: serde_json::from_value(json).unwrap(),
        }
    }

    async fn taken(outbox: &Outbox) -> Vec<(u64, Change)> {
        let batch = outbox.next().await.unwrap();
        let notices = batch.into_iter().map(|message| match message {
            FromDaemon::Notice { seq, change } => (seq, change),
            other => panic!("{other:?}"),
        });
        notices.collect()
    }

    #[tokio::test]
    async fn a_newer_state_replaces_the_one_that_waits_and_no_number_is_skipped() {
        let outbox = Outbox::default();
        outbox.notice(&message("before anybody listens"));
        assert_eq!(outbox.subscribe(), 0);
        outbox.notice(&session(1, "old"));
        outbox.notice(&message("a"));
        outbox.notice(&session(2, "two"));
        outbox.notice(&session(1, "new"));
        let expected = [
            (1, session(1, "new")),
            (2, message("a")),
            (3, session(2, "two")),
        ];
        assert_eq!(taken(&outbox).await, expected);
        outbox.notice(&session(1, "newer"));
        assert_eq!(taken(&outbox).await, [(4, session(1, "newer"))]);
    }

    #[tokio::test]
    async fn a_snapshot_takes_the_place_of_what_waited() {
        let outbox = Outbox::default();
        outbox.subscribe();
        outbox.notice(&session(1, "old"));
        outbox.notice(&message("a"));
        assert_eq!(outbox.subscribe(), 2);
        outbox.notice(&session(1, "new"));
        assert_eq!(taken(&outbox).await, [(3, session(1, "new"))]);
    }

    #[tokio::test]
    async fn an_answer_that_follows_from_notices_comes_after_them() {
        let outbox = Outbox::default();
        outbox.subscribe();
        for number in 0..100 {
            outbox.notice(&session(number, "one of many"));
        }
        let answer = |id| FromDaemon::Answer {
            id,
            result: Ok(crate::protocol::message::Reply::Done),
        };
        outbox.answer_after_notices(answer(1));
        outbox.answer(answer(2));
        let first = outbox.next().await.unwrap();
        assert_eq!((first.first(), first.len()), (Some(&answer(2)), 64));
        outbox.notice(&message("later"));
        let second = outbox.next().await.unwrap();
        assert_eq!(second.last(), Some(&answer(1)));
        assert_eq!(second.len(), 37 + 1 + 1, "sessions, a message, the answer");
    }

    #[tokio::test]
    async fn a_client_that_never_reads_is_given_up() {
        let outbox = Outbox::default();
        outbox.subscribe();
        for _ in 0..=NOTICES {
            outbox.notice(&message("x"));
        }
        outbox.notice(&message("not added any more"));
        assert_eq!(outbox.seq(), NOTICES as u64 + 1);
        assert!(outbox.lock().closed);
    }
}
