//! How much may be written below a directory whose quota only workbay watches.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rustix::io::Errno;

use crate::model::resources::Bytes;

/// A quota, and what is used of it. Clones share what is used.
#[derive(Clone, Debug)]
pub struct Room {
    used: Arc<AtomicU64>,
    most: u64,
}

impl Room {
    /// `used` counts what is in the directory already, in bytes.
    #[must_use]
    pub fn new(used: Arc<AtomicU64>, most: Bytes) -> Self {
        Self { used, most: most.0 }
    }

    /// What may still be written.
    pub fn left(&self) -> Bytes {
        Bytes(self.most.saturating_sub(self.used.load(Ordering::Relaxed)))
    }

    /// Counts bytes that are about to be written. Fails as a file system does at its quota.
    pub fn take(&self, bytes: u64) -> rustix::io::Result<()> {
        let more = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.most);
        let order = Ordering::Relaxed;
        let taken = self.used.fetch_update(order, order, more);
        taken.map(drop).map_err(|_| Errno::DQUOT)
    }

    /// Gives back what was removed again.
    pub fn give_back(&self, bytes: u64) {
        let less = |used: u64| Some(used.saturating_sub(bytes));
        let order = Ordering::Relaxed;
        let _ = self.used.fetch_update(order, order, less);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_fits() {
        let room = Room::new(Arc::new(AtomicU64::new(60)), Bytes(100));
        let other = room.clone();
        room.take(30).unwrap();
        assert_eq!(other.left(), Bytes(10));
        assert_eq!(other.take(11), Err(Errno::DQUOT));
        other.take(10).unwrap();
        room.give_back(40);
        assert_eq!(room.left(), Bytes(40));
        assert_eq!(room.take(u64::MAX), Err(Errno::DQUOT));
        let over = Room::new(Arc::new(AtomicU64::new(200)), Bytes(100));
        assert_eq!((over.left(), over.take(1)), (Bytes(0), Err(Errno::DQUOT)));
        over.take(0).unwrap_err();
    }
}
