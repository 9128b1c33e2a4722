//! What a session in the queue is blocked by: the sessions ahead of it, and those that use the resources.

use crate::model::{
    resources::ResourceSlots,
    session::{Placement, Session},
    status::Status,
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
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", names.join(", "))
}

fn slots(slots: &ResourceSlots) -> String {
    format!("{} CPU, {}", slots.cpu, slots.mem)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

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
}
