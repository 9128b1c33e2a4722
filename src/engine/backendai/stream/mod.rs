//! Streams of a session: logs, terminals, connections to its services.
//!
//! A connection is a WebSocket to the manager's tcpproxy ([`ws`]) whose messages are slices of a
//! byte stream ([`pipe`]). A terminal is a second WebSocket inside it, to the session's ttyd
//! ([`terminal`], [`ttyd`]). A command, a port that isn't a service, and everything in another
//! container of a cluster session uses the session's sshd ([`ssh`]). The manager counts an open connection as use of the session,
//! so each one is closed as soon as it isn't needed.

mod connected;
mod dial;
mod follow;
mod log_diff;
mod logs;
mod open;
mod open_terminals;
mod pipe;
mod precheck;
pub(super) mod services;
mod ssh;
mod terminal;
mod ttyd;
mod ws;

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::BackendAiEngine;
use crate::{
    engine::{
        api::{
            AttachRequest, Attached, DialTarget, ExecCommand, HelperTask, LogChunk, Result, Streams,
        },
        port_stream::PortStream,
    },
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
        log::LogOptions,
    },
};

pub(super) use open_terminals::OpenTerminals;
pub(super) use ssh::{KnownSshd, start_python};

#[async_trait]
impl Streams for BackendAiEngine {
    /// The manager can't follow a log, so the log is read repeatedly as long as it has a reader.
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        logs::open(self, session, options).await
    }

    /// Runs the command through the session's own sshd.
    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        ssh::exec(self, session, &command).await
    }

    /// Every terminal shows the one tmux of a container, so the same screen comes back after a
    /// reconnect. In the main container, ttyd starts that tmux.
    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached> {
        if request.start.is_chosen() {
            return Err(Failure::refused(tr_sent!(
                "terminals of a session on a cluster share one tmux, whose shell the image \
                      sets"
            ))
            .hint(tr_sent!(
                "run other programs with `workbay exec S -- CMD`, also with a terminal"
            )));
        }
        let other = match request.start.kernel {
            Some(kernel) => self.other_container(session, kernel).await?,
            None => None,
        };
        let claim = self.core.held.take(session, &request.tag).await;
        if let Some(container) = other {
            return ssh::terminal(self, session, &container, &request, claim).await;
        }
        let tty = open::terminal(self, session, &request).await?;
        Ok(terminal::start(tty, claim))
    }

    async fn control(&self, session: SessionId, kernel: Option<KernelId>) -> Result<Attached> {
        ssh::control(self, session, kernel).await
    }

    /// Nothing in the session outlives this process: the terminals of an earlier process ended with
    /// its connections.
    async fn detach_all(&self, session: SessionId) -> Result<()> {
        self.core.held.take_all(session).await;
        Ok(())
    }

    async fn dial(&self, session: SessionId, to: &DialTarget) -> Result<Attached> {
        let to = services::known_port(self, session, to).await?;
        let pipe = open::pipe(self, session, &to).await?;
        Ok(dial::start(pipe))
    }

    /// A port that isn't one of the session's services is reached through its sshd.
    async fn connect(&self, session: SessionId, to: &DialTarget) -> Result<PortStream> {
        let to = services::known_port(self, session, to).await?;
        match open::pipe(self, session, &to).await {
            Ok(pipe) => Ok(Box::new(connected::ConnectedPort::new(pipe))),
            Err(error) => match open::other_port(&error, &to) {
                Some(port) => ssh::port(self, session, port).await,
                None => Err(error),
            },
        }
    }

    async fn helper(&self, session: SessionId, task: HelperTask) -> Result<Attached> {
        ssh::helper(self, session, task).await
    }

    fn has_own_key_file(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
