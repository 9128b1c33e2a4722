//! Reads the home directory that an ended session left.

use std::{
    io::{BufWriter, Write},
    os::fd::{AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};
use tokio::sync::mpsc;

use crate::{
    archive,
    engine::{
        api::{Attached, Output, Result},
        docker::DockerEngine,
    },
    model::{
        failure::Failure,
        id::SessionId,
        inside,
        text::{Clean, io_reason},
    },
};

const WAITING: usize = 8;
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl DockerEngine {
    /// A file or directory of the home directory as a tar stream, as the helper in a running session packs it.
    pub(in crate::engine::docker) fn pack_kept_home(
        &self,
        session: SessionId,
        path: &str,
    ) -> Result<Attached> {
        let home = self.scratches.home(session);
        let asked = Path::new(path);
        let inside = Path::new(inside::HOME).join(asked);
        let Ok(below) = inside.strip_prefix(inside::HOME) else {
            let text = tr_sent!(
                "the session has ended: only files of {home} are kept",
                home = inside::HOME
            );
            return Err(Failure::refused(text)
                .hint(tr_sent!("use a path below {home}", home = inside::HOME)));
        };
        let below = below.to_owned();
        let (output_in, output) = mpsc::channel(WAITING);
        let (input, _) = mpsc::channel(1);
        let shown = Clean::new(path);
        tokio::task::spawn_blocking(move || {
            let exit_code = match pack(&home, &below, &output_in) {
                Ok(()) => 0,
                Err(error) => {
                    let why = io_reason(&error);
                    let text = format!("workbay: {shown}: {why}\n");
                    // A client that doesn't read this has closed the stream.
                    let _ = output_in.blocking_send(Output::Stderr(text.into()));
                    1
                }
            };
            let exit_code = Some(exit_code);
            let _ = output_in.blocking_send(Output::End { exit_code });
        });
        Ok(Attached { output, input })
    }
}

/// The session may have left any links: no part of the path may lead out of the home directory.
fn open_parent(home: &Path, parent: &Path) -> rustix::io::Result<OwnedFd> {
    let root = openat(CWD, home, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
    if parent.as_os_str().is_empty() {
        return Ok(root);
    }
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    openat2(&root, parent, DIRECTORY, Mode::empty(), beneath)
}

fn pack(home: &Path, below: &Path, out: &mpsc::Sender<Output>) -> std::io::Result<()> {
    let (parent, name) = match (below.parent(), below.file_name()) {
        (Some(parent), Some(name)) => (parent, Some(name)),
        // `..` at the end isn't a name.
        _ if below.as_os_str().is_empty() => (Path::new(""), None),
        _ => return Err(Errno::INVAL.into()),
    };
    let parent = open_parent(home, parent)?;
    let opened = PathBuf::from(format!("/proc/self/fd/{}", parent.as_raw_fd()));
    let (path, name) = match name {
        Some(name) => (opened.join(name), PathBuf::from(name)),
        None => (opened.join("."), PathBuf::from("work")),
    };
    path.symlink_metadata()?;
    let writer = BufWriter::with_capacity(64 * 1024, Pieces(out));
    let copied = archive::pack_as(vec![(path, name)], |_| true, writer)?;
    for sentence in &copied.skipped {
        let text = format!("skipped {sentence}\n");
        let _ = out.blocking_send(Output::Stderr(text.into()));
    }
    Ok(())
}

struct Pieces<'a>(&'a mpsc::Sender<Output>);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let piece = Output::Stdout(Bytes::copy_from_slice(bytes));
        let sent = self.0.blocking_send(piece);
        sent.map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn packed(home: &Path, below: &str) -> std::io::Result<Vec<String>> {
        let (sender, mut receiver) = mpsc::channel(100);
        pack(home, Path::new(below), &sender)?;
        drop(sender);
        let mut bytes = Vec::new();
        while let Some(output) = receiver.blocking_recv() {
            if let Output::Stdout(piece) = output {
                bytes.extend_from_slice(&piece);
            }
        }
        let mut archive = tar::Archive::new(bytes.as_slice());
        let names = archive.entries()?.map(|entry| {
            let entry = entry.unwrap();
            entry.path().unwrap().display().to_string()
        });
        Ok(names.collect())
    }

    #[test]
    fn only_what_is_in_the_home_directory_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (home, outside) = (dir.path().join("work"), dir.path().join("outside"));
        std::fs::create_dir_all(home.join("deep")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(home.join("deep/file"), "x").unwrap();
        std::fs::write(outside.join("secret"), "x").unwrap();
        symlink(&outside, home.join("out")).unwrap();
        symlink("../outside", home.join("up")).unwrap();
        symlink("deep", home.join("in")).unwrap();
        assert_eq!(packed(&home, "deep").unwrap(), ["deep", "deep/file"]);
        assert_eq!(packed(&home, "in/file").unwrap(), ["file"]);
        for bad in [
            "out/secret",
            "up/secret",
            "../outside",
            "deep/../..",
            "none",
        ] {
            assert!(packed(&home, bad).is_err(), "{bad} was read");
        }
        let all = packed(&home, "").unwrap();
        assert!(all.iter().all(|name| !name.contains("secret")), "{all:?}");
        assert!(all.contains(&"work/deep/file".to_owned()), "{all:?}");
    }
}
