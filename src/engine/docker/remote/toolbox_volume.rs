//! The toolbox on a remote engine: a volume, and a container that never runs. The container keeps the volume from
//! being removed, and its name shows that the volume is complete.

use std::{collections::HashMap, path::Path};

use bollard::{
    errors::Error,
    models::{ContainerCreateBody, HostConfig},
    query_parameters::{
        CreateContainerOptionsBuilder, InspectContainerOptions, RenameContainerOptionsBuilder,
    },
};

use super::{make_volume, mount, upload};
use crate::{
    engine::{
        api::Result,
        docker::{
            connect::connection::EngineConnection,
            container::{labels, list::remove_container},
            image::host,
            toolbox::Toolbox,
        },
    },
    model::inside,
};

/// The volume of this toolbox; it is filled unless it exists and is complete.
pub(in crate::engine::docker) async fn ensure(
    connection: &EngineConnection,
    toolbox: &Toolbox,
) -> Result<String> {
    let name = format!("workbay.toolbox.{}", toolbox.key);
    if is_whole(connection, &name).await? {
        return Ok(name);
    }
    remove_container(connection, &name).await?;
    make_volume(connection, &name, ours()).await?;
    let keeper = make_keeper(connection, &name).await?;
    let filled = fill(connection, &keeper, &toolbox.dir).await;
    let named = match filled {
        Ok(()) => rename(connection, &keeper, &name).await,
        Err(error) => Err(error),
    };
    if named.is_err() {
        // Another process may have been faster, and then its container serves as well.
        remove_container(connection, &keeper).await?;
        if is_whole(connection, &name).await? {
            return Ok(name);
        }
    }
    named.map(|()| name)
}

/// Checks volume and container: an engine automatically creates a missing volume, which is empty.
async fn is_whole(connection: &EngineConnection, name: &str) -> Result<bool> {
    let missing = |error: Error| match error {
        Error::DockerResponseServerError {
            status_code: 404, ..
        } => Ok(false),
        error => Err(connection.fault(error)),
    };
    let keeper = connection
        .docker
        .inspect_container(name, None::<InspectContainerOptions>);
    if !keeper.await.map(|_| true).or_else(missing)? {
        return Ok(false);
    }
    let volume = connection.docker.inspect_volume(name).await;
    volume.map(|_| true).or_else(missing)
}

fn ours() -> HashMap<String, String> {
    HashMap::from([(labels::OURS.to_owned(), "1".to_owned())])
}

async fn make_keeper(connection: &EngineConnection, volume: &str) -> Result<String> {
    // Any image works, because the container never runs.
    let image = host::ensure_image(connection, (0, 0)).await?;
    let making = format!("{volume}.{}", uuid::Uuid::new_v4().simple());
    let options = CreateContainerOptionsBuilder::default()
        .name(&making)
        .build();
    let body = ContainerCreateBody {
        image: Some(image),
        entrypoint: Some(vec!["never".to_owned()]),
        labels: Some(ours()),
        host_config: Some(HostConfig {
            mounts: Some(vec![mount(volume, inside::TOOLBOX, false)]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let made = connection
        .docker
        .create_container(Some(options), body)
        .await;
    Ok(made.map_err(|error| connection.fault(error))?.id)
}

async fn fill(connection: &EngineConnection, keeper: &str, from: &Path) -> Result<()> {
    let from = from.to_owned();
    upload::upload(connection, keeper, move |tar| {
        let place = inside::TOOLBOX.trim_start_matches('/');
        upload::append_tree(tar, &from, place.as_ref(), (0, 0))
    })
    .await
}

async fn rename(connection: &EngineConnection, keeper: &str, name: &str) -> Result<()> {
    let options = RenameContainerOptionsBuilder::default().name(name).build();
    let renamed = connection.docker.rename_container(keeper, options).await;
    renamed.map_err(|error| connection.fault(error))
}
