//! Pulls an image: the engine fetches it from its registry.

mod progress;
mod reason;
mod totals;

use std::{sync::Arc, time::Duration};

use bollard::{
    errors::Error,
    query_parameters::{CreateImageOptionsBuilder, RemoveImageOptions},
};
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use super::{
    architecture,
    registry_login::{self, Login},
};
use crate::{
    engine::{
        api::Result,
        docker::{
            DockerEngine,
            connect::{connection::EngineConnection, quirks::ContainerProgram},
        },
    },
    model::{failure::Failure, pull::PullFigures, reference},
};
use progress::{PullChange, PullProgress};
use reason::FailedPull;

/// A registry that still has data but sends nothing for this time counts as lost. It is less than the client's
/// time limit for the engine's first report, because an engine that waits for a registry isn't lost.
const SILENCE: Duration = Duration::from_secs(90);

/// A running pull. Dropping it closes the connection to the engine, which then cancels the pull and keeps
/// nothing of it.
struct Pulling {
    connection: Arc<EngineConnection>,
    reference: String,
    login: Option<Login>,
    /// Whether the image was on the engine before.
    was_here: bool,
    progress: PullProgress,
    over: bool,
}

impl DockerEngine {
    pub(in crate::engine::docker) async fn pull_image(
        &self,
        reference: &str,
    ) -> Result<BoxStream<'static, Result<PullFigures>>> {
        let connection = self.connection().await?;
        let reference = reference::with_tag(reference);
        let registry = reference::registry(&reference);
        let login =
            registry_login::find(registry, connection.quirks.kind == ContainerProgram::Podman)
                .await?;
        let options = CreateImageOptionsBuilder::default()
            .from_image(&reference)
            .build();
        let was_here = connection.docker.inspect_image(&reference).await.is_ok();
        let credentials = login.as_ref().map(|login| login.credentials.clone());
        let said = connection
            .docker
            .create_image(Some(options), None, credentials);
        let pulling = Pulling {
            progress: PullProgress::new(said.boxed(), connection.quirks.kind, SILENCE),
            connection,
            reference,
            login,
            was_here,
            over: false,
        };
        let figures = stream::unfold(pulling, async |mut pulling: Pulling| {
            let next = pulling.next().await?;
            Some((next, pulling))
        });
        Ok(figures.boxed())
    }
}

impl Pulling {
    /// The next changed figures; `None` = the image is complete.
    async fn next(&mut self) -> Option<Result<PullFigures>> {
        if self.over {
            return None;
        }
        let change = self.progress.next().await;
        self.over = !matches!(change, PullChange::Moved(_));
        Some(match change {
            PullChange::Moved(figures) => Ok(figures),
            PullChange::Failed(error) => Err(self.sorted(error)),
            PullChange::Silent => Err(reason::silent(&self.reference, SILENCE)),
            PullChange::Ended(figures) => {
                let (connection, reference) = (self.connection.clone(), self.reference.clone());
                let looked = look_at(connection, reference, self.was_here).await;
                looked.map(|()| figures)
            }
        })
    }

    fn sorted(&self, error: Error) -> Failure {
        let said = match error {
            Error::DockerResponseServerError { message, .. } => message,
            Error::DockerStreamError { error } => error,
            // The engine reports nothing until the registry answers, and has no time limit for that.
            Error::RequestTimeoutError => "i/o timeout".to_owned(),
            other => return self.connection.fault(other),
        };
        let tried = FailedPull {
            reference: &self.reference,
            kind: self.connection.quirks.kind,
            login: self.login.as_ref().map(|login| login.from.as_str()),
        };
        reason::sort(&said, &tried)
    }
}

/// Why a registry didn't take an image.
pub(super) fn not_pushed(
    said: &str,
    target: &str,
    kind: ContainerProgram,
    login: Option<&str>,
) -> Failure {
    reason::not_pushed(
        said,
        &FailedPull {
            reference: target,
            kind,
            login,
        },
    )
}

/// Checks that the engine can run the image. Removes an image that can't run and wasn't there before.
async fn look_at(
    connection: Arc<EngineConnection>,
    reference: String,
    was_here: bool,
) -> Result<()> {
    let found = connection.docker.inspect_image(&reference).await;
    let image = found.map_err(|error| connection.fault(error))?;
    let checked = architecture::check(&connection, &reference, image.architecture.as_deref());
    if checked.is_err() && !was_here {
        let options = None::<RemoveImageOptions>;
        if let Err(error) = connection
            .docker
            .remove_image(&reference, options, None)
            .await
        {
            tracing::warn!(%reference, %error, "an image that can't run on this engine is kept");
        }
    }
    checked
}
