//! Explains the fields of a launch: one entry for each field, and one for each card of the review.

mod cards;

use super::{LaunchInfo, Page};
use crate::{
    locale,
    model::{
        capability::Capability, catalogue::unit, launch_field::LaunchField as Field, ports,
        spec::LaunchRequest,
    },
    rules::launch::{amounts, check::MOST_COPIES},
};

/// What can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Field(Field),
    /// The card of a page on the review. For the page of the review itself, the launch.
    Card(Page),
}

/// The text about a field or a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelpEntry {
    pub title: &'static str,
    /// The purpose of the field.
    pub meaning: &'static str,
    /// The format of the value, empty if the value is chosen.
    pub unit: &'static str,
    /// The values that are allowed.
    pub rule: &'static str,
}

const fn entry(
    title: &'static str,
    meaning: &'static str,
    unit: &'static str,
    rule: &'static str,
) -> HelpEntry {
    HelpEntry {
        title,
        meaning,
        unit,
        rule,
    }
}

pub fn entry_on(topic: Topic) -> HelpEntry {
    match topic {
        Topic::Field(field) => entry_of(field),
        Topic::Card(page) => cards::entry_of(page),
    }
}

pub fn entry_of(field: Field) -> HelpEntry {
    let row = field.row();
    entry(
        locale::text(row.title),
        locale::text(row.meaning),
        locale::text(row.form),
        locale::text(row.rule),
    )
}

/// The limits that apply to a field in the current context.
pub fn limits(field: Field, info: &LaunchInfo, request: &LaunchRequest) -> Option<String> {
    let catalogue = info.catalogue.as_ref();
    let group = info.group(request);
    let environment = info.environment(request);
    let most = amounts::most(catalogue, group);
    let between = |least: String, most: Option<String>| match most {
        Some(most) => tr!("{least} to {most}", least, most),
        None => tr!("min {least}", least),
    };
    let policy = catalogue.map(|it| &it.policy);
    match field {
        Field::Cpu => {
            let least = amounts::least_cpu(environment).to_string();
            Some(between(least, most.cpu.map(|it| it.to_string())))
        }
        Field::Memory => {
            let least = amounts::least_memory(environment).to_string();
            Some(between(least, most.mem.map(|it| it.to_string())))
        }
        Field::SharedMemory => {
            let most = policy.and_then(|it| it.max_shmem);
            most.map(|most| tr!("max {most}", most))
        }
        Field::Accelerator => {
            let all: Vec<String> = most
                .accelerators
                .iter()
                .map(|(slot, most)| {
                    let most = amounts::thousandths(*most);
                    format!("{most} {}", unit(slot, catalogue))
                })
                .collect();
            (!all.is_empty()).then(|| tr!("max {most}", most = all.join(", ")))
        }
        Field::Disk => Some(match info.why_not(Capability::DiskEnforcement) {
            Some(why) => why.to_string(),
            None => tr!("enforced by the file system: writes above the limit fail").to_owned(),
        }),
        Field::Count => Some(tr!("max {most}", most = MOST_COPIES)),
        Field::ClusterSize => {
            let most = policy.and_then(|it| it.max_containers_per_session);
            most.map(|most| tr!("max {most}", most))
        }
        Field::PreopenPorts => {
            let most = policy.and_then(|it| it.max_preopen_ports);
            Some(tr!("max {most}", most = most.unwrap_or(ports::MOST)))
        }
        _ => None,
    }
}
