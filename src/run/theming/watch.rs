//! Notices changes in the directories of the configuration and of themes. The kernel reports them (inotify), so
//! nothing is read until something changed.

use std::{
    io,
    mem::MaybeUninit,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::io::{Interest, unix::AsyncFd};

use crate::config::paths::Paths;

/// Editors write a file in several steps. The file is read after the last one.
const PAUSE: Duration = Duration::from_millis(50);

/// The watched directories.
pub struct FileWatch {
    directories: Vec<PathBuf>,
    /// `None` = the kernel has no more watches, so changes aren't noticed.
    events: Option<AsyncFd<OwnedFd>>,
}

impl FileWatch {
    pub fn new(paths: &Paths) -> Self {
        let config = paths.config_file();
        let config = config.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut watch = Self {
            directories: vec![paths.themes_dir(), config],
            events: open().ok(),
        };
        watch.add();
        watch
    }

    /// Waits until a file in one of the directories has changed.
    pub async fn changed(&mut self) {
        self.event().await;
        while tokio::time::timeout(PAUSE, self.event()).await.is_ok() {}
        // A directory may be new.
        self.add();
    }

    /// Watches the directories. A directory that doesn't exist is noticed in the directory above.
    fn add(&mut self) {
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
