//! Requests about files, as the transfers use them.

use std::ffi::{OsStr, OsString};

use jiff::Timestamp;

use super::{
    local::numbered,
    task::{Result, Stop, Task},
};
use crate::{
    client::Client,
    model::{
        failure::Failure,
        files::{
            FileEntry, FileListing, FilePath, FilePlace, FileRequest, ListOptions, MOST_LISTED,
        },
    },
    protocol::message::{Reply, Request},
};

/// Entries that are requested at once.
const PAGE: u32 = MOST_LISTED;
/// Names tried before giving up.
const TRIES: u32 = 1_000;

async fn ask(client: &Client, place: &FilePlace, request: FileRequest) -> Result<Reply> {
    let place = place.clone();
    Ok(client.ask(Request::Files { place, request }).await?)
}

/// An entry, `None` if it doesn't exist.
pub async fn stat(task: &Task, place: &FilePlace, path: &FilePath) -> Result<Option<FileEntry>> {
    let path = path.clone();
    match ask(task.client()?, place, FileRequest::Stat { path }).await {
        Ok(Reply::File { entry }) => Ok(Some(entry)),
        Ok(_) => Err(unexpected()),
        Err(Stop::Failed(failure)) if failure.is_not_found() => Ok(None),
        Err(stop) => Err(stop),
    }
}

pub async fn create_directory(task: &Task, place: &FilePlace, path: &FilePath) -> Result<()> {
    let path = path.clone();
    ask(task.client()?, place, FileRequest::CreateDirectory { path }).await?;
    Ok(())
}

/// Gives a file the time of its source. Not every place can do that, and the file is complete without it.
pub async fn set_time(
    task: &Task,
    place: &FilePlace,
    path: &FilePath,
    modified: Option<Timestamp>,
) -> Result<()> {
    let request = FileRequest::SetAttributes {
        path: path.clone(),
        mode: None,
        modified,
    };
    match ask(task.client()?, place, request).await {
        Err(stop @ Stop::Interrupted(_)) => Err(stop),
        _ => Ok(()),
    }
}

pub async fn rename(task: &Task, place: &FilePlace, from: FilePath, to: FilePath) -> Result<()> {
    ask(task.client()?, place, FileRequest::Rename { from, to }).await?;
    Ok(())
}

/// A part of a directory from `offset` on.
pub async fn list(
    task: &Task,
    place: &FilePlace,
    path: &FilePath,
    offset: u64,
) -> Result<FileListing> {
    let request = FileRequest::List {
        path: path.clone(),
        options: ListOptions {
            offset,
            count: PAGE,
            ..ListOptions::default()
        },
    };
    match ask(task.client()?, place, request).await? {
        Reply::Files { listing } => Ok(listing),
        _ => Err(unexpected()),
    }
}

/// The first of `NAME-1`, `NAME-2` … that is free in a directory.
pub async fn free_name(
    task: &Task,
    place: &FilePlace,
    directory: &FilePath,
    name: &OsStr,
) -> Result<OsString> {
    for number in 1..TRIES {
        let candidate = numbered(name, number);
        let path = directory.join(&candidate)?;
        if stat(task, place, &path).await?.is_none() {
            return Ok(candidate);
        }
    }
    let text = tr!("no free name was found in '{directory}'", directory);
    Err(Failure::refused(text)
        .hint(tr!("rename the file, then try again"))
        .into())
}

fn unexpected() -> Stop {
    let text = tr!("the daemon sent an unexpected answer about a file");
    Stop::Failed(Failure::internal(text).hint(tr!("restart the daemon: `workbay daemon stop`")))
}
