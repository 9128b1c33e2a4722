//! The queue of messages to one client.
//!
//! A slow client never delays the daemon and never misses a state: a newer state of a session replaces the
//! one that still waits. So the queue is never longer than the number of things to report.

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
/// The daemon disconnects a client with more waiting notices: it has stopped reading long ago.
const NOTICES: usize = 100_000;

#[derive(Debug, Default)]
pub(in crate::daemon) struct Outbox {
    inner: Mutex<OutboxQueues>,
    filled: Notify,
    drained: Notify,
}

#[derive(Debug, Default)]
struct OutboxQueues {
    /// Each answer with the number of the notice that must be written before it.
    answers: VecDeque<(u64, FromDaemon)>,
    notices: VecDeque<Change>,
    /// The number of the first waiting notice, minus one.
    seq: u64,
    /// The number of a session's waiting notice, counted like `seq`.
    places: HashMap<SessionKey, u64>,
    subscribed: bool,
    closed: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, OutboxQueues> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an answer to be written as soon as possible, before waiting notices.
    pub fn answer(&self, message: FromDaemon) {
        self.lock().answers.push_back((0, message));
        self.filled.notify_one();
    }

    /// Queues an answer to be written after all notices that wait now.
    pub fn answer_after_notices(&self, message: FromDaemon) {
        let mut inner = self.lock();
        let last = inner.seq + inner.notices.len() as u64;
        inner.answers.push_back((last, message));
        drop(inner);
        self.filled.notify_one();
    }

    /// Sends notices to this client from now on and drops the waiting ones, which the next snapshot contains.
    /// Returns the number of the last notice before the snapshot.
    pub fn subscribe(&self) -> u64 {
        let mut inner = self.lock();
        inner.subscribed = true;
        // The numbers of dropped notices aren't reused: the snapshot covers them.
        inner.seq += inner.notices.len() as u64;
        inner.notices.clear();
        inner.places.clear();
        inner.seq
    }

    /// The number of the last notice that was written or waits.
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

    /// Whether the client is too slow to get passing figures.
    pub fn lags(&self) -> bool {
        self.lock().notices.len() > 64
    }

    /// Waiting messages, as many as one write should have; `None` when the client is to be disconnected.
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

    /// Waits until the client has read enough answers to send more requests.
    pub async fn room(&self) {
        while self.lock().answers.len() >= ANSWERS {
            self.drained.notified().await;
        }
    }

    /// Stops accepting messages. Those that wait are still written.
    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_one();
    }
}

impl OutboxQueues {
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
        /// Limits one write, so that keys and terminal output can pass in between.
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
            "kernels": [], "home": null, "pending_request": null,
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
