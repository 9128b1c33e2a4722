//! `folder ls NAME/PATH` and `folder du`.

use serde::Serialize;

use super::{Place, connect};
use crate::{
    cli::{
        Start,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        output::{self, Cell},
        times,
    },
    client::StreamItem,
    model::{
        failure::Failure,
        files::{
            FileEntry, FileKind, FilePath, FilePlace, FileProgress, FileRequest, FileWork,
            ListOptions, MOST_LISTED,
        },
        resources::Bytes,
    },
    protocol::message::{Reply, Request, StreamEnd, StreamOpen},
};

/// The entries of one request.
const PAGE: u32 = MOST_LISTED;

pub(in super::super) fn ls(start: &Start, place: &Place, long: bool, json: bool) -> Outcome {
    let entries = connection::block_on(async {
        let (connection, at) = connect(start, place).await?;
        entries(&connection, at, &place.path).await
    })?;
    if json {
        output::json(&entries)?;
    } else if long {
        let rows: Vec<Vec<Cell>> = entries.iter().map(row).collect();
        output::print(&output::table(
            &[
                tr_later!("MODE"),
                tr_later!("SIZE"),
                tr_later!("MODIFIED"),
                tr_later!("NAME"),
            ],
            &rows,
            false,
        ))?;
    } else {
        let lines: String = entries.iter().map(|entry| shown(entry) + "\n").collect();
        output::print(&lines)?;
    }
    Ok(0)
}

/// All entries of a directory, or the entry of a file.
async fn entries(
    connection: &Connection,
    place: FilePlace,
    path: &FilePath,
) -> Result<Vec<FileEntry>, Fail> {
    let ask = async |request| {
        let place = place.clone();
        connection.request(Request::Files { place, request }).await
    };
    if !path.is_root() {
        let path = path.clone();
        match ask(FileRequest::Stat { path }).await? {
            Reply::File { entry } if entry.kind != FileKind::Directory => return Ok(vec![entry]),
            Reply::File { .. } => {}
            other => return Err(connection::unexpected(&other)),
        }
    }
    let mut entries: Vec<FileEntry> = Vec::new();
    loop {
        let options = ListOptions {
            offset: entries.len() as u64,
            count: PAGE,
            ..ListOptions::default()
        };
        let path = path.clone();
        let listing = match ask(FileRequest::List { path, options }).await? {
            Reply::Files { listing } => listing,
            other => return Err(connection::unexpected(&other)),
        };
        let is_last = listing.entries.is_empty();
        entries.extend(listing.entries);
        if is_last || entries.len() as u64 >= listing.total {
            return Ok(entries);
        }
    }
}

fn shown(entry: &FileEntry) -> String {
    let name = entry.name.shown();
    match (&entry.target, entry.kind) {
        (_, FileKind::Directory) => format!("{name}/"),
        (Some(target), _) => format!("{name} -> {}", target.shown()),
        _ => name.into_string(),
    }
}

fn row(entry: &FileEntry) -> Vec<Cell> {
    let kind = match entry.kind {
        FileKind::Directory => 'd',
        FileKind::Link => 'l',
        FileKind::Special => '?',
        FileKind::File => '-',
    };
    let size = match entry.kind {
        FileKind::File => Bytes(entry.size).to_string(),
        _ => String::new(),
    };
    vec![
        format!("{kind}{}", permissions(entry.mode)).into(),
        size.into(),
        entry.modified.map(times::moment).unwrap_or_default().into(),
        shown(entry).into(),
    ]
}

/// `rwxr-x---`; empty if unknown.
fn permissions(mode: Option<u32>) -> String {
    let Some(mode) = mode else {
        return String::new();
    };
    let letter = |bit: u32| {
        let is_set = mode & (1 << (8 - bit)) != 0;
        if is_set {
            char::from(b"rwx"[bit as usize % 3])
        } else {
            '-'
        }
    };
    (0..9).map(letter).collect()
}

/// What a folder or a part of it uses, in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpaceJson {
    files: u64,
    /// As `du` counts: in blocks of the disk, where that is known.
    bytes: u64,
}

pub(super) fn du(start: &Start, place: &Place, json: bool) -> Outcome {
    let used = connection::block_on(async {
        let (connection, at) = connect(start, place).await?;
        measured(&connection, at, &place.path).await
    })?;
    let (files, bytes) = (used.files, used.bytes);
    if json {
        output::json(&SpaceJson { files, bytes })?;
    } else {
        output::line(&tr_plural!(
            files,
            "{size}, {files} file",
            "{size}, {files} files",
            size = Bytes(bytes),
            files
        ))?;
    }
    Ok(0)
}

async fn measured(
    connection: &Connection,
    place: FilePlace,
    path: &FilePath,
) -> Result<FileProgress, Fail> {
    let paths = vec![path.clone()];
    let work = FileWork::Measure { paths };
    let mut stream = connection.stream(StreamOpen::FileWork { place, work });
    let mut lines = Vec::new();
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { bytes, .. } => lines.extend_from_slice(&bytes),
            StreamItem::Ended(StreamEnd::Exited { .. }) => break,
            StreamItem::Ended(StreamEnd::Failed { failure }) => return Err(failure.into()),
            StreamItem::Ended(StreamEnd::Lost { why }) => return Err(Failure::lost(why).into()),
        }
    }
    let last = lines
        .split(|byte| *byte == b'\n')
        .rfind(|line| !line.is_empty());
    let progress = last.and_then(|line| serde_json::from_slice(line).ok());
    progress.ok_or_else(|| {
        Fail::from(
            Failure::internal(tr!("the daemon sent no result"))
                .hint(tr!("run `workbay daemon stop`, then try again")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_letters() {
        assert_eq!(permissions(Some(0o4754)), "rwxr-xr--");
        assert_eq!(permissions(Some(0)), "---------");
        assert_eq!(permissions(None), "");
    }
}
