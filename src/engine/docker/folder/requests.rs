//! Carries out what clients ask for about folders of this machine.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use async_trait::async_trait;
use jiff::Timestamp;

use super::{
    quotas,
    store::{FolderPlace, refused},
    trash::remove_trashed,
};
use crate::{
    engine::{
        api::{Folders, Result},
        docker::{DockerEngine, blocking::off_loop, container::identity::Identity},
    },
    model::{
        failure::Failure,
        folder::{
            Folder, FolderAnswer, FolderHosts, FolderPermission, FolderRequest, FolderUsage,
            NewFolder,
        },
        resources::Bytes,
        settings::warning_limit,
    },
    space::DiskSpace,
};

/// The name of this machine in the field where a cluster has a storage host.
const HOST: &str = "local";

#[async_trait]
impl Folders for DockerEngine {
    async fn folders(&self) -> Result<Vec<Folder>> {
        self.connection().await?.must_be_local()?;
        self.delete_leftovers();
        let store = self.folder_store.clone();
        let places = off_loop(move || store.places()).await?;
        let folders = places.iter().map(|(name, place)| self.listed(name, place));
        Ok(folders.collect())
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        let owner = self.owner().await?;
        let (store, wanted) = (self.folder_store.clone(), name.to_owned());
        off_loop(move || store.make(&wanted, owner)).await?;
        self.one(name).await
    }

    async fn folder(&self, request: &FolderRequest) -> Result<FolderAnswer> {
        self.connection().await?.must_be_local()?;
        match request {
            FolderRequest::List { trash, measure } => self.list_folders(*trash, *measure).await,
            FolderRequest::Hosts => Ok(FolderAnswer::Hosts(FolderHosts {
                default: Some(HOST.into()),
                allowed: vec![HOST.into()],
                projects: Vec::new(),
            })),
            FolderRequest::Create { new } => {
                check_options(new)?;
                let folder = self.create_folder(&new.name).await?;
                match new.quota {
                    None => Ok(answer(folder)),
                    quota => Ok(answer(self.set_quota(&new.name, quota).await?)),
                }
            }
            FolderRequest::Rename { folder, name } => {
                self.forget_size(folder);
                self.change({
                    let (folder, name) = (folder.clone(), name.clone());
                    move |store| store.rename(&folder, &name)
                })
                .await?;
                Ok(answer(self.one(name).await?))
            }
            FolderRequest::Clone { folder, name } => {
                let owner = self.owner().await?;
                self.folder_store.clone_folder(folder, name, owner).await?;
                Ok(answer(self.one(name).await?))
            }
            FolderRequest::SetQuota { folder, quota } => {
                Ok(answer(self.set_quota(folder, *quota).await?))
            }
            FolderRequest::Trash { folder } => {
                self.forget_size(folder);
                let folder = folder.clone();
                self.change(move |store| store.trash(&folder, now()))
                    .await?;
                Ok(FolderAnswer::Done)
            }
            FolderRequest::Restore { folder } => {
                let word = folder.clone();
                let name = self.change(move |store| store.restore(&word)).await?;
                Ok(answer(self.one(&name).await?))
            }
            FolderRequest::Purge { folder } => {
                let word = folder.clone();
                let purging = self.change(move |store| store.begin_purge(&word)).await?;
                Self::delete_in_background(purging);
                Ok(FolderAnswer::Done)
            }
            _ => Err(Failure::unsupported(tr_sent!(
                "folders of this machine are yours alone. They have no permissions of workbay"
            ))
            .hint(tr_sent!(
                "to share files, ask the administrator of this machine for a host path"
            ))),
        }
    }
}

