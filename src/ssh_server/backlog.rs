//! Input of a client's channels that their programs haven't taken yet.
//!
//! The SSH library gives a client more room as soon as it has received something, not when a program has taken it. If
//! it had to wait for a program, it could neither read nor write anything else of the connection meanwhile, and a
//! program that waits for its own output to be read would wait forever. So all input is queued, and this module bounds
//! it: from [`PAUSE`] bytes on, nothing more is read from the client. One exception prevents a deadlock: while output
//! waits until the client announces that it has read some, reading continues, because that announcement comes after
//! input. Such input is at most a window per channel for clients that read. A client that sends but doesn't
//! read gets to [`MOST`] bytes, and then the channel that brings more is closed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use futures_util::task::AtomicWaker;

/// From here on nothing more is read.
pub(super) const PAUSE: usize = 4 * 1024 * 1024;

/// From here on a channel that brings more is closed.
const MOST: usize = 32 * 1024 * 1024;

/// What a queued item costs besides its bytes, so that empty ones are bounded, too.
const ITEM: usize = 256;

/// Counts the queued input of one connection.
#[derive(Default)]
pub(super) struct Backlog {
    queued: AtomicUsize,
    /// Outputs that wait until the client reads.
    starved: AtomicUsize,
    closed: AtomicBool,
    /// Wakes the reading side of the connection.
    reader: AtomicWaker,
}

impl Backlog {
    /// Counts an item of `bytes`; `None` = there is no room for it. It counts until the result is dropped.
    pub(super) fn add(self: &Arc<Self>, bytes: usize) -> Option<Queued> {
        let cost = bytes + ITEM;
        if self.queued.load(Ordering::Acquire) + cost > MOST {
            return None;
        }
        self.queued.fetch_add(cost, Ordering::AcqRel);
        Some(Queued {
            backlog: Arc::clone(self),
            cost,
        })
    }

    /// Notes that output waits until the client reads, as long as the result exists.
    pub(super) fn starve(self: &Arc<Self>) -> Starved {
        self.starved.fetch_add(1, Ordering::AcqRel);
        self.reader.wake();
        Starved(Arc::clone(self))
    }

    /// Whether more may be read from the client.
    pub(super) fn may_read(&self) -> bool {
        self.queued.load(Ordering::Acquire) < PAUSE || self.starved.load(Ordering::Acquire) > 0
    }

    /// Ends the connection's stream.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.reader.wake();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) fn reader(&self) -> &AtomicWaker {
        &self.reader
    }
}

/// An item that is counted.
pub(super) struct Queued {
    backlog: Arc<Backlog>,
    cost: usize,
}

impl Drop for Queued {
    fn drop(&mut self) {
        let before = self.backlog.queued.fetch_sub(self.cost, Ordering::AcqRel);
        if before >= PAUSE {
            self.backlog.reader.wake();
        }
    }
}

/// An output that waits until the client reads.
pub(super) struct Starved(Arc<Backlog>);

impl Drop for Starved {
    fn drop(&mut self) {
        self.0.starved.fetch_sub(1, Ordering::AcqRel);
    }
}
