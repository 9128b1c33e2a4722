//! Files of a session saved on this machine: archives below `saved/` of the data directory.

use std::{
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use bollard::query_parameters::DownloadFromContainerOptions;
use futures_util::StreamExt as _;
use tokio::{fs::File, io::AsyncWriteExt as _};

use super::DockerEngine;
use crate::{
    engine::{api::Result, error::EngineError},
    model::{id::SessionId, inside},
};

/// Saves each path as an archive, `NAME.tar`, `NAME-2.tar` and so on; gives the first.
pub(super) async fn save(
    engine: &DockerEngine,
    dir: &Path,
    session: SessionId,
    paths: &[String],
    name: &str,
) -> Result<PathBuf> {
    let line = engine.line().await?;
    let container = engine.container(&line, session).await?;
    make(dir).map_err(|error| failed(dir, &error))?;
    let mut first = None;
    for (path, number) in paths.iter().zip(1..) {
        let file = match number {
            1 => dir.join(format!("{name}.tar")),
            number => dir.join(format!("{name}-{number}.tar")),
        };
        let options = DownloadFromContainerOptions {
            path: absolute(path),
        };
        let mut pieces = line
            .docker
            .download_from_container(&container, Some(options));
        // Half an archive never bears the name of a whole one.
        let half = file.with_extension("part");
        let mut out = create(&half).map_err(|error| failed(&half, &error))?;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| engine.named(line.fault(error), session))?;
            let written = out.write_all(&piece).await;
            written.map_err(|error| failed(&half, &error))?;
        }
        let synced = out.sync_all().await;
        synced.map_err(|error| failed(&half, &error))?;
        std::fs::rename(&half, &file).map_err(|error| failed(&file, &error))?;
        first.get_or_insert(file);
    }
    first.ok_or_else(|| EngineError::Refused("nothing was said to be saved".to_owned()))
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    format!("{}/{path}", inside::HOME)
}

fn make(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(dir)
}

/// Nobody else reads what a session held.
fn create(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o600);
    Ok(File::from_std(options.open(path)?))
}

fn failed(path: &Path, error: &io::Error) -> EngineError {
    EngineError::Host(format!("{} cannot be written: {error}", path.display()))
}
