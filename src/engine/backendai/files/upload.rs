//! Writes files by TUS uploads to the storage proxy. The place of an interrupted upload is remembered, so that it can
//! continue; the proxy keeps what it has.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use jiff::Timestamp;
use reqwest::{StatusCode, Url, header::CONTENT_TYPE};
use serde_json::json;

use super::{lost, refused, text, ticket};
use crate::{
    engine::{
        api::Result,
        backendai::{BackendAiEngine, connect::connection::ManagerConnection},
        files::FileBytes,
    },
    model::{
        failure::Failure,
        files::{FileEntry, FileKind, FileName, FilePath, WriteOptions, part_name},
    },
};

/// The bytes of one request.
const PIECE: usize = 8 << 20;
/// How long one request may take.
const LIMIT: Duration = Duration::from_secs(120);
/// How often a request is repeated after the connection broke.
const ATTEMPTS: u32 = 3;
/// How many interrupted uploads are remembered.
const MOST: usize = 256;

/// The uploads that were interrupted: folder and path of the part.
#[derive(Default)]
pub(in crate::engine::backendai) struct Uploads(Mutex<HashMap<(String, FilePath), Upload>>);

#[derive(Clone)]
struct Upload {
    url: Url,
    size: u64,
    at: Timestamp,
}

impl Uploads {
    fn get(&self, key: &(String, FilePath)) -> Option<Upload> {
        let uploads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uploads.get(key).cloned()
    }

    fn set(&self, key: (String, FilePath), upload: Option<Upload>) {
        let mut uploads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match upload {
            Some(upload) if uploads.len() < MOST => drop(uploads.insert(key, upload)),
            _ => drop(uploads.remove(&key)),
        }
    }
}

fn part_of(path: &FilePath) -> Result<FilePath> {
    let name = part_name(path.name().unwrap_or_default());
    path.parent().unwrap_or_default().join(&name)
}

/// The part of an interrupted upload as an entry, if `path` is one.
pub(super) async fn part_entry(
    engine: &BackendAiEngine,
    folder: &str,
    path: &FilePath,
) -> Result<Option<FileEntry>> {
    let key = (folder.to_owned(), path.clone());
    let Some(upload) = engine.core.uploads.get(&key) else {
        return Ok(None);
    };
    let connection = engine.core.connection().await?;
    let client = connection.http.client();
    let Some(size) = offset(&client, &upload.url).await? else {
        engine.core.uploads.set(key, None);
        return Ok(None);
    };
    Ok(Some(FileEntry {
        name: FileName(path.name().unwrap_or_default().to_owned()),
        kind: FileKind::File,
        size,
        modified: Some(upload.at),
        mode: None,
        target: None,
    }))
}

/// How many bytes the proxy has; `None` = it doesn't know the upload any more.
async fn offset(client: &reqwest::Client, url: &Url) -> Result<Option<u64>> {
    let request = client.head(url.clone()).header("Tus-Resumable", "1.0.0");
    let response = request.timeout(LIMIT).send().await.map_err(lost)?;
    if !response.status().is_success() {
        return Ok(None);
    }
    let offset = response.headers().get("Upload-Offset");
    Ok(offset.and_then(|value| value.to_str().ok()?.parse().ok()))
}

