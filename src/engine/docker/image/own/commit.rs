//! Creates an image from a session's main container.
//!
//! The engine first makes an image without a name of the container, which may hold the values of secret variables. From
//! its layers and the settings of the session's image, workbay gives the engine the image that users see, then the
//! first one is deleted. A daemon that ends meanwhile leaves the first one, and the next daemon deletes it.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bollard::{
    Docker, body_full,
    models::{ContainerConfig, ContainerInspectResponse, ImageInspect},
    query_parameters::{
        CommitContainerOptionsBuilder, ImportImageOptions, InspectContainerOptionsBuilder,
        ListImagesOptionsBuilder, RemoveImageOptions, RemoveImageOptionsBuilder,
    },
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use tokio::sync::mpsc;

use super::{
    config::{self, Parts},
    stored,
};
use crate::{
    engine::{
        api::Result,
        docker::{
            DockerEngine,
            connect::{connection::EngineConnection, quirks::ContainerProgram},
            image::host,
        },
    },
    model::{
        failure::Failure,
        id::InstanceId,
        image,
        own_image::{self, CommitPlan, CommitStep},
        resources::Bytes,
    },
    space::DiskSpace,
};

/// On the image without a name: the instance that is creating an image.
const UNFINISHED: &str = "workbay.image.unfinished";
/// The engine answers only when it has packed all changed files.
const PATIENCE: Duration = Duration::from_secs(6 * 60 * 60);
/// The number of steps that users see.
const STEPS: u32 = 3;

type Steps = mpsc::Sender<Result<CommitStep>>;

/// Everything that the work needs. It continues without the engine object, so that it can clean up when it is cancelled.
struct Commit {
    connection: Arc<EngineConnection>,
    docker: Docker,
    instance: InstanceId,
    container: String,
    plan: CommitPlan,
    steps: Steps,
    /// Whether the caller got the reference.
    taken: Arc<AtomicBool>,
}

impl DockerEngine {
    /// Begins to create an image. Dropping the stream cancels it, and nothing of the image is kept.
    pub(in crate::engine::docker) async fn begin_commit(
        &self,
        plan: &CommitPlan,
    ) -> Result<BoxStream<'static, Result<CommitStep>>> {
        own_image::check_name(&plan.name).map_err(Failure::usage)?;
        let connection = self.connection().await?;
        let container = self.container(&connection, plan.session).await?;
        let taken = Arc::new(AtomicBool::new(false));
        let (steps, mut received) = mpsc::channel(STEPS as usize + 1);
        let work = Commit {
            docker: connection.docker.clone().with_timeout(PATIENCE),
            connection,
            instance: self.config.instance,
            container,
            plan: plan.clone(),
            steps,
            taken: Arc::clone(&taken),
        };
        tokio::spawn(Box::pin(work.run()));
        let steps = futures_util::stream::poll_fn(move |context| {
            let step = received.poll_recv(context);
            if let std::task::Poll::Ready(Some(Ok(CommitStep::Done { .. }))) = &step {
                taken.store(true, Ordering::Relaxed);
            }
            step
        });
        Ok(steps.boxed())
    }
}

/// Deletes what a daemon of this instance left that ended while it created an image.
pub(in crate::engine::docker) async fn remove_leftovers(
    connection: &EngineConnection,
    instance: InstanceId,
) {
    let filters = HashMap::from([
        ("label".to_owned(), vec![format!("{UNFINISHED}={instance}")]),
        ("dangling".to_owned(), vec!["true".to_owned()]),
    ]);
    let options = ListImagesOptionsBuilder::default()
        .filters(&filters)
        .build();
    let Ok(left) = connection.docker.list_images(Some(options)).await else {
        return;
    };
    for image in left {
        remove_unfinished(&connection.docker, &image.id).await;
    }
}

async fn remove_unfinished(docker: &Docker, id: &str) {
    // The image of the session must stay, even if it has no name.
    let options = RemoveImageOptionsBuilder::default().noprune(true).build();
    if let Err(error) = docker.remove_image(id, Some(options), None).await {
        tracing::warn!(%id, %error, "an unfinished image can't be deleted");
    }
}

