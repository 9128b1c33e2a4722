//! Streams of a session: logs, terminals, connections to its services.
//!
//! A connection is a WebSocket to the manager's tcpproxy ([`ws`]) whose messages are slices of a byte
//! stream ([`pipe`]); a terminal is a second WebSocket inside of it, to the session's ttyd
//! ([`terminal`], [`ttyd`]); a command, and whatever is in another container of a cluster, goes through the
//! session's sshd ([`ssh`]). While one is open the manager takes the session for used, so each is
//! closed as soon as nobody holds it any more.

mod dial;
mod follow;
mod log_diff;
mod logs;
mod open;
mod open_terminals;
mod pipe;
mod precheck;
mod ssh;
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
    model::{
        id::{KernelId, SessionId},
        log::LogOptions,
    },
};

pub(super) use open_terminals::Held;
pub(super) use ssh::Known;

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

    /// Through the session's own sshd.
    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        ssh::exec(self, session, &command).await
    }

    /// The one tmux of a container: every terminal shows the same screen, and it comes back after a loss.
    /// In the main one it is that of its ttyd.
    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached> {
        if request.start.is_chosen() {
            return Err(EngineError::Declined {
                why: "terminals of a session on a cluster share one tmux, whose shell the image \
                      sets"
                    .to_owned(),
                hint: Some(
                    "run other programs with `workbay exec S -- CMD`, also with a terminal"
                        .to_owned(),
                ),
            });
        }
        let other = match request.start.kernel {
            Some(kernel) => self.other_container(session, kernel).await?,
            None => None,
        };
        let hold = self.core.held.take(session, &request.tag).await;
        if let Some(container) = other {
            return ssh::terminal(self, session, &container, &request, hold).await;
        }
        let tty = open::terminal(self, session, &request).await?;
        Ok(terminal::start(tty, hold))
    }

    async fn control(&self, session: SessionId, kernel: Option<KernelId>) -> Result<Attached> {
        ssh::control(self, session, kernel).await
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
