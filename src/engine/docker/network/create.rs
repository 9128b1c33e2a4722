//! Creates and removes workbay's networks in an engine.

use std::collections::HashMap;

use bollard::{
    errors::Error,
    models::{EndpointSettings, NetworkCreateRequest, NetworkingConfig},
    query_parameters::{InspectNetworkOptions, ListNetworksOptionsBuilder},
};

use super::super::{
    connect::{connection::EngineConnection, quirks::ContainerProgram},
    container::{labels, list::summaries, planned::PlannedContainer},
};
use crate::{
    engine::api::Result,
    model::{
        failure::Failure,
        id::{InstanceId, SessionId},
        network::{GUARDED_BRIDGES, OPEN_BRIDGES},
    },
};

type Options = HashMap<String, String>;

/// The maximum packet size of a network; an administrator may have lowered it for a reason.
const MTU: &str = "com.docker.network.driver.mtu";
const BRIDGE_NAME: &str = "com.docker.network.bridge.name";
/// Traffic between the containers of one network.
const TRAFFIC_WITHIN: &str = "com.docker.network.bridge.enable_icc";

/// The settings of a requested network.
pub(super) struct NetworkRequest {
    pub(super) whose: NetworkScope,
    /// Whether sessions on it may reach programs of the machine.
    pub(super) is_open: bool,
    /// Whether it connects only its own containers.
    pub(super) is_closed_up: bool,
}

/// What shares a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetworkScope {
    /// Sessions of one container each; they can't reach each other.
    User,
    /// The containers of one session.
    Session(SessionId),
}

/// An existing network.
pub(super) struct ExistingNetwork {
    pub(super) id: String,
    pub(super) bridge: String,
}

impl NetworkRequest {
    fn name(&self, instance: InstanceId) -> String {
        match self.whose {
            NetworkScope::User if self.is_open => format!("workbay.user.{instance}.open"),
            NetworkScope::User => format!("workbay.user.{instance}"),
            NetworkScope::Session(session) => format!("workbay.{}", session.short()),
        }
    }

    /// The name of its bridge, which the machine's firewall rules use. Names of network devices have up to 15
    /// characters.
    fn bridge(&self, instance: InstanceId) -> String {
        let beginning = if self.is_open {
            OPEN_BRIDGES
        } else {
            GUARDED_BRIDGES
        };
        let id = match self.whose {
            NetworkScope::User => instance.to_string(),
            NetworkScope::Session(session) => session.to_string(),
        };
        // The last digits of an id are unique; the first may come from a time.
        let end = &id[id.len().saturating_sub(11)..];
        format!("{beginning}{end}")
    }

