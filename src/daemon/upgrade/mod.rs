//! Becoming a newer program: which one, what goes with it, and the step itself.
//!
//! The daemon brings what is under way to an end, as at any end of it, and then executes the newer
//! program in its own place: same process, same lock, same listening socket. The two travel as file
//! descriptors in a message that waits on the new program's standard input ([`handover`]); what the
//! memory alone holds goes with them. Sessions and shells are the engine's: they notice nothing.

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
pub(super) use winding::{unfinished, wind_up};

/// Which program the daemon is to become; cheap to clone. The first word counts.
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

    /// The daemon comes to its end and becomes that program.
    pub fn name(&self, program: PathBuf) {
        // Two faces of one newer version say the same.
        if self.program.set(program).is_ok() {
            self.controls.stop.cancel();
        }
    }

    pub fn is_named(&self) -> bool {
        self.program().is_some()
    }

    /// `None` = it simply ends: nobody named one, or the end itself was asked for, before or after.
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
