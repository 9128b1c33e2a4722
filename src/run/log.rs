//! Writes the TUI's own log to a file, never to the screen.

use std::{os::unix::fs::OpenOptionsExt as _, path::Path};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    Layer as _, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::{config::saving::private_directory, log_filter};

/// Capacity of the queue of lines. More lines are lost, so that the TUI never waits. The memory is allocated
/// at once: the default (128,000) would take four megabytes and a quarter of the start time.
const LINES: usize = 2000;

/// Writes to `path` until the guard is dropped. Without a file (a full disk, a directory of another user),
/// the TUI runs without a log.
pub fn to_file(path: &Path) -> Option<WorkerGuard> {
    let dir = path.parent()?;
    let name = path.file_name()?;
    // The state database is in the same directory, so only this user may have access.
    private_directory(dir).ok()?;
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(dir.join(name))
        .ok()?;
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .finish(file);
    let lines = fmt::layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry()
        .with(lines.with_filter(log_filter::from_environment()))
        .try_init()
        .ok()?;
    Some(guard)
}