pub(super) async fn write(
    engine: &BackendAiEngine,
    folder: &str,
    path: &FilePath,
    options: WriteOptions,
    mut content: FileBytes,
) -> Result<()> {
    let Some(size) = options.size else {
        return Err(Failure::unsupported(tr_sent!(
            "a file on a cluster can be written only if its size is known"
        ))
        .hint(tr_sent!(
            "write it to a file of this machine first, then copy that"
        )));
    };
    let connection = engine.core.connection().await?;
    let key = (folder.to_owned(), part_of(path)?);
    let url = begin(engine, &connection, &key, path, options, size).await?;
    let sender = Sender {
        client: connection.http.client(),
        url,
    };
    let mut sent = options.offset;
    let mut waiting = BytesMut::new();
    while let Some(piece) = content.next().await {
        waiting.extend_from_slice(&piece?);
        while waiting.len() >= PIECE {
            sent = sender.send(sent, waiting.split_to(PIECE).freeze()).await?;
        }
    }
    let total = sent + waiting.len() as u64;
    if total != size {
        let text = tr_sent!(
            "'{path}' isn't complete: {total} of {size} bytes arrived",
            path,
            total,
            size
        );
        return Err(Failure::refused(text).hint(tr_sent!(
            "start the transfer again, if the file isn't being changed"
        )));
    }
    if !waiting.is_empty() || size == 0 {
        sender.send(sent, waiting.freeze()).await?;
    }
    engine.core.uploads.set(key, None);
    Ok(())
}

/// The URL of a new upload, or of the one that continues. It is remembered until the upload is complete.
async fn begin(
    engine: &BackendAiEngine,
    connection: &ManagerConnection,
    key: &(String, FilePath),
    path: &FilePath,
    options: WriteOptions,
    size: u64,
) -> Result<Url> {
    let uploads = &engine.core.uploads;
    let known = uploads.get(key).filter(|it| it.size == size);
    let url = match known {
        Some(upload) if options.offset > 0 => upload.url,
        None if options.offset > 0 => {
            let text = tr_sent!(
                "the interrupted transfer of '{path}' doesn't exist any more",
                path
            );
            return Err(Failure::not_found(text)
                .hint(tr_sent!("start the transfer again from the beginning")));
        }
        _ => {
            let body = json!({"path": text(path)?, "size": size});
            ticket(connection, &key.0, "request-upload", &body).await?
        }
    };
    let upload = Upload {
        url: url.clone(),
        size,
        at: (engine.core.config.clock)(),
    };
    uploads.set(key.clone(), Some(upload));
    Ok(url)
}

struct Sender {
    client: reqwest::Client,
    url: Url,
}

impl Sender {
    /// Sends a piece, and returns how many bytes the proxy has then. If the connection breaks, asks what arrived.
    async fn send(&self, at: u64, piece: Bytes) -> Result<u64> {
        let end = at + piece.len() as u64;
        let (mut from, mut attempt) = (at, 0);
        loop {
            let rest = piece.slice((from - at) as usize..);
            match self.once(from, rest).await {
                Ok(()) => return Ok(end),
                Err(failure) if failure.is_lost() && attempt < ATTEMPTS => attempt += 1,
                Err(failure) => return Err(failure),
            }
            tokio::time::sleep(Duration::from_secs(1 << (attempt - 1))).await;
            match offset(&self.client, &self.url).await {
                Ok(Some(now)) if (at..=end).contains(&now) => from = now,
                // The upload is complete, and its token is used up.
                Ok(_) => {
                    return Err(Failure::lost(tr_sent!("the storage proxy lost the upload"))
                        .hint(tr_sent!("start the transfer again from the beginning")));
                }
                // Another attempt of the same piece.
                Err(_) => {}
            }
            if from == end && !piece.is_empty() {
                return Ok(end);
            }
        }
    }

    async fn once(&self, at: u64, bytes: Bytes) -> Result<()> {
        let request = self.client.patch(self.url.clone());
        let request = request
            .header("Tus-Resumable", "1.0.0")
            .header("Upload-Offset", at.to_string())
            .header(CONTENT_TYPE, "application/offset+octet-stream")
            .body(bytes)
            .timeout(LIMIT);
        let response = request.send().await.map_err(lost)?;
        match response.status() {
            StatusCode::NO_CONTENT => Ok(()),
            status if status.is_success() => Ok(()),
            status if status.is_server_error() => {
                Err(Failure::lost(tr_sent!("the storage proxy failed"))
                    .because(status.to_string())
                    .hint(tr_sent!("continue the transfer")))
            }
            _ => Err(refused(response).await),
        }
    }
}
