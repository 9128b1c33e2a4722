//! What a session in the queue is blocked by: the sessions ahead of it, and those that use the resources.

use crate::{
    model::{
        catalogue::{AgentSlots, SlotLimits},
        resources::{Bytes, Cpu, ResourceSlots},
        session::{Placement, Session},
        statistics::Statistics,
        status::Status,
    },
    rules::launch::{
        amounts::thousandths,
        places::{self, Containers},
    },
};

/// How many sessions are named. The others are counted.
const NAMED: usize = 3;

/// The sessions ahead in the queue of the same resource group, in their order.
#[must_use]
pub fn ahead<'a>(session: &Session, all: impl Iterator<Item = &'a Session>) -> Vec<&'a Session> {
    let Some(place) = session.placement.queue_position else {
        return Vec::new();
    };
    let mut found: Vec<&Session> = all
        .filter(|other| is_beside(session, other) && other.status == Status::Pending)
        .filter(|other| other.placement.queue_position.is_some_and(|it| it < place))
        .collect();
    found.sort_by_key(|other| other.placement.queue_position);
    found
}

/// The sessions that use resources of the same resource group, the largest first.
#[must_use]
pub fn holders<'a>(session: &Session, all: impl Iterator<Item = &'a Session>) -> Vec<&'a Session> {
    let uses_resources = |other: &&Session| {
        is_beside(session, other) && !other.has_ended() && other.status != Status::Pending
    };
    let mut found: Vec<&Session> = all.filter(uses_resources).collect();
    found.sort_by(|one, other| {
        let size = |it: &Session| (it.requested_slots.cpu, it.requested_slots.mem);
        size(other).cmp(&size(one)).then(one.name.cmp(&other.name))
    });
    found
}

fn is_beside(session: &Session, other: &Session) -> bool {
    let group = |it: &Session| {
        let Placement { resource_group, .. } = &it.placement;
        resource_group.clone()
    };
    other.context == session.context && other.id != session.id && group(other) == group(session)
}

/// `train-1 (2 CPU, 4 GiB), train-2 (1 CPU, 1 GiB) and 3 more`.
#[must_use]
pub fn named(sessions: &[&Session]) -> String {
    let one = |it: &&Session| format!("{} ({})", it.name, slots(&it.requested_slots));
    let names: Vec<String> = sessions.iter().take(NAMED).map(one).collect();
    let more = sessions.len().saturating_sub(NAMED);
    let names = names.join(", ");
    if more > 0 {
        tr!("{names} and {more} more", names, more)
    } else {
        names
    }
}

/// `1 CPU, 256 MiB, cuda.device 2`.
fn slots(slots: &ResourceSlots) -> String {
    let accelerators = slots.accelerators.iter().filter(|(_, amount)| **amount > 0);
    let accelerators =
        accelerators.map(|(slot, amount)| format!(", {slot} {}", thousandths(*amount)));
    format!(
        "{} CPU, {}{}",
        slots.cpu,
        slots.mem,
        accelerators.collect::<String>()
    )
}

/// The priority with which the session would be first, if there is one.
#[must_use]
pub fn priority_to_be_first(ahead: &[&Session]) -> Option<i32> {
    let highest = ahead.iter().filter_map(|it| it.placement.priority).max()?;
    let wanted = highest.checked_add(1)?;
    crate::model::priority::check(wanted)
        .is_ok()
        .then_some(wanted)
}

/// What would start a waiting session.
#[derive(Clone, Debug, PartialEq)]
pub enum Outlook<'a> {
    /// With this priority it starts now: there is room, and others are ahead.
    Priority(i32),
    /// It starts when these sessions have ended, whatever its priority.
    Ends(Vec<&'a Session>),
    Unknown,
}

/// `statistics` is what the sessions' engine reports; `None` = not known.
#[must_use]
pub fn outlook<'a>(
    session: &Session,
    all: impl Iterator<Item = &'a Session> + Clone,
    statistics: Option<&Statistics>,
) -> Outlook<'a> {
    let Some(room) = statistics.and_then(|it| FreeRoom::new(session, it)) else {
        return Outlook::Unknown;
    };
    let ahead = ahead(session, all.clone());
    if room.fits(&[session]) {
        let priority = priority_to_be_first(&ahead);
        return priority.map_or(Outlook::Unknown, Outlook::Priority);
    }
    let first: Vec<&Session> = ahead.iter().copied().chain([session]).collect();
    let suffices = |ended: &[&Session]| {
        let room = ended.iter().fold(room.clone(), |room, it| room.with(it));
        room.fits(&first)
    };
    let holders = holders(session, all);
    // The smallest one that suffices, otherwise the largest ones together.
    let one = holders.iter().rev().map(std::slice::from_ref);
    let several = (2..=holders.len().min(NAMED)).map(|count| &holders[..count]);
    let found = one.chain(several).find(|ended| suffices(ended));
    found.map_or(Outlook::Unknown, |ended| Outlook::Ends(ended.to_vec()))
}

