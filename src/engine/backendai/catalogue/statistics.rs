//! What the user's sessions use. It is read often, so with two requests, and a third one for the
//! agents. If a cluster needs many more requests for its agents, they are read less often.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{
    super::{
        BackendAiEngine,
        catalogue::limits::read_limits,
        request::{
            gql::Schema,
            lenient_json::{Node, slots},
        },
    },
    policy,
};
use crate::{
    engine::api::Result,
    model::{catalogue::ResourceGroup, statistics::Statistics, text::Clean},
};

/// How often the agents of a large cluster are read.
const MACHINES: SignedDuration = SignedDuration::from_mins(5);

impl BackendAiEngine {
    pub(in super::super) async fn read_statistics(&self) -> Result<Statistics> {
        let connection = self.core.connection().await?;
        let project = connection.project_or_default(None)?;
        let project = project.as_ref().map_or("", |(_, name)| name.as_str());
        let (checked, reported, agents) = tokio::join!(
            connection.checked_presets(project),
            connection.http.ask(Schema::One, policy::QUERY, json!({})),
            self.core.agents(&connection, MACHINES),
        );
        let policy = policy::read(Node::new(&reported?));
        let mut statistics = read(&checked?);
        for group in &mut statistics.groups {
            group.capacity = agents.as_ref().and_then(|it| it.capacity(&group.name));
            group.free = agents.as_ref().and_then(|it| it.free(&group.name));
            group.free_by_agent = agents.as_ref().and_then(|it| it.free_by_agent(&group.name));
        }
        statistics.sessions = policy.concurrent_sessions;
        statistics.max_sessions = policy.max_concurrent_sessions;
        Ok(statistics)
    }
}

fn read(checked: &Value) -> Statistics {
    let checked = Node::new(checked);
    let groups = checked.raw("scaling_groups").as_object();
    let groups = groups.into_iter().flatten();
    Statistics {
        groups: groups
            .map(|(name, reported)| group(name, reported))
            .collect(),
        limits: read_limits(checked),
        ..Statistics::default()
    }
}

fn group(name: &str, reported: &Value) -> ResourceGroup {
    let reported = Node::new(reported);
    ResourceGroup {
        name: Clean::new(name),
        using: slots(reported.raw("using")),
        remaining: slots(reported.raw("remaining")),
        waiting: None,
        capacity: None,
        free: None,
        free_by_agent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::statistics::Whole;

    #[test]
    fn groups_and_limits_are_those_of_one_answer() {
        let checked = json!({
            "keypair_limits": {"cpu": "8", "mem": "Infinity"},
            "keypair_using": {"cpu": "3", "mem": "1073741824"},
            "keypair_remaining": {"cpu": "5", "mem": "Infinity"},
            "scaling_groups": {
                "default": {
                    "using": {"cpu": "3", "mem": "1073741824"},
                    "remaining": {"cpu": "5", "mem": "2147483648"},
                },
            },
        });
        let reported = read(&checked);
        let group = reported.group(None).unwrap();
        assert_eq!(group.name, *"default");
        let bars = reported.allotments(group);
        // The limit leaves 5. What the agents have is unknown.
        let cpu = bars[0].in_group;
        assert_eq!((cpu.used, cpu.free), (3000, Some(5000)));
        assert_eq!(cpu.whole, Whole::Limit(8000));
        assert_eq!(bars[0].in_total.whole, Whole::Limit(8000));
        assert_eq!(bars[1].in_group.whole, Whole::Hidden);
        assert_eq!(bars[1].in_total.whole, Whole::Unlimited);
    }

    #[test]
    fn fuzz_manager_statistics() {
        crate::fuzz::parser("manager-statistics", &[], |bytes, _| {
            if let Ok(checked) = serde_json::from_slice::<Value>(bytes) {
                crate::fuzz::bounded(bytes, &read(&checked));
            }
        });
    }
}