impl Commit {
    /// Creates the image. If the caller doesn't get its reference, it has cancelled the work, and the image is deleted.
    async fn run(self) {
        let end = self.create().await;
        let made = end.as_ref().ok().cloned();
        let step = end.map(|reference| CommitStep::Done { reference });
        let sent = self.steps.send(step).await;
        let Some(reference) = made else {
            return;
        };
        if sent.is_ok() {
            self.steps.closed().await;
        }
        if !self.taken.load(Ordering::Relaxed) {
            self.remove(&reference).await;
        }
    }

    async fn remove(&self, reference: &str) {
        let options = None::<RemoveImageOptions>;
        if let Err(error) = self.docker.remove_image(reference, options, None).await {
            tracing::warn!(%reference, %error, "the image of a cancelled request is kept");
        }
    }

    async fn create(&self) -> Result<String> {
        self.begin(1, tr_sent!("checking the space")).await?;
        let found = self.look().await?;
        let base = self.base(&found).await?;
        let own = stored::own(&self.connection).await?;
        self.check_number(&own)?;
        self.check_space(&found).await?;
        self.begin(2, tr_sent!("storing the changed files")).await?;
        let unfinished = self.store(&found).await?;
        let named = self.name(&base, &unfinished).await;
        remove_unfinished(&self.docker, &unfinished).await;
        named
    }

    /// Reports a step, and ends the work if it was cancelled.
    async fn begin(&self, number: u32, what: &'static str) -> Result<()> {
        let of = STEPS;
        let step = CommitStep::Begun { number, of, what };
        let sent = self.steps.send(Ok(step)).await;
        sent.map_err(|_| Failure::refused(tr_sent!("creating the image was cancelled")))
    }

    async fn look(&self) -> Result<ContainerInspectResponse> {
        let options = InspectContainerOptionsBuilder::default().size(true).build();
        let found = self
            .docker
            .inspect_container(&self.container, Some(options));
        found.await.map_err(|error| self.connection.fault(error))
    }

    /// The image of the session.
    async fn base(&self, found: &ContainerInspectResponse) -> Result<ImageInspect> {
        let id = found.image.as_deref().unwrap_or_default();
        let base = self.docker.inspect_image(id).await;
        let base = base.map_err(|error| self.connection.fault(error))?;
        let tags = base.repo_tags.as_deref().unwrap_or_default();
        let is_host = |tag: &String| tag.split(':').next() == Some(host::REPOSITORY);
        if tags.iter().any(is_host) {
            return Err(of_host());
        }
        Ok(base)
    }

    fn check_number(&self, own: &[stored::Own]) -> Result<()> {
        if let Some(taken) = own.iter().find(|it| it.name == self.plan.name) {
            return Err(name_taken(&self.plan.name, &taken.reference));
        }
        match self.plan.limit {
            Some(limit) if own.len() >= limit as usize => Err(too_many(own.len(), limit)),
            _ => Ok(()),
        }
    }

    /// The space on the engine's disk, where this machine can tell.
    async fn check_space(&self, found: &ContainerInspectResponse) -> Result<()> {
        if self.connection.remote.is_some() {
            return Ok(());
        }
        let info = self.docker.info().await;
        let info = info.map_err(|error| self.connection.fault(error))?;
        let Some(free) = info.docker_root_dir.as_deref().and_then(free_space) else {
            return Ok(());
        };
        let size = Bytes(found.size_rw.unwrap_or(0).max(0).unsigned_abs());
        let needed = size.0.saturating_add(self.plan.keep_free.0);
        if free.0 >= needed {
            return Ok(());
        }
        Err(Failure::refused(tr_sent!("the disk of the engine has {free} free. The image needs {size}, and {keep_free} must stay \
             free (`disk.keep-free`)", free, size, keep_free = self.plan.keep_free))
        .hint(
            tr_sent!("remove images with `workbay image rm`, or free space. `docker system df` shows what \
             uses it"),
        ))
    }

    fn is_podman(&self) -> bool {
        self.connection.quirks.kind == ContainerProgram::Podman
    }

