//! The agents of a cluster, if the user may see them.

use serde_json::{Value, json};

use super::super::{
    connect::connection::ManagerConnection,
    request::{
        gql::Schema,
        lenient_json::{Node, slots},
    },
};
use crate::{
    engine::api::Result,
    model::{
        catalogue::{Agent, AgentSlots},
        resources::ResourceSlots,
        text::Clean,
    },
};

const QUERY: &str = "query($offset: Int!) { agent_summary_list(limit: 100, offset: $offset, status: \
                     \"ALIVE\") { total_count items { id status scaling_group schedulable \
                     available_slots occupied_slots architecture } } }";
/// The number of agents per request, and the most requests.
const PAGE: usize = 100;
const PAGES: usize = 10;

/// The agents that the manager reported.
#[derive(Default)]
pub(in super::super) struct Agents {
    pub(super) list: Vec<Agent>,
    /// The list is complete, so that sums of it are correct.
    whole: bool,
}

impl ManagerConnection {
    /// Returns an empty list, not an error, if the site hides its agents.
    pub(in super::super) async fn agents(&self) -> Result<Agents> {
        let mut agents = Agents::default();
        if self.agents_hidden {
            return Ok(agents);
        }
        let mut reported = 0;
        for page in 0..PAGES {
            let variables = json!({"offset": page * PAGE});
            let data = self.http.ask(Schema::One, QUERY, variables).await?;
            let found = Node::new(&data).node("agent_summary_list");
            let items = found.list("items");
            reported += items.len();
            agents.list.extend(items.iter().filter_map(agent));
            let total = found.int("total_count").unwrap_or_default();
            agents.whole = usize::try_from(total).is_ok_and(|total| reported >= total);
            if agents.whole || items.is_empty() {
                break;
            }
        }
        Ok(agents)
    }
}

impl Agents {
    /// Everything that the agents of a group have, used or not; `None` if it isn't known.
    pub(super) fn capacity(&self, group: &Clean) -> Option<ResourceSlots> {
        self.sum(group, |agent| agent.available.clone())
    }

    /// The unused part of the capacity.
    pub(super) fn free(&self, group: &Clean) -> Option<ResourceSlots> {
        self.sum(group, |agent| agent.available.less(&agent.occupied))
    }

    /// What is free on each agent of a group that accepts new sessions; `None` if an agent is unknown, or if there are
    /// so many that the list would be too long.
    pub(super) fn free_by_agent(&self, group: &Clean) -> Option<Vec<AgentSlots>> {
        if !self.whole || !self.is_one_page() {
            return None;
        }
        let members = self.list.iter().filter(|it| it.resource_group == *group);
        let accept = members.filter(|agent| agent.schedulable);
        let free = |agent: &Agent| AgentSlots {
            agent: agent.id.clone(),
            slots: agent.available.less(&agent.occupied),
        };
        Some(accept.map(free).collect())
    }

    fn sum(&self, group: &Clean, of: impl Fn(&Agent) -> ResourceSlots) -> Option<ResourceSlots> {
        let members = self.list.iter().filter(|it| it.resource_group == *group);
        let sum = members.map(of).reduce(|all, more| all.plus(&more));
        sum.filter(|_| self.whole)
    }

    /// Whether one request is enough to read all agents.
    pub(in super::super) fn is_one_page(&self) -> bool {
        self.list.len() <= PAGE
    }
}

fn agent(item: &Value) -> Option<Agent> {
    let node = Node::new(item);
    Some(Agent {
        id: node.text("id")?,
        status: node.text("status").unwrap_or_default(),
        resource_group: node.text("scaling_group").unwrap_or_default(),
        schedulable: node.flag("schedulable").unwrap_or(true),
        available: slots(&node.blob("available_slots")),
        occupied: slots(&node.blob("occupied_slots")),
        architecture: node.text("architecture").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    fn reported(id: &str, group: &str, cpu: u32) -> Agent {
        let slots = json!({"cpu": cpu, "mem": 1024}).to_string();
        agent(&json!({"id": id, "scaling_group": group, "available_slots": slots})).unwrap()
    }

    #[test]
    fn the_capacity_of_a_group_is_all_its_machines() {
        let mut agents = Agents {
            list: vec![
                reported("a", "gpu", 4),
                reported("b", "cpu", 8),
                reported("c", "gpu", 2),
            ],
            whole: true,
        };
        assert_eq!(
            agents.capacity(&"gpu".into()),
            Some(ResourceSlots::new(Cpu::from_millis(6000), Bytes(2048)))
        );
        assert_eq!(agents.capacity(&"none".into()), None);
        assert_eq!(
            agents.free(&"gpu".into()).unwrap().cpu,
            Cpu::from_millis(6000)
        );
        agents.list[0].occupied = ResourceSlots::new(Cpu::from_millis(3000), Bytes(24));
        assert_eq!(
            agents.free(&"gpu".into()),
            Some(ResourceSlots::new(Cpu::from_millis(3000), Bytes(2024)))
        );
        agents.list[2].schedulable = false;
        let accepting = agents.free_by_agent(&"gpu".into()).unwrap();
        assert_eq!(accepting.len(), 1, "a drained agent starts nothing");
        assert_eq!(accepting[0].slots.cpu, Cpu::from_millis(1000));
        agents.whole = false;
        assert_eq!(agents.free_by_agent(&"gpu".into()), None);
        assert_eq!(agents.free(&"gpu".into()), None);
        assert_eq!(agents.capacity(&"gpu".into()), None, "some are unknown");
    }
}
