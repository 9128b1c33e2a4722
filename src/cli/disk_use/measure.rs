//! Measures directories, as `du` does, for a limited time.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    files::{LocalWork, Root, carry_out},
    model::files::FilePath,
};

/// How long everything together may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Meter {
    until: Instant,
    is_incomplete: bool,
}

impl Meter {
    pub fn begin() -> Self {
        Self {
            until: now() + PATIENCE,
            is_incomplete: false,
        }
    }

    /// Whether something has more than what was measured.
    pub const fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The bytes that a file or directory uses; 0 if it doesn't exist. What can't be read isn't counted.
    pub fn size(&mut self, path: &Path) -> u64 {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return 0;
        };
        if path.symlink_metadata().is_err() {
            return 0;
        }
        let opened = Root::open(parent, None);
        let (Ok(root), Ok(path)) = (opened, FilePath::parse(name)) else {
            self.is_incomplete = true;
            return 0;
        };
        let mut bytes = 0;
        let until = self.until;
        let work = LocalWork::Measure { paths: vec![path] };
        let measured = carry_out(&root, &root, &work, &mut |progress| {
            bytes = progress.bytes;
            now() < until
        });
        self.is_incomplete |= measured.is_err();
        bytes
    }
}

/// The names of the directories in a directory, in order. Others than UTF-8 are none of workbay's.
pub(super) fn directories(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let directories = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = directories.filter_map(|it| it.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time for measuring is only compared with this clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_directories_are_measured_and_time_is_limited() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), vec![1; 100_000]).unwrap();
        fs::create_dir(dir.path().join("deep")).unwrap();
        for number in 0..200 {
            fs::write(dir.path().join(format!("deep/{number}")), vec![1; 5000]).unwrap();
        }
        let mut meter = Meter::begin();
        assert!(meter.size(&dir.path().join("file")) >= 100_000);
        assert!(meter.size(&dir.path().join("deep")) >= 1_000_000);
        assert_eq!(meter.size(&dir.path().join("none")), 0);
        assert!(!meter.is_incomplete());
        let mut late = Meter {
            until: now(),
            is_incomplete: false,
        };
        late.size(&dir.path().join("deep"));
        assert!(late.is_incomplete());
    }
}
