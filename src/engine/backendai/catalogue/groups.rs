//! Resource groups: what is available in them, how much they have, and how large one container can
//! be.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    super::{
        connect::connection::ManagerConnection,
        request::{
            gql::Schema,
            http::{ManagerCall, SHORT},
            lenient_json::{Node, slots},
        },
    },
    agents::Agents,
};
use crate::engine::backendai::request::call::with_query;
use crate::{
    engine::api::Result,
    model::{
        catalogue::{AcceleratorKind, Catalogue, ResourceGroup, SlotLimits},
        resources::ResourceSlots,
        text::Clean,
    },
};

const FACTS: &str = "query($project: UUID!) { accessible_scaling_groups(project_id: $project) { name \
                     accelerator_quantum_size resource_allocation_limit_for_sessions } }";
/// The number of queues that one request counts.
const QUEUES: usize = 20;

#[derive(Default)]
pub(super) struct Groups {
    pub(super) names: Vec<Clean>,
    facts: BTreeMap<Clean, GroupFacts>,
}

#[derive(Default)]
struct GroupFacts {
    /// The smallest share of a device, in thousandths.
    quantum: Option<u64>,
    /// The amount of each slot on the largest agent.
    largest: Option<ResourceSlots>,
}

impl ManagerConnection {
    /// The groups of a project. Their facts, which managers have since 25.6, are optional.
    pub(super) async fn groups(&self, name: &str, id: Option<&str>) -> Result<Groups> {
        let path = with_query("/scaling-groups", &[("group", name)]);
        let call = ManagerCall::get(path).within(SHORT);
        let (names, facts) = tokio::join!(self.http.json::<Value>(&call), self.facts(id));
        let names = names?;
        let names = Node::new(&names).list("scaling_groups").iter();
        Ok(Groups {
            names: names.filter_map(|it| Node::new(it).text("name")).collect(),
            facts,
        })
    }

    async fn facts(&self, project: Option<&str>) -> BTreeMap<Clean, GroupFacts> {
        let Some(project) = project.filter(|_| self.features.group_facts) else {
            return BTreeMap::new();
        };
        let asked = self
            .http
            .ask(Schema::One, FACTS, json!({"project": project}));
        let data = asked.await.unwrap_or_else(|error| {
            tracing::debug!(%error, "the details of the resource groups are unknown");
            Value::Null
        });
        let groups = Node::new(&data).list("accessible_scaling_groups").iter();
        groups.filter_map(|it| facts(Node::new(it))).collect()
    }

    /// Counts the waiting sessions of each queue. A manager reports them only to its highest
    /// administrators.
    pub(super) async fn count_waiting(&self, groups: &mut [ResourceGroup]) {
        let may = self.me.user.role == *"superadmin" && self.features.owner;
        if !may || groups.is_empty() {
            return;
        }
        let (query, variables) = queues(groups.iter().take(QUEUES));
        let asked = self.http.ask(Schema::One, &query, variables);
        let Ok(data) = asked.await else {
            return;
        };
        for (n, group) in groups.iter_mut().take(QUEUES).enumerate() {
            let count = Node::new(&data).node(&format!("q{n}")).int("count");
            group.waiting = count.and_then(|count| count.try_into().ok());
        }
    }
}

fn queues<'a>(groups: impl Iterator<Item = &'a ResourceGroup>) -> (String, Value) {
    let (mut declared, mut parts, mut variables) = (Vec::new(), Vec::new(), Map::new());
    for (n, group) in groups.enumerate() {
        declared.push(format!("$g{n}: String!"));
        parts.push(format!(
            "q{n}: session_pending_queue(resource_group_id: $g{n}, first: 1) {{ count }}"
        ));
        variables.insert(format!("g{n}"), json!(group.name.as_str()));
    }
    let query = format!("query({}) {{ {} }}", declared.join(", "), parts.join(" "));
    (query, Value::Object(variables))
}

fn facts(node: Node<'_>) -> Option<(Clean, GroupFacts)> {
    let quantum = node.number("accelerator_quantum_size");
    let quantum = quantum.filter(|quantum| (0.001..1000.0).contains(quantum));
    let largest = slots(&node.blob("resource_allocation_limit_for_sessions"));
    let facts = GroupFacts {
        quantum: quantum.map(|quantum| (quantum * 1000.0).round() as u64),
        largest: (largest != ResourceSlots::default()).then_some(largest),
    };
    Some((node.text("name")?, facts))
}

impl Groups {
    pub(super) fn merged(&self, checked: Node<'_>, agents: &Agents) -> Vec<ResourceGroup> {
        let known = checked.node("scaling_groups");
        let groups = self.names.iter().map(|name| {
            let group = known.node(name.as_str());
            ResourceGroup {
                name: name.clone(),
                using: slots(group.raw("using")),
                remaining: slots(group.raw("remaining")),
                waiting: None,
                capacity: agents.capacity(name),
                free: agents.free(name),
                free_by_agent: agents.free_by_agent(name),
            }
        });
        groups.collect()
    }

    /// The amount of each slot on the largest agent of all groups, which limits a container in any
    /// of them. No limit if one group doesn't report it.
    pub(super) fn largest_container(&self) -> SlotLimits {
        let mut largest = ResourceSlots::default();
        for name in &self.names {
            let Some(reported) = self.facts.get(name).and_then(|it| it.largest.as_ref()) else {
                return SlotLimits::default();
            };
            largest.cpu = largest.cpu.max(reported.cpu);
            largest.mem = largest.mem.max(reported.mem);
            for (slot, amount) in &reported.accelerators {
                let most = largest.accelerators.entry(slot.clone()).or_default();
                *most = (*most).max(*amount);
            }
        }
        if self.names.is_empty() {
            return SlotLimits::default();
        }
        largest.as_limits()
    }

