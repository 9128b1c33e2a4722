//! Files on this machine, on threads that may block.

use std::{
    io::{self, BufReader, BufWriter, Write},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{
    StreamExt as _,
    stream::{BoxStream, unfold},
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

use crate::{
    engine::{
        api::Result,
        docker::blocking::off_loop,
        files::{FileBytes, FileProgresses, LocalWork},
    },
    files::{Content, PartFile, PieceReader, Root, carry_out, send_pieces},
    model::{
        failure::Failure,
        files::{FileAnswer, FileName, FilePath, FileProgress, FileRequest, WriteOptions},
    },
};

/// The bytes of one piece, and how many pieces may wait.
const PIECE: usize = 256 * 1024;
const PIECES: usize = 4;
/// The time between two reports of progress.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) async fn request(root: Root, request: FileRequest) -> Result<FileAnswer> {
    off_loop(move || root.answer(&request)).await
}

pub(super) async fn read(root: Root, path: FilePath, offset: u64) -> Result<FileBytes> {
    let shown = path.to_string();
    let mut file = off_loop(move || root.read(&path, offset)).await?;
    let (pieces, waiting) = mpsc::channel(PIECES);
    tokio::task::spawn_blocking(move || {
        // A closed channel means that nothing reads any more.
        let send = |item| pieces.blocking_send(item).is_ok();
        send_pieces(&mut file, PIECE, &shown, send);
    });
    Ok(stream_of(waiting))
}

/// A channel as a stream.
pub(super) fn stream_of<T: Send + 'static>(waiting: mpsc::Receiver<T>) -> BoxStream<'static, T> {
    unfold(waiting, async |mut waiting| {
        let item = waiting.recv().await?;
        Some((item, waiting))
    })
    .boxed()
}

pub(super) async fn write(
    root: Root,
    path: FilePath,
    options: WriteOptions,
    content: FileBytes,
) -> Result<()> {
    let (pieces, waiting) = mpsc::channel(PIECES);
    let writing = off_loop(move || write_all(&root, &path, options, waiting));
    let (written, sent): (Result<()>, Result<()>) = tokio::join!(writing, pass_on(content, pieces));
    sent?;
    written
}

/// Passes the content to the thread that writes it.
async fn pass_on(mut content: FileBytes, pieces: mpsc::Sender<Content>) -> Result<()> {
    loop {
        let next = tokio::select! {
            // The thread has failed.
            () = pieces.closed() => return Ok(()),
            next = content.next() => next,
        };
        let piece = match next {
            Some(piece) => Content::Piece(piece?),
            None => Content::End,
        };
        let is_end = matches!(piece, Content::End);
        if pieces.send(piece).await.is_err() || is_end {
            return Ok(());
        }
    }
}

fn write_all(
    root: &Root,
    path: &FilePath,
    options: WriteOptions,
    mut waiting: mpsc::Receiver<Content>,
) -> Result<()> {
    let mut file = PartFile::open(root, path, options)?;
    loop {
        match waiting.blocking_recv() {
            Some(Content::Piece(bytes)) => file.write(&bytes)?,
            Some(Content::End) => return file.finish(),
            None => {
                file.interrupt();
                let text = tr_sent!("the transfer of '{path}' was interrupted", path);
                return Err(Failure::lost(text).hint(tr_sent!("continue it with `--resume`")));
            }
        }
    }
}

pub(super) fn read_many(root: Root, directory: FilePath, names: Vec<FileName>) -> FileBytes {
    let (pieces, waiting) = mpsc::channel(PIECES);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(PIECE, PieceWriter(pieces.clone()));
        let read = root.read_many(&directory, &names, &mut out);
        if let Err(failure) = read {
            // If nobody reads, nobody waits for the error.
            let _ = pieces.blocking_send(Err(failure));
        }
    });
    stream_of(waiting)
}

pub(super) async fn write_many(root: Root, content: FileBytes) -> Result<()> {
    let (pieces, waiting) = mpsc::channel(PIECES);
    let writing = off_loop(move || {
        let mut stream = BufReader::with_capacity(PIECE, PieceReader::new(waiting));
        root.write_many(&mut stream, |path| Ok(path.clone()), &mut |_, _| {})?;
        root.sync()
    });
    let (written, sent): (Result<()>, Result<()>) = tokio::join!(writing, pass_on(content, pieces));
    sent?;
    written
}

/// Writes into a channel of pieces.
struct PieceWriter(mpsc::Sender<Result<Bytes>>);

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Work on a thread, and its newest progress.
struct Working {
    progress: watch::Receiver<FileProgress>,
    done: JoinHandle<Result<()>>,
    is_first: bool,
}

pub(super) fn work(from: Root, to: Root, work: LocalWork) -> FileProgresses {
    let (newest, progress) = watch::channel(FileProgress::default());
    let done = tokio::task::spawn_blocking(move || {
        // Without a receiver, nobody waits for the work any more.
        carry_out(&from, &to, &work, &mut |now| newest.send(now).is_ok())
    });
    let working = Working {
        progress,
        done,
        is_first: true,
    };
    unfold(Some(working), |working| async { next(working?).await }).boxed()
}

async fn next(mut working: Working) -> Option<(Result<FileProgress>, Option<Working>)> {
    if !std::mem::take(&mut working.is_first) {
        // The end isn't delayed.
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = ended(working.progress.clone()) => {}
        }
    }
    if working.progress.changed().await.is_ok() && !is_over(&working) {
        let now = *working.progress.borrow_and_update();
        return Some((Ok(now), Some(working)));
    }
    let last = *working.progress.borrow();
    let result = match working.done.await {
        Ok(result) => result.map(|()| last),
        Err(error) => Err(
            Failure::internal(tr_sent!("work on files broke: {error}", error))
                .hint(tr_sent!("report this error")),
        ),
    };
    Some((result, None))
}

fn is_over(working: &Working) -> bool {
    working.progress.has_changed().is_err()
}

/// Returns when the thread has ended.
async fn ended(mut progress: watch::Receiver<FileProgress>) {
    while progress.changed().await.is_ok() {}
}
