//! Whether containers find places on the agents of a resource group. The sum of what is free in a group isn't enough: two
//! agents with one free GPU each have no place for a container with two.

use crate::model::{
    catalogue::{AgentSlots, ResourceGroup},
    resources::ResourceSlots,
    session::{ClusterMode, Session},
    spec::LaunchRequest,
    text::Clean,
};

/// The containers of one session.
#[derive(Clone, Debug)]
pub struct Containers {
    /// The amounts of each.
    pub each: ResourceSlots,
    pub count: u32,
    pub mode: ClusterMode,
}

impl Containers {
    /// The amounts of `request` must be set.
    #[must_use]
    pub fn requested(request: &LaunchRequest) -> Self {
        let each = ResourceSlots {
            cpu: request.cpu.unwrap_or_default(),
            mem: request.mem.unwrap_or_default(),
            accelerators: request.accelerators.clone(),
        };
        Self::new(each, request.containers(), request.cluster_mode)
    }

    #[must_use]
    pub fn of(session: &Session) -> Self {
        let count = session.placement.cluster_size.max(1);
        let each = session.requested_slots.divided_by(count);
        Self::new(each, count, session.placement.cluster_mode)
    }

    fn new(mut each: ResourceSlots, count: u32, mode: ClusterMode) -> Self {
        each.accelerators.retain(|_, amount| *amount > 0);
        let count = count.max(1);
        Self { each, count, mode }
    }
}

/// Whether the agents of the group have places for all of them now. `None` = the agents aren't known.
#[must_use]
pub fn have_places(group: &ResourceGroup, containers: &Containers, copies: u32) -> Option<bool> {
    let mut free = group.free_by_agent.clone()?;
    Some((0..copies.max(1)).all(|_| take(&mut free, containers)))
}

/// Takes the places of one session. If there aren't enough, some may be taken.
pub fn take(free: &mut [AgentSlots], containers: &Containers) -> bool {
    let Containers { each, count, mode } = containers;
    match mode {
        ClusterMode::SingleNode => take_one(free, &each.times(*count)),
        ClusterMode::MultiNode => (0..*count).all(|_| take_one(free, each)),
    }
}

/// What a session takes on each of its agents. On an engine, the only machine has no name.
#[must_use]
pub fn taken(session: &Session) -> Vec<(Clean, ResourceSlots)> {
    let Containers { each, count, .. } = Containers::of(session);
    match session.placement.agents.as_slice() {
        [] => vec![(Clean::default(), each.times(count))],
        [one] => vec![(one.clone(), each.times(count))],
        several if session.kernels.is_empty() => several
            .iter()
            .map(|agent| (agent.clone(), each.clone()))
            .collect(),
        _ => {
            let agents = session.kernels.iter().filter_map(|it| it.agent.clone());
            agents.map(|agent| (agent, each.clone())).collect()
        }
    }
}

/// From the agent that has the least left, so that the others stay free for something larger.
fn take_one(free: &mut [AgentSlots], wanted: &ResourceSlots) -> bool {
    let fitting = free.iter_mut().filter(|it| wanted.fits(&it.slots));
    let tightest =
        fitting.min_by_key(|it| (it.slots.accelerators.clone(), it.slots.cpu, it.slots.mem));
    let Some(agent) = tightest else {
        return false;
    };
    agent.slots = agent.slots.less(wanted);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    fn slots(cores: u64, gpus: u64) -> ResourceSlots {
        let mut slots =
            ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(cores * Bytes::GIB));
        if gpus > 0 {
            slots
                .accelerators
                .insert("cuda.device".to_owned(), gpus * 1000);
        }
        slots
    }

    fn agents(free: &[(u64, u64)]) -> Vec<AgentSlots> {
        let agent = |(n, (cores, gpus)): (usize, &(u64, u64))| AgentSlots {
            agent: format!("agent-{n}").as_str().into(),
            slots: slots(*cores, *gpus),
        };
        free.iter().enumerate().map(agent).collect()
    }

    fn containers(cores: u64, gpus: u64, count: u32, mode: ClusterMode) -> Containers {
        let each = slots(cores, gpus);
        Containers { each, count, mode }
    }

    #[test]
    fn a_container_has_its_place_on_one_agent() {
        let one_each = agents(&[(4, 1), (4, 1)]);
        let two_gpus = containers(1, 2, 1, ClusterMode::SingleNode);
        assert!(!take(&mut one_each.clone(), &two_gpus));
        let on_one = containers(1, 1, 2, ClusterMode::SingleNode);
        assert!(!take(&mut one_each.clone(), &on_one));
        let over_both = containers(1, 1, 2, ClusterMode::MultiNode);
        assert!(take(&mut one_each.clone(), &over_both));
        assert!(!take(
            &mut [],
            &containers(1, 0, 1, ClusterMode::SingleNode)
        ));
    }

    #[test]
    fn sessions_take_the_places_of_those_before() {
        let mut free = agents(&[(4, 2), (4, 1)]);
        let one = containers(1, 1, 1, ClusterMode::SingleNode);
        assert!(take(&mut free, &one));
        assert_eq!(
            free[0].slots.accelerators["cuda.device"], 2000,
            "the tightest agent"
        );
        assert!(take(&mut free, &one) && take(&mut free, &one));
        assert!(!take(&mut free, &one));
    }
}
