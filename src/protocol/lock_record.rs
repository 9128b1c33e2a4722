//! The content of a running daemon's lock file, by which a client finds it.

use std::{fs, io, path::Path};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The daemon that has the lock, and the path of its socket. Written once the daemon is ready; valid only
/// while the file is locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRecord {
    pub pid: u32,
    pub version: String,
    pub socket: String,
    pub started_at: Timestamp,
}

/// The state of a lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The file isn't locked: no daemon is running.
    Nobody,
    /// A daemon has the lock; `None` = it is still starting.
    Daemon(Option<LockRecord>),
}

/// Checks whether a daemon has the lock file, by trying to lock it for a moment.
pub fn holder(lock: &Path) -> io::Result<Holder> {
    let file = match fs::File::open(lock) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Holder::Nobody),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Holder::Nobody),
        Err(fs::TryLockError::WouldBlock) => {
            let text = fs::read_to_string(lock)?;
            Ok(Holder::Daemon(serde_json::from_str(&text).ok()))
        }
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_locks_names_no_daemon() {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join("lock");
        assert_eq!(holder(&lock).unwrap(), Holder::Nobody);
        fs::write(&lock, "{}").unwrap();
        assert_eq!(holder(&lock).unwrap(), Holder::Nobody);
    }

    #[test]
    fn a_locked_file_names_its_daemon_once_it_is_ready() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let file = fs::File::create(&path).unwrap();
        file.lock().unwrap();
        assert_eq!(holder(&path).unwrap(), Holder::Daemon(None));
        let lock_record = LockRecord {
            pid: 42,
            version: "0.1.0".into(),
            socket: "/run/x.sock".into(),
            started_at: Timestamp::UNIX_EPOCH,
        };
        fs::write(&path, serde_json::to_vec(&lock_record).unwrap()).unwrap();
        assert_eq!(holder(&path).unwrap(), Holder::Daemon(Some(lock_record)));
    }
}
