//! The files of started apps: what runs, its log, and the lock of its starts and stops.
//!
//! They are in the directory that the container shares with the engine, so they stay as long as the session's files. An
//! older container without it has them in /tmp, or in the home directory if /tmp can't be written.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::{Access, FlockOperation};
use serde::{Deserialize, Serialize};

use super::process::ProcessId;
use crate::model::{
    app::{AppProtocol, AppStart},
    inside,
};

/// The largest file about an app that is read, in bytes.
const LARGEST: u64 = 64 * 1024;

/// An app that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Its first process, which leads a process group.
    pub(super) app: ProcessId,
    /// The process that keeps its log. Both are in a session (as in `setsid`) that this process leads.
    pub(super) supervisor: ProcessId,
    pub(super) ports: Vec<u16>,
    pub(super) protocol: AppProtocol,
    pub(super) path: String,
    /// How it ended: its exit code, or 128 plus the number of a signal.
    pub(super) exit_code: Option<i64>,
}

/// The directory of the files.
#[derive(Clone, Debug)]
pub(super) struct AppFiles(PathBuf);

impl AppFiles {
    /// Creates the directory if it doesn't exist.
    pub(super) fn open() -> io::Result<Self> {
        let places = [inside::SHARED, "/tmp", inside::HOME].map(Path::new);
        let writable = places.into_iter().find(|place| {
            place.is_dir() && rustix::fs::access(*place, Access::WRITE_OK | Access::EXEC_OK).is_ok()
        });
        let place = writable.ok_or_else(|| {
            io::Error::other(tr_sent!(
                "none of {first}, /tmp and {last} can be written",
                first = inside::SHARED,
                last = inside::HOME
            ))
        })?;
        let name = if place == Path::new(inside::SHARED) {
            "apps".to_owned()
        } else {
            format!(".workbay-apps-{}", rustix::process::getuid().as_raw())
        };
        Self::at(&place.join(name))
    }

    pub(super) fn at(path: &Path) -> io::Result<Self> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Another user can create names in /tmp.
        let meta = fs::symlink_metadata(path)?;
        if !meta.is_dir() || meta.uid() != rustix::process::getuid().as_raw() {
            let text = tr_sent!("{path} belongs to another user", path = path.display());
            return Err(io::Error::other(text));
        }
        Ok(Self(path.to_path_buf()))
    }

    pub(super) fn log(&self, app: &str) -> PathBuf {
        self.0.join(format!("{app}.log"))
    }

    fn run_file(&self, app: &str) -> PathBuf {
        self.0.join(format!("{app}.json"))
    }

    fn stop_mark(&self, app: &str) -> PathBuf {
        self.0.join(format!("{app}.stop"))
    }

    /// A file for a program's own data.
    pub(super) fn data(&self, app: &str) -> PathBuf {
        self.0.join(format!("{app}.db"))
    }

    /// What was started last; `None` if it never was.
    pub(super) fn run(&self, app: &str) -> Option<Run> {
        let mut text = Vec::new();
        let file = File::open(self.run_file(app)).ok()?;
        file.take(LARGEST).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Whole or not at all.
    pub(super) fn write_run(&self, app: &str, run: &Run) -> io::Result<()> {
        let path = self.run_file(app);
        let new = path.with_extension("json.new");
        fs::write(&new, serde_json::to_vec(run)?)?;
        fs::rename(new, path)
    }

    fn start_file(&self, app: &str) -> PathBuf {
        self.0.join(format!("{app}.start.json"))
    }

    /// What was given at the last start.
    pub(super) fn last_start(&self, app: &str) -> Option<AppStart> {
        let mut text = Vec::new();
        let file = File::open(self.start_file(app)).ok()?;
        file.take(LARGEST).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Kept for a start that repeats it. Variables may be secret.
    pub(super) fn keep_start(&self, app: &str, start: &AppStart) -> io::Result<()> {
        let path = self.start_file(app);
        // The mode counts only for a new file.
        let _ = fs::remove_file(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        options.open(path)?.write_all(&serde_json::to_vec(start)?)
    }

    /// Marks what runs as stopped by a user, so that its end isn't a failure.
    pub(super) fn mark_stopped(&self, app: &str) -> io::Result<()> {
        fs::write(self.stop_mark(app), b"")
    }

    pub(super) fn is_stopped(&self, app: &str) -> bool {
        self.stop_mark(app).exists()
    }

    /// Before a new start.
    pub(super) fn clear(&self, app: &str) {
        for path in [self.stop_mark(app), self.run_file(app)] {
            // It may not exist.
            let _ = fs::remove_file(path);
        }
    }

    /// Held while an app is started or stopped, until the file is dropped.
    pub(super) fn lock(&self, app: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600);
        let file = options.open(self.0.join(format!("{app}.lock")))?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_back_and_damage_is_no_run() {
        let dir = tempfile::tempdir().unwrap();
        let files = AppFiles::at(&dir.path().join("apps")).unwrap();
        assert_eq!(files.run("x"), None);
        let process = ProcessId { pid: 1, start: 2 };
        let run = Run {
            app: process,
            supervisor: process,
            ports: vec![80],
            protocol: AppProtocol::Http,
            path: "/".to_owned(),
            exit_code: None,
        };
        files.write_run("x", &run).unwrap();
        files.mark_stopped("x").unwrap();
        assert_eq!(files.run("x"), Some(run));
        assert!(files.is_stopped("x"));
        fs::write(files.run_file("x"), "{\"app\":").unwrap();
        assert_eq!(files.run("x"), None);
        files.clear("x");
        assert!(!files.is_stopped("x"));
    }

    #[test]
    fn a_link_in_place_of_the_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("apps");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(AppFiles::at(&link).is_err());
    }
}
