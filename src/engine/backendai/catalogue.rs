//! What can be chosen from at a launch, read in parts: a part that fails hides no other.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    BackendAiEngine,
    blob::{Node, bytes, slots},
    gql::Schema,
    http::{Call, SHORT},
    limits::read_limits,
    line::Line,
};
use crate::{
    engine::{api::Result, error::EngineError},
    model::{
        catalogue::{Agent, Catalogue, Folder, Policy, Preset, ResourceGroup},
        text::Clean,
    },
};

const POLICY: &str = "query { keypair { concurrency_used } keypair_resource_policy { name \
                      max_session_lifetime max_concurrent_sessions max_containers_per_session \
                      idle_timeout max_pending_session_count } }";
const AGENTS: &str = "query { agent_summary_list(limit: 100, offset: 0, status: \"ALIVE\") { items { \
                      id status scaling_group schedulable available_slots occupied_slots \
                      architecture } } }";

impl BackendAiEngine {
    pub(super) async fn read_catalogue(&self, project: Option<&str>) -> Result<Catalogue> {
        let line = self.core.line().await?;
        let project = line.project_or_default(project)?;
        let name = project
            .as_ref()
            .map(|(_, name)| name.as_str())
            .unwrap_or_default();
        let (groups, presets, policy, agents, folders) = tokio::join!(
            line.groups(name),
            line.presets(name),
            line.http.ask(Schema::One, POLICY, json!({})),
            line.http.ask(Schema::One, AGENTS, json!({})),
            line.folders(project.as_ref().map(|(id, _)| id.as_str())),
        );
        let mut catalogue = Catalogue {
            user: Some(line.me.user.clone()),
            projects: line.me.projects.clone(),
            project: project.map(|(_, name)| name),
            ..Catalogue::default()
        };
        let mut gaps = Vec::new();
        let names = part(groups, "resource groups", &mut gaps)?.unwrap_or_default();
        if let Some(checked) = part(presets, "presets", &mut gaps)? {
            let checked = Node::new(&checked);
            catalogue.presets = read_presets(checked);
            catalogue.limits = read_limits(checked);
            catalogue.resource_groups = read_groups(&names, checked);
        } else {
            catalogue.resource_groups = read_groups(&names, Node::new(&Value::Null));
        }
        if let Some(policy) = part(policy, "policy", &mut gaps)? {
            catalogue.policy = read_policy(Node::new(&policy));
        }
        if let Some(agents) = part(agents, "agents", &mut gaps)? {
            let list = Node::new(&agents).node("agent_summary_list").list("items");
            catalogue.agents = list.iter().filter_map(|a| agent(Node::new(a))).collect();
        }
        if let Some(folders) = part(folders, "folders", &mut gaps)? {
            let list = folders.as_array().map_or(&[] as &[Value], Vec::as_slice);
            catalogue.folders = list.iter().filter_map(|f| folder(Node::new(f))).collect();
        }
        catalogue.gaps = gaps;
        Ok(catalogue)
    }
}

/// A part, or a gap with its reason. A lost line or a refused login is the whole answer.
fn part<T>(result: Result<T>, what: &str, gaps: &mut Vec<(Clean, Clean)>) -> Result<Option<T>> {
    match result {
        Ok(part) => Ok(Some(part)),
        Err(error) if error.is_lost() || matches!(error, EngineError::Denied { .. }) => Err(error),
        Err(error) => {
            gaps.push((Clean::new(what), Clean::new(&error.to_string())));
            Ok(None)
        }
    }
}

impl Line {
    /// Id and name of the project asked for, else of the context's.
    fn project_or_default(&self, wanted: Option<&str>) -> Result<Option<(Clean, Clean)>> {
        let pair = |p: &crate::model::catalogue::Project| (p.id.clone(), p.name.clone());
        let Some(wanted) = wanted else {
            return Ok(self.project.as_ref().map(pair));
        };
        let found = self
            .me
            .projects
            .iter()
            .find(|project| project.name == wanted);
        let names = || {
            let names: Vec<&str> = self.me.projects.iter().map(|p| p.name.as_str()).collect();
            names.join(", ")
        };
        found
            .map(|p| Some(pair(p)))
            .ok_or_else(|| EngineError::Declined {
                why: format!(
                    "{} is in no project '{}'",
                    self.me.user.email,
                    Clean::new(wanted)
                ),
                mend: Some(format!("the projects are: {}", names())),
            })
    }

