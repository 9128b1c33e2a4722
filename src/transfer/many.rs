//! Many small files in one stream, in both directions.

use std::{
    collections::HashSet,
    io::{self, BufReader, BufWriter, Write},
    sync::Arc,
};

use bytes::Bytes;
use tokio::{sync::mpsc, task::JoinHandle};

use super::{Result, blocking, broken, ended, unexpected};
use crate::{
    client::{Client, Stream, StreamItem, StreamSender, language},
    files::{Content, PieceReader, Root, many},
    model::{
        failure::{Failure, FailureKind},
        files::{FileName, FilePath, FilePlace},
    },
    protocol::message::{StreamEnd, StreamOpen},
};

/// The bytes of one piece, and how many may wait.
const PIECE: usize = 256 * 1024;
const PIECES: usize = 4;
/// The most bytes of names in one request. In JSON, a name that isn't text is four times as long.
const NAMES: usize = 128 * 1024;

/// A small file: where from, and where to.
pub type Pair = (FilePath, FilePath);

/// What was transferred in a stream.
#[derive(Debug, Default)]
pub struct Sent {
    pub files: u64,
    pub bytes: u64,
    /// What wasn't a small file any more, by its path at the source.
    pub left: HashSet<FilePath>,
}

/// An open stream that takes small files.
pub struct ManyWriter {
    sender: StreamSender,
    end: JoinHandle<Result<()>>,
}

impl ManyWriter {
    /// Opens the stream; `None` = each file of this place needs a stream of its own.
    pub async fn open(client: &Client, place: &FilePlace) -> Result<Option<Self>> {
        let place = place.clone();
        let mut stream = client.open(StreamOpen::WriteFiles { place });
        if !is_open(&mut stream).await? {
            return Ok(None);
        }
        let sender = stream.sender();
        let end = tokio::spawn(async move { until_end(&mut stream).await });
        Ok(Some(Self { sender, end }))
    }

    /// Sends files of this machine.
    pub async fn send(&mut self, root: &Arc<Root>, files: Vec<Pair>) -> Result<Sent> {
        let (pieces, mut waiting) = mpsc::channel(PIECES);
        let root = root.clone();
        let reading = blocking(move || pack(&root, files, pieces).map_err(language::failure));
        let sender = &self.sender;
        let sending = async move {
            while let Some(piece) = waiting.recv().await {
                if sender.send(piece).await.is_err() {
                    // The end of the stream says why.
                    return false;
                }
            }
            true
        };
        let (read, is_sent) = tokio::join!(reading, sending);
        if !is_sent {
            self.result().await?;
            return Err(broken());
        }
        read
    }

    /// Waits until everything is stored.
    pub async fn finish(mut self) -> Result<()> {
        let _ = self.sender.end_input().await;
        self.result().await
    }

    async fn result(&mut self) -> Result<()> {
        (&mut self.end).await.unwrap_or_else(|_| Err(unexpected()))
    }
}

impl Drop for ManyWriter {
    fn drop(&mut self) {
        // Closes the stream of a transfer that is cancelled.
        self.end.abort();
    }
}

fn pack(root: &Root, files: Vec<Pair>, pieces: mpsc::Sender<Bytes>) -> Result<Sent> {
    let mut out = BufWriter::with_capacity(PIECE, PieceWriter(pieces));
    let mut sent = Sent::default();
    for (from, to) in files {
        match root.small_file(&from)? {
            Some((head, content)) => {
                let head = many::Head { path: to, ..head };
                many::send(&mut out, &head, &content)?;
                sent.files += 1;
                sent.bytes += head.size;
            }
            None => {
                sent.left.insert(from);
            }
        }
    }
    out.flush().map_err(|_| broken())?;
    Ok(sent)
}

