//! Allows one daemon per user and machine: a locked file that identifies the daemon.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use thiserror::Error;

use crate::{config::saving::private_directory, protocol::lock_record::LockRecord};

/// A client that checks the lock holds it for a moment, so the daemon retries.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// Longer than any announcement.
const LONGEST: u64 = 4096;

#[derive(Debug, Error)]
pub enum LockError {
    #[error("{}", already_running(.0.as_ref()))]
    Held(Option<LockRecord>),
    #[error("{}", unusable(.path, .why))]
    Unusable { path: PathBuf, why: io::Error },
}

fn already_running(known: Option<&LockRecord>) -> String {
    match known {
        Some(LockRecord { pid, socket, .. }) => tr_sent!(
            "a daemon is already running (pid {pid}, at {socket})",
            pid,
            socket
        ),
        None => tr_sent!("a daemon is already running").to_owned(),
    }
}

fn unusable(path: &Path, why: &io::Error) -> String {
    tr_sent!(
        "{path} can't be used: {why}. To fix it, {fix}",
        path = path.display(),
        why,
        fix = fix_for(why)
    )
}

fn fix_for(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            tr_sent!("free some space on its file system")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            tr_sent!(
                "make its file system writable, or set WORKBAY_STATE_DIR to a directory on another \
             file system"
            )
        }
        _ => tr_sent!("check its owner, or set WORKBAY_STATE_DIR to another directory"),
    }
}

/// The lock, held until dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock and clears what an earlier daemon wrote.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let unusable = |why| LockError::Unusable {
            path: path.to_path_buf(),
            why,
        };
        if let Some(directory) = path.parent() {
            private_directory(directory).map_err(unusable)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(unusable)?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < TRIES => thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::WouldBlock) => {
                    let text = fs::read_to_string(path).unwrap_or_default();
                    return Err(LockError::Held(serde_json::from_str(&text).ok()));
                }
                Err(TryLockError::Error(why)) => return Err(unusable(why)),
            }
        }
        let path = path.to_path_buf();
        let mut lock = Self { file, path };
        lock.blank().map_err(unusable)?;
        Ok(lock)
    }

    /// Wraps the lock that this process already holds from before an upgrade.
    pub fn inherit(file: File, path: &Path) -> Self {
        let path = path.to_path_buf();
        Self { file, path }
    }

    /// A second handle to the lock. The lock is held until both are closed.
    pub fn share(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Writes where clients find the daemon. Called once the daemon accepts connections and signals.
    pub fn announce(&mut self, lock_record: &LockRecord) -> Result<(), LockError> {
        let text = serde_json::to_vec(lock_record).unwrap_or_default();
        self.rewrite(&text).map_err(|why| LockError::Unusable {
            path: self.path.clone(),
            why,
        })
    }

    fn rewrite(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(text)?;
        self.file.set_len(text.len() as u64)
    }

    /// Clears the text but keeps its space, so that a daemon can announce itself on a full disk.
    fn blank(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len().min(LONGEST);
        self.file.set_len(length)?;
        self.file.rewind()?;
        self.file
            .write_all(&vec![b' '; usize::try_from(length).unwrap_or_default()])
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file releases the lock, so a failure to clear the text does no harm.
        let _ = self.blank();
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::protocol::lock_record::{Holder, holder};

    #[test]
    fn the_second_daemon_learns_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/daemon.lock");
        let mut first = Lock::take(&path).unwrap();
        let lock_record = LockRecord {
            pid: 42,
            version: "0.1.0".into(),
            socket: "/run/d.sock".into(),
            started_at: Timestamp::UNIX_EPOCH,
        };
        first.announce(&lock_record).unwrap();
        let error = Lock::take(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a daemon is already running (pid 42, at /run/d.sock)"
        );
        assert_eq!(holder(&path).unwrap(), Holder::Daemon(Some(lock_record)));
        drop(first);
        assert_eq!(holder(&path).unwrap(), Holder::Nobody);
        Lock::take(&path).unwrap();
    }
}
