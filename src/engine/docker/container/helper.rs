//! Short-lived containers of workbay's own image for work that would need root on this machine.

use bollard::{
    container::LogOutput,
    models::ContainerCreateBody,
    query_parameters::{
        CreateContainerOptionsBuilder, LogsOptionsBuilder, StartContainerOptions,
        WaitContainerOptions,
    },
};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::list::remove_container;
use crate::{
    engine::{api::Result, docker::connect::connection::EngineConnection},
    model::failure::Failure,
};

/// Runs the helper until it ends and returns its output. Removes a helper of the same name first, which a crash left.
pub(in crate::engine::docker) async fn run(
    connection: &EngineConnection,
    name: &str,
    body: ContainerCreateBody,
) -> Result<String> {
    remove_container(connection, name).await?;
    let outcome = run_once(connection, name, body).await;
    remove_container(connection, name).await?;
    outcome
}

async fn run_once(
    connection: &EngineConnection,
    name: &str,
    body: ContainerCreateBody,
) -> Result<String> {
    let docker = &connection.docker;
    let fault = |error| connection.fault(error);
    let options = CreateContainerOptionsBuilder::default().name(name).build();
    let made = docker.create_container(Some(options), body).await;
    let id = made.map_err(fault)?.id;
    let begun = docker.start_container(&id, None::<StartContainerOptions>);
    begun.await.map_err(fault)?;
    let mut ended = docker.wait_container(&id, None::<WaitContainerOptions>);
    let outcome = ended.next().await;
    drop(ended);
    match outcome {
        Some(Ok(_)) => Ok(said(connection, &id).await?.0),
        Some(Err(bollard::errors::Error::DockerContainerWaitError { .. })) => {
            let (_, complaint) = said(connection, &id).await?;
            let complaint = complaint.trim().trim_start_matches("workbay: ");
            Err(Failure::engine_refused(complaint.to_owned()))
        }
        Some(Err(error)) => Err(connection.fault(error)),
        None => Err(Failure::reported(tr_sent!(
            "the engine doesn't report how the helper container {name} ended",
            name
        ))),
    }
}

/// What the helper wrote to stdout and to stderr.
async fn said(connection: &EngineConnection, id: &str) -> Result<(String, String)> {
    let options = LogsOptionsBuilder::default()
        .stdout(true)
        .stderr(true)
        .build();
    let log: Vec<LogOutput> = connection
        .docker
        .logs(id, Some(options))
        .try_collect()
        .await
        .map_err(|error| connection.fault(error))?;
    let (mut out, mut err) = (String::new(), String::new());
    for piece in log {
        let text = piece.to_string();
        match piece {
            LogOutput::StdErr { .. } => err.push_str(&text),
            _ => out.push_str(&text),
        }
    }
    Ok((out, err))
}
