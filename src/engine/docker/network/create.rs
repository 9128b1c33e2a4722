//! Creates and removes workbay's networks in an engine.

use std::collections::HashMap;

use bollard::{
    errors::Error,
    models::{EndpointSettings, NetworkCreateRequest, NetworkingConfig},
    query_parameters::{InspectNetworkOptions, ListNetworksOptionsBuilder},
};

use super::super::{
    connect::{connection::Line, quirks::Kind},
    container::{labels, list::summaries, planned::Seat},
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
pub(super) struct Wanted {
    pub(super) whose: Whose,
    /// Whether sessions on it may reach programs of the machine.
    pub(super) is_open: bool,
    /// Whether it connects only its own containers.
    pub(super) is_closed_up: bool,
}

/// What shares a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Sessions of one container each; they can't reach each other.
    User,
    /// The containers of one session.
    Session(SessionId),
}

/// An existing network.
pub(super) struct Made {
    pub(super) id: String,
    pub(super) bridge: String,
}

impl Wanted {
    fn name(&self, instance: InstanceId) -> String {
        match self.whose {
            Whose::User if self.is_open => format!("workbay.user.{instance}.open"),
            Whose::User => format!("workbay.user.{instance}"),
            Whose::Session(session) => format!("workbay.{}", session.short()),
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
            Whose::User => instance.to_string(),
            Whose::Session(session) => session.to_string(),
        };
        // The last digits of an id are unique; the first may come from a time.
        let end = &id[id.len().saturating_sub(11)..];
        format!("{beginning}{end}")
    }

    fn labels(&self, instance: InstanceId) -> HashMap<String, String> {
        let own = match self.whose {
            Whose::User => (labels::NETWORK, self.bridge(instance)),
            Whose::Session(session) => (labels::SESSION, session.to_string()),
        };
        [
            (labels::OURS, "1".to_owned()),
            (labels::INSTANCE, instance.to_string()),
            own,
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    fn options(&self, instance: InstanceId, line: &Line, mtu: Option<String>) -> Options {
        let mut options = Options::new();
        options.extend(mtu.map(|mtu| (MTU.to_owned(), mtu)));
        if line.habits.kind == Kind::Docker {
            options.insert(BRIDGE_NAME.to_owned(), self.bridge(instance));
            if self.whose == Whose::User {
                options.insert(TRAFFIC_WITHIN.to_owned(), "false".to_owned());
            }
        }
        options
    }
}

/// The existing network, or a new one.
pub(super) async fn ensure(line: &Line, instance: InstanceId, wanted: &Wanted) -> Result<Made> {
    let bridge = wanted.bridge(instance);
    let filters = match wanted.whose {
        Whose::User => format!("{}={bridge}", labels::NETWORK),
        Whose::Session(session) => format!("{}={session}", labels::SESSION),
    };
    if let Some(id) = networks(line, instance, filters.clone()).await?.pop() {
        return Ok(Made { id, bridge });
    }
    let mtu = mtu(line).await;
    let request = NetworkCreateRequest {
        name: wanted.name(instance),
        driver: Some("bridge".to_owned()),
        internal: wanted.is_closed_up.then_some(true),
        options: Some(wanted.options(instance, line, mtu)),
        labels: Some(wanted.labels(instance)),
        ..NetworkCreateRequest::default()
    };
    match line.docker.create_network(request).await {
        Ok(made) => Ok(Made {
            id: made.id,
            bridge,
        }),
        // A session that starts at the same time may have created it first.
        Err(error) => match networks(line, instance, filters).await?.pop() {
            Some(id) => Ok(Made { id, bridge }),
            None => Err(no_network(line.fault(error))),
        },
    }
}

/// Explains the engine's error about address pools.
fn no_network(error: Failure) -> Failure {
    match &error.why {
        Some(said) if said.as_str().contains("address pool") => Failure::engine_refused(format!(
            "it has no addresses left for another network ({said}). Terminate other sessions, or remove \
                 unused networks with `docker network prune`"
        )),
        _ => error,
    }
}

/// The packet size of the engine's own network, if it is set there.
async fn mtu(line: &Line) -> Option<String> {
    let own = line.habits.own_network?;
    let options = None::<InspectNetworkOptions>;
    let bridge = line.docker.inspect_network(own, options).await.ok()?;
    bridge.options?.remove(MTU)
}

/// Removes every network of the session, after its containers are gone.
pub(in crate::engine::docker) async fn remove_networks(
    line: &Line,
    instance: InstanceId,
    session: SessionId,
) -> Result<()> {
    let of_session = format!("{}={session}", labels::SESSION);
    remove(line, networks(line, instance, of_session).await?).await
}

/// Removes the networks of the user when the instance has no containers left.
pub(super) async fn remove_users(line: &Line, instance: InstanceId) -> Result<()> {
    let of_user = networks(line, instance, labels::NETWORK.to_owned()).await?;
    let of_instance = [format!("{}={instance}", labels::INSTANCE)];
    if of_user.is_empty() || !summaries(line, &of_instance, true).await?.is_empty() {
        return Ok(());
    }
    remove(line, of_user).await
}

async fn remove(line: &Line, all: Vec<String>) -> Result<()> {
    for id in all {
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

/// The ids of the instance's networks with this label.
async fn networks(line: &Line, instance: InstanceId, label: String) -> Result<Vec<String>> {
    let wanted = vec![format!("{}={instance}", labels::INSTANCE), label];
    let filters = HashMap::from([("label", wanted)]);
    let options = ListNetworksOptionsBuilder::default()
        .filters(&filters)
        .build();
    let listed = line.docker.list_networks(Some(options)).await;
    let listed = listed.map_err(|error| line.fault(error))?;
    Ok(listed.into_iter().filter_map(|one| one.id).collect())
}

/// The container's address on the network, where other containers find it by its host name.
pub(in crate::engine::docker) fn endpoint(network: &str, seat: Seat) -> NetworkingConfig {
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
    fn the_name_of_a_bridge_fits_and_says_whether_the_machine_is_open() {
        let (instance, session) = (InstanceId::random(), SessionId::random());
        let bridge = |whose, is_open| {
            Wanted {
                whose,
                is_open,
                is_closed_up: false,
            }
            .bridge(instance)
        };
        let all = [
            bridge(Whose::User, false),
            bridge(Whose::User, true),
            bridge(Whose::Session(session), false),
            bridge(Whose::Session(session), true),
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
