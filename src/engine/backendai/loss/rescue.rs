//! Copies files of a session into a new directory of a folder: complete or not at all.

use serde::Deserialize;
use tokio::sync::watch;

use super::{FIRST, LossOrder, reply, upload};
use crate::{
    engine::{
        api::{Folders as _, Result},
        backendai::BackendAiEngine,
    },
    model::{
        failure::Failure,
        files::FileProgress,
        folder::Folder,
        id::SessionId,
        loss::{Rescue, Rescued},
        resources::Bytes,
        text::Clean,
    },
};

/// The longest answer of a copy, and the longest list of what is copied, in bytes.
const LONGEST_ANSWER: usize = 64 << 10;
const LONGEST_LIST: usize = 64 << 20;

/// The answer of the program that copies.
#[derive(Deserialize)]
struct CopyAnswer {
    /// Whether the session mounts the folder, and may write to it.
    mounted: bool,
    #[serde(default)]
    files: u64,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    skipped: Vec<String>,
}

impl BackendAiEngine {
    pub(super) async fn rescue_files(
        &self,
        session: SessionId,
        rescue: &Rescue,
        progress: &watch::Sender<FileProgress>,
    ) -> Result<Rescued> {
        if rescue.directory.is_root() {
            return Err(
                Failure::usage(tr_sent!("name a new directory of the folder"))
                    .hint(tr_sent!("use FOLDER/DIRECTORY, for example data/rescued")),
            );
        }
        let folder = self.writable_folder(&rescue.folder).await?;
        let id = folder.id.as_str().replace('-', "");
        let order = LossOrder {
            since: self.began(session).await?,
            first: FIRST,
            paths: &rescue.paths,
            folder: folder.name.as_str(),
            id: (id.len() == 32).then_some(id.as_str()),
            directory: &rescue.directory,
        };
        let attached = self.ask_loss(session, "rescue", &order).await?;
        let answer: CopyAnswer = reply::parse(&reply::read(attached, LONGEST_ANSWER).await?)?;
        if answer.mounted {
            let skipped = answer.skipped.iter().map(|it| Clean::new(it));
            return Ok(Rescued {
                files: answer.files,
                size: Bytes(answer.size),
                skipped: skipped.collect(),
            });
        }
        let attached = self.ask_loss(session, "entries", &order).await?;
        let list = reply::read(attached, LONGEST_LIST).await?;
        let entries = upload::Entries::parse(&list)?;
        upload::copy(
            self,
            session,
            folder.id.as_str(),
            &rescue.directory,
            entries,
            progress,
        )
        .await
    }

    async fn writable_folder(&self, name: &str) -> Result<Folder> {
        let called = self.folders().await?;
        let mut called: Vec<Folder> = called.into_iter().filter(|it| it.is_called(name)).collect();
        // Your own folder comes before one that is shared with you.
        called.sort_by_key(|it| !it.is_owner);
        let shown = Clean::new(name);
        let Some(folder) = called.into_iter().next() else {
            return Err(
                Failure::not_found(tr_sent!("folder '{shown}' not found", shown)).hint(tr_sent!(
                    "run `workbay folder ls`, or create it with `workbay folder create`"
                )),
            );
        };
        if folder.is_read_only() {
            return Err(Failure::refused(tr_sent!(
                "you may only read the folder '{shown}'",
                shown
            ))
            .hint(tr_sent!("choose another folder")));
        }
        Ok(folder)
    }
}
