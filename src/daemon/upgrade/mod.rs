//! Upgrades the daemon to a newer program: the choice of the program, its state, and the upgrade itself.
//!
//! The daemon completes what is in progress, as at any end, and then executes the newer program in its own
//! place: same process, same lock, same listening socket. Lock and socket are passed as file descriptors in a
//! message on the new program's standard input ([`handover`]), together with the state that is only in
//! memory. Sessions and shells belong to the engine and aren't affected.

mod handover;
mod orphans;
mod program;
mod winding;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use super::Controls;

pub(super) use handover::{Failed, Handover, Inherited, Kept, Memory};
pub(super) use orphans::reap;
pub(super) use program::examine;
pub(super) use winding::{shut_down, unfinished};

/// The program that the daemon is to become; cheap to clone. The first choice counts.
#[derive(Clone, Debug)]
pub(super) struct Successor {
    program: Arc<OnceLock<PathBuf>>,
    controls: Controls,
}

impl Successor {
    pub fn new(controls: &Controls) -> Self {
        Self {
            program: Arc::default(),
            controls: controls.clone(),
        }
    }

    /// Chooses the program and stops the daemon, which then becomes it.
    pub fn name(&self, program: PathBuf) {
        // Two clients of the same newer version name the same program.
        if self.program.set(program).is_ok() {
            self.controls.stop.cancel();
        }
    }

    pub fn is_named(&self) -> bool {
        self.program().is_some()
    }

    /// The chosen program; `None` = the daemon just ends, because no program was chosen or a stop was
    /// requested.
    pub fn program(&self) -> Option<PathBuf> {
        if self.controls.for_good.is_cancelled() {
            return None;
        }
        self.program.get().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_was_asked_for_wins_whenever_it_comes() {
        let newer = || PathBuf::from("/usr/bin/workbay");
        let controls = Controls::default();
        let successor = Successor::new(&controls);
        successor.name(newer());
        assert!(controls.stop.is_cancelled());
        assert_eq!(successor.program(), Some(newer()));
        controls.end();
        assert_eq!(successor.program(), None);

        let controls = Controls::default();
        let successor = Successor::new(&controls);
        controls.end();
        successor.name(newer());
        assert!(!successor.is_named());
    }
}
