//! Files of a running session, by workbay's program for the session's Python. An open connection to a session counts as
//! its use, so a helper that waits for the next request is closed soon.

use crate::{
    engine::{
        api::{Attached, Result},
        backendai::{BackendAiEngine, stream},
        files::{FileBytes, FileProgresses, LocalWork},
        helper_files::{self, HelperKey},
    },
    model::{
        files::{FileAnswer, FilePath, FileRequest, WriteOptions},
        id::SessionId,
        inside,
    },
};

/// A directory of a session's main container.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct SessionDirectory(HelperKey);

impl SessionDirectory {
    pub(in super::super) const fn home(session: SessionId) -> Self {
        Self((session, inside::HOME))
    }

    /// All files of the container.
    pub(in super::super) const fn root(session: SessionId) -> Self {
        Self((session, "/"))
    }

    async fn start(self, engine: &BackendAiEngine) -> Result<Attached> {
        let (session, path) = self.0;
        stream::start_python(engine, session, &["files", path], None).await
    }

    pub(super) async fn request(
        self,
        engine: &BackendAiEngine,
        request: &FileRequest,
    ) -> Result<FileAnswer> {
        let (idle, starting) = (&engine.core.idle_helpers, self.start(engine));
        helper_files::request(idle, self.0, starting, request).await
    }

    pub(in super::super) async fn read(
        self,
        engine: &BackendAiEngine,
        path: &FilePath,
        offset: u64,
    ) -> Result<FileBytes> {
        let (idle, starting) = (&engine.core.idle_helpers, self.start(engine));
        helper_files::read(idle, self.0, starting, path, offset).await
    }

    pub(super) async fn write(
        self,
        engine: &BackendAiEngine,
        path: &FilePath,
        options: WriteOptions,
        content: FileBytes,
    ) -> Result<()> {
        let (idle, starting) = (&engine.core.idle_helpers, self.start(engine));
        helper_files::write(idle, self.0, starting, path, options, content).await
    }

    pub(super) async fn work(
        self,
        engine: &BackendAiEngine,
        work: LocalWork,
    ) -> Result<FileProgresses> {
        let (idle, starting) = (&engine.core.idle_helpers, self.start(engine));
        helper_files::work(idle, self.0, starting, work).await
    }
}