    fn labels(&self, instance: InstanceId) -> HashMap<String, String> {
        let own = match self.whose {
            NetworkScope::User => (labels::NETWORK, self.bridge(instance)),
            NetworkScope::Session(session) => (labels::SESSION, session.to_string()),
        };
        [
            (labels::OURS, "1".to_owned()),
            (labels::INSTANCE, instance.to_string()),
            own,
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    fn options(
        &self,
        instance: InstanceId,
        connection: &EngineConnection,
        mtu: Option<String>,
    ) -> Options {
        let mut options = Options::new();
        options.extend(mtu.map(|mtu| (MTU.to_owned(), mtu)));
        if connection.quirks.kind == ContainerProgram::Docker {
            options.insert(BRIDGE_NAME.to_owned(), self.bridge(instance));
            if self.whose == NetworkScope::User {
                options.insert(TRAFFIC_WITHIN.to_owned(), "false".to_owned());
            }
        }
        options
    }
}

/// The existing network, or a new one.
pub(super) async fn ensure(
    connection: &EngineConnection,
    instance: InstanceId,
    wanted: &NetworkRequest,
) -> Result<ExistingNetwork> {
    let bridge = wanted.bridge(instance);
    let filters = match wanted.whose {
        NetworkScope::User => format!("{}={bridge}", labels::NETWORK),
        NetworkScope::Session(session) => format!("{}={session}", labels::SESSION),
    };
    if let Some(id) = networks(connection, instance, filters.clone()).await?.pop() {
        return Ok(ExistingNetwork { id, bridge });
    }
    let mtu = mtu(connection).await;
    let request = NetworkCreateRequest {
        name: wanted.name(instance),
        driver: Some("bridge".to_owned()),
        internal: wanted.is_closed_up.then_some(true),
        options: Some(wanted.options(instance, connection, mtu)),
        labels: Some(wanted.labels(instance)),
        ..NetworkCreateRequest::default()
    };
    match connection.docker.create_network(request).await {
        Ok(made) => Ok(ExistingNetwork {
            id: made.id,
            bridge,
        }),
        // A session that starts at the same time may have created it first.
        Err(error) => match networks(connection, instance, filters).await?.pop() {
            Some(id) => Ok(ExistingNetwork { id, bridge }),
            None => Err(no_network(connection.fault(error))),
        },
    }
}

/// Explains the engine's error about address pools.
fn no_network(error: Failure) -> Failure {
    match &error.why {
        Some(said) if said.as_str().contains("address pool") => Failure::engine_refused(tr_sent!(
            "it has no addresses left for another network ({said}). Terminate other sessions, or remove \
                 unused networks with `docker network prune`",
            said
        )),
        _ => error,
    }
}

/// The packet size of the engine's own network, if it is set there.
async fn mtu(connection: &EngineConnection) -> Option<String> {
    let own = connection.quirks.own_network?;
    let options = None::<InspectNetworkOptions>;
    let bridge = connection.docker.inspect_network(own, options).await.ok()?;
    bridge.options?.remove(MTU)
}

/// Removes every network of the session, after its containers are gone.
pub(in crate::engine::docker) async fn remove_networks(
    connection: &EngineConnection,
    instance: InstanceId,
    session: SessionId,
) -> Result<()> {
    let of_session = format!("{}={session}", labels::SESSION);
    remove(
        connection,
        networks(connection, instance, of_session).await?,
    )
    .await
}

/// Removes the networks of the user when the instance has no containers left.
pub(super) async fn remove_users(
    connection: &EngineConnection,
    instance: InstanceId,
) -> Result<()> {
    let of_user = networks(connection, instance, labels::NETWORK.to_owned()).await?;
    let of_instance = [format!("{}={instance}", labels::INSTANCE)];
    if of_user.is_empty() || !summaries(connection, &of_instance, true).await?.is_empty() {
        return Ok(());
    }
    remove(connection, of_user).await
}

async fn remove(connection: &EngineConnection, all: Vec<String>) -> Result<()> {
    for id in all {
        match connection.docker.remove_network(&id).await {
            Ok(())
            | Err(Error::DockerResponseServerError {
                status_code: 404, ..
            }) => {}
            Err(error) => return Err(connection.fault(error)),
        }
    }
    Ok(())
}

/// The ids of the instance's networks with this label.
async fn networks(
    connection: &EngineConnection,
    instance: InstanceId,
    label: String,
) -> Result<Vec<String>> {
    let wanted = vec![format!("{}={instance}", labels::INSTANCE), label];
    let filters = HashMap::from([("label", wanted)]);
    let options = ListNetworksOptionsBuilder::default()
        .filters(&filters)
        .build();
    let listed = connection.docker.list_networks(Some(options)).await;
    let listed = listed.map_err(|error| connection.fault(error))?;
    Ok(listed.into_iter().filter_map(|one| one.id).collect())
}

/// The container's address on the network, where other containers find it by its host name.
pub(in crate::engine::docker) fn endpoint(
    network: &str,
    planned: PlannedContainer,
) -> NetworkingConfig {
    let endpoint = EndpointSettings {
        aliases: Some(vec![planned.hostname()]),
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
    fn the_name_of_a_bridge_fits_and_says_whether_the_machine_is_open() {
        let (instance, session) = (InstanceId::random(), SessionId::random());
        let bridge = |whose, is_open| {
            NetworkRequest {
                whose,
                is_open,
                is_closed_up: false,
            }
            .bridge(instance)
        };
        let all = [
            bridge(NetworkScope::User, false),
            bridge(NetworkScope::User, true),
            bridge(NetworkScope::Session(session), false),
            bridge(NetworkScope::Session(session), true),
        ];
        assert!(all.iter().all(|name| name.len() == 15), "{all:?}");
        for (name, beginning) in all.iter().zip(["wb-c", "wb-o", "wb-c", "wb-o"]) {
            assert!(name.starts_with(beginning), "{name}");
        }
        let different: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }

    #[test]
    fn no_room_for_a_network_says_what_to_do() {
        let said =
            "could not find an available, non-overlapping IPv4 address pool among the defaults";
        let error = no_network(Failure::reported(said.to_owned()));
        assert!(
            error.to_string().contains("docker network prune"),
            "{error}"
        );
    }
}
