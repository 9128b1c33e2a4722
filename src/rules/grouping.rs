//! Groups of a list of sessions: what they have in common, and what the sessions of a group request together.

use std::{cmp::Ordering, collections::HashMap};

use serde::{Deserialize, Serialize};

use super::column::Column;
use crate::model::{natural, resources::ResourceSlots, session::Session};

/// What the sessions of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    Environment,
    Owner,
    Agent,
    Project,
    Status,
    /// The resource group. Its name is that of the filter's key.
    #[serde(rename = "group")]
    ResourceGroup,
}

impl Grouping {
    pub const ALL: [Self; 6] = [
        Self::Environment,
        Self::Owner,
        Self::Agent,
        Self::Project,
        Self::Status,
        Self::ResourceGroup,
    ];

    /// The name in options and commands, which is also the key of filters.
    pub const fn name(self) -> &'static str {
        self.column().name()
    }

    /// The grouping of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The name that users read.
    pub fn title(self) -> &'static str {
        match self {
            Self::Environment => tr!("environment"),
            Self::Owner => tr!("owner"),
            Self::Agent => tr!("agent"),
            Self::Project => tr!("project"),
            Self::Status => tr!("status"),
            Self::ResourceGroup => tr!("resource group"),
        }
    }

    const fn column(self) -> Column {
        match self {
            Self::Environment => Column::Environment,
            Self::Owner => Column::Owner,
            Self::Agent => Column::Agent,
            Self::Project => Column::Project,
            Self::Status => Column::Status,
            Self::ResourceGroup => Column::Group,
        }
    }

    /// The name of a session's group; empty for a session without such a value.
    pub fn of(self, session: &Session) -> String {
        self.column().text(session).unwrap_or_default()
    }

    /// The groupings that tell something about these sessions: one of the sessions has such a value.
    pub fn useful<'a>(sessions: impl Iterator<Item = &'a Session> + Clone) -> Vec<Self> {
        let has = |it: &Self| sessions.clone().any(|session| !it.of(session).is_empty());
        Self::ALL.into_iter().filter(has).collect()
    }
}

/// The sessions of a group, in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouped<T> {
    /// Empty for the sessions without such a value.
    pub name: String,
    pub members: Vec<T>,
}

/// Divides a sorted list into groups, ordered by name. The sessions of a group keep their order, and those without
/// a value are the last group.
pub fn groups<T>(items: impl Iterator<Item = (String, T)>) -> Vec<Grouped<T>> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Grouped<T>> = Vec::new();
    for (name, item) in items {
        let at = match known.get(&name) {
            Some(at) => *at,
            None => {
                known.insert(name.clone(), groups.len());
                groups.push(Grouped {
                    name,
                    members: Vec::new(),
                });
                groups.len() - 1
            }
        };
        groups[at].members.push(item);
    }
    groups.sort_by(|a, b| by_name(&a.name, &b.name));
    groups
}

fn by_name(a: &str, b: &str) -> Ordering {
    a.is_empty()
        .cmp(&b.is_empty())
        .then_with(|| natural::compare(a, b))
}

/// What the sessions of a group request together. Ended sessions hold nothing.
pub fn requested<'a>(sessions: impl Iterator<Item = &'a Session>) -> ResourceSlots {
    sessions
        .filter(|session| !session.has_ended())
        .fold(ResourceSlots::default(), |sum, session| {
            sum.plus(&session.requested_slots)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::session,
        model::{
            resources::{Bytes, Cpu},
            status::Status,
        },
    };

    #[test]
    fn names_are_those_of_filters_and_read_back() {
        for grouping in Grouping::ALL {
            assert_eq!(Grouping::from_name(grouping.name()), Some(grouping));
            let json = serde_json::to_string(&grouping).unwrap();
            assert_eq!(json, format!("\"{}\"", grouping.name()));
        }
        assert_eq!(Grouping::from_name("node"), None);
    }

    #[test]
    fn groups_are_in_order_of_names_and_keep_the_order_inside() {
        let items = [("b10", 1), ("", 2), ("b9", 3), ("b10", 0)];
        let groups = groups(items.into_iter().map(|(name, n)| (name.to_owned(), n)));
        let shown: Vec<(&str, &[i32])> = groups
            .iter()
            .map(|it| (it.name.as_str(), it.members.as_slice()))
            .collect();
        let expected: [(&str, &[i32]); 3] = [("b9", &[3]), ("b10", &[1, 0]), ("", &[2])];
        assert_eq!(shown, expected);
    }

    #[test]
    fn only_groupings_with_a_value_are_useful_and_ended_sessions_hold_nothing() {
        let mut one = session(1, "one");
        let two = session(2, "two");
        let usual = [Grouping::Environment, Grouping::Owner, Grouping::Status];
        assert_eq!(Grouping::useful([&one, &two].into_iter()), usual);
        one.placement.resource_group = Some("gpu".into());
        assert!(Grouping::useful([&one, &two].into_iter()).contains(&Grouping::ResourceGroup));
        let both = requested([&one, &two].into_iter());
        assert_eq!(both.cpu, Cpu::from_millis(2000));
        one.status = Status::Terminated;
        assert_eq!(requested([&one, &two].into_iter()).mem, Bytes::mib(512));
    }
}
