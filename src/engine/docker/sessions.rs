//! Containers made, started, ended, listed.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    time::Duration,
};

use async_trait::async_trait;
use bollard::{
    errors::Error,
    models::{ContainerSummary, ContainerSummaryStateEnum},
    query_parameters::{
        CreateContainerOptionsBuilder, InspectContainerOptions, KillContainerOptionsBuilder,
        ListContainersOptionsBuilder, RemoveContainerOptionsBuilder, RenameContainerOptionsBuilder,
        StartContainerOptions, StopContainerOptionsBuilder,
    },
};
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use super::{
    DockerEngine, cores,
    create::{self, Identity, Parts},
    events, labels,
    line::Line,
    saved_log, sighting,
};
use crate::{
    engine::{
        api::{ContainerState, Containers, CreatePlan, EngineEvent, Listing, Result, Sighting},
        error::EngineError,
    },
    model::{
        id::{InstanceId, SessionId},
        resources::ResourceSlots,
    },
};

/// Inspections under way at once.
const AT_ONCE: usize = 8;

#[async_trait]
impl Containers for DockerEngine {
    async fn list(&self) -> Result<Listing> {
        let line = self.line().await?;
        let instance = self.config.instance;
        let all = summaries(&line, &[labels::INSTANCE.to_owned()], true).await?;
        let mut listing = Listing {
            ours: Vec::new(),
            others: others_slots(&all, instance),
        };
        let mut unclear = Vec::new();
        for (seen, complete) in all
            .iter()
            .filter_map(|one| sighting::of_summary(one, instance))
        {
            self.remember(seen.session, seen.container_id.as_str());
            if complete {
                listing.ours.push(seen);
            } else {
                unclear.push(seen.container_id.into_string());
            }
        }
        let mut inspected = stream::iter(unclear)
            .map(|id| {
                let line = &line;
                async move { look(line, &id, instance).await }
            })
            .buffer_unordered(AT_ONCE);
        while let Some(seen) = inspected.next().await {
            listing.ours.extend(seen?);
        }
        Ok(listing)
    }

    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>> {
        let line = self.line().await?;
        match self.container(&line, session).await {
            Ok(id) => {
                let seen = look(&line, &id, self.config.instance).await?;
                if seen.is_none() {
                    self.forget_container(session);
                }
                Ok(seen)
            }
            Err(EngineError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn create(&self, plan: &CreatePlan) -> Result<Sighting> {
        if let Some(there) = self.inspect(plan.session).await? {
            return Ok(there);
        }
        let line = self.line().await?;
        line.must_be_local()?;
        create::check_limits(plan, line.cpus)?;
        let identity = Identity::of_caller(line.mapping);
        let toolbox = self.toolbox(&line).await?;
        let image = create::image_facts(&line, plan, &identity).await?;
        let home = self.make_home(plan.session, identity.owner).await?;
        let made = async {
            let turn = self.creating.lock().await;
            let cores = choose_cores(&line, plan).await?;
            let labels = create::labels(plan, self.config.instance, cores.as_deref(), &toolbox)?;
            let parts = Parts {
                plan,
                identity: &identity,
                image: &image,
                toolbox: &toolbox,
                home: &home,
                cores,
                labels,
            };
            let id = make(&line, plan, create::body(&line, parts)).await?;
            drop(turn);
            self.remember(plan.session, &id);
            let seen = look(&line, &id, self.config.instance).await?;
            seen.ok_or_else(|| EngineError::NotFound(plan.session.to_string()))
        };
        match made.await {
            Ok(seen) => Ok(seen),
            Err(error) => {
                self.undo(&line, plan.session).await;
                Err(error)
            }
        }
    }

    async fn start(&self, session: SessionId) -> Result<()> {
        let line = self.line().await?;
        let id = self.container(&line, session).await?;
        let started = line
            .docker
            .start_container(&id, None::<StartContainerOptions>)
            .await;
        let Err(error) = started else {
            return Ok(());
        };
        let error = line.fault(error);
        if !error.is_lost() {
            let never_ran = look(&line, &id, self.config.instance).await;
            if matches!(never_ran, Ok(Some(seen)) if seen.state == ContainerState::Created) {
                self.undo(&line, session).await;
            }
        }
        Err(self.named(error, session))
    }

    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()> {
        let line = self.line().await?;
        let id = match self.container(&line, session).await {
            Err(EngineError::NotFound(_)) => return Ok(()),
            other => other?,
        };
        let stopped = if grace_seconds == 0 {
            let options = KillContainerOptionsBuilder::default()
                .signal("SIGKILL")
                .build();
            line.docker.kill_container(&id, Some(options)).await
        } else {
            let wait = Duration::from_secs(u64::from(grace_seconds) + 60);
            let seconds = i32::try_from(grace_seconds).unwrap_or(i32::MAX);
            let options = StopContainerOptionsBuilder::default().t(seconds).build();
            let patient = line.docker.clone().with_timeout(wait);
            patient.stop_container(&id, Some(options)).await
        };
        match stopped {
            // Gone, or not running: ended is ended.
            Err(Error::DockerResponseServerError {
                status_code: 404 | 409,
                ..
            })
            | Ok(()) => Ok(()),
            Err(error) => Err(line.fault(error)),
        }
    }

    async fn remove(&self, session: SessionId) -> Result<()> {
        let line = self.line().await?;
        let id = match self.container(&line, session).await {
            Err(EngineError::NotFound(_)) => return Ok(()),
            other => other?,
        };
        saved_log::save(&line, &id, &self.scratches.log(session)).await?;
        remove_container(&line, &id).await?;
        self.forget_container(session);
        Ok(())
    }

    fn scratch(&self, session: SessionId) -> Option<PathBuf> {
        Some(self.scratches.home(session))
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        let line = self.line().await?;
        let id = self.container(&line, session).await?;
        let seen = look(&line, &id, self.config.instance).await?;
        let seen = seen.ok_or_else(|| EngineError::NotFound(session.to_string()))?;
        if seen
            .name
            .as_ref()
            .is_some_and(|present| present.as_str() == name)
        {
            return Ok(());
        }
        let new = create::container_name(name, &seen.kernel.short());
        let options = RenameContainerOptionsBuilder::default().name(&new).build();
        let renamed = line.docker.rename_container(&id, options).await;
        renamed.map_err(|error| self.named(line.fault(error), session))
    }

    async fn forget(&self, session: SessionId) -> Result<()> {
        let scratches = self.scratches.clone();
        off_loop(move || scratches.forget(session)).await
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>> {
        let line = self.line().await?;
        events::follow(line, self.config.instance).await
    }
}

impl DockerEngine {
    async fn make_home(&self, session: SessionId, owner: (u32, u32)) -> Result<PathBuf> {
        let scratches = self.scratches.clone();
        off_loop(move || scratches.make(session, owner)).await
    }

    /// Takes back a half-made session. Errors are only written down: the one that led here is told.
    async fn undo(&self, line: &Line, session: SessionId) {
        let found = match self.remembered(session) {
            Some(id) => Ok(Some(id)),
            None => find(line, self.config.instance, session).await,
        };
        let removed = match found {
            Ok(Some(id)) => remove_container(line, &id).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = removed {
            // Its home stays too: the container that could not be removed may still use it.
            tracing::warn!(%session, %error, "a half-made container could not be removed");
            return;
        }
        self.forget_container(session);
        let scratches = self.scratches.clone();
        if let Err(error) = off_loop(move || scratches.discard(session)).await {
            tracing::warn!(%session, %error, "a half-made home could not be removed");
        }
    }

    /// An engine says `NotFound` with its own id of the container; ours is told.
    pub(super) fn named(&self, error: EngineError, session: SessionId) -> EngineError {
        match error {
            EngineError::NotFound(_) => {
                self.forget_container(session);
                EngineError::NotFound(session.to_string())
            }
            other => other,
        }
    }
}

/// The id of a session's container of this instance.
pub(super) async fn find(
    line: &Line,
    instance: InstanceId,
    session: SessionId,
) -> Result<Option<String>> {
    let wanted = [
        format!("{}={instance}", labels::INSTANCE),
        format!("{}={session}", labels::SESSION),
    ];
    let found = summaries(line, &wanted, true).await?;
    Ok(found.into_iter().find_map(|summary| summary.id))
}

async fn summaries(line: &Line, wanted: &[String], all: bool) -> Result<Vec<ContainerSummary>> {
    let filters = HashMap::from([("label".to_owned(), wanted.to_vec())]);
    let options = ListContainersOptionsBuilder::default()
        .all(all)
        .filters(&filters)
        .build();
    let listed = line.docker.list_containers(Some(options)).await;
    listed.map_err(|error| line.fault(error))
}

async fn look(line: &Line, id: &str, instance: InstanceId) -> Result<Option<Sighting>> {
    match line
        .docker
        .inspect_container(id, None::<InspectContainerOptions>)
        .await
    {
        Ok(record) => Ok(sighting::of_inspect(&record, instance)),
        Err(Error::DockerResponseServerError {
            status_code: 404, ..
        }) => Ok(None),
        Err(error) => Err(line.fault(error)),
    }
}

/// What running sessions of other instances hold.
fn others_slots(all: &[ContainerSummary], instance: InstanceId) -> ResourceSlots {
    all.iter()
        .filter(|one| one.state == Some(ContainerSummaryStateEnum::RUNNING))
        .filter_map(|one| one.labels.as_ref())
        .filter(|labels| !labels::is_of(labels, instance))
        .filter_map(labels::slots)
        .fold(ResourceSlots::default(), |sum, slots| sum.plus(&slots))
}

/// The keys of the toolboxes that containers of any instance have mounted.
pub(super) async fn toolboxes_in_use(line: &Line) -> Result<HashSet<String>> {
    let all = summaries(line, &[labels::TOOLBOX.to_owned()], true).await?;
    let keys = all
        .into_iter()
        .filter_map(|one| one.labels?.remove(labels::TOOLBOX));
    Ok(keys.collect())
}

/// Only whole cores are pinned, so only then is anybody asked who holds which.
async fn choose_cores(line: &Line, plan: &CreatePlan) -> Result<Option<String>> {
    if !plan.spec.cpu.millis().is_multiple_of(1000) {
        return Ok(None);
    }
    let running = summaries(line, &[labels::CORES.to_owned()], false).await?;
    let taken: Vec<Vec<u32>> = running
        .iter()
        .filter_map(|one| one.labels.as_ref()?.get(labels::CORES))
        .map(|list| cores::parse(list))
        .collect();
    Ok(cores::choose(plan.spec.cpu, &cores::allowed(), &taken))
}

async fn make(
    line: &Line,
    plan: &CreatePlan,
    body: bollard::models::ContainerCreateBody,
) -> Result<String> {
    let name = create::container_name(&plan.name, &plan.kernel.short());
    let options = CreateContainerOptionsBuilder::default().name(&name).build();
    match line.docker.create_container(Some(options), body).await {
        Ok(made) => Ok(made.id),
        Err(error) => Err(line.fault(error)),
    }
}

async fn remove_container(line: &Line, id: &str) -> Result<()> {
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    match line.docker.remove_container(id, Some(options)).await {
        // 409: another removal is under way.
        Err(Error::DockerResponseServerError {
            status_code: 404 | 409,
            ..
        })
        | Ok(()) => Ok(()),
        Err(error) => Err(line.fault(error)),
    }
}

/// File work beside the loop.
pub(super) async fn off_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| EngineError::Host(format!("work on files broke: {error}")))?
}
