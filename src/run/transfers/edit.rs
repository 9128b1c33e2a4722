//! A file of a place in your editor: downloaded to a private directory, and uploaded if it was changed.

use std::{
    fs::Metadata,
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::{
    download, local, remote,
    task::{Result, Stop, Task},
    upload::{blocking, side_of, write},
};
use crate::{
    app::transfers::{Conflict, ConflictChoice, ConflictKind, TransferEvent},
    config::saving::private_directory,
    model::{
        failure::Failure,
        files::{FileEntry, FilePath, FilePlace, WriteOptions},
        text::Clean,
    },
};

/// A private directory with the file. It is deleted at the end, unless it has the only copy of a change.
struct Draft {
    directory: PathBuf,
    keep: bool,
}

impl Draft {
    fn new(drafts: &Path) -> io::Result<Self> {
        let directory = drafts.join(format!("edit-{}", Uuid::new_v4().simple()));
        private_directory(&directory)?;
        Ok(Self {
            directory,
            keep: false,
        })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

/// Returns `false` if the file wasn't changed.
pub async fn edit(
    task: &mut Task,
    drafts: &Path,
    (place, path): (&FilePlace, &FilePath),
    read_only: bool,
) -> Result<bool> {
    let draft = Draft::new(drafts).map_err(|error| Stop::local(drafts, tr!("created"), &error))?;
    let before = found(task, place, path).await?;
    task.progress.of = Some((1, before.size));
    let name = before.name.0.clone();
    if !local::is_plain_name(&name) {
        let failure = Failure::refused(tr!("'{path}' can't be the name of a file here", path));
        return Err(failure.hint(tr!("rename it, then edit it")).into());
    }
    let target = draft.directory.join(name);
    let Some(file) = download::file(task, (place, path), &before, target).await? else {
        return Ok(false);
    };
    if read_only {
        let readable = std::fs::Permissions::from_mode(0o400);
        let _ = std::fs::set_permissions(&file, readable);
    }
    let fetched = std::fs::metadata(&file);
    let fetched = fetched.map_err(|error| Stop::local(&file, tr!("read"), &error))?;
    task.report().await;
    task.send(TransferEvent::EditReady(file.clone())).await;
    if let Err(why) = task.orders.edited().await {
        return Err(Failure::internal(why)
            .hint(tr!("set EDITOR to another editor"))
            .into());
    }
    let edited = std::fs::metadata(&file);
    let edited = edited.map_err(|error| Stop::local(&file, tr!("read"), &error))?;
    if read_only || is_same(&fetched, &edited) {
        return Ok(false);
    }
    save(task, draft, &file, (place, path), &before).await
}

async fn found(task: &Task, place: &FilePlace, path: &FilePath) -> Result<FileEntry> {
    let entry = remote::stat(task, place, path).await?;
    entry.ok_or_else(|| {
        let failure = Failure::not_found(tr!("'{path}' not found", path));
        Stop::Failed(failure.hint(tr!("refresh the list with `R`")))
    })
}

/// An editor may write the file in place, or replace it.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let about = |it: &Metadata| (it.ino(), it.len(), it.mtime(), it.mtime_nsec());
    about(one) == about(other)
}

/// Uploads the change. If that fails, the draft is kept, and the failure names it.
async fn save(
    task: &mut Task,
    mut draft: Draft,
    file: &Path,
    (place, path): (&FilePlace, &FilePath),
    before: &FileEntry,
) -> Result<bool> {
    draft.keep = true;
    let saved = upload(task, file, (place, path), before).await;
    draft.keep = saved.is_err();
    saved.map_err(|stop| {
        let kept = Clean::new(&file.to_string_lossy());
        let hint = tr!("your change is kept in {kept}: upload it from there", kept);
        // It isn't repeated after a reconnect, because that would open the old file again.
        Stop::Failed(match stop {
            Stop::Failed(failure) => failure.hint(hint),
            Stop::Interrupted(why) => Failure::lost(tr!("the file wasn't saved"))
                .because(why)
                .hint(hint),
        })
    })
}

async fn upload(
    task: &mut Task,
    file: &Path,
    (place, path): (&FilePlace, &FilePath),
    before: &FileEntry,
) -> Result<bool> {
    let opened = {
        let file = file.to_path_buf();
        blocking(move || local::open(&file)).await
    };
    let (opened, metadata) = opened.map_err(|error| Stop::local(file, tr!("read"), &error))?;
    let mut target = path.clone();
    let mut replace = true;
    match remote::stat(task, place, path).await? {
        Some(now)
            if (now.size, now.modified, now.kind)
                != (before.size, before.modified, before.kind) =>
        {
            let conflict = Conflict {
                name: before.name.shown(),
                new: local::side_of(&metadata),
                old: side_of(&now),
                kind: ConflictKind::ChangedMeanwhile,
            };
            match task.ask(conflict).await {
                ConflictChoice::Replace => {}
                ConflictChoice::Skip => return Ok(false),
                ConflictChoice::KeepBoth => {
                    let directory = path.parent().unwrap_or_else(FilePath::root);
                    let name = path.name().unwrap_or_default();
                    let name = remote::free_name(task, place, &directory, name).await?;
                    target = directory.join(&name)?;
                    replace = false;
                }
            }
        }
        Some(_) => {}
        // It was deleted meanwhile, and is created again.
        None => replace = false,
    }
    task.progress.bytes = 0;
    task.progress.of = Some((1, metadata.len()));
    let options = WriteOptions {
        size: Some(metadata.len()),
        offset: 0,
        replace,
        mode: before.mode,
    };
    write(task, opened, file, (place, &target), options).await?;
    Ok(true)
}
