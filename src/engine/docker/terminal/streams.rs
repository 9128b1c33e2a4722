//! Implements logs, commands and terminals of sessions.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use bollard::query_parameters::InspectContainerOptions;
use futures_util::stream::BoxStream;

use super::{exec, runner_command};
use crate::{
    engine::{
        api::{
            AttachRequest, Attached, DialTarget, ExecCommand, HelperTask, LogChunk, Output, Result,
            Streams,
        },
        docker::{
            DockerEngine,
            connect::connection::EngineConnection,
            container::identity::{Identity, caller},
            kill::KillMethod,
            log::follow,
        },
        port_stream::PortStream,
    },
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
        log::LogOptions,
    },
};

#[async_trait]
impl Streams for DockerEngine {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        follow::open(self, session, options).await
    }

    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        if command.argv.is_empty() {
            return Err(Failure::engine_refused(tr_sent!("no command was given")));
        }
        let starter = self.door_of(session, command.kernel).await?;
        let key = starter.key();
        let argv = runner_command::command(&starter.runner, &command, key.as_deref());
        let ending = starter.ending(key, None);
        let tty = command.tty.is_some();
        let started = exec::start(starter.connection, starter.container, argv, tty, ending).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn attach(&self, session: SessionId, request: AttachRequest) -> Result<Attached> {
        let starter = self.door_of(session, request.start.kernel).await?;
        let (key, shell) = (starter.key(), self.config.shell.as_deref());
        let argv = runner_command::terminal(&starter.runner, &request, shell, key.as_deref());
        let user = request.start.user.as_deref();
        let ending = starter.ending(key, user);
        let started = exec::start_as(
            starter.connection,
            starter.container,
            argv,
            true,
            ending,
            user,
        )
        .await;
        started.map_err(|error| self.named(error, session))
    }

    async fn control(&self, session: SessionId, kernel: Option<KernelId>) -> Result<Attached> {
        let starter = self.door_of(session, kernel).await?;
        let argv = runner_command::control(&starter.runner, self.config.shell.as_deref());
        let ending = starter.by_itself();
        let started = exec::start(starter.connection, starter.container, argv, false, ending).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn dial(&self, session: SessionId, to: &DialTarget) -> Result<Attached> {
        self.connect_to(session, to).await
    }

    async fn helper(&self, session: SessionId, task: HelperTask) -> Result<Attached> {
        if matches!(task, HelperTask::Sftp)
            && let Some(direct) = self.direct_sftp(session).await?
        {
            return Ok(direct);
        }
        let starter = match (self.starter(session).await, &task) {
            (Err(failure), HelperTask::Pack { path }) if failure.is_not_found() => {
                return self.pack_kept_home(session, path);
            }
            (starter, _) => starter?,
        };
        let key = starter.key();
        let argv = runner_command::helper(&starter.runner, &task, key.as_deref());
        let ending = starter.ending(key, None);
        let started = exec::start(starter.connection, starter.container, argv, false, ending).await;
        started.map_err(|error| self.named(error, session))
    }

    async fn connect(&self, session: SessionId, to: &DialTarget) -> Result<PortStream> {
        self.port_stream(session, to).await
    }

    async fn detach_all(&self, session: SessionId) -> Result<()> {
        let connection = self.connection().await?;
        let members = self.members(&connection, session).await?;
        if members.is_empty() {
            return Err(Failure::session_not_found(session));
        }
        for member in members {
            match self.detach_from(session, member.kernel).await {
                // Another container of a cluster may have ended; it then has no clients.
                Err(error) if member.place > 0 && !error.is_lost() => {
                    tracing::debug!(%session, %error, "no clients in another container");
                }
                outcome => outcome?,
            }
        }
        Ok(())
    }
}

impl DockerEngine {
    async fn detach_from(&self, session: SessionId, kernel: KernelId) -> Result<()> {
        let starter = self.door_of(session, Some(kernel)).await?;
        let argv = runner_command::detach_all(&starter.runner);
        let ending = starter.by_itself();
        let mut attached = exec::start(starter.connection, starter.container, argv, false, ending)
            .await
            .map_err(|error| self.named(error, session))?;
        while let Some(one) = attached.output.recv().await {
            match one {
                Output::Lost { why } => return Err(Failure::reported(why.into_string())),
                Output::End { .. } => break,
                Output::Stdout(_) | Output::Stderr(_) => {}
            }
        }
        Ok(())
    }
}

