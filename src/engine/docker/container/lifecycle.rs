//! Starts, ends and lists containers.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use async_trait::async_trait;
use bollard::{
    errors::Error,
    models::{ContainerSummary, ContainerSummaryStateEnum as State},
    query_parameters::{
        InspectContainerOptions, KillContainerOptionsBuilder, RenameContainerOptionsBuilder,
        StartContainerOptions, StopContainerOptionsBuilder,
    },
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream, stream::BoxStream};

use super::{
    events, labels,
    list::{remove_container, summaries},
    members::{self, Member},
    names,
    survey::{self, SessionContainer},
};
use crate::{
    engine::{
        api::{ContainerState, Containers, CreatePlan, EngineEvent, Listing, Result, Sighting},
        docker::{
            DockerEngine,
            blocking::off_loop,
            connect::{connection::EngineConnection, quirks::UserMapping},
            log::saved,
            network, remote, save,
        },
    },
    model::{
        failure::Failure,
        id::{InstanceId, SessionId},
        own_image::{CommitPlan, CommitStep},
        resources::{Bytes, ResourceSlots},
    },
};

/// Maximum number of concurrent requests to the engine.
const AT_ONCE: usize = 8;

#[async_trait]
impl Containers for DockerEngine {
    async fn list(&self) -> Result<Listing> {
        let connection = self.connection().await?;
        let instance = self.config.instance;
        let all = summaries(&connection, &[labels::INSTANCE.to_owned()], true).await?;
        let (mut parts, mut unclear) = (Vec::new(), Vec::new());
        for (part, complete) in all
            .iter()
            .filter_map(|one| survey::of_summary(one, instance))
        {
            if complete {
                parts.push(part);
            } else {
                unclear.push(part.container_id.into_string());
            }
        }
        parts.extend(inspect_all(&connection, unclear, instance).await?);
        hide_unreachable(&connection, &mut parts);
        let ours = survey::together(parts);
        for seen in &ours {
            self.remember(seen.session, &survey::members(seen));
        }
        Ok(Listing {
            ours,
            others: others_slots(&all, instance),
            lacks: self.lacks_of_network(&connection),
        })
    }

    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>> {
        let connection = self.connection().await?;
        let members = self.members(&connection, session).await?;
        self.look_at(&connection, session, members).await
    }

    async fn create(&self, plan: &CreatePlan) -> Result<Sighting> {
        let connection = self.connection().await?;
        let there = members::find(&connection, self.config.instance, plan.session).await?;
        // For a remote engine, the home directory stays on this machine until it is uploaded.
        let is_filled = connection.remote.is_none() || !self.scratches.home(plan.session).is_dir();
        if is_filled && there.first().is_some_and(|first| first.place == 0) {
            self.remember(plan.session, &there);
            if let Some(seen) = self.look_at(&connection, plan.session, there).await? {
                return Ok(seen);
            }
        } else if !there.is_empty() {
            // The main container is created last, so a cluster without it is incomplete.
            self.remove_containers(&connection, plan.session).await?;
        }
        self.make_session(&connection, plan).await
    }

    async fn room(&self, folder: &str) -> Option<Bytes> {
        self.room_in(folder).await
    }

    async fn start(&self, session: SessionId) -> Result<()> {
        let connection = self.connection().await?;
        let main = self.container(&connection, session).await?;
        let members = self.members(&connection, session).await?;
        // The others start first: the main container may connect to them immediately.
        let subs = members.into_iter().filter(|one| one.place > 0);
        let subs = each(subs, |one| begin(Arc::clone(&connection), one.id));
        let started = match subs.await {
            Ok(()) => begin(Arc::clone(&connection), main.clone()).await,
            Err(error) => Err(error),
        };
        let Err(error) = started else {
            return Ok(());
        };
        if !error.is_lost() {
            let never_ran = inspect(&connection, &main, self.config.instance).await;
            if matches!(never_ran, Ok(Some(part)) if part.state == ContainerState::Created) {
                self.undo(&connection, session).await;
            }
        }
        Err(self.named(error, session))
    }

    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()> {
        let connection = self.connection().await?;
        let members = self.members(&connection, session).await?;
        // All at once: each may take the whole grace time.
        each(members, |one| {
            end(Arc::clone(&connection), one.id, grace_seconds)
        })
        .await
    }

    async fn remove(&self, session: SessionId) -> Result<()> {
        let connection = self.connection().await?;
        for member in members::find(&connection, self.config.instance, session).await? {
            self.save_log(&connection, session, &member).await?;
            remove_container(&connection, &member.id).await?;
        }
        self.forget_container(session);
        if let Err(error) = self.take_back(&connection, session).await {
            // Removing the home directory tries this again.
            tracing::warn!(%session, %error, "the home directory still belongs to the image's user");
        }
        network::remove_networks(&connection, self.config.instance, session).await?;
        self.tidy_networks(&connection).await;
        Ok(())
    }

