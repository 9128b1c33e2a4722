//! Raises the system's limits for the daemon's process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files to the system's maximum. Sampling keeps several files open for each
/// container, more than most default limits allow.
pub(in crate::daemon) fn take_open_files() {
    let granted = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: granted.maximum,
        maximum: granted.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, wanted) {
        tracing::debug!(%error, "the limit of open files can't be raised");
    }
}
