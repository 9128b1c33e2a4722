//! Folders of a cluster ("vfolders"): lists, changes and sharing. `docs/backendai.md` has the requests.

mod change;
mod create;
mod rows;
mod sharing;
mod sizes;

use async_trait::async_trait;
use futures_util::future::try_join_all;
use serde_json::Value;

pub(super) use rows::read;
pub(super) use sizes::FolderSizes;

use super::{
    BackendAiEngine,
    connect::connection::ManagerConnection,
    request::{
        call::with_query,
        http::{ManagerCall, SHORT},
    },
};
use crate::{
    engine::api::{Folders, Result},
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderAnswer, FolderRequest, NewFolder},
        launch_field::LaunchField,
        text::Clean,
    },
    rules::launch::folders::{check_name, check_new_name},
};

#[async_trait]
impl Folders for BackendAiEngine {
    async fn folders(&self) -> Result<Vec<Folder>> {
        let connection = self.core.connection().await?;
        Ok(read(&connection.own_folder_list().await?))
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        self.create(&NewFolder::named(name)).await
    }

    async fn folder(&self, request: &FolderRequest) -> Result<FolderAnswer> {
        let connection = self.core.connection().await?;
        match request {
            FolderRequest::List { trash, measure } => {
                self.list_folders(&connection, *trash, *measure).await
            }
            FolderRequest::Hosts => Ok(FolderAnswer::Hosts(connection.folder_hosts(None).await?)),
            FolderRequest::Create { new } => Ok(answer(self.create(new).await?)),
            FolderRequest::Rename { folder, name } => {
                Ok(answer(connection.rename(folder, name).await?))
            }
            FolderRequest::Clone { folder, name } => {
                Ok(answer(connection.copy(folder, name).await?))
            }
            FolderRequest::Trash { folder } => done(connection.trash(folder).await),
            FolderRequest::Restore { folder } => Ok(answer(connection.restore(folder).await?)),
            FolderRequest::Purge { folder } => done(connection.purge(folder).await),
            FolderRequest::SetQuota { .. } => Err(no_quotas()),
            FolderRequest::SetPermission { folder, permission } => Ok(answer(
                connection.set_permission(folder, *permission).await?,
            )),
            sharing => connection.share_request(sharing).await,
        }
    }
}

fn no_quotas() -> Failure {
    Failure::unsupported(tr_sent!(
        "a cluster's administrator sets the quotas of folders"
    ))
    .about(LaunchField::Folders)
    .hint(tr_sent!(
        "create the folder without a quota. `workbay folder ls` shows the quotas"
    ))
}

impl BackendAiEngine {
    async fn create(&self, new: &NewFolder) -> Result<Folder> {
        // These rules are our own: older managers accept any name.
        if new.quota.is_some() {
            return Err(no_quotas());
        }
        check_name(&new.name)
            .and_then(|()| check_new_name(&new.name))
            .map_err(refused)?;
        self.core.connection().await?.make_folder(new).await
    }

    async fn list_folders(
        &self,
        connection: &ManagerConnection,
        trash: bool,
        measure: bool,
    ) -> Result<FolderAnswer> {
        let list = connection.own_folder_list().await?;
        if trash {
            return Ok(FolderAnswer::Folders(rows::in_trash(&list)));
        }
        let mut folders = rows::usable(&list);
        let sizes = &self.core.folder_sizes;
        if measure {
            sizes.measure(connection, &folders).await;
        }
        sizes.fill(&mut folders, measure);
        Ok(FolderAnswer::Folders(folders))
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

    /// The folders of the user and of all their projects. The manager lists those of one project at a time.
    async fn own_folder_list(&self) -> Result<Value> {
        let projects = self.me.projects.iter();
        let lists = projects.map(|project| self.folder_list(Some(project.id.as_str())));
        let lists = try_join_all(lists).await?;
        if lists.is_empty() {
            return self.folder_list(None).await;
        }
        Ok(rows::without_repeats(&self.me.projects, lists))
    }

    /// Fails for a folder that is shared read-only, if this manager would accept changes in it.
    pub(in crate::engine::backendai) async fn must_be_writable(&self, word: &str) -> Result<()> {
        if self.features.protects_shares {
            return Ok(());
        }
        let folder = self.find_folder(word, |_| true).await?;
        if !folder.is_read_only() {
            return Ok(());
        }
        let what = tr_sent!("folder '{name}' is shared read-only", name = folder.name);
        Err(Failure::refused(what).hint(tr_sent!("ask its owner for write access")))
    }

    /// The folder that a word means: an id, or a name. A name of several folders is an error.
    async fn find_folder(&self, word: &str, is_wanted: fn(&Folder) -> bool) -> Result<Folder> {
        let all = rows::all(&self.own_folder_list().await?);
        let called = all
            .into_iter()
            .filter(|it| it.is_called(word) && is_wanted(it));
        let mut found: Vec<Folder> = called.collect();
        // An id is exact, and your own folder comes before one that is shared with you.
        found.sort_by_key(|it| (it.id != *word, !it.is_owner));
        let shown = Clean::new(word);
        let mut found = found.into_iter();
        let Some(first) = found.next() else {
            return Err(
                Failure::not_found(tr_sent!("folder '{shown}' not found", shown))
                    .about(LaunchField::Folders)
                    .hint(tr_sent!(
                        "run `workbay folder ls`, or `workbay folder ls --trash`"
                    )),
            );
        };
        let is_ambiguous = |next: &Folder| first.id != *word && next.is_owner == first.is_owner;
        match found.next() {
            Some(next) if is_ambiguous(&next) => {
                let what = tr_sent!("several folders have the name '{shown}'", shown);
                Err(Failure::usage(what)
                    .about(LaunchField::Folders)
                    .hint(tr_sent!(
                        "use the id. `workbay folder ls --json` prints the ids"
                    )))
            }
            _ => Ok(first),
        }
    }

    async fn usable_folder(&self, word: &str) -> Result<Folder> {
        self.find_folder(word, |it| !rows::is_deleted(it)).await
    }

    async fn trashed_folder(&self, word: &str) -> Result<Folder> {
        self.find_folder(word, rows::is_in_trash).await
    }

    async fn send_change(&self, call: ManagerCall) -> Result<()> {
        let sent = self.http.send(&call).await;
        sent.map(drop).map_err(|error| match error.kind {
            FailureKind::Refused => error.about(LaunchField::Folders),
            _ => error,
        })
    }
}

fn answer(folder: Folder) -> FolderAnswer {
    FolderAnswer::Folder(Box::new(folder))
}

fn done(result: Result<()>) -> Result<FolderAnswer> {
    result.map(|()| FolderAnswer::Done)
}

fn refused(why: impl Into<Clean>) -> Failure {
    Failure::refused(why).about(LaunchField::Folders)
}
