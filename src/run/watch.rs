//! Notices changes of the files in directories, for example of themes and keymaps. The kernel reports them (inotify),
//! so nothing is read until something changed.

use std::{io, mem::MaybeUninit, os::fd::OwnedFd, path::PathBuf, time::Duration};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::io::{Interest, unix::AsyncFd};

/// Editors write a file in several steps. The file is read after the last one.
const PAUSE: Duration = Duration::from_millis(50);
/// A program that writes all the time doesn't delay a change for longer.
const PAUSES: usize = 20;

/// The watched directories.
#[derive(Debug)]
pub struct FileWatch {
    directories: Vec<PathBuf>,
    /// `None` = the kernel has no more watches, so changes aren't noticed.
    events: Option<AsyncFd<OwnedFd>>,
}

impl FileWatch {
    /// Begins to watch. A directory needn't exist.
    pub fn new(directories: Vec<PathBuf>) -> Self {
        let watch = Self {
            directories,
            events: open().ok(),
        };
        watch.add();
        watch
    }

    /// Waits until a file in one of the directories has changed.
    pub async fn changed(&mut self) {
        self.event().await;
        for _ in 0..PAUSES {
            if tokio::time::timeout(PAUSE, self.event()).await.is_err() {
                break;
            }
        }
        // A directory may be new.
        self.add();
    }

    /// Watches the directories. A directory that doesn't exist is noticed in the directory above.
    fn add(&self) {
        let Some(events) = &self.events else {
            return;
        };
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        for directory in &self.directories {
            let above = directory.parent();
            for directory in [Some(directory.as_path()), above].into_iter().flatten() {
                if inotify::add_watch(events.get_ref(), directory, flags).is_ok() {
                    break;
                }
            }
        }
    }

    async fn event(&mut self) {
        let Some(events) = &mut self.events else {
            return std::future::pending().await;
        };
        loop {
            let Ok(mut ready) = events.ready_mut(Interest::READABLE).await else {
                return std::future::pending().await;
            };
            let read = ready.try_io(|events| drain(events.get_ref()));
            match read {
                Ok(Ok(())) => return,
                Ok(Err(_)) => return std::future::pending().await,
                // Nothing was there.
                Err(_) => {}
            }
        }
    }
}

fn open() -> io::Result<AsyncFd<OwnedFd>> {
    let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    #[expect(
        deprecated,
        reason = "safe with a descriptor that is owned, and its successor is not"
    )]
    let watched = AsyncFd::with_interest(events, Interest::READABLE);
    watched
}

/// Reads all events. What they say doesn't matter. Fails with `WouldBlock` if there was none.
fn drain(events: &OwnedFd) -> io::Result<()> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(events, &mut buffer);
    reader.next()?;
    while reader.next().is_ok() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn written_renamed_and_deleted_files_are_noticed_also_in_a_new_directory() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("themes");
        let mut watch = FileWatch::new(vec![inside.clone()]);
        std::fs::create_dir(&inside).unwrap();
        watch.changed().await;
        let (file, new) = (inside.join("mine.toml"), inside.join("other"));
        std::fs::write(&file, "one").unwrap();
        watch.changed().await;
        std::fs::rename(&file, &new).unwrap();
        watch.changed().await;
        std::fs::remove_file(&new).unwrap();
        watch.changed().await;
    }
}
