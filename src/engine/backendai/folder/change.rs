//! Renames, copies and deletes folders, and changes their permission.

use futures_util::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};

use super::{create::already_exists, refused, rows};
use crate::{
    engine::{
        api::Result,
        backendai::{
            connect::connection::ManagerConnection,
            request::http::{ManagerCall, SHORT},
            session::events,
        },
    },
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderPermission},
        text::Clean,
    },
};

impl ManagerConnection {
    pub(super) async fn rename(&self, word: &str, name: &str) -> Result<Folder> {
        let folder = self.usable_folder(word).await?;
        let call = ManagerCall::post(
            format!("/folders/{}/rename", folder.id),
            &json!({"new_name": name}),
        );
        let renamed = self.send_change(call).await;
        renamed.map_err(|error| already_exists(error, name))?;
        Ok(Folder {
            name: name.into(),
            ..folder
        })
    }

    /// Copies a folder, and waits until the manager's task is done.
    pub(super) async fn copy(&self, word: &str, name: &str) -> Result<Folder> {
        let folder = self.usable_folder(word).await?;
        if !folder.cloneable {
            let what = tr_sent!("folder {name} can't be cloned", name = folder.name);
            return Err(refused(what).hint(tr_sent!(
                "only a folder that was created with `--cloneable` can be cloned on a cluster"
            )));
        }
        let body = json!({
            "target_name": name,
            "target_host": folder.host.as_str(),
            "usage_mode": usage_mode(&folder),
            "permission": "rw",
            "cloneable": folder.cloneable,
        });
        let call = ManagerCall::post(format!("/folders/{}/clone", folder.id), &body);
        let made: Result<Value> = self.http.json(&call).await;
        let made = made.map_err(|error| already_exists(error, name))?;
        if let Some(task) = made["bgtask_id"].as_str() {
            let mut progress = events::task(self.http.clone(), task).await?;
            while let Some(step) = progress.next().await {
                step?;
            }
        }
        match made["id"].as_str() {
            Some(id) => self.usable_folder(id).await,
            None => self.usable_folder(name).await,
        }
    }

    pub(super) async fn trash(&self, word: &str) -> Result<()> {
        let folder = self.usable_folder(word).await?;
        let body = json!({"vfolderId": folder.id.as_str()});
        let call = ManagerCall::new(Method::DELETE, "/folders").json(&body);
        self.send_change(call)
            .await
            .map_err(|error| mounted(error, &folder))
    }

    pub(super) async fn restore(&self, word: &str) -> Result<Folder> {
        let folder = self.trashed_folder(word).await?;
        let taken = self.usable_folder(folder.name.as_str()).await;
        if taken.is_ok_and(|it| it.is_owner) {
            let what = tr_sent!("folder '{name}' already exists", name = folder.name);
            return Err(refused(what).hint(tr_sent!(
                "rename it first: `workbay folder rename {name} NEW-NAME`",
                name = folder.name
            )));
        }
        let body = json!({"vfolderId": folder.id.as_str()});
        self.send_change(ManagerCall::post("/folders/restore-from-trash-bin", &body))
            .await?;
        Ok(Folder {
            status: "ready".into(),
            ..folder
        })
    }

    pub(super) async fn purge(&self, word: &str) -> Result<()> {
        let folder = self.trashed_folder(word).await?;
        let body = json!({"vfolderId": folder.id.as_str()});
        self.send_change(ManagerCall::post("/folders/delete-from-trash-bin", &body))
            .await
    }

    pub(super) async fn set_permission(
        &self,
        word: &str,
        permission: FolderPermission,
    ) -> Result<Folder> {
        let folder = self.usable_folder(word).await?;
        let path = format!("/folders/{}/update-options", folder.id);
        let body = json!({"permission": permission.word()});
        self.send_change(ManagerCall::post(path, &body).within(SHORT))
            .await?;
        let again = self.usable_folder(folder.id.as_str()).await?;
        debug_assert!(!rows::is_deleted(&again));
        Ok(again)
    }
}

fn usage_mode(folder: &Folder) -> &str {
    match folder.usage_mode.as_str() {
        "" => "general",
        mode => mode,
    }
}

/// Says it clearly if a session mounts the folder. The daemon has refused it already for the sessions that it knows.
fn mounted(error: Failure, folder: &Folder) -> Failure {
    if error.kind != FailureKind::Refused {
        return error;
    }
    let text = error.message();
    if text.as_str().to_lowercase().contains("mount") {
        let what = tr_sent!("folder {name} is mounted by a session", name = folder.name);
        return refused(what)
            .because(Clean::new(text.as_str()))
            .hint(tr_sent!("terminate the session first, then try again"));
    }
    error
}
