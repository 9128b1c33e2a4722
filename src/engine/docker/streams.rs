//! Logs, commands and terminals.

use std::sync::Arc;

use async_trait::async_trait;
use bollard::query_parameters::InspectContainerOptions;
use futures_util::stream::BoxStream;

use super::{DockerEngine, attach, exec, line::Line, logs};
use crate::{
    engine::{
        api::{AttachRequest, Attached, ExecCommand, LogChunk, Output, Result, Streams},
        error::EngineError,
    },
    model::{id::SessionId, log::LogOptions},
};

#[async_trait]
impl Streams for DockerEngine {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        logs::open(self, session, options).await
    }

    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        if command.argv.is_empty() {
            return Err(EngineError::Refused("no command was given".to_owned()));
        }
        let (line, container, runner) = self.door(session).await?;
        let argv = attach::command(&runner, &command);
        let started = exec::start(line, container, argv, command.tty.is_some()).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached> {
        let (line, container, runner) = self.door(session).await?;
        let argv = attach::terminal(&runner, &request, self.config.shell.as_deref());
        let user = request.start.user.as_deref();
        let started = exec::start_as(line, container, argv, true, user).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn control(&self, session: SessionId) -> Result<Attached> {
        let (line, container, runner) = self.door(session).await?;
        let argv = attach::control(&runner, self.config.shell.as_deref());
        let started = exec::start(line, container, argv, false).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn detach_all(&self, session: SessionId) -> Result<()> {
        let (line, container, runner) = self.door(session).await?;
        let argv = attach::detach_all(&runner);
        let mut attached = exec::start(line, container, argv, false)
            .await
            .map_err(|error| self.named(error, session))?;
        while let Some(one) = attached.output.recv().await {
            match one {
                Output::Lost { why } => return Err(EngineError::Other(why.into_string())),
                Output::End { .. } => break,
                Output::Stdout(_) | Output::Stderr(_) => {}
            }
        }
        Ok(())
    }
}

impl DockerEngine {
    /// All that is needed to start something in a session.
    async fn door(&self, session: SessionId) -> Result<(Arc<Line>, String, Vec<String>)> {
        let line = self.line().await?;
        line.must_be_local()?;
        let container = self.container(&line, session).await?;
        let runner = self.runner_of(&line, session, &container).await?;
        Ok((line, container, runner))
    }

    async fn runner_of(
        &self,
        line: &Line,
        session: SessionId,
        container: &str,
    ) -> Result<Vec<String>> {
        let asked = line
            .docker
            .inspect_container(container, None::<InspectContainerOptions>);
        let record = asked
            .await
            .map_err(|error| self.named(line.fault(error), session))?;
        let entry = record
            .config
            .and_then(|config| config.entrypoint)
            .unwrap_or_default();
        attach::runner(&entry).ok_or_else(|| {
            EngineError::Unsupported(
                "this container was not made with workbay's runner, so no terminal can be opened in it"
                    .to_owned(),
            )
        })
    }
}