/// `hold-1 (1 CPU, 1 GiB) ends`.
#[must_use]
pub fn ends(sessions: &[&Session]) -> String {
    tr_plural!(
        sessions.len(),
        "{names} ends",
        "{names} end",
        names = named(sessions)
    )
}

/// What the user can still use of a resource group.
#[derive(Clone, Debug)]
struct FreeRoom {
    slots: SlotLimits,
    agents: Vec<AgentSlots>,
    /// The number of sessions that the user's limit leaves.
    sessions: Option<usize>,
}

impl FreeRoom {
    fn new(session: &Session, statistics: &Statistics) -> Option<Self> {
        let name = session.placement.resource_group.as_ref()?;
        let group = statistics.groups.iter().find(|group| group.name == *name)?;
        let mut slots = statistics.limits.remaining.clone();
        slots.tighten(&group.remaining.as_limits());
        let used = statistics.sessions.unwrap_or(0);
        let sessions = statistics.max_sessions;
        Some(Self {
            slots,
            agents: group.free_by_agent.clone()?,
            sessions: sessions.map(|most| most.saturating_sub(used) as usize),
        })
    }

    /// Whether all of them can start, in this order.
    fn fits(&self, sessions: &[&Session]) -> bool {
        let slots = sessions.iter().map(|it| &it.requested_slots);
        let wanted = slots.fold(ResourceSlots::default(), |sum, it| sum.plus(it));
        let exceeded = self.slots.exceeded_by(&wanted, None);
        let mut free = self.agents.clone();
        let have_places = sessions
            .iter()
            .all(|it| places::take(&mut free, &Containers::of(it)));
        exceeded.is_none() && have_places && self.sessions.is_none_or(|left| sessions.len() <= left)
    }

    /// The room after the session has ended.
    fn with(mut self, ended: &Session) -> Self {
        let given = &ended.requested_slots;
        let cpu = |cpu: Cpu| Cpu::from_millis(cpu.millis() + given.cpu.millis());
        self.slots.cpu = self.slots.cpu.map(cpu);
        self.slots.mem = self.slots.mem.map(|mem| Bytes(mem.0 + given.mem.0));
        for (slot, amount) in &mut self.slots.accelerators {
            *amount += given.accelerators.get(slot).copied().unwrap_or(0);
        }
        self.sessions = self.sessions.map(|left| left + 1);
        for (agent, slots) in places::taken(ended) {
            let its = self.agents.iter_mut().filter(|it| it.agent == agent);
            its.for_each(|it| it.slots = it.slots.plus(&slots));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{catalogue::ResourceGroup, testing, text::Clean};

    fn waits(id: u128, name: &str, place: u32, priority: i32) -> Session {
        let mut it = testing::session(id << 96, name);
        it.status = Status::Pending;
        it.placement.queue_position = Some(place);
        it.placement.priority = Some(priority);
        it
    }

    #[test]
    fn those_ahead_are_named_in_their_order_and_the_rest_is_counted() {
        let me = waits(9, "me", 4, 10);
        let mut other_group = waits(8, "elsewhere", 0, 10);
        other_group.placement.resource_group = Some("gpu".into());
        let all: Vec<Session> = [
            other_group,
            waits(1, "fourth", 3, 10),
            waits(2, "second", 1, 10),
            waits(3, "first", 0, 30),
            waits(4, "third", 2, 10),
            waits(5, "behind", 5, 90),
            me.clone(),
        ]
        .into();
        let found = ahead(&me, all.iter());
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["first", "second", "third", "fourth"]);
        assert!(named(&found).ends_with(" and 1 more"), "{}", named(&found));
        assert_eq!(priority_to_be_first(&found), Some(31));
        let top = waits(6, "top", 0, 100);
        assert_eq!(priority_to_be_first(&[&top]), None, "100 is the highest");
    }

    #[test]
    fn a_launch_that_failed_holds_nothing() {
        let me = waits(1, "me", 0, 10);
        let runs = runs(2, "runs");
        let mut failed = testing::session(3 << 96, "failed");
        failed.status = Status::Error;
        failed.terminated_at = Some(failed.created_at);
        let mut left = testing::session(4 << 96, "left");
        left.status = Status::Error;
        let all = [me.clone(), runs, failed, left];
        let found = holders(&me, all.iter());
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["left", "runs"]);
    }
    fn runs(id: u128, name: &str) -> Session {
        let mut it = testing::session(id << 96, name);
        it.status = Status::Running;
        it
    }

