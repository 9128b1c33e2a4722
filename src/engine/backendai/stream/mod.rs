//! Streams of a session: logs, terminals, connections to its services.

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::BackendAiEngine;
use crate::{
    engine::{
        api::{AttachRequest, Attached, ExecCommand, LogChunk, Result, Streams},
        error::EngineError,
    },
    model::{id::SessionId, log::LogOptions},
};

#[async_trait]
impl Streams for BackendAiEngine {
    async fn logs(
        &self,
        _session: SessionId,
        _options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        Err(not_yet())
    }

    async fn exec(&self, _session: SessionId, _command: ExecCommand) -> Result<Attached> {
        Err(not_yet())
    }

    async fn attach(&self, _session: SessionId, _request: AttachRequest) -> Result<Attached> {
        Err(not_yet())
    }

    async fn detach_all(&self, _session: SessionId) -> Result<()> {
        Ok(())
    }
}

fn not_yet() -> EngineError {
    EngineError::Unsupported("streams are not spoken yet".to_owned())
}