    fn home(&self, session: SessionId) -> Option<PathBuf> {
        let here = self.is_here.load(Ordering::Relaxed);
        here.then(|| self.scratches.home(session))
    }

    async fn save(&self, session: SessionId, paths: &[String], name: &str) -> Result<PathBuf> {
        save::save(self, &self.config.saved_dir, session, paths, name).await
    }

    async fn commit(&self, plan: &CommitPlan) -> Result<BoxStream<'static, Result<CommitStep>>> {
        self.begin_commit(plan).await
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        let connection = self.connection().await?;
        let members = self.members(&connection, session).await?;
        if members.is_empty() {
            return Err(Failure::session_not_found(session));
        }
        for member in members {
            self.rename_one(&connection, session, &member, name).await?;
        }
        Ok(())
    }

    async fn forget(&self, session: SessionId) -> Result<()> {
        self.delete_all(session).await?;
        // A crash may have left a network. Files are deleted even while the engine is disconnected. But the home
        // directories on a remote engine can be deleted only after it reconnects.
        let connection = match self.connection().await {
            Ok(connection) => connection,
            Err(error) if !self.is_here.load(Ordering::Relaxed) => return Err(error),
            Err(_) => return Ok(()),
        };
        let instance = self.config.instance;
        if let Err(error) = network::remove_networks(&connection, instance, session).await {
            tracing::warn!(%session, %error, "a network of an ended session can't be removed");
        }
        match connection.remote {
            Some(_) => remote::remove_homes(&connection, instance, session).await,
            None => Ok(()),
        }
    }

    async fn ping(&self) -> Result<()> {
        self.answers().await
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>> {
        let connection = self.connection().await?;
        events::follow(connection, self.config.instance).await
    }
}

impl DockerEngine {
    /// Deletes everything kept of a session on this machine. What can't be deleted is moved to the quarantine.
    async fn delete_all(&self, session: SessionId) -> Result<()> {
        // Only where another user owns a home directory: otherwise a disconnected engine would block the deletion.
        if self.is_anothers(session)
            && let Err(error) = self.take_back(&*self.connection().await?, session).await
        {
            tracing::warn!(%session, %error, "the home directory still belongs to the image's user");
        }
        let Err(first) = self.delete(session).await else {
            return Ok(());
        };
        let Err(error) = self.delete_as_owner(session, first).await else {
            return Ok(());
        };
        if error.is_lost() {
            return Err(error);
        }
        let scratches = self.scratches.clone();
        off_loop(move || Err(scratches.set_aside(session, &error))).await
    }

    /// Takes the files back first: files in a home directory may belong to another user even if the directory doesn't.
    async fn delete_as_owner(&self, session: SessionId, first: Failure) -> Result<()> {
        if self.scratches.homes(session).is_empty() {
            return Err(first);
        }
        let connection = self.connection().await?;
        if connection.remote.is_some() {
            return Err(first);
        }
        if let Err(error) = self.take_all_back(&connection, session).await {
            tracing::warn!(%session, %error, "the home directories can't be given back to the user");
            return Err(if error.is_lost() { error } else { first });
        }
        self.delete(session).await
    }

    /// Deletes everything kept of a session on this machine.
    async fn delete(&self, session: SessionId) -> Result<()> {
        let scratches = self.scratches.clone();
        off_loop(move || scratches.forget(session)).await
    }

    /// The session's current state, from its containers; `None` when they are all gone.
    pub(in crate::engine::docker) async fn look_at(
        &self,
        connection: &EngineConnection,
        session: SessionId,
        members: Vec<Member>,
    ) -> Result<Option<Sighting>> {
        let count = members.len();
        let ids = members.into_iter().map(|member| member.id).collect();
        let parts = inspect_all(connection, ids, self.config.instance).await?;
        if parts.len() < count {
            self.forget_container(session);
        }
        Ok(survey::together(parts).pop())
    }

    async fn save_log(
        &self,
        connection: &EngineConnection,
        session: SessionId,
        member: &Member,
    ) -> Result<()> {
        let of_kernel = self.scratches.log_of(session, member.kernel);
        if member.place > 0 {
            return saved::save(connection, &member.id, &of_kernel).await;
        }
        let path = self.scratches.log(session);
        saved::save(connection, &member.id, &path).await?;
        off_loop(move || saved::also_known_as(&path, &of_kernel)).await
    }

