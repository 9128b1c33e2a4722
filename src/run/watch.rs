//! Watches the files of a directory, by the kernel's events. Nothing runs while no file changes.

use std::{
    ffi::OsString,
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::Path,
};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use tokio::io::unix::AsyncFd;

/// Room for about 20 events at once.
const EVENTS: usize = 4096;

/// The watch of a directory.
#[derive(Debug)]
pub struct Watch {
    events: AsyncFd<OwnedFd>,
}

impl Watch {
    /// Begins to watch the files in a directory, which must exist.
    pub fn directory(path: &Path) -> io::Result<Self> {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let changes = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE;
        inotify::add_watch(&fd, path, changes)?;
        #[expect(
            deprecated,
            reason = "its replacement is unsafe, and this descriptor is owned and never replaced"
        )]
        let events = AsyncFd::new(fd)?;
        Ok(Self { events })
    }

    /// Waits until files have changed, and returns their names.
    pub async fn changed(&mut self) -> io::Result<Vec<OsString>> {
        loop {
            let mut ready = self.events.readable().await?;
            let read = ready.try_io(|fd| names(fd.get_ref()));
            match read {
                Ok(Ok(names)) if names.is_empty() => {}
                Ok(result) => return result,
                Err(_would_block) => {}
            }
        }
    }
}

/// The names in all events that can be read now.
fn names(fd: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut room = [MaybeUninit::uninit(); EVENTS];
    let mut reader = inotify::Reader::new(fd, &mut room);
    let mut names = Vec::new();
    loop {
        match reader.next() {
            Ok(event) => {
                let name = event.file_name().map(std::ffi::CStr::to_bytes);
                names.extend(name.map(|it| std::ffi::OsStr::from_bytes(it).to_owned()));
            }
            Err(rustix::io::Errno::AGAIN) if !names.is_empty() => return Ok(names),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn written_renamed_and_deleted_files_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = Watch::directory(dir.path()).unwrap();
        let file = dir.path().join("mine.toml");
        std::fs::write(&file, "one").unwrap();
        assert_eq!(watch.changed().await.unwrap(), ["mine.toml"]);
        let new = dir.path().join("other");
        std::fs::rename(&file, &new).unwrap();
        let names = watch.changed().await.unwrap();
        assert!(names.contains(&OsString::from("other")), "{names:?}");
        std::fs::remove_file(&new).unwrap();
        assert!(
            watch
                .changed()
                .await
                .unwrap()
                .contains(&OsString::from("other"))
        );
        assert!(Watch::directory(&dir.path().join("nothing")).is_err());
    }
}
