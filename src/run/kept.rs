//! How the TUI was left, in a file. One TUI at a time has it: a lock says which.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::app::kept::Kept;

/// A larger file is not one of ours.
const LONGEST: u64 = 1024 * 1024;

/// The file, for as long as the TUI lives.
#[derive(Debug)]
pub struct Shelf {
    path: PathBuf,
    _lock: File,
}

impl Shelf {
    /// The file in this directory and what was left in it; `None` = another TUI has it, or it cannot be
    /// kept at all.
    pub fn open(directory: &Path) -> Option<(Self, Kept)> {
        let mut made = DirBuilder::new();
        made.recursive(true).mode(0o700).create(directory).ok()?;
        let path = directory.join("tui.json");
        let lock = private(&directory.join("tui.lock"), false).ok()?;
        lock.try_lock().ok()?;
        let kept = read(&path).unwrap_or_default();
        Some((Self { path, _lock: lock }, kept))
    }

    /// Losing it costs a layout: nobody is told, and no disk is waited for.
    pub fn write(&self, kept: &Kept) {
        if let Err(error) = self.try_write(kept) {
            tracing::warn!(%error, "the state of the TUI can't be saved");
        }
    }

    fn try_write(&self, kept: &Kept) -> io::Result<()> {
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

/// What cannot be read is as if nothing had been left.
fn read(path: &Path) -> Option<Kept> {
    let about = fs::symlink_metadata(path).ok()?;
    if !about.is_file() || about.len() > LONGEST {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sort::{Column, Order};

    #[test]
    fn one_at_a_time_and_the_next_one_finds_it() {
        let dir = tempfile::tempdir().unwrap();
        let (shelf, kept) = Shelf::open(dir.path()).unwrap();
        assert_eq!(kept, Kept::default());
        assert!(Shelf::open(dir.path()).is_none(), "in use");
        let left = Kept {
            orders: vec![Order::by(Column::Name)],
            ..Kept::default()
        };
        shelf.write(&left);
        drop(shelf);
        let (shelf, kept) = Shelf::open(dir.path()).unwrap();
        assert_eq!(kept, left);
        // Half a file is none.
        fs::write(&shelf.path, "{\"orders\": [").unwrap();
        drop(shelf);
        assert_eq!(Shelf::open(dir.path()).unwrap().1, Kept::default());
        assert!(Shelf::open(&dir.path().join("new")).is_some());
    }
}
