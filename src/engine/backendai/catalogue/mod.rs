//! What can be chosen for a launch. It is read in parts, so that a part that fails doesn't hide the
//! others.

mod agents;
mod groups;
mod limits;
mod policy;
mod presets;
mod statistics;

pub(super) use agents::Agents;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    BackendAiEngine,
    connect::connection::{ManagerConnection, without_project},
    folder,
    request::{gql::Schema, lenient_json::Node},
};
use crate::{
    engine::api::Result,
    model::{catalogue::Catalogue, failure::Failure, text::Clean},
};
use limits::read_limits;

impl BackendAiEngine {
    pub(super) async fn read_catalogue(&self, project: Option<&str>) -> Result<Catalogue> {
        let connection = self.core.connection().await?;
        let project = connection.project_or_default(project)?;
        let (id, name) = match &project {
            Some((id, name)) => (Some(id.as_str()), name.as_str()),
            None => (None, ""),
        };
        let groups_and_presets = async {
            if id.is_none() {
                let error = without_project(&connection.me.user.email);
                return (Err(error), Ok(Value::Null));
            }
            tokio::join!(
                connection.groups(name, id),
                connection.checked_presets(name)
            )
        };
        let ((groups, checked), bound, policy, agents, folders) = tokio::join!(
            groups_and_presets,
            connection.bound_presets(),
            connection.http.ask(Schema::One, policy::QUERY, json!({})),
            connection.agents(),
            connection.folder_list(id),
        );
        let mut catalogue = Catalogue {
            user: Some(connection.me.user.clone()),
            projects: connection.me.projects.clone(),
            project: project.map(|(_, name)| name),
            quanta: [("cpu".to_owned(), 1000)].into(),
            ..Catalogue::default()
        };
        let mut gaps = Vec::new();
        let agents = Arc::new(part(agents, tr_later!("agents"), &mut gaps)?.unwrap_or_default());
        self.core.know_agents(&agents);
        let groups = part(groups, tr_later!("resource groups"), &mut gaps)?.unwrap_or_default();
        let checked = part(checked, tr_later!("presets"), &mut gaps)?.unwrap_or_default();
        catalogue.limits = read_limits(Node::new(&checked));
        catalogue.resource_groups = groups.merged(Node::new(&checked), &agents);
        catalogue.presets = presets::read(Node::new(&checked));
        let bound = part(bound, tr_later!("presets of groups"), &mut gaps)?;
        let offered = presets::of_groups(bound.unwrap_or_default(), &groups.names);
        catalogue.presets.extend(offered);
        if let Some(read) = part(policy, tr_later!("policy"), &mut gaps)? {
            catalogue.policy = policy::read(Node::new(&read));
        }
        catalogue.policy.per_container = groups.largest_container();
        catalogue.quanta.extend(groups.quantum());
        catalogue.agents.clone_from(&agents.list);
        catalogue.accelerators = groups::kinds(&catalogue, self.core.config.shares_per_device);
        if let Some(folders) = part(folders, tr_later!("folders"), &mut gaps)? {
            catalogue.folders = folder::read(&folders);
        }
        connection
            .count_waiting(&mut catalogue.resource_groups)
            .await;
        catalogue.gaps = gaps;
        Ok(catalogue)
    }
}

/// Returns a part, or records a gap with its reason. A lost connection or a refused login fails the
/// whole catalog.
fn part<T>(result: Result<T>, what: &str, gaps: &mut Vec<(Clean, Clean)>) -> Result<Option<T>> {
    match result {
        Ok(part) => Ok(Some(part)),
        Err(error) if error.is_lost() || error.is_denied() => Err(error),
        Err(error) => {
            gaps.push((Clean::new(what), Clean::new(&error.to_string())));
            Ok(None)
        }
    }
}

impl ManagerConnection {
    /// The id and name of the requested project, else of the context's.
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
        found.map(|p| Some(pair(p))).ok_or_else(|| {
            Failure::refused(tr_sent!(
                "{email} isn't in project '{project}'",
                email = self.me.user.email,
                project = Clean::new(wanted)
            ))
            .hint(tr_sent!("available projects: {names}", names = names()))
        })
    }
}
