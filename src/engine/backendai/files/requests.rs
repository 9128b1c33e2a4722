//! Requests that are answered at once.

use futures_util::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};

use super::{route, text, upload};
use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            connect::connection::ManagerConnection,
            request::{
                call::with_query,
                http::{LIST, ManagerCall},
                lenient_json::{Node, time},
            },
        },
    },
    files,
    model::{
        failure::{Failure, FailureKind},
        files::{FileAnswer, FileEntry, FileKind, FileName, FilePath, FileRequest, WriteOptions},
    },
};

pub(super) async fn answer(
    connection: &ManagerConnection,
    engine: &BackendAiEngine,
    folder: &str,
    request: &FileRequest,
) -> Result<FileAnswer> {
    match request {
        FileRequest::List { path, options } => {
            let entries = list(connection, folder, path).await?;
            let listing = files::select(entries, options);
            return Ok(FileAnswer::Listing { listing });
        }
        FileRequest::Stat { path } => {
            let entry = stat(connection, folder, path).await?;
            return Ok(FileAnswer::Entry { entry });
        }
        FileRequest::CreateDirectory { path } => {
            if exists(connection, folder, path).await? {
                return Err(taken(path));
            }
            let body = json!({"path": text(path)?, "parents": false, "exist_ok": false});
            post(connection, folder, "mkdir", &body).await?;
        }
        FileRequest::CreateFile { path } => {
            if exists(connection, folder, path).await? {
                return Err(taken(path));
            }
            let options = WriteOptions {
                size: Some(0),
                ..WriteOptions::default()
            };
            upload::write(engine, folder, path, options, stream::empty().boxed()).await?;
        }
        FileRequest::Rename { from, to } => rename(connection, folder, from, to).await?,
        FileRequest::CreateLink { .. } | FileRequest::SetAttributes { .. } => {
            return Err(Failure::unsupported(tr_sent!(
                "folders on a cluster take no links, permissions and times"
            ))
            .hint(tr_sent!("set them in a session that mounts the folder")));
        }
    }
    Ok(FileAnswer::Done)
}

async fn post(
    connection: &ManagerConnection,
    folder: &str,
    verb: &str,
    body: &Value,
) -> Result<()> {
    let call = ManagerCall::post(route(folder, verb)?, body);
    connection.http.send(&call).await.map(drop)
}

fn taken(path: &FilePath) -> Failure {
    Failure::refused(tr_sent!("'{path}' already exists", path))
        .hint(tr_sent!("choose another name"))
}

pub(super) async fn rename(
    connection: &ManagerConnection,
    folder: &str,
    from: &FilePath,
    to: &FilePath,
) -> Result<()> {
    if exists(connection, folder, to).await? {
        return Err(taken(to));
    }
    let (from_text, to_text) = (text(from)?, text(to)?);
    if from.parent() == to.parent() {
        let is_directory = stat(connection, folder, from).await?.kind == FileKind::Directory;
        let name = to.name().and_then(|name| name.to_str()).unwrap_or_default();
        let body = json!({"target_path": from_text, "new_name": name, "is_dir": is_directory});
        return post(connection, folder, "rename-file", &body).await;
    }
    let body = json!({"src": from_text, "dst": to_text});
    post(connection, folder, "move-file", &body).await
}

/// Every entry of a directory, in any order.
pub(super) async fn list(
    connection: &ManagerConnection,
    folder: &str,
    path: &FilePath,
) -> Result<Vec<FileEntry>> {
    let path = with_query(&route(folder, "files")?, &[("path", text(path)?)]);
    let answer: Value = connection
        .http
        .json(&ManagerCall::get(path).within(LIST))
        .await?;
    let items = Node::new(&answer).list("items");
    Ok(items
        .iter()
        .filter_map(|item| entry(Node::new(item)))
        .collect())
}

fn entry(node: Node<'_>) -> Option<FileEntry> {
    let kind = match node.str("type")? {
        "FILE" => FileKind::File,
        "DIRECTORY" => FileKind::Directory,
        "SYMBOLIC_LINK" => FileKind::Link,
        _ => FileKind::Special,
    };
    let size = node.int("size").and_then(|size| u64::try_from(size).ok());
    Some(FileEntry {
        name: FileName(node.str("name")?.into()),
        kind,
        size: if kind == FileKind::Directory {
            0
        } else {
            size.unwrap_or(0)
        },
        modified: node.str("modified").and_then(time),
        mode: mode(node),
        target: None,
    })
}

/// A number, or octal digits.
fn mode(node: Node<'_>) -> Option<u32> {
    let mode = match node.raw("mode") {
        Value::String(text) => u32::from_str_radix(text, 8).ok()?,
        other => u32::try_from(other.as_u64()?).ok()?,
    };
    Some(mode & 0o7777)
}

/// One entry, from the list of its directory.
pub(super) async fn stat(
    connection: &ManagerConnection,
    folder: &str,
    path: &FilePath,
) -> Result<FileEntry> {
    let (Some(directory), Some(name)) = (path.parent(), path.name()) else {
        // The folder is listed to find out whether it exists.
        list(connection, folder, path).await?;
        return Ok(FileEntry {
            name: FileName(std::ffi::OsString::new()),
            kind: FileKind::Directory,
            size: 0,
            modified: None,
            mode: None,
            target: None,
        });
    };
    let entries = list(connection, folder, &directory).await?;
    let found = entries.into_iter().find(|entry| entry.name.0 == *name);
    found.ok_or_else(|| {
        Failure::not_found(tr_sent!("'{path}' not found", path))
            .hint(tr_sent!("list the directory above it to see its contents"))
    })
}

pub(super) async fn exists(
    connection: &ManagerConnection,
    folder: &str,
    path: &FilePath,
) -> Result<bool> {
    match stat(connection, folder, path).await {
        Ok(_) => Ok(true),
        Err(failure) if failure.is_not_found() => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Deletes files and directories with their contents. Newer managers do it in the background.
pub(super) async fn delete(
    connection: &ManagerConnection,
    folder: &str,
    paths: &[FilePath],
) -> Result<()> {
    let files = paths.iter().map(text).collect::<Result<Vec<&str>>>()?;
    let body = json!({"files": files, "recursive": true});
    let route = route(folder, "delete-files")?;
    let call = ManagerCall::new(Method::DELETE, route.clone()).json(&body);
    match connection.http.send(&call).await {
        Err(failure) if failure.kind == FailureKind::Unsupported => {
            let call = ManagerCall::post(format!("{route}-async"), &body);
            connection.http.send(&call).await.map(drop)
        }
        other => other.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_all_managers_are_read() {
        let list = json!([
            {"name": "a", "type": "FILE", "size": 7, "mode": "644", "modified": "2026-11-21 12:04:13.851833+00:00"},
            {"name": "d", "type": "DIRECTORY", "size": 4096, "mode": 16877},
            {"name": "l", "type": "SYMBOLIC_LINK", "size": 3},
            {"type": "FILE"},
        ]);
        let entries: Vec<FileEntry> = list
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|item| entry(Node::new(item)))
            .collect();
        assert_eq!(entries.len(), 3);
        assert_eq!((entries[0].size, entries[0].mode), (7, Some(0o644)));
        assert!(entries[0].modified.is_some());
        assert_eq!((entries[1].size, entries[1].mode), (0, Some(0o755)));
        assert_eq!(entries[2].kind, FileKind::Link);
    }
}
