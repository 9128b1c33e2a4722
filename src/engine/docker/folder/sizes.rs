//! The sizes of folders. They are measured in the background, one folder after the other, and kept for a while: a folder
//! may have very many files, and a list must not wait for them.

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time::timeout};

use crate::{
    engine::docker::usage::disk::{self, DiskUsage},
    model::folder::Folder,
};

/// Minimum time between two measurements of a folder.
const PAUSE: Duration = Duration::from_secs(60);
/// The same for each entry of a large folder: measuring takes up to a hundredth of the time.
const PAUSE_FOR_EACH: Duration = Duration::from_micros(500);
/// How long one list waits for sizes.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Default)]
pub(in crate::engine::docker) struct FolderSizes {
    shared: Arc<SharedSizes>,
}

#[derive(Default)]
struct SharedSizes {
    record: Mutex<SizeRecord>,
    measured: Notify,
}

#[derive(Default)]
struct SizeRecord {
    known: HashMap<PathBuf, MeasuredFolder>,
    queue: VecDeque<PathBuf>,
    /// Whether a measurement is running.
    busy: bool,
}

struct MeasuredFolder {
    at: Instant,
    found: DiskUsage,
    /// What was measured, and what workbay wrote there since then.
    used: Option<Arc<AtomicU64>>,
}

impl MeasuredFolder {
    fn new(found: DiskUsage) -> Self {
        let used = found.held.map(|held| Arc::new(AtomicU64::new(held.0)));
        Self {
            at: now(),
            found,
            used,
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        let pause = PAUSE.max(PAUSE_FOR_EACH * self.found.entries);
        now.duration_since(self.at) >= pause
    }
}

impl FolderSizes {
    fn record(&self) -> MutexGuard<'_, SizeRecord> {
        let record = self.shared.record.lock();
        record.unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a folder that changed or is gone.
    pub(in crate::engine::docker) fn forget(&self, path: &Path) {
        self.record().known.remove(path);
    }

    /// The counter of the bytes in a folder. Measures it if that is due, or if `fits` says that it is too full: files may
    /// have been deleted. `None` = the size can't be determined. It blocks.
    pub(super) fn used(
        &self,
        path: &Path,
        fits: impl FnOnce(u64) -> bool,
    ) -> Option<Arc<AtomicU64>> {
        let known = {
            let record = self.record();
            let known = record.known.get(path).filter(|it| !it.is_due(now()));
            known.and_then(|it| it.used.clone())
        };
        match known.filter(|used| fits(used.load(Ordering::Relaxed))) {
            Some(used) => Some(used),
            None => {
                let measured = MeasuredFolder::new(disk::look(&[path.to_path_buf()]));
                let used = measured.used.clone();
                self.record().known.insert(path.to_path_buf(), measured);
                used
            }
        }
    }

    /// Starts to measure the folders that are due.
    pub(super) fn look(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let now = now();
        let mut record = self.record();
        for path in paths {
            let is_due = record.known.get(&path).is_none_or(|it| it.is_due(now));
            if is_due && !record.queue.contains(&path) {
                record.queue.push_back(path);
            }
        }
        if record.queue.is_empty() || record.busy {
            return;
        }
        record.busy = true;
        drop(record);
        let turn = MeasuringTurn(self.clone());
        tokio::task::spawn_blocking(move || turn.run());
    }

    /// Waits until nothing is being measured, for a limited time.
    pub(super) async fn wait(&self) {
        let done = async {
            loop {
                let notified = self.shared.measured.notified();
                if !self.record().busy {
                    return;
                }
                notified.await;
            }
        };
        // What takes longer stays unknown.
        let _ = timeout(PATIENCE, done).await;
    }

    /// Fills in what is known.
    pub(super) fn fill(&self, folder: &mut Folder, path: &Path) {
        let record = self.record();
        match record.known.get(path) {
            Some(known) => {
                folder.size = known.found.held;
                folder.files = Some(u64::from(known.found.entries));
            }
            None => folder.measuring = record.busy,
        }
    }
}

/// Measures what is in the queue. It ends when this is dropped, so also after a panic or if it never starts.
struct MeasuringTurn(FolderSizes);

impl MeasuringTurn {
    fn run(&self) {
        loop {
            let Some(path) = self.0.record().queue.pop_front() else {
                return;
            };
            let found = disk::look(std::slice::from_ref(&path));
            let measured = MeasuredFolder::new(found);
            self.0.record().known.insert(path, measured);
            self.0.shared.measured.notify_waiters();
        }
    }
}

impl Drop for MeasuringTurn {
    fn drop(&mut self) {
        self.0.record().busy = false;
        self.0.shared.measured.notify_waiters();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the age of a measurement is only compared with this clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::Bytes;

    #[tokio::test]
    async fn a_size_is_measured_in_the_background_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), vec![1; 100_000]).unwrap();
        let (sizes, path) = (FolderSizes::default(), dir.path().to_path_buf());
        let filled = || {
            let mut folder = Folder::own("data", "local");
            sizes.fill(&mut folder, &path);
            folder
        };
        assert_eq!((filled().size, filled().measuring), (None, false));
        sizes.look([path.clone()]);
        sizes.wait().await;
        let first = filled();
        assert!(first.size.unwrap() > Bytes(100_000));
        assert_eq!((first.files, first.measuring), (Some(1), false));
        std::fs::write(dir.path().join("more"), "x").unwrap();
        sizes.look([path.clone()]);
        sizes.wait().await;
        assert_eq!(filled(), first, "it was measured just now");
        sizes.forget(&path);
        sizes.look([path.clone()]);
        sizes.wait().await;
        assert_eq!(filled().files, Some(2));
    }

    #[test]
    fn a_large_folder_is_measured_more_seldom() {
        let before = now();
        let found = DiskUsage {
            held: None,
            entries: 1_000_000,
        };
        let folder = MeasuredFolder {
            at: before,
            ..MeasuredFolder::new(found)
        };
        assert!(!folder.is_due(before + Duration::from_secs(499)));
        assert!(folder.is_due(before + Duration::from_secs(500)));
    }
}
