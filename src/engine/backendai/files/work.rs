//! Work on many files: the manager deletes and moves. Files are measured by listing every directory.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};

use super::requests;
use crate::{
    engine::{
        api::Result,
        backendai::connect::connection::ManagerConnection,
        files::{FileProgresses, LocalWork},
    },
    model::{
        failure::Failure,
        files::{FileKind, FilePath, FileProgress},
    },
};

pub(super) fn start(
    connection: Arc<ManagerConnection>,
    folder: &str,
    to: &str,
    work: LocalWork,
) -> Result<FileProgresses> {
    let folder = folder.to_owned();
    match work {
        LocalWork::Measure { paths } => Ok(measure(connection, folder, paths)),
        LocalWork::Delete { paths } => Ok(once(async move {
            requests::delete(&connection, &folder, &paths).await?;
            Ok(done(paths.len()))
        })),
        LocalWork::Copy {
            paths,
            directory,
            replace: false,
            moving: true,
        } if folder == to => Ok(once(async move {
            for path in &paths {
                let target = directory.join(path.name().unwrap_or_default())?;
                requests::rename(&connection, &folder, path, &target).await?;
            }
            Ok(done(paths.len()))
        })),
        LocalWork::Copy { .. } => Err(Failure::unsupported(tr_sent!(
            "managers can't copy files, so the daemon copies them"
        ))),
    }
}

fn once(work: impl Future<Output = Result<FileProgress>> + Send + 'static) -> FileProgresses {
    stream::once(work).boxed()
}

fn done(files: usize) -> FileProgress {
    FileProgress {
        files: files as u64,
        ..FileProgress::default()
    }
}

/// A walk over a folder, and what it has counted.
struct Walk {
    connection: Arc<ManagerConnection>,
    folder: String,
    /// Directories that weren't listed yet, and paths that may be one.
    pending: Vec<(FilePath, bool)>,
    counted: FileProgress,
}

fn measure(
    connection: Arc<ManagerConnection>,
    folder: String,
    paths: Vec<FilePath>,
) -> FileProgresses {
    let pending = paths.into_iter().map(|path| (path, false)).collect();
    let walk = Walk {
        connection,
        folder,
        pending,
        counted: FileProgress::default(),
    };
    stream::unfold(Some(walk), |walk| async {
        let mut walk = walk?;
        match walk.step().await {
            Ok(true) => Some((Ok(walk.counted), Some(walk))),
            // Nothing was asked for.
            Ok(false) => None,
            Err(failure) => Some((Err(failure), None)),
        }
    })
    .boxed()
}

impl Walk {
    /// Lists one directory. `false` = none is left.
    async fn step(&mut self) -> Result<bool> {
        let Some((path, is_directory)) = self.pending.pop() else {
            return Ok(false);
        };
        if !is_directory {
            let entry = requests::stat(&self.connection, &self.folder, &path).await?;
            if entry.kind != FileKind::Directory {
                self.counted.files += 1;
                self.counted.bytes += entry.size;
                return Ok(true);
            }
        }
        for entry in requests::list(&self.connection, &self.folder, &path).await? {
            if entry.kind == FileKind::Directory {
                self.pending.push((path.join(&entry.name.0)?, true));
            } else {
                self.counted.files += 1;
                self.counted.bytes += entry.size;
            }
        }
        Ok(true)
    }
}
