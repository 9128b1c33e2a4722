//! The two sides of a transfer: a directory of this machine, and a place of the daemon.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::{
    cli::{
        connection::{self, Connection},
        fail::Fail,
    },
    client::StreamItem,
    files::{PartFile, Root, send_pieces},
    model::{
        failure::Failure,
        files::{FileAnswer, FileEntry, FileKind, FilePath, FilePlace, FileRequest, WriteOptions},
    },
    protocol::message::{Reply, Request, StreamEnd, StreamOpen},
    transfer::{self, blocking},
};

/// The bytes of one piece, and how many may wait.
const PIECE: usize = 256 * 1024;
const PIECES: usize = 4;

#[derive(Clone)]
pub(super) enum Side {
    Here(Arc<Root>),
    There {
        connection: Arc<Connection>,
        place: FilePlace,
    },
}

/// The bytes of a file. An error is the last item. Without a last `None`, the transfer broke.
pub(super) type Pieces = mpsc::Receiver<Result<Bytes, Fail>>;

impl Side {
    pub async fn ask(&self, request: FileRequest) -> Result<FileAnswer, Fail> {
        match self {
            Self::Here(root) => {
                let root = root.clone();
                blocking(move || Ok(root.answer(&request)?)).await
            }
            Self::There { connection, place } => {
                let place = place.clone();
                match connection
                    .request(Request::Files { place, request })
                    .await?
                {
                    Reply::Done => Ok(FileAnswer::Done),
                    Reply::Files { listing } => Ok(FileAnswer::Listing { listing }),
                    Reply::File { entry } => Ok(FileAnswer::Entry { entry }),
                    other => Err(connection::unexpected(&other)),
                }
            }
        }
    }

    /// The entry at a path; `None` = it doesn't exist.
    pub async fn entry(&self, path: &FilePath) -> Result<Option<FileEntry>, Fail> {
        let path = path.clone();
        match self.ask(FileRequest::Stat { path }).await {
            Ok(FileAnswer::Entry { entry }) => Ok(Some(entry)),
            Ok(_) => Err(unexpected()),
            Err(fail) if is_not_found(&fail) => Ok(None),
            Err(fail) => Err(fail),
        }
    }

    pub async fn is_directory(&self, path: &FilePath) -> Result<bool, Fail> {
        let entry = self.entry(path).await?;
        Ok(entry.is_some_and(|entry| entry.kind == FileKind::Directory))
    }

    pub fn read(&self, path: FilePath, offset: u64) -> Pieces {
        let (pieces, waiting) = mpsc::channel(PIECES);
        match self {
            Self::Here(root) => {
                let root = root.clone();
                tokio::task::spawn_blocking(move || read_here(&root, &path, offset, &pieces));
            }
            Self::There { connection, place } => {
                let place = place.clone();
                let stream = connection.stream(StreamOpen::ReadFile {
                    place,
                    path,
                    offset,
                });
                tokio::spawn(read_there(stream, pieces));
            }
        }
        waiting
    }

    pub async fn write(
        &self,
        path: FilePath,
        options: WriteOptions,
        pieces: Pieces,
    ) -> Result<(), Fail> {
        match self {
            Self::Here(root) => {
                let root = root.clone();
                blocking(move || write_here(&root, &path, options, pieces)).await
            }
            Self::There { connection, place } => {
                let place = place.clone();
                let stream = connection.stream(StreamOpen::WriteFile {
                    place,
                    path,
                    options,
                });
                write_there(stream, pieces).await
            }
        }
    }
}

pub(super) fn is_not_found(fail: &Fail) -> bool {
    fail.failure.as_ref().is_some_and(Failure::is_not_found)
}

pub(super) fn unexpected() -> Fail {
    transfer::unexpected().into()
}

fn read_here(
    root: &Root,
    path: &FilePath,
    offset: u64,
    pieces: &mpsc::Sender<Result<Bytes, Fail>>,
) {
    let mut file = match root.read(path, offset) {
        Ok(file) => file,
        Err(failure) => return drop(pieces.blocking_send(Err(failure.into()))),
    };
    send_pieces(&mut file, PIECE, &path.to_string(), |item| {
        pieces.blocking_send(item.map_err(Fail::from)).is_ok()
    });
}

fn write_here(
    root: &Root,
    path: &FilePath,
    options: WriteOptions,
    mut pieces: Pieces,
) -> Result<(), Fail> {
    let mut file = PartFile::open(root, path, options)?;
    while let Some(piece) = pieces.blocking_recv() {
        match piece {
            Ok(bytes) => file.write(&bytes)?,
            Err(fail) => {
                file.interrupt();
                return Err(fail);
            }
        }
    }
    Ok(file.finish()?)
}

pub(super) fn ended(end: StreamEnd) -> Result<(), Fail> {
    Ok(transfer::ended(end)?)
}

pub(super) fn broken() -> Fail {
    transfer::broken().into()
}

async fn read_there(mut stream: crate::client::Stream, pieces: mpsc::Sender<Result<Bytes, Fail>>) {
    let end = loop {
        match stream.recv().await {
            Some(StreamItem::Opened) => {}
            Some(StreamItem::Data { bytes, .. }) => {
                if pieces.send(Ok(bytes)).await.is_err() {
                    return;
                }
            }
            Some(StreamItem::Ended(end)) => break ended(end),
            None => break Err(broken()),
        }
    };
    if let Err(fail) = end {
        // If nobody reads, nobody waits for the error.
        let _ = pieces.send(Err(fail)).await;
    }
}

async fn write_there(mut stream: crate::client::Stream, mut pieces: Pieces) -> Result<(), Fail> {
    let sender = stream.sender();
    let sending = async move {
        while let Some(piece) = pieces.recv().await {
            if sender.send(piece?).await.is_err() {
                // The end of the stream says why.
                return Ok(());
            }
        }
        let _ = sender.end_input().await;
        Ok::<(), Fail>(())
    };
    let ending = async {
        loop {
            match stream.recv().await {
                Some(StreamItem::Ended(end)) => return ended(end),
                Some(_) => {}
                None => return Err(broken()),
            }
        }
    };
    tokio::pin!(sending, ending);
    tokio::select! {
        sent = &mut sending => sent?,
        end = &mut ending => return end,
    }
    ending.await
}
