//! Becoming a newer program: which one, what goes with it, and the step itself.
//!
//! The daemon brings what is under way to an end, as at any end of it, and then executes the newer
//! program in its own place: same process, same lock, same listening socket. The two travel as file
//! descriptors in a message that waits on the new program's standard input ([`handover`]); what the
//! memory alone holds goes with them. Sessions and shells are the engine's: they notice nothing.

mod handover;
mod orphans;
mod program;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use tokio_util::sync::CancellationToken;

pub(super) use handover::{Handover, Inherited, Kept, Memory};
pub(super) use orphans::reap;
pub(super) use program::examine;

/// Which program the daemon is to become; cheap to clone. The first word counts.
#[derive(Clone, Debug)]
pub(super) struct Successor {
    program: Arc<OnceLock<PathBuf>>,
    stop: CancellationToken,
}

impl Successor {
    pub fn new(stop: CancellationToken) -> Self {
        Self {
            program: Arc::default(),
            stop,
        }
    }

    /// The daemon comes to its end and becomes that program.
    pub fn name(&self, program: PathBuf) {
        // Two faces of one newer version say the same.
        if self.program.set(program).is_ok() {
            self.stop.cancel();
        }
    }

    pub fn is_named(&self) -> bool {
        self.program.get().is_some()
    }

    /// `None` = it simply ends.
    pub fn program(&self) -> Option<PathBuf> {
        self.program.get().cloned()
    }
}
