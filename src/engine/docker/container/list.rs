//! Lists and removes containers, regardless of their instance.

use std::collections::{HashMap, HashSet};

use bollard::{
    errors::Error,
    models::ContainerSummary,
    query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder},
};

use super::labels;
use crate::engine::api::Result;
use crate::engine::docker::connect::connection::EngineConnection;

/// The containers with all these labels; `all` includes those that don't run.
pub(in crate::engine::docker) async fn summaries(
    connection: &EngineConnection,
    wanted: &[String],
    all: bool,
) -> Result<Vec<ContainerSummary>> {
    let filters = HashMap::from([("label".to_owned(), wanted.to_vec())]);
    let options = ListContainersOptionsBuilder::default()
        .all(all)
        .filters(&filters)
        .build();
    let listed = connection.docker.list_containers(Some(options)).await;
    listed.map_err(|error| connection.fault(error))
}

/// The keys of the toolboxes that containers of any instance have mounted.
pub(in crate::engine::docker) async fn toolboxes_in_use(
    connection: &EngineConnection,
) -> Result<HashSet<String>> {
    let all = summaries(connection, &[labels::TOOLBOX.to_owned()], true).await?;
    let keys = all
        .into_iter()
        .filter_map(|one| one.labels?.remove(labels::TOOLBOX));
    Ok(keys.collect())
}

pub(in crate::engine::docker) async fn remove_container(
    connection: &EngineConnection,
    id: &str,
) -> Result<()> {
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    match connection.docker.remove_container(id, Some(options)).await {
        // 409: another removal is in progress.
        Err(Error::DockerResponseServerError {
            status_code: 404 | 409,
            ..
        })
        | Ok(()) => Ok(()),
        Err(error) => Err(connection.fault(error)),
    }
}
