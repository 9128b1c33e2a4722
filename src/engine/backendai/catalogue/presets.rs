//! Presets: those for every group, with what is available now, and those of one group.

use serde_json::{Value, json};

use super::super::{
    connect::connection::ManagerConnection,
    request::{
        gql::Schema,
        http::{ManagerCall, SHORT},
        lenient_json::{Node, bytes, slots},
    },
};
use crate::{
    engine::api::Result,
    model::{catalogue::Preset, idle::IdleRules, text::Clean},
};

const BOUND: &str = "query { resource_presets { name resource_slots shared_memory \
                     scaling_group_name } }";

impl ManagerConnection {
    /// Reads presets for every group, limits, and what is available, in one answer.
    pub(super) async fn checked_presets(&self, project: &str) -> Result<Value> {
        let body = json!({"group": project});
        let call = ManagerCall::post("/resource/check-presets", &body);
        self.http.json(&call.reading().within(SHORT)).await
    }

    /// Reads presets that belong to one group. Managers before 25.4 have none.
    pub(super) async fn bound_presets(&self) -> Result<Vec<Preset>> {
        if !self.features.bound_presets {
            return Ok(Vec::new());
        }
        let data = self.http.ask(Schema::One, BOUND, json!({})).await?;
        let all = Node::new(&data).list("resource_presets").iter();
        Ok(all
            .filter_map(|node| preset(Node::new(node)))
            .filter(|preset| preset.resource_group.is_some())
            .collect())
    }

    /// All presets that a launch may name.
    pub(in super::super) async fn all_presets(&self, project: &str) -> Result<Vec<Preset>> {
        let (checked, bound) = tokio::join!(self.checked_presets(project), self.bound_presets());
        let mut presets = read(Node::new(&checked?));
        presets.extend(bound?);
        Ok(presets)
    }
}

pub(super) fn read(checked: Node<'_>) -> Vec<Preset> {
    let presets = checked.list("presets").iter().map(Node::new);
    presets.filter_map(preset).collect()
}

/// The presets of groups that can be chosen.
pub(super) fn of_groups(bound: Vec<Preset>, groups: &[Clean]) -> Vec<Preset> {
    let here = |preset: &Preset| {
        let group = preset.resource_group.as_ref();
        group.is_some_and(|group| groups.contains(group))
    };
    bound.into_iter().filter(here).collect()
}

fn preset(node: Node<'_>) -> Option<Preset> {
    Some(Preset {
        name: node.text("name")?,
        slots: slots(&node.blob("resource_slots")),
        shmem: bytes(node.raw("shared_memory")),
        allocatable: node.flag("allocatable"),
        resource_group: node.text("scaling_group_name"),
        idle: IdleRules::default(),
    })
}
