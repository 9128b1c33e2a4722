//! What the system lets one process have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sampling keeps some files open for each container, more than most systems grant unasked. As many
/// are taken as may be had; what is not granted is done without.
pub(super) fn take_open_files() {
    let granted = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: granted.maximum,
        maximum: granted.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, wanted) {
        tracing::debug!(%error, "the limit of open files can't be raised");
    }
}