    async fn rename_one(
        &self,
        connection: &EngineConnection,
        session: SessionId,
        member: &Member,
        name: &str,
    ) -> Result<()> {
        let seen = inspect(connection, &member.id, self.config.instance).await?;
        let seen = seen.ok_or_else(|| Failure::session_not_found(session))?;
        if seen
            .name
            .as_ref()
            .is_some_and(|present| present.as_str() == name)
        {
            return Ok(());
        }
        let new = names::container_name(name, &seen.kernel.short());
        let options = RenameContainerOptionsBuilder::default().name(&new).build();
        let renamed = connection
            .docker
            .rename_container(&member.id, options)
            .await;
        renamed.map_err(|error| self.named(connection.fault(error), session))
    }

    /// Replaces the engine's container id in a `NotFound` error by the session's id, and forgets the containers.
    pub(in crate::engine::docker) fn named(&self, error: Failure, session: SessionId) -> Failure {
        if !error.is_not_found() {
            return error;
        }
        self.forget_container(session);
        Failure::session_not_found(session)
    }
}

/// Runs `what` for several containers at once; returns the first error.
async fn each<F: Future<Output = Result<()>>>(
    members: impl IntoIterator<Item = Member>,
    what: impl FnMut(Member) -> F,
) -> Result<()> {
    stream::iter(members)
        .map(what)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}

async fn begin(connection: Arc<EngineConnection>, id: String) -> Result<()> {
    let options = None::<StartContainerOptions>;
    let started = connection.docker.start_container(&id, options).await;
    started.map_err(|error| connection.fault(error))
}

async fn end(connection: Arc<EngineConnection>, id: String, grace_seconds: u32) -> Result<()> {
    let stopped = if grace_seconds == 0 {
        let options = KillContainerOptionsBuilder::default()
            .signal("SIGKILL")
            .build();
        connection.docker.kill_container(&id, Some(options)).await
    } else {
        let wait = Duration::from_secs(u64::from(grace_seconds) + 60);
        let seconds = i32::try_from(grace_seconds).unwrap_or(i32::MAX);
        let options = StopContainerOptionsBuilder::default().t(seconds).build();
        let patient = connection.docker.clone().with_timeout(wait);
        patient.stop_container(&id, Some(options)).await
    };
    match stopped {
        // The container is gone or not running, so it has ended.
        Err(Error::DockerResponseServerError {
            status_code: 404 | 409,
            ..
        })
        | Ok(()) => Ok(()),
        Err(error) => Err(connection.fault(error)),
    }
}

/// The full records of these containers; containers that are gone are left out.
async fn inspect_all(
    connection: &EngineConnection,
    ids: Vec<String>,
    instance: InstanceId,
) -> Result<Vec<SessionContainer>> {
    let mut asked = stream::iter(ids)
        .map(|id| async move { inspect(connection, &id, instance).await })
        .buffer_unordered(AT_ONCE);
    let mut parts = Vec::new();
    while let Some(part) = asked.next().await {
        parts.extend(part?);
    }
    hide_unreachable(connection, &mut parts);
    Ok(parts)
}

/// Removes addresses behind a rootless engine: its machine can't reach them.
fn hide_unreachable(connection: &EngineConnection, parts: &mut [SessionContainer]) {
    if matches!(
        connection.quirks.mapping,
        UserMapping::RootIsCaller | UserMapping::KeepId
    ) {
        for part in parts {
            part.address = None;
        }
    }
}

async fn inspect(
    connection: &EngineConnection,
    id: &str,
    instance: InstanceId,
) -> Result<Option<SessionContainer>> {
    match connection
        .docker
        .inspect_container(id, None::<InspectContainerOptions>)
        .await
    {
        Ok(record) => Ok(survey::of_inspect(&record, instance)),
        Err(Error::DockerResponseServerError {
            status_code: 404, ..
        }) => Ok(None),
        Err(error) => Err(connection.fault(error)),
    }
}

/// What running containers of other instances use, from the labels of each container.
fn others_slots(all: &[ContainerSummary], instance: InstanceId) -> ResourceSlots {
    let is_running = |state: Option<State>| {
        matches!(
            state,
            // A container that was only created may be left over from a daemon that died.
            Some(State::RUNNING | State::PAUSED | State::RESTARTING)
        )
    };
    all.iter()
        .filter(|one| is_running(one.state))
        .filter_map(|one| one.labels.as_ref())
        .filter(|labels| !labels::is_of(labels, instance))
        .filter_map(labels::slots)
        .fold(ResourceSlots::default(), |sum, slots| sum.plus(&slots))
}
