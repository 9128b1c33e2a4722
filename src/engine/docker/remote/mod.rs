//! Sessions on an engine that can't see this machine's files: the toolbox and the home directories are volumes
//! on that engine, filled by upload. What isn't possible there is refused with a reason.

mod toolbox_volume;
mod upload;

use std::{collections::HashMap, env::consts::ARCH, path::PathBuf};

use bollard::{
    errors::Error,
    models::{Mount, MountType, MountVolumeOptions, VolumeCreateRequest},
    query_parameters::{ListVolumesOptionsBuilder, RemoveVolumeOptionsBuilder},
};

pub(super) use toolbox_volume::ensure as ensure_toolbox;

use super::{
    connect::connection::EngineConnection, container::labels, image::architecture::spelled,
};
use crate::{
    engine::api::{CreatePlan, Result},
    model::{
        failure::Failure,
        id::{InstanceId, SessionId},
        inside,
    },
};

/// Creates the volume of a home directory; `place` is the number of the container in a cluster.
pub(super) async fn make_home(
    connection: &EngineConnection,
    instance: InstanceId,
    session: SessionId,
    place: u32,
) -> Result<String> {
    let name = format!("workbay.home.{session}.{place}");
    let labels = HashMap::from([
        (labels::OURS.to_owned(), "1".to_owned()),
        (labels::INSTANCE.to_owned(), instance.to_string()),
        (labels::SESSION.to_owned(), session.to_string()),
    ]);
    make_volume(connection, &name, labels).await?;
    Ok(name)
}

/// Creates a volume; an existing one isn't changed.
async fn make_volume(
    connection: &EngineConnection,
    name: &str,
    labels: HashMap<String, String>,
) -> Result<()> {
    let wanted = VolumeCreateRequest {
        name: Some(name.to_owned()),
        labels: Some(labels),
        ..VolumeCreateRequest::default()
    };
    match connection.docker.create_volume(wanted).await {
        Ok(_) => Ok(()),
        Err(Error::DockerResponseServerError {
            status_code: 409, ..
        }) => Ok(()),
        Err(error) => Err(connection.fault(error)),
    }
}

/// Uploads the first files of a home directory from a copy on this machine into its container.
pub(super) async fn fill_home(
    connection: &EngineConnection,
    container: &str,
    copy: PathBuf,
    owner: (u32, u32),
) -> Result<()> {
    upload::upload(connection, container, move |tar| {
        let home = inside::HOME.trim_start_matches('/');
        upload::append_tree(tar, &copy, home.as_ref(), owner)
    })
    .await
}

/// Removes the volumes of a session's home directories, after its containers are gone.
pub(super) async fn remove_homes(
    connection: &EngineConnection,
    instance: InstanceId,
    session: SessionId,
) -> Result<()> {
    let wanted = vec![
        format!("{}={instance}", labels::INSTANCE),
        format!("{}={session}", labels::SESSION),
    ];
    let filters = HashMap::from([("label", wanted)]);
    let options = ListVolumesOptionsBuilder::default()
        .filters(&filters)
        .build();
    let listed = connection.docker.list_volumes(Some(options)).await;
    let listed = listed.map_err(|error| connection.fault(error))?;
    for volume in listed.volumes.unwrap_or_default() {
        remove_volume(connection, &volume.name).await?;
    }
    Ok(())
}

async fn remove_volume(connection: &EngineConnection, name: &str) -> Result<()> {
    let options = RemoveVolumeOptionsBuilder::default().build();
    match connection.docker.remove_volume(name, Some(options)).await {
        Ok(())
        | Err(Error::DockerResponseServerError {
            status_code: 404, ..
        }) => Ok(()),
        Err(error) => Err(connection.fault(error)),
    }
}

/// Mounts a volume in a container, without copying files of the image into it.
pub(super) fn mount(volume: &str, target: &str, read_only: bool) -> Mount {
    Mount {
        source: Some(volume.to_owned()),
        target: Some(target.to_owned()),
        typ: Some(MountType::VOLUME),
        read_only: Some(read_only),
        volume_options: Some(MountVolumeOptions {
            no_copy: Some(true),
            ..MountVolumeOptions::default()
        }),
        ..Mount::default()
    }
}

/// Refuses launch settings that a remote engine can't fulfill.
pub(super) fn check(connection: &EngineConnection, plan: &CreatePlan) -> Result<()> {
    if plan.spec.home_of.is_some() {
        return Err(Failure::unsupported(tr_sent!(
            "the home directory of an earlier session can't be used with an engine on another \
             machine. Launch without --same-home"
        )));
    }
    check_processor(connection)
}

/// The bundled tools run only on the same kind of processor.
pub(super) fn check_processor(connection: &EngineConnection) -> Result<()> {
    let (ours, theirs) = (spelled(ARCH), spelled(&connection.processor));
    let same = theirs.is_empty() || ours == theirs;
    if same {
        return Ok(());
    }
    Err(Failure::unsupported(tr_sent!(
        "the engine's machine has another processor ({theirs}) than this machine ({ours}). Run \
         workbay on a machine with {theirs}",
        theirs,
        ours
    )))
}