impl DockerEngine {
    async fn owner(&self) -> Result<(u32, u32)> {
        let connection = self.connection().await?;
        connection.must_be_local()?;
        Ok(Identity::of_caller(connection.quirks.mapping).owner)
    }

    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(super::store::FolderStore) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.folder_store.clone();
        off_loop(move || change(store)).await
    }

    pub(super) fn forget_size(&self, name: &str) {
        if let Ok(place) = self.folder_store.place(name) {
            self.folder_sizes.forget(&place.path);
        }
    }

    /// A folder as lists have it.
    pub(super) async fn one(&self, name: &str) -> Result<Folder> {
        let wanted = name.to_owned();
        let place = self.change(move |store| store.place(&wanted)).await?;
        Ok(self.listed(name, &place))
    }

    fn listed(&self, name: &str, place: &FolderPlace) -> Folder {
        let mut folder = Folder::own(name, HOST);
        folder.created_at = created_at(&place.path);
        folder.path = Some(place.path.display().to_string());
        fill_space(&mut folder, &place.path);
        quotas::fill(&mut folder, &place.path);
        if place.is_of_machine {
            folder.is_owner = false;
            folder.ownership = "machine".into();
            folder.permission = if place.read_only { "ro" } else { "rw" }.into();
        } else {
            folder.cloneable = true;
        }
        self.folder_sizes.fill(&mut folder, &place.path);
        folder
    }

    async fn list_folders(&self, trash: bool, measure: bool) -> Result<FolderAnswer> {
        self.delete_leftovers();
        let store = self.folder_store.clone();
        if trash {
            let trashed = off_loop(move || store.trashed()).await?;
            self.measure(trashed.iter().map(|it| it.path.clone()), measure)
                .await;
            let folders = trashed.iter().map(|trashed| {
                let mut folder = Folder::own(&trashed.name, HOST);
                folder.id = trashed.id.as_str().into();
                folder.status = "delete-pending".into();
                folder.created_at = created_at(&trashed.path);
                folder.trashed_at = Some(trashed.at);
                folder.path = Some(trashed.path.display().to_string());
                quotas::fill(&mut folder, &trashed.path);
                self.folder_sizes.fill(&mut folder, &trashed.path);
                folder
            });
            return Ok(FolderAnswer::Folders(folders.collect()));
        }
        let places = off_loop(move || store.places()).await?;
        self.measure(places.values().map(|it| it.path.clone()), measure)
            .await;
        let folders = places.iter().map(|(name, place)| self.listed(name, place));
        Ok(FolderAnswer::Folders(folders.collect()))
    }

    async fn measure(&self, paths: impl Iterator<Item = PathBuf>, waits: bool) {
        self.folder_sizes.look(paths);
        if waits {
            self.folder_sizes.wait().await;
        }
    }

    /// Deletes what killed daemons left, once.
    fn delete_leftovers(&self) {
        if self.swept.swap(true, Ordering::Relaxed) {
            return;
        }
        for path in self.folder_store.leftovers() {
            Self::delete_in_background(path);
        }
    }

    /// Deletes a directory of the trash. What can't be deleted is tried again by the next daemon.
    fn delete_in_background(path: PathBuf) {
        tokio::task::spawn_blocking(move || {
            if let Err(error) = remove_trashed(&path) {
                tracing::warn!(%error, path = %path.display(), "a folder can't be deleted completely");
            }
        });
    }
}

/// Refuses what only clusters have.
fn check_options(new: &NewFolder) -> Result<()> {
    let NewFolder {
        name: _,
        host,
        group,
        usage,
        permission,
        cloneable: _,
        quota: _,
    } = new;
    let is_elsewhere = host.as_deref().is_some_and(|it| it != HOST);
    let wrong = if is_elsewhere {
        tr_sent!("another storage host")
    } else if group.is_some() {
        tr_sent!("a project")
    } else if *usage != FolderUsage::General {
        tr_sent!("a usage mode")
    } else if *permission != FolderPermission::ReadWrite {
        tr_sent!("a permission")
    } else {
        return Ok(());
    };
    Err(refused(
        tr_sent!("a folder of this machine can't have {wrong}", wrong),
        Some(tr_sent!(
            "create it without the option, or in a Backend.AI context"
        )),
    ))
}

fn answer(folder: Folder) -> FolderAnswer {
    FolderAnswer::Folder(Box::new(folder))
}

/// Below this, or a tenth of a small file system, a disk counts as almost full.
const LOW: Bytes = Bytes(Bytes::GIB);

fn fill_space(folder: &mut Folder, path: &Path) {
    let Ok(space) = DiskSpace::at(path) else {
        return;
    };
    folder.free = Some(space.free);
    folder.low_space = space.free < warning_limit(LOW, space.total);
}

fn created_at(path: &Path) -> Option<Timestamp> {
    let meta = fs::symlink_metadata(path).ok()?;
    let time = meta.created().or_else(|_| meta.modified()).ok()?;
    // Whole seconds, as managers report them.
    let time = Timestamp::try_from(time).ok()?;
    Timestamp::from_second(time.as_second()).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the trash stores when a folder was deleted"
)]
fn now() -> Timestamp {
    Timestamp::now()
}