    /// The step of GPU shares, which is one setting of the whole site.
    pub(super) fn quantum(&self) -> Option<(String, u64)> {
        let reported = self.facts.values().find_map(|facts| facts.quantum);
        reported.map(|quantum| ("cuda.shares".to_owned(), quantum))
    }
}

/// The kinds of accelerators that appear anywhere: on an agent, available in a group, in a limit.
/// No request reports how many shares a device has, so that is a setting.
pub(super) fn kinds(catalogue: &Catalogue, shares_per_device: Option<u32>) -> Vec<AcceleratorKind> {
    let agents = catalogue.agents.iter().map(|it| &it.available.accelerators);
    let groups = catalogue.resource_groups.iter();
    let groups = groups.flat_map(|it| [&it.remaining.accelerators, &it.using.accelerators]);
    let limits = [
        &catalogue.policy.per_container.accelerators,
        &catalogue.limits.limits.accelerators,
    ];
    let all = agents.chain(groups).chain(limits);
    let seen: std::collections::BTreeSet<&String> = all
        .flatten()
        .filter(|(_, amount)| **amount > 0)
        .map(|(slot, _)| slot)
        .collect();
    let kind = |slot: &String| kind(slot, shares_per_device);
    seen.into_iter().map(kind).collect()
}

fn kind(slot: &str, shares_per_device: Option<u32>) -> AcceleratorKind {
    let shares = AcceleratorKind::is_fraction(slot);
    let count = shares_per_device.filter(|_| shares);
    let note = match count {
        Some(count) => tr_sent!(
            "{conversion}; a share of a GPU, shared with other sessions",
            conversion = AcceleratorKind::conversion_of(slot, count)
        ),
        None => tr_sent!("a share of a GPU, shared with other sessions").to_owned(),
    };
    AcceleratorKind {
        slot: slot.to_owned(),
        unit: Clean::new(&AcceleratorKind::usual_unit(slot)),
        note: shares.then(|| Clean::new(&note)),
        shares_per_device: count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    fn groups(reported: &[Value]) -> Groups {
        Groups {
            names: reported
                .iter()
                .filter_map(|it| Node::new(it).text("name"))
                .collect(),
            facts: reported
                .iter()
                .filter_map(|it| facts(Node::new(it)))
                .collect(),
        }
    }

    #[test]
    fn the_largest_machine_bounds_a_container() {
        let one = json!({"name": "one", "accelerator_quantum_size": 0.25,
            "resource_allocation_limit_for_sessions": "{\"cpu\": \"2\", \"mem\": \"4096\"}"});
        let two = json!({"name": "two", "resource_allocation_limit_for_sessions":
            "{\"cpu\": \"1\", \"mem\": \"8192\", \"cuda.shares\": \"4\"}"});
        let both = groups(&[one.clone(), two.clone()]);
        let most = both.largest_container();
        assert_eq!(
            (most.cpu, most.mem),
            (Some(Cpu::from_millis(2000)), Some(Bytes(8192)))
        );
        assert_eq!(most.accelerators["cuda.shares"], 4000);
        assert_eq!(both.quantum(), Some(("cuda.shares".to_owned(), 250)));
        let silent = json!({"name": "three", "accelerator_quantum_size": null,
            "resource_allocation_limit_for_sessions": "{}"});
        assert_eq!(
            groups(&[one, two, silent]).largest_container(),
            SlotLimits::default(),
            "a group of which nothing is known may have more"
        );
        assert_eq!(groups(&[]).largest_container(), SlotLimits::default());
    }

    #[test]
    fn kinds_are_those_that_are_seen() {
        let mut catalogue = Catalogue::default();
        let shares = BTreeMap::from([("cuda.shares".to_owned(), 4000)]);
        catalogue.policy.per_container.accelerators = shares;
        catalogue.limits.limits.accelerators = BTreeMap::from([
            ("rocm.device".to_owned(), 0),
            ("cuda.10g-mig".to_owned(), 1000),
        ]);
        assert_eq!(kinds(&catalogue, None)[1].conversion(), None);
        let found = kinds(&catalogue, Some(10));
        let conversions: Vec<Option<String>> =
            found.iter().map(AcceleratorKind::conversion).collect();
        assert_eq!(conversions, [None, Some("10 fGPU = 1 GPU".to_owned())]);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|kind| (kind.slot.as_str(), kind.unit.as_str()))
            .collect();
        assert_eq!(found, [("cuda.10g-mig", "MIG"), ("cuda.shares", "fGPU")]);
    }

    #[test]
    fn all_queues_are_counted_in_one_request() {
        let group = |name: &str| ResourceGroup {
            name: name.into(),
            using: ResourceSlots::default(),
            remaining: ResourceSlots::default(),
            waiting: None,
            capacity: None,
            free: None,
            free_by_agent: None,
        };
        let (query, variables) = queues([group("a"), group("b")].iter());
        assert_eq!(
            query,
            "query($g0: String!, $g1: String!) { q0: session_pending_queue(resource_group_id: $g0, \
             first: 1) { count } q1: session_pending_queue(resource_group_id: $g1, first: 1) { \
             count } }"
        );
        assert_eq!(variables, json!({"g0": "a", "g1": "b"}));
    }
}
