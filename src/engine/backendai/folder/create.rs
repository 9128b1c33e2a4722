//! Creates folders: on the site's default host unless another one is chosen, for the user or for a project.

use serde_json::{Map, Value, json};

use super::{refused, rows};
use crate::{
    engine::{
        api::Result,
        backendai::{
            connect::connection::ManagerConnection,
            request::{
                call::with_query,
                http::{ManagerCall, SHORT},
                lenient_json::Node,
            },
        },
    },
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderHosts, NewFolder},
        launch_field::LaunchField,
        text::Clean,
    },
};

impl ManagerConnection {
    pub(super) async fn make_folder(&self, new: &NewFolder) -> Result<Folder> {
        let name = &new.name;
        let group = match &new.group {
            Some(word) => Some(self.project_id(word)?),
            None => None,
        };
        let mut body = Map::new();
        body.insert("name".into(), json!(name));
        let host = self
            .folder_host(new.host.as_deref(), group.as_deref())
            .await?;
        if let Some(host) = host {
            body.insert("host".into(), json!(host.as_str()));
        }
        if let Some(group) = group {
            body.insert("group".into(), json!(group));
        }
        body.insert("usage_mode".into(), json!(new.usage.word()));
        body.insert("permission".into(), json!(new.permission.word()));
        if new.cloneable {
            body.insert("cloneable".into(), json!(true));
        }
        let call = ManagerCall::post("/folders", &Value::Object(body));
        let made: Result<Value> = self.http.json(&call).await;
        let made = made.map_err(|error| already_exists(error, name))?;
        rows::folder(Node::new(&made)).ok_or_else(|| {
            Failure::reported(tr_sent!(
                "a new folder without its id. Check the list of folders"
            ))
        })
    }

    /// The id of one of the user's projects.
    fn project_id(&self, word: &str) -> Result<String> {
        let projects = &self.me.projects;
        let found = projects
            .iter()
            .find(|it| it.name == *word || it.id == *word);
        found.map(|it| it.id.to_string()).ok_or_else(|| {
            let names: Vec<&str> = projects.iter().map(|it| it.name.as_str()).collect();
            refused(tr_sent!(
                "project '{word}' not found (yours: {names})",
                word = Clean::new(word),
                names = names.join(", ")
            ))
        })
    }

    /// The storage hosts that the user (or the project) may create folders on.
    pub(super) async fn folder_hosts(&self, group: Option<&str>) -> Result<FolderHosts> {
        let path = match group {
            Some(id) => with_query("/folders/_/hosts", &[("group_id", id)]),
            None => "/folders/_/hosts".to_owned(),
        };
        let hosts: Value = self
            .http
            .json(&ManagerCall::get(path).within(SHORT))
            .await?;
        let hosts = Node::new(&hosts);
        let allowed = hosts.texts("allowed");
        Ok(FolderHosts {
            default: hosts.text("default").filter(|it| allowed.contains(it)),
            allowed,
            projects: self.me.projects.iter().map(|it| it.name.clone()).collect(),
        })
    }

    /// The storage host of a new folder: the chosen one, the site's default if it is allowed, else the first
    /// allowed host.
    async fn folder_host(
        &self,
        chosen: Option<&str>,
        group: Option<&str>,
    ) -> Result<Option<Clean>> {
        let FolderHosts {
            default, allowed, ..
        } = self.folder_hosts(group).await?;
        if allowed.is_empty() {
            return Err(refused(tr_sent!(
                "this project and these keys have no storage for folders. Ask the administrator \
                 of the cluster"
            )));
        }
        let Some(chosen) = chosen else {
            return Ok(default.or_else(|| allowed.into_iter().next()));
        };
        if let Some(host) = allowed.iter().find(|it| **it == *chosen) {
            return Ok(Some(host.clone()));
        }
        let names: Vec<&str> = allowed.iter().map(Clean::as_str).collect();
        let shown = Clean::new(chosen);
        Err(
            refused(tr_sent!("storage host '{shown}' isn't available", shown))
                .hint(tr_sent!("choose one of: {names}", names = names.join(", "))),
        )
    }
}

/// Says it clearly if the name of a folder is taken.
pub(super) fn already_exists(error: Failure, name: &str) -> Failure {
    if error.kind != FailureKind::Refused {
        return error;
    }
    let text = error.message().as_str().to_lowercase();
    if ["already exist", "already has", "same name"]
        .iter()
        .any(|it| text.contains(it))
    {
        let what = tr_sent!("folder '{name}' already exists", name = Clean::new(name));
        return refused(what).hint(tr_sent!("use another name"));
    }
    error.about(LaunchField::Folders)
}
