//! Checks the free space of the file system with the state and the home directories while sessions run, and
//! warns before it is full.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    daemon::{clock, main_loop::core::Core},
    model::{
        failure::Failure,
        id::SessionId,
        notice::{Level, Notice},
        resources::Bytes,
        settings::warning_limit,
    },
    space::DiskSpace,
};

/// The pause between two checks.
const PERIOD: Duration = Duration::from_secs(30);
/// The pause while home directories are measured for the warning.
const SOON: Duration = Duration::from_secs(5);
/// The number of checks that the warning waits for the first measured home directory.
const WAITS: u32 = 2;
/// The number of home directories that a warning names.
const NAMED: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Enough,
    /// The space is low: home directories have been measured for this number of checks.
    Counting(u32),
    /// The warning was sent. It isn't repeated until there is enough space again.
    Warned,
}

pub(in crate::daemon) struct Space {
    directory: PathBuf,
    warn_below: Bytes,
    phase: Phase,
    due: Option<Instant>,
}

impl Space {
    pub fn new(directory: &Path, warn_below: Bytes) -> Self {
        Self {
            directory: directory.to_path_buf(),
            warn_below,
            phase: Phase::Enough,
            due: None,
        }
    }

    /// Why no session can be launched: too little space is free.
    fn refusal(&self, reserve: Bytes, homes: &[(String, Bytes)]) -> Option<Failure> {
        let found = self.measure()?;
        if found.free >= warning_limit(reserve, found.total) {
            return None;
        }
        let free = found.free;
        let place = self.directory.display();
        let least = warning_limit(reserve, found.total);
        let text = tr_sent!(
            "only {free} of disk space is free at {place}. A launch needs {least}.",
            free,
            place,
            least
        );
        let text = match named(homes).as_slice() {
            [] => text,
            [one] => tr_sent!("{text} The largest home directory: {one}.", text, one),
            several => tr_sent!(
                "{text} The largest home directories: {several}.",
                text,
                several = several.join(", ")
            ),
        };
        Some(Failure::refused(text).hint(tr_sent!(
            "delete files, or ended sessions with `workbay rm`. `[disk] launch-reserve` sets \
                 this limit"
        )))
    }

    /// Whether the home directories of all sessions need to be measured.
    pub fn counts_homes(&self) -> bool {
        matches!(self.phase, Phase::Counting(_))
    }

    fn measure(&self) -> Option<DiskSpace> {
        DiskSpace::at(&self.directory).ok()
    }

    /// Whether to warn now. `counted` = at least one home directory was measured.
    fn is_due(&mut self, found: DiskSpace, counted: bool) -> bool {
        let threshold = warning_limit(self.warn_below, found.total).0;
        let recovered = threshold.saturating_add(threshold / 4);
        self.phase = match self.phase {
            Phase::Warned if found.free.0 < recovered => Phase::Warned,
            _ if found.free.0 >= threshold => Phase::Enough,
            Phase::Warned | Phase::Enough if counted => Phase::Warned,
            Phase::Warned | Phase::Enough => Phase::Counting(1),
            Phase::Counting(checks) if counted || checks >= WAITS => Phase::Warned,
            Phase::Counting(checks) => Phase::Counting(checks + 1),
        };
        self.phase == Phase::Warned
    }
}

impl Core {
    /// When the free space is checked next; never while no session runs.
    pub(in crate::daemon) fn space_due(&mut self) -> Option<Instant> {
        let contexts = self.contexts.iter();
        let mut ours = contexts.filter(|runner| !runner.known().is_observing());
        let runs = ours.any(|runner| runner.known().sessions().any(|it| it.status.is_live()));
        if !runs || self.space.warn_below == Bytes(0) {
            self.space.due = None;
            return None;
        }
        Some(*self.space.due.get_or_insert_with(clock::instant))
    }

    /// Fails if too little space is free for another session on this machine.
    pub(in crate::daemon) fn check_reserve(&self) -> Result<(), Failure> {
        if self.launch_reserve == Bytes(0) {
            return Ok(());
        }
        let refusal = self.space.refusal(self.launch_reserve, &self.homes());
        refusal.map_or(Ok(()), Err)
    }

    pub(in crate::daemon) fn watch_space(&mut self) {
        let homes = self.homes();
        let warned = self.space.phase == Phase::Warned;
        if let Some(found) = self.space.measure()
            && self.space.is_due(found, !homes.is_empty())
            && !warned
        {
            let text = warning(found.free, &self.space.directory, &homes);
            self.notify(Notice::message(clock::now(), Level::Warning, text));
        }
        let pause = if self.space.counts_homes() {
            SOON
        } else {
            PERIOD
        };
        self.space.due = Some(clock::instant() + pause);
    }