/// Gets small files of one directory, into a directory of this machine. `None` = each file of this place needs a stream of
/// its own.
pub async fn get(
    (client, place): (&Client, &FilePlace),
    directory: &FilePath,
    (root, to): (&Arc<Root>, &FilePath),
    names: &[FileName],
) -> Result<Option<Sent>> {
    let mut sent = Sent::default();
    for names in parts(names) {
        let mut stream = client.open(StreamOpen::ReadFiles {
            place: place.clone(),
            directory: directory.clone(),
            names: names.to_vec(),
        });
        if !is_open(&mut stream).await? {
            return Ok(None);
        }
        let (pieces, waiting) = mpsc::channel(PIECES);
        let (root, to) = (root.clone(), to.clone());
        let wanted: HashSet<FileName> = names.iter().cloned().collect();
        let writing =
            blocking(move || unpack(&root, &to, wanted, waiting).map_err(language::failure));
        let (end, written) = tokio::join!(pass_on(&mut stream, pieces), writing);
        let (files, bytes, left) = written?;
        end?;
        sent.files += files;
        sent.bytes += bytes;
        for name in left {
            sent.left.insert(directory.join(&name.0)?);
        }
    }
    Ok(Some(sent))
}

/// Cuts names into parts for one request each.
fn parts(names: &[FileName]) -> Vec<&[FileName]> {
    let (mut parts, mut rest) = (Vec::new(), names);
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take_while(|name| {
            bytes += name.0.len() + 1;
            bytes <= NAMES
        });
        let (part, others) = rest.split_at(fits.count().max(1));
        parts.push(part);
        rest = others;
    }
    parts
}

/// Writes the files that are wanted. Returns how many, their bytes, and the names that didn't come.
fn unpack(
    root: &Root,
    to: &FilePath,
    mut wanted: HashSet<FileName>,
    waiting: mpsc::Receiver<Content>,
) -> Result<(u64, u64, HashSet<FileName>)> {
    let mut stream = BufReader::with_capacity(PIECE, PieceReader::new(waiting));
    let (mut files, mut bytes) = (0, 0);
    let place = |path: &FilePath| {
        let name = path.name().unwrap_or_default();
        // The daemon sends what it was asked for, once.
        if !wanted.remove(&FileName(name.to_owned())) {
            return Err(
                Failure::internal(tr!("the daemon sent a file that nobody asked for"))
                    .hint(tr!("run `workbay daemon stop`, then try again")),
            );
        }
        to.join(name)
    };
    root.write_many(&mut stream, place, &mut |_, size| {
        files += 1;
        bytes += size;
    })?;
    Ok((files, bytes, wanted))
}

/// Waits until the stream is open. `false` = the place doesn't have such streams.
async fn is_open(stream: &mut Stream) -> Result<bool> {
    match stream.recv().await {
        Some(StreamItem::Opened) => Ok(true),
        Some(StreamItem::Ended(StreamEnd::Failed { failure }))
            if failure.kind == FailureKind::Unsupported =>
        {
            Ok(false)
        }
        Some(StreamItem::Ended(end)) => ended(end).and(Err(unexpected())),
        Some(StreamItem::Data { .. }) => Err(unexpected()),
        None => Err(broken()),
    }
}

async fn until_end(stream: &mut Stream) -> Result<()> {
    loop {
        match stream.recv().await {
            Some(StreamItem::Ended(end)) => return ended(end),
            Some(_) => {}
            None => return Err(broken()),
        }
    }
}

/// Passes the stream to the thread that writes files. `None` is its end.
async fn pass_on(stream: &mut Stream, pieces: mpsc::Sender<Content>) -> Result<()> {
    loop {
        match stream.recv().await {
            Some(StreamItem::Opened) => {}
            Some(StreamItem::Data { bytes, .. }) => {
                if pieces.send(Content::Piece(bytes)).await.is_err() {
                    // The thread has failed and says why.
                    return Ok(());
                }
            }
            Some(StreamItem::Ended(end)) => {
                ended(end)?;
                let _ = pieces.send(Content::End).await;
                return Ok(());
            }
            None => return Err(broken()),
        }
    }
}

/// Writes into a channel of pieces.
struct PieceWriter(mpsc::Sender<Bytes>);

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_requested_in_parts() {
        let name = |length: usize| FileName("x".repeat(length).into());
        let names: Vec<FileName> = (0..2000).map(|_| name(200)).collect();
        let parts = parts(&names);
        assert!(parts.len() > 1);
        assert_eq!(parts.iter().map(|it| it.len()).sum::<usize>(), 2000);
        assert!(super::parts(&[]).is_empty());
        assert_eq!(super::parts(&[name(NAMES + 1), name(1)]).len(), 2);
    }
}
