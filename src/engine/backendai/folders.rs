//! Folders that outlive sessions: lists a user's folders and creates new ones.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::{
    BackendAiEngine,
    connect::connection::ManagerConnection,
    request::{
        call::with_query,
        http::{ManagerCall, SHORT},
        lenient_json::Node,
    },
};
use crate::{
    engine::api::{Folders, Losses, Result},
    model::{
        catalogue::Folder,
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        text::Clean,
    },
    rules::launch::folders::check_name,
};

#[async_trait]
impl Losses for BackendAiEngine {}

#[async_trait]
impl Folders for BackendAiEngine {
    async fn folders(&self) -> Result<Vec<Folder>> {
        let connection = self.core.connection().await?;
        let project = connection
            .project
            .as_ref()
            .map(|project| project.id.as_str());
        Ok(read(&connection.folder_list(project).await?))
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        // This rule is our own: the manager accepts any name.
        check_name(name).map_err(refused)?;
        self.core.connection().await?.make_folder(name).await
    }
}

impl ManagerConnection {
    /// The folders of the user and of the project, as the manager lists them.
    pub(super) async fn folder_list(&self, project: Option<&str>) -> Result<Value> {
        let path = match project {
            Some(id) => with_query("/folders", &[("group_id", id)]),
            None => "/folders".to_owned(),
        };
        self.http.json(&ManagerCall::get(path).within(SHORT)).await
    }

    async fn make_folder(&self, name: &str) -> Result<Folder> {
        let mut body = Map::new();
        body.insert("name".into(), json!(name));
        if let Some(host) = self.folder_host().await? {
            body.insert("host".into(), json!(host.as_str()));
        }
        body.insert("usage_mode".into(), json!("general"));
        body.insert("permission".into(), json!("rw"));
        let call = ManagerCall::post("/folders", &Value::Object(body));
        let made: Result<Value> = self.http.json(&call).await;
        let made = made.map_err(|error| {
            if error.kind != FailureKind::Refused {
                return error;
            }
            if error.what.as_str().contains("already exists") {
                return refused(format!("folder '{}' already exists", Clean::new(name)));
            }
            error.about(LaunchField::Folders)
        })?;
        folder(Node::new(&made)).ok_or_else(|| {
            Failure::reported("a new folder without its id. Check the list of folders")
        })
    }

    /// The storage host for new folders: the site's default if it is allowed, else the first
    /// allowed host.
    async fn folder_host(&self) -> Result<Option<Clean>> {
        let call = ManagerCall::get("/folders/_/hosts").within(SHORT);
        let hosts: Value = self.http.json(&call).await?;
        let hosts = Node::new(&hosts);
        let allowed = hosts.texts("allowed");
        if allowed.is_empty() {
            return Err(refused(
                "this project and these keys have no storage for folders. Ask the administrator \
                 of the cluster",
            ));
        }
        let default = hosts.text("default").filter(|it| allowed.contains(it));
        Ok(default.or_else(|| allowed.into_iter().next()))
    }
}

fn refused(why: impl Into<Clean>) -> Failure {
    Failure::refused(why).about(LaunchField::Folders)
}

pub(super) fn read(list: &Value) -> Vec<Folder> {
    let list = list.as_array().map_or(&[] as &[Value], Vec::as_slice);
    list.iter().filter_map(|it| folder(Node::new(it))).collect()
}

/// Leaves out folders that are deleted or being deleted, because they can't be mounted.
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
