//! Writes the daemon's log to a file that is rotated when it grows, never to the screen.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Mutex,
};

use tracing_subscriber::{
    Layer as _, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::log_filter;

/// Size in bytes at which the file is rotated.
const LIMIT: u64 = 4 * 1024 * 1024;
/// The number of older files that are kept: `.1` (the newest) to `.3`.
const KEPT: u32 = 3;

/// Sends tracing output to the file. `WORKBAY_LOG` sets the level (`debug`, `workbay=trace`).
pub(in crate::daemon) fn begin(path: &Path) -> io::Result<()> {
    let file = RotatingFile::open(path, LIMIT)?;
    let lines = fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    // A second daemon in the same process (in tests) uses the log of the first.
    let _ = tracing_subscriber::registry()
        .with(lines.with_filter(log_filter::from_environment()))
        .try_init();
    Ok(())
}

/// Opens the log file for output without tracing, such as a panic message.
pub(in crate::daemon) fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
}

struct RotatingFile {
    file: File,
    path: PathBuf,
    length: u64,
    limit: u64,
}

impl RotatingFile {
    fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let file = append(path)?;
        Ok(Self {
            length: file.metadata()?.len(),
            file,
            path: path.to_path_buf(),
            limit,
        })
    }

    fn set_aside(&mut self) -> io::Result<()> {
        let aside = |number: u32| self.path.with_extension(format!("log.{number}"));
        for number in (1..KEPT).rev() {
            if aside(number).exists() {
                std::fs::rename(aside(number), aside(number + 1))?;
            }
        }
        std::fs::rename(&self.path, aside(1))?;
        *self = Self::open(&self.path, self.limit)?;
        Ok(())
    }
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.length >= self.limit {
            self.set_aside()?;
        }
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grown_log_is_set_aside_and_only_a_few_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        let mut log = RotatingFile::open(&path, 10).unwrap();
        for number in 0..6 {
            let line = format!("line number {number}\n");
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("daemon.log"), "line number 5\n");
        assert_eq!(read("daemon.log.1"), "line number 4\n");
        assert_eq!(read("daemon.log.3"), "line number 2\n");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 4);
    }
}