    /// Makes an image without a name of the container. Its settings have the names of variables, but no values, as far
    /// as the engine allows.
    async fn store(&self, found: &ContainerInspectResponse) -> Result<String> {
        let settings = found.config.as_ref();
        let variables = settings
            .and_then(|it| it.env.as_deref())
            .unwrap_or_default();
        let emptied = |line: &String| format!("{}=", line.split('=').next().unwrap_or_default());
        let emptied: Vec<String> = variables.iter().map(emptied).collect();
        let mut options = CommitContainerOptionsBuilder::default()
            .container(&self.container)
            .pause(self.plan.pause);
        if self.is_podman() {
            // Podman doesn't read settings of the request.
            options = options.changes(&changes(&emptied, self.instance));
        }
        let config = ContainerConfig {
            env: Some(emptied),
            labels: Some([(UNFINISHED.to_owned(), self.instance.to_string())].into()),
            ..ContainerConfig::default()
        };
        let made = self.docker.commit_container(options.build(), config).await;
        Ok(made.map_err(|error| self.connection.fault(error))?.id)
    }

    /// Gives the layers of the image without a name the settings of the session's image and the name.
    async fn name(&self, base: &ImageInspect, unfinished: &str) -> Result<String> {
        self.begin(3, tr_sent!("writing the settings")).await?;
        let fault = |error| self.connection.fault(error);
        let made = self.docker.inspect_image(unfinished).await.map_err(fault)?;
        let base_id = base.id.as_deref().unwrap_or_default();
        let base_history = self.docker.image_history(base_id).await.map_err(fault)?;
        let id = uuid::Uuid::new_v4().simple().to_string();
        let origin = base.repo_tags.as_deref().unwrap_or_default();
        let origin = origin.first().map_or(base_id, String::as_str);
        let reference = own_image::reference_of(&self.plan.user, origin, &id);
        let labels = [
            (image::OWN_NAME, self.plan.name.clone()),
            (image::OWN_OWNER, stored::me()),
            (image::OWN_EMAIL, self.plan.user.clone()),
            (own_image::OWN_ID, id),
            (own_image::FROM_SESSION, self.plan.session.to_string()),
            (own_image::FROM_IMAGE, origin.to_owned()),
            // The base may be unfinished itself only by an error, but the label would delete this image.
            (UNFINISHED, String::new()),
        ];
        let described = config::describe(&Parts {
            base,
            base_history: &base_history,
            made: &made,
            labels: labels.into(),
            created: stored::now(&made),
        })?;
        let archive = config::archive(&described, &reference, self.is_podman())?;
        self.load(archive).await?;
        let found = self.docker.inspect_image(&reference).await;
        found.map_err(fault)?;
        Ok(reference)
    }

    async fn load(&self, archive: Vec<u8>) -> Result<()> {
        let loading = self.docker.import_image(
            ImportImageOptions::default(),
            body_full(archive.into()),
            None,
        );
        let said: Vec<_> = loading
            .try_collect()
            .await
            .map_err(|error| self.connection.fault(error))?;
        tracing::debug!(?said, "the engine has the settings of the image");
        Ok(())
    }
}

/// The settings of the image without a name, as lines of a Dockerfile. Names that a line can't have are left out: workbay
/// sets no such variables.
fn changes(emptied: &[String], instance: InstanceId) -> String {
    let is_plain = |it: &&String| {
        let name = it.trim_end_matches('=');
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let variables = emptied
        .iter()
        .filter(is_plain)
        .map(|it| format!("ENV {it}"));
    let label = format!("LABEL {UNFINISHED}={instance}");
    let lines: Vec<String> = std::iter::once(label).chain(variables).collect();
    lines.join("\n")
}

fn free_space(directory: &str) -> Option<Bytes> {
    Some(DiskSpace::at(Path::new(directory)).ok()?.free)
}

fn of_host() -> Failure {
    Failure::refused(tr_sent!(
        "a session in the host environment has no image: its programs are those of this machine, \
         and its only own files are in /home/work"
    ))
    .hint(tr_sent!(
        "install programs in a session with an image, and commit that one. Files of this \
                 session are copied with `workbay cp`, or stay in a mounted folder"
    ))
}

fn name_taken(name: &str, reference: &str) -> Failure {
    Failure::refused(tr_sent!(
        "an image with the name {name} exists ({reference})",
        name,
        reference
    ))
    .hint(tr_sent!(
        "choose another name, or remove it: `workbay image rm {name}`",
        name
    ))
}

fn too_many(count: usize, limit: u32) -> Failure {
    Failure::refused(tr_sent!(
        "you have {count} images of sessions, and the limit is {limit} (`images.limit`)",
        count,
        limit
    ))
    .hint(tr_sent!(
        "remove one: `workbay image ls --mine` lists them, `workbay image rm NAME` removes one"
    ))
}
