//! What the face writes down about itself: to a file, never to the screen.

use std::{
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt};

/// Lines on their way to the file; more are lost rather than waited for. Room for all of them is taken at
/// once, and the default's (128,000) would be four megabytes and a quarter of the time a start takes.
const LINES: usize = 2000;

/// Writes to `path` as long as the guard lives. Without a file (a full disk, a foreign directory)
/// the face works on without it.
pub fn to_file(path: &Path) -> Option<WorkerGuard> {
    let dir = path.parent()?;
    let name = path.file_name()?;
    // The store lies there as well: whoever makes it first makes it for this user alone.
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(dir).ok()?;
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(dir.join(name))
        .ok()?;
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .finish(file);
    let filter = EnvFilter::try_from_env("WORKBAY_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .try_init()
        .ok()?;
    Some(guard)
}
