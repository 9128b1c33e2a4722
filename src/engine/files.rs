//! Files of folders and sessions, as engines give access to them.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::api::Result;
pub use crate::files::LocalWork;
use crate::model::{
    failure::Failure,
    files::{FileAnswer, FileName, FilePath, FileProgress, FileRequest, WriteOptions},
    id::SessionId,
};

/// Where files are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileRoot {
    /// A folder, by its name.
    Folder(String),
    /// `/home/work` of a running session, as the session's user sees it.
    Running(SessionId),
    /// The home directory that an ended session left.
    Ended(SessionId),
}

/// The bytes of a file. An error is the last item: the transfer broke.
pub type FileBytes = BoxStream<'static, Result<Bytes>>;

/// The progress of work, a few times per second and at its end. Dropping it cancels the work.
pub type FileProgresses = BoxStream<'static, Result<FileProgress>>;

#[async_trait]
pub trait Files: Send + Sync {
    /// Carries out a request that is answered at once.
    async fn file_request(&self, _at: &FileRoot, _request: &FileRequest) -> Result<FileAnswer> {
        Err(no_files())
    }

    /// The bytes of a file, from an offset to its end.
    async fn read_file(&self, _at: &FileRoot, _path: &FilePath, _offset: u64) -> Result<FileBytes> {
        Err(no_files())
    }

    /// Writes a file until the end of its content. If the content breaks off or the call is dropped, what was written
    /// stays as the part (`model::files::part_name`), so that the transfer can continue.
    async fn write_file(
        &self,
        _at: &FileRoot,
        _path: &FilePath,
        _options: WriteOptions,
        _content: FileBytes,
    ) -> Result<()> {
        Err(no_files())
    }

    /// Whether [`Files::read_files`] and [`Files::write_files`] work there.
    fn carries_many(&self, _at: &FileRoot) -> bool {
        false
    }

    /// Small plain files of a directory, as `files::many` sends them. What isn't one any more is left out.
    async fn read_files(
        &self,
        _at: &FileRoot,
        _directory: &FilePath,
        _names: Vec<FileName>,
    ) -> Result<FileBytes> {
        Err(no_files())
    }

    /// Writes small files, as `files::many` sends them, until the end of the content. All are on the disk then.
    async fn write_files(&self, _at: &FileRoot, _content: FileBytes) -> Result<()> {
        Err(no_files())
    }

    /// Works on many files. `to` is where copies go. Fails with `Unsupported` if the engine can't copy between these two
    /// places itself.
    async fn file_work(
        &self,
        _at: &FileRoot,
        _to: &FileRoot,
        _work: LocalWork,
    ) -> Result<FileProgresses> {
        Err(no_files())
    }
}

fn no_files() -> Failure {
    Failure::unsupported(tr_sent!("this engine can't open files"))
}
