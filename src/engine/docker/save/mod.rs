//! Saves files of a session on this machine: archives in `saved/` of the data directory.

mod archive;

use std::{
    io,
    path::{Path, PathBuf},
};

use bollard::{
    errors::Error,
    query_parameters::{DownloadFromContainerOptions, InspectContainerOptions},
};
use futures_util::StreamExt as _;

use super::{
    DockerEngine, connect::connection::EngineConnection, private_directory::private_directory,
};
use crate::{
    engine::api::Result,
    model::{failure::Failure, id::SessionId, inside},
};
pub(super) use archive::remove_unfinished;
use archive::{ArchiveLimits, SaveArchive};

/// Saves each path as an archive, `NAME.tar`, `NAME-2.tar` and so on; returns the first. Failed paths don't stop
/// the others: the error lists both.
pub(super) async fn save(
    engine: &DockerEngine,
    dir: &Path,
    session: SessionId,
    paths: &[String],
    name: &str,
) -> Result<PathBuf> {
    let connection = engine.connection().await?;
    let container = engine.container(&connection, session).await?;
    private_directory(dir).map_err(|error| failed(dir, &error))?;
    let (mut saved, mut problems) = (Vec::new(), Vec::new());
    let mut limits = ArchiveLimits::of(engine.config.save_limits);
    for (path, number) in paths.iter().zip(1..) {
        let file = match number {
            1 => dir.join(format!("{name}.tar")),
            number => dir.join(format!("{name}-{number}.tar")),
        };
        match save_one(&connection, &container, path, &file, limits).await {
            Ok(used) => {
                limits = limits.less(used);
                saved.push(file);
            }
            Err(error) if error.is_lost() => return Err(error),
            Err(error) if error.is_not_found() => return Err(engine.named(error, session)),
            Err(error) => problems.push(format!("'{path}': {error}")),
        }
    }
    let shown: Vec<String> = saved.iter().map(|it| it.display().to_string()).collect();
    if problems.is_empty() {
        let first = saved.into_iter().next();
        return first.ok_or_else(|| Failure::engine_refused(tr_sent!("no paths to save")));
    }
    let problems = problems.join("; ");
    let why = match shown.as_slice() {
        [] => tr_sent!("nothing was saved: {problems}", problems),
        files => tr_sent!(
            "saved to {files}, but not {problems}",
            files = files.join(", "),
            problems
        ),
    };
    Err(Failure::refused(why))
}

/// Saves one path; returns its size on the disk and the length of the archive.
async fn save_one(
    connection: &EngineConnection,
    container: &str,
    path: &str,
    file: &Path,
    limits: ArchiveLimits,
) -> Result<(u64, u64)> {
    let options = DownloadFromContainerOptions {
        path: absolute(path),
    };
    let mut pieces = connection
        .docker
        .download_from_container(container, Some(options));
    let written = |error: io::Error| failed(file, &error);
    let mut archive = SaveArchive::create(file, limits).map_err(written)?;
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => archive.add(&piece).await.map_err(written)?,
            Err(error) => return Err(not_read(connection, container, error).await),
        }
    }
    archive.finish().await.map_err(written)
}

/// Distinguishes a missing path from a missing container: an engine answers both with the same error.
async fn not_read(connection: &EngineConnection, container: &str, error: Error) -> Failure {
    let is_missing = matches!(
        error,
        Error::DockerResponseServerError {
            status_code: 404,
            ..
        }
    );
    let looked = connection
        .docker
        .inspect_container(container, None::<InspectContainerOptions>);
    if is_missing && looked.await.is_ok() {
        return Failure::internal(tr_sent!("not found in the session"));
    }
    connection.fault(error)
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    format!("{}/{path}", inside::HOME)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::internal(tr_sent!(
        "{path} can't be written: {error}",
        path = path.display(),
        error
    ))
}