    fn with_cpu(mut session: Session, millis: u64) -> Session {
        session.requested_slots = ResourceSlots::new(Cpu::from_millis(millis), Bytes::mib(64));
        session.placement.resource_group = Some("default".into());
        session
    }

    fn free(millis: u64, max_sessions: Option<u32>) -> Statistics {
        let group = ResourceGroup {
            name: "default".into(),
            using: ResourceSlots::default(),
            remaining: ResourceSlots::new(Cpu::from_millis(millis), Bytes(Bytes::GIB)),
            waiting: None,
            capacity: None,
            free: None,
            free_by_agent: Some(vec![AgentSlots {
                agent: Clean::default(),
                slots: ResourceSlots::new(Cpu::from_millis(millis), Bytes(Bytes::GIB)),
            }]),
        };
        Statistics {
            groups: vec![group],
            sessions: Some(2),
            max_sessions,
            ..Statistics::default()
        }
    }

    #[test]
    fn a_priority_helps_only_if_the_session_would_start() {
        let me = with_cpu(waits(1, "me", 1, 10), 1000);
        let all = [
            with_cpu(waits(2, "first", 0, 10), 1000),
            me.clone(),
            with_cpu(runs(3, "hold-1"), 1500),
            with_cpu(runs(4, "hold-2"), 500),
        ];
        let found = |statistics: &Statistics| match outlook(&me, all.iter(), Some(statistics)) {
            Outlook::Priority(priority) => format!("priority {priority}"),
            Outlook::Ends(ended) => ends(&ended),
            Outlook::Unknown => String::new(),
        };
        assert_eq!(found(&free(1000, None)), "priority 11");
        assert_eq!(found(&free(500, None)), "hold-1 (1.5 CPU, 64 MiB) ends");
        let both = "hold-1 (1.5 CPU, 64 MiB), hold-2 (0.5 CPU, 64 MiB) end";
        assert_eq!(found(&free(0, None)), both);
        assert_eq!(
            found(&free(1000, Some(2))),
            both,
            "the sessions are counted"
        );
        assert_eq!(outlook(&me, all.iter(), None), Outlook::Unknown);
    }

    /// The session's GPUs, and the agent that it runs on.
    fn with_gpus(mut session: Session, gpus: u64, agent: Option<&str>) -> Session {
        session = with_cpu(session, 1000);
        let slots = &mut session.requested_slots.accelerators;
        slots.insert("cuda.device".to_owned(), gpus * 1000);
        session.placement.agents = agent.map(Clean::from).into_iter().collect();
        session
    }

    /// Two agents with two GPUs each, of which so many are free. What isn't named takes no new sessions.
    fn gpus_free(agents: &[(&str, u64)]) -> Statistics {
        let mut statistics = free(2000, None);
        let group = &mut statistics.groups[0];
        let slots = |gpus: u64| {
            let mut slots = ResourceSlots::new(Cpu::from_millis(2000), Bytes(Bytes::GIB));
            slots
                .accelerators
                .insert("cuda.device".to_owned(), gpus * 1000);
            slots
        };
        group.remaining = slots(agents.iter().map(|(_, gpus)| gpus).sum());
        let agents = agents.iter().map(|(agent, gpus)| AgentSlots {
            agent: (*agent).into(),
            slots: slots(*gpus),
        });
        group.free_by_agent = Some(agents.collect());
        statistics
    }

    #[test]
    fn a_session_needs_its_place_on_one_agent() {
        let me = with_gpus(waits(1, "me", 1, 10), 2, None);
        let all = [
            with_gpus(waits(2, "first", 0, 10), 2, None),
            me.clone(),
            with_gpus(runs(3, "one"), 1, Some("a")),
            with_gpus(runs(4, "other"), 1, Some("b")),
        ];
        let found = |statistics: &Statistics| match outlook(&me, all.iter(), Some(statistics)) {
            Outlook::Priority(priority) => format!("priority {priority}"),
            Outlook::Ends(ended) => ends(&ended),
            Outlook::Unknown => String::new(),
        };
        // Two GPUs are free, but not on one agent.
        let both = "one (1 CPU, 64 MiB, cuda.device 1), other (1 CPU, 64 MiB, cuda.device 1) end";
        assert_eq!(found(&gpus_free(&[("a", 1), ("b", 1)])), both);
        assert_eq!(found(&gpus_free(&[("a", 1), ("b", 2)])), "priority 11");
        // An agent that is drained gets no place by a session that ends.
        assert_eq!(found(&gpus_free(&[("a", 1)])), "");
        let mut hidden = gpus_free(&[("a", 1), ("b", 2)]);
        hidden.groups[0].free_by_agent = None;
        assert_eq!(found(&hidden), "", "agents that aren't known");
    }
}
