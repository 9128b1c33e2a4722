//! Turns the engine's records of containers into sightings of sessions.

use std::collections::{BTreeMap, HashMap};

use bollard::models::{
    ContainerInspectResponse, ContainerState as EngineState, ContainerStateStatusEnum as Inspected,
    ContainerSummary, ContainerSummaryStateEnum as Listed, EndpointSettings,
};
use jiff::Timestamp;

use super::{labels, members::Member, names, planned::hostname};
use crate::{
    engine::api::{ContainerState, Recorded, Sighting, SubSighting},
    model::{
        id::{InstanceId, KernelId, SessionId},
        text::Clean,
    },
};

/// One container of a session.
#[derive(Clone, Debug)]
pub(in crate::engine::docker) struct SessionContainer {
    session: SessionId,
    pub(in crate::engine::docker) kernel: KernelId,
    /// 0 is the main container.
    place: u32,
    pub(in crate::engine::docker) container_id: Clean,
    pub(in crate::engine::docker) name: Option<Clean>,
    pub(in crate::engine::docker) state: ContainerState,
    /// The address on the engine's network.
    pub(in crate::engine::docker) address: Option<Clean>,
    recorded: Option<Recorded>,
}

/// A container of `instance` from the list. The list has no exit code of ended containers: `false` means that
/// the caller must inspect the container.
pub(in crate::engine::docker) fn of_summary(
    summary: &ContainerSummary,
    instance: InstanceId,
) -> Option<(SessionContainer, bool)> {
    let labels = summary.labels.as_ref()?;
    let (state, complete) = match summary.state {
        Some(Listed::RUNNING) => (ContainerState::Running { started_at: None }, true),
        Some(Listed::CREATED) => (ContainerState::Created, true),
        Some(Listed::PAUSED) => (ContainerState::Paused, true),
        Some(Listed::RESTARTING) => (ContainerState::Restarting, true),
        _ => (dead("", ""), false),
    };
    let name = summary.names.as_ref().and_then(|names| names.first());
    let (id, name) = (summary.id.as_deref()?, name.map(String::as_str));
    let mut part = part(labels, instance, id, name, state)?;
    let networks = summary.network_settings.as_ref();
    part.address = networks.and_then(|it| address(it.networks.as_ref()));
    Some((part, complete))
}

/// A container of `instance` from its full record.
pub(in crate::engine::docker) fn of_inspect(
    record: &ContainerInspectResponse,
    instance: InstanceId,
) -> Option<SessionContainer> {
    let labels = record.config.as_ref()?.labels.as_ref()?;
    let state = record
        .state
        .as_ref()
        .map_or_else(|| dead("", tr_sent!("no state")), state);
    let (id, name) = (record.id.as_deref()?, record.name.as_deref());
    let mut part = part(labels, instance, id, name, state)?;
    let networks = record.network_settings.as_ref();
    part.address = networks.and_then(|it| address(it.networks.as_ref()));
    Some(part)
}

/// The address on the container's only network.
fn address(networks: Option<&HashMap<String, EndpointSettings>>) -> Option<Clean> {
    let mut all = networks?
        .values()
        .filter_map(|one| one.ip_address.as_deref());
    let address = all.find(|address| !address.is_empty())?;
    Some(Clean::new(address))
}

fn part(
    labels: &labels::Labels,
    instance: InstanceId,
    id: &str,
    name: Option<&str>,
    state: ContainerState,
) -> Option<SessionContainer> {
    let (session, kernel) = labels::identity(labels, instance)?;
    Some(SessionContainer {
        session,
        kernel,
        place: labels::place(labels),
        container_id: Clean::new(id),
        name: name
            .and_then(names::session_name)
            .map(|name| Clean::new(&name)),
        state,
        address: None,
        recorded: labels::recorded(labels),
    })
}

/// Groups containers into sessions.
pub(in crate::engine::docker) fn together(parts: Vec<SessionContainer>) -> Vec<Sighting> {
    let mut sessions: BTreeMap<SessionId, Vec<SessionContainer>> = BTreeMap::new();
    for part in parts {
        sessions.entry(part.session).or_default().push(part);
    }
    sessions.into_values().filter_map(session).collect()
}

