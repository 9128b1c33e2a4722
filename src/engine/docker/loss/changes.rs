//! The paths that changed in a container, as the engine reports them.

use std::ffi::OsStr;

use bollard::models::ChangeType;

use crate::{
    engine::{
        api::Result,
        docker::{DockerEngine, terminal::streams::ProgramStarter},
    },
    model::{
        files::FilePath,
        id::SessionId,
        loss::{MOST_COUNTED, UnsavedOrder},
    },
};

impl DockerEngine {
    /// The changed paths of a container, at most [`MOST_COUNTED`].
    pub(super) async fn changed_paths(
        &self,
        starter: &ProgramStarter,
        session: SessionId,
    ) -> Result<UnsavedOrder> {
        let asked = starter
            .connection
            .docker
            .container_changes(&starter.container);
        let changes = asked
            .await
            .map_err(|error| self.named(starter.connection.fault(error), session))?;
        let most = usize::try_from(MOST_COUNTED).unwrap_or(usize::MAX);
        let paths = changes.unwrap_or_default();
        let shortened = paths.len() > most;
        let here = paths.into_iter().filter(|it| it.kind != ChangeType::_2);
        let parsed = here.filter_map(|it| FilePath::parse(OsStr::new(&it.path)).ok());
        Ok(UnsavedOrder {
            changed: parsed.take(most).collect(),
            shortened,
            ..UnsavedOrder::default()
        })
    }
}
