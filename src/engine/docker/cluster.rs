//! The network of a cluster's containers.

use std::collections::HashMap;

use bollard::{
    errors::Error,
    models::{EndpointSettings, NetworkCreateRequest, NetworkingConfig},
    query_parameters::{InspectNetworkOptions, ListNetworksOptionsBuilder},
};

use super::{labels, line::Line, seat::Seat};
use crate::{
    engine::{api::Result, error::EngineError},
    model::id::{InstanceId, SessionId},
};

/// What may pass a network at once; a machine that sets it lower does so for a reason.
const MTU: &str = "com.docker.network.driver.mtu";

/// The network of a session's containers: the one that is there, or a new one. Its id.
pub(super) async fn ensure_network(
    line: &Line,
    instance: InstanceId,
    session: SessionId,
) -> Result<String> {
    if let Some(there) = networks(line, instance, session).await?.pop() {
        return Ok(there);
    }
    let request = NetworkCreateRequest {
        name: format!("workbay.{}", session.short()),
        driver: Some("bridge".to_owned()),
        options: mtu(line)
            .await
            .map(|mtu| HashMap::from([(MTU.to_owned(), mtu)])),
        labels: Some(HashMap::from([
            (labels::OURS.to_owned(), "1".to_owned()),
            (labels::INSTANCE.to_owned(), instance.to_string()),
            (labels::SESSION.to_owned(), session.to_string()),
        ])),
        ..NetworkCreateRequest::default()
    };
    match line.docker.create_network(request).await {
        Ok(made) => Ok(made.id),
        Err(error) => Err(no_network(line.fault(error))),
    }
}

/// The engine's own words for it speak of address pools.
fn no_network(error: EngineError) -> EngineError {
    match error {
        EngineError::Other(said) | EngineError::Refused(said) if said.contains("address pool") => {
            EngineError::Refused(format!(
                "it has no network left for the cluster ({said}): end other clusters, or remove \
                 networks nobody uses with `docker network prune`"
            ))
        }
        other => other,
    }
}

/// What the engine's own network passes at once, where it was told.
async fn mtu(line: &Line) -> Option<String> {
    let own = line.habits.own_network?;
    let options = None::<InspectNetworkOptions>;
    let bridge = line.docker.inspect_network(own, options).await.ok()?;
    bridge.options?.remove(MTU)
}

/// Removes every network of the session. Its containers are gone by then.
pub(super) async fn remove_networks(
    line: &Line,
    instance: InstanceId,
    session: SessionId,
) -> Result<()> {
    for id in networks(line, instance, session).await? {
        match line.docker.remove_network(&id).await {
            Ok(())
            | Err(Error::DockerResponseServerError {
                status_code: 404, ..
            }) => {}
            Err(error) => return Err(line.fault(error)),
        }
    }
    Ok(())
}

async fn networks(line: &Line, instance: InstanceId, session: SessionId) -> Result<Vec<String>> {
    let wanted = vec![
        format!("{}={instance}", labels::INSTANCE),
        format!("{}={session}", labels::SESSION),
    ];
    let filters = HashMap::from([("label", wanted)]);
    let options = ListNetworksOptionsBuilder::default()
        .filters(&filters)
        .build();
    let listed = line.docker.list_networks(Some(options)).await;
    let listed = listed.map_err(|error| line.fault(error))?;
    Ok(listed.into_iter().filter_map(|one| one.id).collect())
}

/// The container's place on the network, where the others find it by its host name.
pub(super) fn endpoint(network: &str, seat: Seat) -> NetworkingConfig {
    let endpoint = EndpointSettings {
        aliases: Some(vec![seat.hostname()]),
        ..EndpointSettings::default()
    };
    NetworkingConfig {
        endpoints_config: Some(HashMap::from([(network.to_owned(), endpoint)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_room_for_a_network_says_what_to_do() {
        let said =
            "could not find an available, non-overlapping IPv4 address pool among the defaults";
        let error = no_network(EngineError::Other(said.to_owned()));
        assert!(
            error.to_string().contains("docker network prune"),
            "{error}"
        );
    }
}
