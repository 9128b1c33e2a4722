//! Quotas of the user's folders.

use std::path::Path;

use super::sizes::FolderSizes;
use crate::{
    engine::{
        api::Result,
        docker::{DockerEngine, blocking::off_loop, quota::wanted},
    },
    files::Room,
    model::{folder::Folder, resources::Bytes},
};

/// Fills in the quota of a folder.
pub(super) fn fill(folder: &mut Folder, path: &Path) {
    let quota = wanted::read(path);
    folder.max_size = quota.map(|it| it.most);
    folder.quota_enforced = quota.map(|it| it.is_enforced);
}

impl DockerEngine {
    pub(super) async fn set_quota(&self, name: &str, quota: Option<Bytes>) -> Result<Folder> {
        let wanted = name.to_owned();
        self.change(move |store| wanted::set(&store.own_place(&wanted)?, quota))
            .await?;
        self.forget_size(name);
        self.one(name).await
    }

    /// What the quota of a folder leaves, measured now: sessions write there, too.
    pub(in crate::engine::docker) async fn room_in(&self, name: &str) -> Option<Bytes> {
        let (store, rooms, name) = (self.folder_store.clone(), self.rooms(), name.to_owned());
        let look = move || {
            let path = store.place(&name)?.path;
            Ok(rooms.of(&path, u64::MAX).map(|room| room.left()))
        };
        off_loop(look).await.ok().flatten()
    }

    /// What finds the room in folders.
    pub(in crate::engine::docker) fn rooms(&self) -> Rooms {
        Rooms(self.folder_sizes.clone())
    }
}

/// Finds what may still be written into folders.
pub(in crate::engine::docker) struct Rooms(FolderSizes);

impl Rooms {
    /// The room in a folder with a quota, also where the file system enforces it: ext4 doesn't limit root. `needed` is how many
    /// bytes come, as far as known. It may measure the folder, so it blocks.
    pub(in crate::engine::docker) fn of(&self, path: &Path, needed: u64) -> Option<Room> {
        let most = wanted::read(path)?.most;
        let used = self
            .0
            .used(path, |used| used.saturating_add(needed) < most.0)?;
        Some(Room::new(used, most))
    }
}