/// Everything needed to start a program in a session.
pub(in crate::engine::docker) struct ProgramStarter {
    pub(in crate::engine::docker) connection: Arc<EngineConnection>,
    pub(in crate::engine::docker) container: String,
    /// The runner's command inside.
    pub(in crate::engine::docker) runner: Vec<String>,
    pub(in crate::engine::docker) labels: HashMap<String, String>,
    /// Whether programs outside of the container reach its loopback addresses.
    pub(in crate::engine::docker) shares_network: bool,
    /// Its processes run on this machine, and this process may signal them.
    is_ours: bool,
}

impl ProgramStarter {
    /// Identifies a program inside, where it can't be ended from this machine.
    pub(in crate::engine::docker) fn key(&self) -> Option<String> {
        (!self.is_ours).then(|| uuid::Uuid::new_v4().simple().to_string())
    }

    /// How to end a program with this key that runs as `user`.
    pub(in crate::engine::docker) fn ending(
        &self,
        key: Option<String>,
        user: Option<&str>,
    ) -> KillMethod {
        key.map_or(KillMethod::Here, |key| KillMethod::Inside {
            argv: runner_command::end(&self.runner, &key),
            user: user.map(str::to_owned),
        })
    }

    /// How to end a program that ends when its input does.
    fn by_itself(&self) -> KillMethod {
        if self.is_ours {
            KillMethod::Here
        } else {
            KillMethod::ByItself
        }
    }
}

impl DockerEngine {
    /// The session's main container.
    pub(in crate::engine::docker) async fn starter(
        &self,
        session: SessionId,
    ) -> Result<ProgramStarter> {
        self.door_of(session, None).await
    }

    /// One container of a cluster; `None` = the main one.
    async fn door_of(
        &self,
        session: SessionId,
        kernel: Option<KernelId>,
    ) -> Result<ProgramStarter> {
        let connection = self.connection().await?;
        let container = self.container_of(&connection, session, kernel).await?;
        let asked = connection
            .docker
            .inspect_container(&container, None::<InspectContainerOptions>);
        let record = asked
            .await
            .map_err(|error| self.named(connection.fault(error), session))?;
        let config = record.config.unwrap_or_default();
        let network = record.host_config.and_then(|host| host.network_mode);
        let entry = config.entrypoint.unwrap_or_default();
        let is_ours =
            connection.remote.is_none() && may_be_ended(&connection, config.user.as_deref());
        let runner = runner_command::runner(&entry).ok_or_else(|| {
            Failure::unsupported(tr_sent!(
                "workbay's runner isn't in this container, so no terminal can be opened"
            ))
            .hint(tr_sent!(
                "launch the session again: `workbay relaunch` uses the same settings"
            ))
        })?;
        Ok(ProgramStarter {
            connection,
            container,
            runner,
            labels: config.labels.unwrap_or_default(),
            shares_network: shares_network(network.as_deref()),
            is_ours,
        })
    }
}

/// Whether a network mode has no network of its own. workbay asks for none of these, but an engine may have one as its
/// default.
fn shares_network(mode: Option<&str>) -> bool {
    mode.is_some_and(|mode| {
        mode == "host"
            || ["container:", "ns:"]
                .iter()
                .any(|shared| mode.starts_with(shared))
    })
}

/// Whether this process may signal the processes of a container that runs as `user`.
fn may_be_ended(connection: &EngineConnection, user: Option<&str>) -> bool {
    let (uid, gid) = Identity::of_caller(connection.quirks.mapping).inside;
    caller().0 == 0 || user == Some(&format!("{uid}:{gid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_of_another_is_shared() {
        for shared in ["host", "container:abc", "ns:/proc/1/ns/net"] {
            assert!(shares_network(Some(shared)), "{shared}");
        }
        for own in ["bridge", "none", "default", "slirp4netns", "hosting"] {
            assert!(!shares_network(Some(own)), "{own}");
        }
        assert!(!shares_network(None));
    }
}
