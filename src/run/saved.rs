//! Keeps the state of the TUI in a file. A lock lets only one TUI at a time use the file.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::{app::saved::SavedState, config::saving::private_directory};

/// Maximum size. A larger file wasn't written by workbay.
const LONGEST: u64 = 1024 * 1024;

/// The file, locked while the TUI runs.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    _lock: File,
}

impl StateFile {
    /// Opens the file in this directory and reads the state in it. `None` = another TUI uses the file, or the
    /// file can't be written.
    pub fn open(directory: &Path) -> Option<(Self, SavedState)> {
        private_directory(directory).ok()?;
        let path = directory.join("tui.json");
        let lock = private(&directory.join("tui.lock"), false).ok()?;
        lock.try_lock().ok()?;
        let kept = read(&path).unwrap_or_default();
        Some((Self { path, _lock: lock }, kept))
    }

    /// Losing the state costs only a layout, so an error is only logged and the file isn't synced.
    pub fn write(&self, kept: &SavedState) {
        if let Err(error) = self.try_write(kept) {
            tracing::warn!(%error, "the state of the TUI can't be saved");
        }
    }

    fn try_write(&self, kept: &SavedState) -> io::Result<()> {
        let new = self.path.with_extension("json.new");
        let mut file = private(&new, true)?;
        io::Write::write_all(&mut file, &serde_json::to_vec(kept)?)?;
        fs::rename(&new, &self.path)
    }
}

fn private(path: &Path, empty: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(empty).mode(0o600);
    options.open(path)
}

/// `None` if the file can't be read.
fn read(path: &Path) -> Option<SavedState> {
    let about = fs::symlink_metadata(path).ok()?;
    if !about.is_file() || about.len() > LONGEST {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sessions::sort::{Column, SortOrder};

    #[test]
    fn one_at_a_time_and_the_next_one_finds_it() {
        let dir = tempfile::tempdir().unwrap();
        let (state_file, kept) = StateFile::open(dir.path()).unwrap();
        assert_eq!(kept, SavedState::default());
        assert!(StateFile::open(dir.path()).is_none(), "in use");
        let left = SavedState {
            orders: vec![SortOrder::by(Column::Name)],
            ..SavedState::default()
        };
        state_file.write(&left);
        drop(state_file);
        let (state_file, kept) = StateFile::open(dir.path()).unwrap();
        assert_eq!(kept, left);
        // A partial file counts as empty.
        fs::write(&state_file.path, "{\"orders\": [").unwrap();
        drop(state_file);
        assert_eq!(
            StateFile::open(dir.path()).unwrap().1,
            SavedState::default()
        );
        assert!(StateFile::open(&dir.path().join("new")).is_some());
    }
}
