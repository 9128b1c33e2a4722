//! Reads the engine's events about the instance's containers.

use std::{collections::HashMap, sync::Arc};

use bollard::{models::EventMessage, query_parameters::EventsOptionsBuilder};
use futures_util::{StreamExt as _, stream, stream::BoxStream};
use jiff::{SignedDuration, Timestamp};

use super::{labels, names};
use crate::{
    engine::{
        api::{EngineEvent, EventKind, Result},
        docker::connect::connection::EngineConnection,
    },
    model::{failure::Failure, id::InstanceId, text::Clean},
};

const KINDS: [&str; 7] = [
    "start", "die", "oom", "destroy", "pause", "unpause", "rename",
];

/// Events of this past period are requested again. Docker reports a container's death before its own list shows it.
/// A list read right after the event and a stream opened right after it would both miss it.
const ONCE_MORE: SignedDuration = SignedDuration::from_secs(10);

/// Events of `instance` since a moment ago, by the engine's own clock. The clock is read before the stream opens, so
/// that no event in between is lost. Events are hints: duplicates do no harm.
pub(in crate::engine::docker) async fn follow(
    connection: Arc<EngineConnection>,
    instance: InstanceId,
) -> Result<BoxStream<'static, Result<EngineEvent>>> {
    let info = connection
        .docker
        .info()
        .await
        .map_err(|error| connection.fault(error))?;
    let now = info
        .system_time
        .and_then(|text| text.parse::<Timestamp>().ok());
    let filters: HashMap<&str, Vec<String>> = HashMap::from([
        ("type", vec!["container".to_owned()]),
        ("label", vec![format!("{}={instance}", labels::INSTANCE)]),
        ("event", KINDS.map(str::to_owned).to_vec()),
    ]);
    let mut options = EventsOptionsBuilder::default().filters(&filters);
    if let Some(now) = now.and_then(|now| now.checked_sub(ONCE_MORE).ok()) {
        let since = format!("{}.{:09}", now.as_second(), now.subsec_nanosecond());
        options = options.since(&since);
    }
    let reported = connection.docker.events(Some(options.build()));
    let ended = {
        let connection = Arc::clone(&connection);
        stream::once(async move {
            Err(Failure::unreachable(
                connection.url(),
                tr_sent!("it closed the stream of events"),
            ))
        })
    };
    let events = reported.filter_map(move |message| {
        let event = match message {
            Ok(message) => read(&message, instance).map(Ok),
            Err(error) => Some(Err(connection.fault(error))),
        };
        std::future::ready(event)
    });
    Ok(events.chain(ended).boxed())
}

/// Reads one message; `None` when it isn't about a container of `instance` or its kind is unknown.
fn read(message: &EventMessage, instance: InstanceId) -> Option<EngineEvent> {
    let attributes = message.actor.as_ref()?.attributes.as_ref()?;
    let (session, _) = labels::identity(attributes, instance)?;
    let of_sub = labels::place(attributes) > 0;
    let kind = match message.action.as_deref()? {
        "start" | "die" | "died" | "destroy" | "remove" if of_sub => EventKind::SubChanged,
        "pause" | "unpause" | "rename" if of_sub => EventKind::SubChanged,
        "start" => EventKind::Started,
        // Podman has the exit code under another name.
        "die" | "died" => EventKind::Died {
            exit_code: ["exitCode", "containerExitCode"]
                .iter()
                .find_map(|key| attributes.get(*key)?.parse().ok())
                .unwrap_or(-1),
        },
        "oom" => EventKind::OutOfMemory,
        "destroy" | "remove" => EventKind::Removed,
        "pause" => EventKind::Paused,
        "unpause" => EventKind::Unpaused,
        "rename" => EventKind::Renamed {
            name: Clean::new(&names::session_name(attributes.get("name")?)?),
        },
        _ => return None,
    };
    Some(EngineEvent {
        session,
        at: when(message)?,
        kind,
    })
}

fn when(message: &EventMessage) -> Option<Timestamp> {
    match (message.time_nano, message.time) {
        (Some(nanos), _) => Timestamp::from_nanosecond(i128::from(nanos)).ok(),
        (None, Some(seconds)) => Timestamp::from_second(seconds).ok(),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::EventActor;

    use super::*;

    fn message(action: &str, more: &[(&str, &str)]) -> EventMessage {
        let id = uuid::Uuid::from_u128(3).to_string();
        let known = [
            (labels::INSTANCE, id.as_str()),
            (labels::SESSION, &id),
            (labels::KERNEL, &id),
        ];
        let attributes = known
            .iter()
            .chain(more)
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        EventMessage {
            action: Some(action.to_owned()),
            actor: Some(EventActor {
                id: None,
                attributes: Some(attributes.collect()),
            }),
            time_nano: Some(1_700_000_000_123_456_789),
            ..EventMessage::default()
        }
    }

    #[test]
    fn messages_become_events() {
        let us = InstanceId::from_u128(3);
        let kind = |action: &str, more: &[(&str, &str)]| {
            read(&message(action, more), us).map(|event| event.kind)
        };
        assert_eq!(kind("start", &[]), Some(EventKind::Started));
        assert_eq!(
            kind("die", &[("exitCode", "137")]),
            Some(EventKind::Died { exit_code: 137 })
        );
        assert_eq!(kind("oom", &[]), Some(EventKind::OutOfMemory));
        let sub = [("workbay.cluster-role", "sub"), ("exitCode", "1")];
        assert_eq!(kind("die", &sub), Some(EventKind::SubChanged));
        assert_eq!(kind("exec_start: sh", &[]), None);
        let renamed = kind("rename", &[("name", "workbay.other.01234567")]);
        assert_eq!(
            renamed,
            Some(EventKind::Renamed {
                name: Clean::new("other")
            })
        );
        assert_eq!(read(&message("start", &[]), InstanceId::from_u128(4)), None);
    }

    #[test]
    fn fuzz_docker_events() {
        crate::fuzz::parser("docker-events", &[], |bytes, _| {
            let us = InstanceId::from_u128(3);
            if let Ok(message) = serde_json::from_slice::<EventMessage>(bytes) {
                crate::fuzz::bounded(bytes, &read(&message, us));
            }
        });
    }
}
