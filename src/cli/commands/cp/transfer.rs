//! The two directions of a copy: a tar stream between this process and a helper in the session.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use bytes::{Buf as _, Bytes};
use tokio::sync::mpsc;

use crate::{
    archive::{self, Copied, Destination},
    cli::{
        connection::Connection,
        fail::{Fail, code},
    },
    client::{Stream, StreamItem, language},
    model::{
        helper::HelperTask,
        id::SessionKey,
        log::LogSource,
        text::{Clean, io_reason},
    },
    protocol::message::{StreamEnd, StreamOpen},
};

/// The pieces that wait between the stream and the thread that reads or writes files.
const WAITING: usize = 8;
/// The size of a piece.
const PIECE: usize = 64 * 1024;
/// The longest text of the helper that is kept.
const LONGEST: usize = 16 * 1024;

/// Copies a file or directory of this machine into a session.
pub(super) async fn upload(
    connection: &Connection,
    source: &Path,
    session: SessionKey,
    path: &str,
) -> Result<Copied, Fail> {
    if let Err(error) = std::fs::metadata(source) {
        let text = format!("{}: {}", source.display(), plain(&error));
        return Err(Fail::new(code::FAILED, text));
    }
    let task = HelperTask::Unpack {
        path: path.to_owned(),
    };
    let mut stream = connection.stream(StreamOpen::Helper { session, task });
    let (pieces, mut waiting) = mpsc::channel::<Bytes>(WAITING);
    let source = source.to_owned();
    let packing = tokio::task::spawn_blocking(move || {
        let out = io::BufWriter::with_capacity(PIECE, Pieces(pieces));
        archive::pack(&source, out)
    });
    let sender = stream.sender();
    let sending = async move {
        while let Some(piece) = waiting.recv().await {
            if sender.send(piece).await.is_err() {
                return;
            }
        }
        // The helper may have failed; its end says so.
        let _ = sender.end_input().await;
    };
    let mut messages = Messages::default();
    let (end, ()) = tokio::join!(follow(&mut stream, &mut messages, None), sending);
    let packed = packing.await.map_err(|error| failed(&error.to_string()))?;
    messages.check(end)?;
    let mut copied = packed.map_err(|error| failed(&plain(&error)))?;
    copied.skipped.extend(messages.skipped());
    Ok(copied)
}

/// Copies a file or directory of a session to this machine.
pub(super) async fn download(
    connection: &Connection,
    session: SessionKey,
    path: &str,
    destination: &Path,
) -> Result<Copied, Fail> {
    let destination = Destination::find(destination)
        .map_err(|error| Fail::new(code::FAILED, language::of(Clean::new(&plain(&error)))))?;
    let task = HelperTask::Pack {
        path: path.to_owned(),
    };
    let mut stream = connection.stream(StreamOpen::Helper { session, task });
    let (pieces, waiting) = mpsc::channel::<Bytes>(WAITING);
    let unpacking = tokio::task::spawn_blocking(move || {
        let mut received = Received {
            pieces: waiting,
            piece: Bytes::new(),
            any: false,
        };
        let unpacked = archive::unpack(&mut received, &destination);
        // What follows the archive is read, so that the helper can end.
        let _ = io::copy(&mut received, &mut io::sink());
        (unpacked, received.any)
    });
    let mut messages = Messages::default();
    let end = follow(&mut stream, &mut messages, Some(pieces)).await;
    let (unpacked, any) = unpacking
        .await
        .map_err(|error| failed(&error.to_string()))?;
    // A helper that sent nothing explains itself; otherwise a broken archive is the first cause.
    if !any || unpacked.is_ok() {
        messages.check(end)?;
    }
    let mut copied = unpacked.map_err(|error| failed(&plain(&error)))?;
    copied.skipped.extend(messages.skipped());
    Ok(copied)
}

fn failed(why: &str) -> Fail {
    let why = language::of(Clean::new(why));
    Fail::new(code::FAILED, tr!("the copy failed: {why}", why))
}

/// A reason that was put together, for example with a path, stays whole.
fn plain(error: &io::Error) -> String {
    match error.get_ref() {
        Some(whole) => whole.to_string(),
        None => io_reason(error),
    }
}

/// Reads the stream to its end. Its output goes to `pieces`.
async fn follow(
    stream: &mut Stream,
    messages: &mut Messages,
    pieces: Option<mpsc::Sender<Bytes>>,
) -> Option<StreamEnd> {
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data {
                source: LogSource::Stderr,
                bytes,
            } => messages.add(&bytes),
            StreamItem::Data { bytes, .. } => {
                if let Some(pieces) = &pieces {
                    // The thread has ended with an error, which is reported after the end of the stream.
                    let _ = pieces.send(bytes).await;
                }
            }
            StreamItem::Ended(end) => return Some(end),
        }
    }
    None
}

/// What the helper prints: `skipped …` in lines of their own, and why it failed.
#[derive(Default)]
struct Messages {
    text: Vec<u8>,
}

impl Messages {
    fn add(&mut self, bytes: &[u8]) {
        let room = LONGEST.saturating_sub(self.text.len());
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn lines(&self) -> Vec<Clean> {
        let text = String::from_utf8_lossy(&self.text);
        text.lines().map(Clean::new).collect()
    }

    fn skipped(&self) -> impl Iterator<Item = String> {
        let lines = self.lines().into_iter();
        lines.filter_map(|line| Some(line.as_str().strip_prefix("skipped ")?.to_owned()))
    }

    /// Fails unless the helper succeeded.
    fn check(&self, end: Option<StreamEnd>) -> Result<(), Fail> {
        match end {
            Some(StreamEnd::Exited { exit_code: Some(0) }) => Ok(()),
            Some(StreamEnd::Exited { .. }) => {
                let lines = self.lines();
                let why = lines
                    .iter()
                    .find_map(|line| line.as_str().strip_prefix("workbay: "))
                    .map(|why| language::of(Clean::new(why)));
                Err(Fail::new(
                    code::FAILED,
                    match why {
                        Some(why) => tr!("in the session: {why}", why),
                        None => tr!("the copy failed in the session").to_owned(),
                    },
                ))
            }
            Some(StreamEnd::Failed { failure }) => Err(failure.into()),
            Some(StreamEnd::Lost { why }) => Err(Fail::new(code::UNREACHABLE, why)),
            None => {
                let fail = Fail::new(
                    code::UNREACHABLE,
                    tr!("the connection to the session was closed"),
                );
                Err(fail.hint(tr!(
                    "check with `workbay ls` that the session runs, then copy again"
                )))
            }
        }
    }
}

/// Writes into the channel.
struct Pieces(mpsc::Sender<Bytes>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = &bytes[..bytes.len().min(PIECE)];
        let sent = self.0.blocking_send(Bytes::copy_from_slice(piece));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads from the channel.
struct Received {
    pieces: mpsc::Receiver<Bytes>,
    piece: Bytes,
    /// Whether anything arrived.
    any: bool,
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
            self.any = true;
        }
        let length = self.piece.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.piece[..length]);
        self.piece.advance(length);
        Ok(length)
    }
}
