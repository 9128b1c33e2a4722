//! Streams of a session: logs, terminals, connections to its services.
//!
//! A connection is a WebSocket to the manager's tcpproxy ([`ws`]) whose messages are slices of a byte
//! stream ([`pipe`]); a terminal is a second WebSocket inside of it, to the session's ttyd
//! ([`terminal`], [`ttyd`]). While one is open the manager takes the session for used, so each is
//! closed as soon as nobody holds it any more.

mod dial;
mod follow;
mod held;
mod logs;
mod open;
mod overlap;
mod pipe;
mod standing;
mod terminal;
mod ttyd;
mod ws;

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::BackendAiEngine;
use crate::{
    engine::{
        api::{AttachRequest, Attached, DialTarget, ExecCommand, LogChunk, Result, Streams},
        error::EngineError,
    },
    model::{id::SessionId, log::LogOptions},
};

pub(super) use held::Held;

#[async_trait]
impl Streams for BackendAiEngine {
    /// There is nothing to follow a log by: it is read again and again while somebody reads it.
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        logs::open(self, session, options).await
    }

    async fn exec(&self, _session: SessionId, _command: ExecCommand) -> Result<Attached> {
        Err(EngineError::Unsupported(
            "a command beside the session needs its sshd, which is not spoken yet".to_owned(),
        ))
    }

    /// The one tmux of the session's ttyd: every terminal shows the same screen, and it comes back
    /// after a loss.
    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached> {
        let hold = self.core.held.take(session, &request.tag).await;
        let tty = open::terminal(self, session, &request).await?;
        Ok(terminal::start(tty, hold))
    }

    /// Nothing outlives this process in the session: what an earlier one held went with its
    /// connections.
    async fn detach_all(&self, session: SessionId) -> Result<()> {
        self.core.held.take_all(session).await;
        Ok(())
    }

    async fn dial(&self, session: SessionId, to: &DialTarget) -> Result<Attached> {
        let pipe = open::pipe(self, session, to).await?;
        Ok(dial::start(pipe))
    }
}

#[cfg(test)]
mod tests;
