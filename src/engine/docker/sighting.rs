//! The engine's records of a container as sightings.

use bollard::models::{
    ContainerInspectResponse, ContainerState as EngineState, ContainerStateStatusEnum as Inspected,
    ContainerSummary, ContainerSummaryStateEnum as Listed,
};
use jiff::Timestamp;

use super::{create, labels};
use crate::{
    engine::api::{ContainerState, Sighting},
    model::{id::InstanceId, text::Clean},
};

/// A container of `instance` from the list. What ended says nothing there of its exit: `None` asks the
/// caller to inspect it.
pub(super) fn of_summary(
    summary: &ContainerSummary,
    instance: InstanceId,
) -> Option<(Sighting, bool)> {
    let labels = summary.labels.as_ref()?;
    let (session, kernel) = labels::identity(labels, instance)?;
    let (state, complete) = match summary.state {
        Some(Listed::RUNNING) => (ContainerState::Running { started_at: None }, true),
        Some(Listed::CREATED) => (ContainerState::Created, true),
        Some(Listed::PAUSED) => (ContainerState::Paused, true),
        Some(Listed::RESTARTING) => (ContainerState::Restarting, true),
        _ => (dead("", ""), false),
    };
    let name = summary.names.as_ref().and_then(|names| names.first());
    let sighting = Sighting {
        session,
        kernel,
        container_id: Clean::new(summary.id.as_deref()?),
        name: name
            .and_then(|name| create::session_name(name))
            .map(Clean::new),
        state,
        recorded: labels::recorded(labels),
        subs: Vec::new(),
    };
    Some((sighting, complete))
}

/// A container of `instance` from its full record.
pub(super) fn of_inspect(
    record: &ContainerInspectResponse,
    instance: InstanceId,
) -> Option<Sighting> {
    let labels = record.config.as_ref()?.labels.as_ref()?;
    let (session, kernel) = labels::identity(labels, instance)?;
    Some(Sighting {
        session,
        kernel,
        container_id: Clean::new(record.id.as_deref()?),
        name: record
            .name
            .as_deref()
            .and_then(create::session_name)
            .map(Clean::new),
        state: record
            .state
            .as_ref()
            .map_or_else(|| dead("", "no state"), state),
        recorded: labels::recorded(labels),
        subs: Vec::new(),
    })
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
            "the engine is removing it or failed to",
        ),
    }
}

fn dead(said: &str, otherwise: &str) -> ContainerState {
    let why = if said.is_empty() { otherwise } else { said };
    ContainerState::Dead {
        why: Clean::new(why),
    }
}

/// The engine writes the year 1 for "never".
fn time(text: Option<&str>) -> Option<Timestamp> {
    text?
        .parse::<Timestamp>()
        .ok()
        .filter(|at| at.as_second() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_is_no_time() {
        assert_eq!(time(Some("0001-01-01T00:00:00Z")), None);
        assert_eq!(time(None), None);
        assert!(time(Some("2026-11-21T14:29:16.123456789Z")).is_some());
    }
}
