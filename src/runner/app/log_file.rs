//! The log of an app: a file whose size is limited.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::model::text::Clean;

/// The maximum size of a log in bytes. A longer one loses its older half.
const MOST: u64 = 1024 * 1024;

/// The longest line that is returned, in characters.
const LONGEST_LINE: usize = 2000;

pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    size: u64,
}

impl LogFile {
    /// Begins an empty log.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = fresh(path)?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
            size: 0,
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.size + bytes.len() as u64 > MOST {
            self.halve()?;
        }
        self.file.write_all(bytes)?;
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Readers see the old file or the new one.
    fn halve(&mut self) -> io::Result<()> {
        let kept = end_of(&self.path, MOST / 2)?;
        let new = self.path.with_extension("new");
        let mut file = fresh(&new)?;
        file.write_all(&kept)?;
        fs::rename(&new, &self.path)?;
        self.file = file;
        self.size = kept.len() as u64;
        Ok(())
    }
}

/// A file that only its user can read. Never follows a link.
fn fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.append(true).create_new(true).mode(0o600).open(path)
}

/// The last whole lines of a file, at most `most` bytes.
fn end_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let from = size.saturating_sub(most);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    if from > 0
        && let Some(newline) = bytes.iter().position(|byte| *byte == b'\n')
    {
        bytes.drain(..=newline);
    }
    Ok(bytes)
}

/// The last lines of a log, oldest first; none if it can't be read.
pub(super) fn last_lines(path: &Path, most: usize) -> Vec<Clean> {
    let bytes = end_of(path, MOST).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(most);
    let shown = lines.into_iter().skip(skipped);
    shown.map(clean_line).collect()
}

/// What a progress bar overwrote isn't part of its line.
fn clean_line(line: &str) -> Clean {
    let line = line.trim_end();
    let line = line.rsplit('\r').next().unwrap_or_default();
    let line: String = line.chars().take(LONGEST_LINE).collect();
    Clean::new(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_newer_half() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = LogFile::create(&path).unwrap();
        for number in 0..40_000 {
            log.write(format!("a line with the number {number:06} in it\n").as_bytes())
                .unwrap();
            assert!(log.size <= MOST);
        }
        assert!(fs::metadata(&path).unwrap().len() <= MOST);
        let lines = last_lines(&path, 200);
        assert_eq!(lines.len(), 200);
        assert_eq!(lines[199], "a line with the number 039999 in it");
        let first = fs::read_to_string(&path).unwrap();
        assert!(first.starts_with("a line with"), "the first line is cut");
    }

    #[test]
    fn hostile_lines_are_clean_and_short() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = LogFile::create(&path).unwrap();
        log.write(b"\x1b[2Jred\xff\n10%\r20%\r30%\nend\r\n")
            .unwrap();
        log.write("x".repeat(5000).as_bytes()).unwrap();
        let lines = last_lines(&path, 10);
        assert_eq!(lines[0], "red\u{fffd}");
        assert_eq!((lines[1].as_str(), lines[2].as_str()), ("30%", "end"));
        assert_eq!(lines[3].as_str().len(), LONGEST_LINE);
        assert!(last_lines(&dir.path().join("none"), 10).is_empty());
    }

    #[test]
    fn a_link_in_place_of_a_log_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (path, precious) = (dir.path().join("log"), dir.path().join("precious"));
        fs::write(&precious, "x").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        LogFile::create(&path).unwrap().write(b"y").unwrap();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "x");
        assert_eq!(fs::read_to_string(&path).unwrap(), "y");
    }
}