    async fn groups(&self, project: &str) -> Result<Vec<Clean>> {
        let path = with_query("/scaling-groups", &[("group", project)]);
        let answer: Value = self.http.json(&Call::get(path).within(SHORT)).await?;
        let groups = Node::new(&answer).list("scaling_groups").iter();
        Ok(groups
            .filter_map(|group| Node::new(group).text("name"))
            .collect())
    }

    async fn presets(&self, project: &str) -> Result<Value> {
        let body = json!({"group": project});
        let call = Call::post("/resource/check-presets", &body);
        self.http.json(&call.within(SHORT)).await
    }

    async fn folders(&self, project: Option<&str>) -> Result<Value> {
        let path = match project {
            Some(id) => with_query("/folders", &[("group_id", id)]),
            None => "/folders".to_owned(),
        };
        self.http.json(&Call::get(path).within(SHORT)).await
    }
}

/// A path with an encoded query.
fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    // Only its encoding of queries is wanted of this address.
    let made = Url::parse_with_params("http://x", pairs);
    let query = made.ok().and_then(|url| url.query().map(str::to_owned));
    format!("{path}?{}", query.unwrap_or_default())
}

fn read_presets(checked: Node<'_>) -> Vec<Preset> {
    let presets = checked.list("presets").iter().map(Node::new);
    presets
        .filter_map(|preset| {
            Some(Preset {
                name: preset.text("name")?,
                slots: slots(preset.raw("resource_slots")),
                shmem: bytes(preset.raw("shared_memory")),
                allocatable: preset.flag("allocatable"),
                resource_group: preset.text("scaling_group_name"),
            })
        })
        .collect()
}

fn read_groups(names: &[Clean], checked: Node<'_>) -> Vec<ResourceGroup> {
    let known = checked.node("scaling_groups");
    names
        .iter()
        .map(|name| {
            let group = known.node(name.as_str());
            ResourceGroup {
                name: name.clone(),
                using: slots(group.raw("using")),
                remaining: slots(group.raw("remaining")),
                waiting: None,
                capacity: None,
            }
        })
        .collect()
}

/// 0, and numbers nobody reaches, mean no limit.
fn read_policy(data: Node<'_>) -> Policy {
    let policy = data.node("keypair_resource_policy");
    let limit = |field: &str| {
        let limit = policy.int(field)?;
        u32::try_from(limit)
            .ok()
            .filter(|limit| (1..1_000_000).contains(limit))
    };
    let seconds = |field: &str| {
        let seconds = u64::try_from(policy.int(field)?).ok()?;
        (seconds > 0).then_some(seconds)
    };
    Policy {
        name: policy.text("name"),
        max_concurrent_sessions: limit("max_concurrent_sessions"),
        concurrent_sessions: data
            .node("keypair")
            .int("concurrency_used")
            .and_then(|n| n.try_into().ok()),
        max_containers_per_session: limit("max_containers_per_session"),
        max_pending_sessions: limit("max_pending_session_count"),
        max_session_lifetime: seconds("max_session_lifetime"),
        idle_timeout: seconds("idle_timeout"),
        ..Policy::default()
    }
}

fn agent(node: Node<'_>) -> Option<Agent> {
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

/// Folders that are gone, or on their way out, are not for mounting.
fn folder(node: Node<'_>) -> Option<Folder> {
    let status = node.text("status").unwrap_or_default();
    if status.as_str().starts_with("delete") {
        return None;
    }
    Some(Folder {
        id: node.text("id")?,
        name: node.text("name")?,
        host: node.text("host").unwrap_or_default(),
        status,
        permission: node.text("permission").unwrap_or_default(),
        usage_mode: node.text("usage_mode").unwrap_or_default(),
        ownership: node.text("ownership_type").unwrap_or_default(),
        is_owner: node.flag("is_owner").unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_no_limit() {
        let data = json!({"keypair": {"concurrency_used": 1}, "keypair_resource_policy": {
            "name": "default", "max_session_lifetime": 0, "max_concurrent_sessions": 30,
            "max_pending_session_count": null, "idle_timeout": 3600,
            "max_containers_per_session": 2_147_483_647}});
        let policy = read_policy(Node::new(&data));
        assert_eq!(policy.max_session_lifetime, None);
        assert_eq!(policy.idle_timeout, Some(3600));
        assert_eq!(policy.max_concurrent_sessions, Some(30));
        assert_eq!(policy.max_containers_per_session, None);
        assert_eq!(policy.concurrent_sessions, Some(1));
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(with_query("/x", &[("group", "a b&c")]), "/x?group=a+b%26c");
    }
}
