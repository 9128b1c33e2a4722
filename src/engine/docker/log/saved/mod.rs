//! The saved log of a removed container: everything that the engine had of it, as plain text.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use bollard::{container::LogOutput, query_parameters::LogsOptionsBuilder};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream::BoxStream};
use tokio::sync::mpsc;

use self::write::LogPiece;
use super::join::{Joiner, Records};
use crate::{
    engine::{
        api::Result,
        docker::{blocking::off_loop, connect::connection::EngineConnection},
    },
    model::{
        failure::Failure,
        inside::OWN_LINE,
        log::{LogOptions, LogSource},
        own_line,
    },
};

/// The first line of a log that has a time in each line. Terminals don't show it.
const WITH_TIMES: &[u8] = b"\x1b_workbay:times\x1b\\\n";

/// Number of pieces that can wait for the disk.
const WAITING: usize = 64;

/// Copies the container's log to `path`, in one step. A log that the engine can't read and a full disk don't
/// keep the container from being removed; other write errors do.
pub(in crate::engine::docker) async fn save(
    connection: &EngineConnection,
    container: &str,
    path: &Path,
) -> Result<()> {
    let (pieces, received) = mpsc::channel(WAITING);
    let file = path.to_owned();
    let written =
        off_loop(move || write::all(&file, received).map_err(|error| not_saved(&file, &error)));
    // A log without its end isn't kept.
    let (copied, written) = tokio::join!(copy(connection, container, pieces), written);
    written?;
    match copied {
        Err(error) if error.is_not_found() => Ok(()),
        copied => copied,
    }
}

/// Stops when writing fails: the receiver is gone and the writer reports the error.
async fn copy(
    connection: &EngineConnection,
    container: &str,
    pieces: mpsc::Sender<LogPiece>,
) -> Result<()> {
    let options = LogsOptionsBuilder::default()
        .stdout(true)
        .stderr(true)
        .tail("all")
        .timestamps(true)
        .build();
    let mut log = connection.docker.logs(container, Some(options)).boxed();
    // Standard output and standard error.
    let mut joiners = [Joiner::default(), Joiner::default()];
    let mut records = Records::new(connection.quirks.loses_line_ends());
    while let Some(piece) = log.next().await {
        let whole = match piece {
            Ok(piece) => {
                let source = match piece {
                    LogOutput::StdErr { .. } => LogSource::Stderr,
                    _ => LogSource::Stdout,
                };
                let record = records.with_time(source, piece.into_bytes());
                joiners[source as usize].join(&record)
            }
            Err(error) => match connection.fault(error) {
                lost if lost.is_lost() || lost.is_not_found() => return Err(lost),
                other => {
                    let note = format!("\n{OWN_LINE}{}\n", own_line::unreadable(other));
                    let _ = pieces.send(LogPiece::Bytes(note.into())).await;
                    break;
                }
            },
        };
        if pieces.send(LogPiece::Bytes(whole.into())).await.is_err() {
            return Ok(());
        }
    }
    let _ = pieces.send(LogPiece::End).await;
    Ok(())
}

fn not_saved(path: &Path, error: &io::Error) -> Failure {
    Failure::internal(tr_sent!(
        "the session's log can't be saved to {path}: {error}. Free some space, then try again. Until \
         then the log is in the stopped container",
        path = path.display(),
        error
    ))
}

/// The saved log, with only its last lines or with times if requested; `None` when no log is saved.
pub(in crate::engine::docker) async fn read(
    path: PathBuf,
    options: LogOptions,
) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
    read::open(path, options).await
}

/// Adds a second name for the log at `path` beside it.
pub(in crate::engine::docker) fn also_known_as(path: &Path, name: &Path) -> Result<()> {
    let target = path.file_name().unwrap_or(path.as_os_str());
    match std::os::unix::fs::symlink(target, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || write::is_full(&error) => {
            Ok(())
        }
        Err(error) => Err(not_saved(name, &error)),
        Ok(()) => Ok(()),
    }
}

/// Whether a log of another container is beside the log at `path`.
pub(in crate::engine::docker) fn has_other_names(path: &Path) -> bool {
    let entries = path.parent().and_then(|dir| fs::read_dir(dir).ok());
    entries.is_some_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("log."))
        })
    })
}