    /// The measured home directories, the largest first.
    fn homes(&self) -> Vec<(String, Bytes)> {
        let counted = self.contexts.iter().flat_map(|runner| {
            let size = |id: SessionId| runner.recorder.home(id);
            let sessions = runner.known().sessions();
            sessions.filter_map(move |it| Some((it.name.to_string(), size(it.id)?)))
        });
        let mut homes: Vec<_> = counted.collect();
        homes.sort_by_key(|(_, size)| std::cmp::Reverse(size.0));
        homes.truncate(NAMED);
        homes
    }
}

fn named(homes: &[(String, Bytes)]) -> Vec<String> {
    homes
        .iter()
        .map(|(name, size)| format!("{name} ({size})"))
        .collect()
}

fn warning(free: Bytes, directory: &Path, homes: &[(String, Bytes)]) -> String {
    let directory = directory.display();
    match named(homes).as_slice() {
        [] => tr_sent!(
            "Only {free} of disk space is free at {directory}. Delete files, or run `workbay terminate` for a session. `[disk] warn-below` sets this limit",
            free,
            directory
        ),
        [one] => tr_sent!(
            "Only {free} of disk space is free at {directory}. The largest home directory: {one}. Delete files, or run `workbay terminate` for a session. `[disk] warn-below` sets this limit",
            free,
            directory,
            one
        ),
        several => tr_sent!(
            "Only {free} of disk space is free at {directory}. The largest home directories: {several}. Delete files, or run `workbay terminate` for a session. `[disk] warn-below` sets this limit",
            free,
            directory,
            several = several.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        Space::new(Path::new("/there"), Bytes::mib(100))
    }

    fn free(mib: u64) -> DiskSpace {
        DiskSpace {
            total: Bytes::mib(10_000),
            free: Bytes::mib(mib),
        }
    }

    #[test]
    fn a_warning_comes_once_and_again_only_after_there_was_enough() {
        let mut space = space();
        assert!(!space.is_due(free(100), true));
        assert!(space.is_due(free(99), true));
        assert!(space.is_due(free(110), true), "it is not over yet");
        assert!(!space.is_due(free(126), true));
        assert!(!space.is_due(free(110), true));
        assert!(space.is_due(free(50), true));
    }

    #[test]
    fn home_directories_are_counted_before_the_warning_but_not_for_long() {
        let mut space = space();
        assert!(!space.is_due(free(1), false) && space.counts_homes());
        assert!(space.is_due(free(1), true) && !space.counts_homes());
        let mut space = self::space();
        assert!(!space.is_due(free(1), false));
        assert!(!space.is_due(free(1), false));
        assert!(space.is_due(free(1), false));
        let mut space = self::space();
        assert!(!space.is_due(free(1), false));
        assert!(!space.is_due(free(200), false) && !space.counts_homes());
    }

    #[test]
    fn a_small_file_system_is_not_always_too_full() {
        let mut space = space();
        let total = Bytes::mib(50);
        let found = |mib| DiskSpace {
            total,
            free: Bytes::mib(mib),
        };
        assert!(!space.is_due(found(6), true));
        assert!(space.is_due(found(4), true));
    }

    #[test]
    fn a_launch_is_refused_below_the_reserve() {
        let dir = tempfile::tempdir().unwrap();
        let space = Space::new(dir.path(), Bytes(0));
        let homes = [("one".to_owned(), Bytes::mib(300))];
        assert_eq!(space.refusal(Bytes(1), &homes), None);
        let found = space.measure().unwrap();
        let most = Bytes(found.free.0 + 1);
        // A tenth of the file system is always enough.
        let refused = space.refusal(most, &homes);
        assert_eq!(refused.is_some(), most <= Bytes(found.total.0 / 10));
        let missing = Space::new(&dir.path().join("none"), Bytes(0));
        assert_eq!(missing.refusal(most, &homes), None);
    }

    #[test]
    fn the_largest_homes_are_named_with_what_to_do() {
        let homes = [("one".to_owned(), Bytes::mib(300))];
        let text = warning(Bytes::mib(5), Path::new("/there"), &homes);
        assert!(
            text.contains("one (300 MiB)") && text.contains("workbay terminate"),
            "{text}"
        );
    }
}