fn session(mut parts: Vec<SessionContainer>) -> Option<Sighting> {
    parts.sort_by_key(|part| part.place);
    let first = parts.first().cloned()?;
    let is_main = first.place == 0;
    let subs = parts.into_iter().filter(|part| part.place > 0);
    Some(Sighting {
        session: first.session,
        kernel: first.kernel,
        container_id: first.container_id,
        name: first.name,
        state: if is_main {
            first.state
        } else {
            dead("", tr_sent!("its main container doesn't exist any more"))
        },
        address: first.address,
        home: None,
        recorded: first.recorded.map(Box::new),
        subs: subs.map(sub).collect(),
    })
}

fn sub(part: SessionContainer) -> SubSighting {
    SubSighting {
        kernel: part.kernel,
        hostname: Clean::new(&hostname(part.place)),
        container_id: part.container_id,
        state: part.state,
    }
}

/// The containers of a session that has its main container; otherwise none.
pub(in crate::engine::docker) fn members(seen: &Sighting) -> Vec<Member> {
    if seen.subs.iter().any(|sub| sub.kernel == seen.kernel) {
        return Vec::new();
    }
    let main = (seen.kernel, &seen.container_id);
    let subs = seen.subs.iter().map(|sub| (sub.kernel, &sub.container_id));
    std::iter::once(main)
        .chain(subs)
        .zip(0..)
        .map(|((kernel, id), place)| Member {
            id: id.as_str().to_owned(),
            kernel,
            place,
        })
        .collect()
}

fn state(state: &EngineState) -> ContainerState {
    match state.status {
        Some(Inspected::CREATED) => ContainerState::Created,
        Some(Inspected::RUNNING | Inspected::STOPPING) => ContainerState::Running {
            started_at: time(state.started_at.as_deref()),
        },
        Some(Inspected::PAUSED) => ContainerState::Paused,
        Some(Inspected::RESTARTING) => ContainerState::Restarting,
        Some(Inspected::EXITED) => ContainerState::Exited {
            exit_code: state.exit_code.unwrap_or(-1),
            oom_killed: state.oom_killed.unwrap_or(false),
            finished_at: time(state.finished_at.as_deref()),
        },
        _ => dead(
            state.error.as_deref().unwrap_or_default(),
            tr_sent!("the engine is removing the container, or failed to remove it"),
        ),
    }
}

fn dead(said: &str, otherwise: &str) -> ContainerState {
    let why = if said.is_empty() { otherwise } else { said };
    ContainerState::Dead {
        why: Clean::new(why),
    }
}

/// Parses a time. The engine writes the year 1 for "never".
fn time(text: Option<&str>) -> Option<Timestamp> {
    text?
        .parse::<Timestamp>()
        .ok()
        .filter(|at| at.as_second() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(place: u32, state: ContainerState) -> SessionContainer {
        SessionContainer {
            session: SessionId::from_u128(1),
            kernel: KernelId::from_u128(10 + u128::from(place)),
            place,
            container_id: Clean::new(&format!("c{place}")),
            name: Some("first".into()),
            state,
            address: None,
            recorded: None,
        }
    }

    #[test]
    fn the_containers_of_a_cluster_are_one_session() {
        let parts = [2, 0, 1].map(|place| container(place, ContainerState::Created));
        let all = together(parts.to_vec());
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].kernel, KernelId::from_u128(10));
        let names: Vec<&str> = all[0].subs.iter().map(|s| s.hostname.as_str()).collect();
        assert_eq!(names, ["sub1", "sub2"]);
        let ids: Vec<String> = members(&all[0]).into_iter().map(|m| m.id).collect();
        assert_eq!(ids, ["c0", "c1", "c2"]);
    }

    #[test]
    fn a_cluster_without_its_main_container_is_dead() {
        let parts = [1, 2].map(|place| container(place, ContainerState::Paused));
        let all = together(parts.to_vec());
        assert_eq!(all.len(), 1);
        assert!(
            matches!(&all[0].state, ContainerState::Dead { why } if why.as_str().contains("main"))
        );
        assert_eq!(all[0].subs.len(), 2);
        assert!(members(&all[0]).is_empty());
    }

    #[test]
    fn never_is_no_time() {
        assert_eq!(time(Some("0001-01-01T00:00:00Z")), None);
        assert_eq!(time(None), None);
        assert!(time(Some("2026-11-21T14:29:16.123456789Z")).is_some());
    }
}
