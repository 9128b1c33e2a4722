//! The streams of files, and of work on files.

use bytes::Bytes;
use futures_util::{
    FutureExt as _, StreamExt as _,
    stream::{BoxStream, once, unfold},
};
use tokio::sync::mpsc;

use super::{across, place, rescue};
use crate::{
    daemon::connection::{activity::ActivityReporter, inbound::Inbound},
    engine::{
        api::Input,
        files::{FileBytes, FileProgresses, LocalWork},
    },
    model::{
        failure::{Failure, FailureKind},
        files::{FilePath, FilePlace, FileProgress, FileWork, WriteOptions},
        id::SessionKey,
        idle::ActivityKind,
        loss::Rescue,
    },
    protocol::message::StreamOpen,
};

/// The pieces of input that may wait.
const INPUT: usize = 8;

/// An open stream.
pub(in crate::daemon) struct FileStream {
    /// What is sent to the client. An error is the last item.
    pub output: BoxStream<'static, Result<Bytes, Failure>>,
    /// Where its input goes; `None` = it takes none.
    pub input: Option<mpsc::Sender<Input>>,
}

/// Opens a stream that [`StreamOpen::is_of_files`].
pub(in crate::daemon) async fn open(
    inbound: &mpsc::Sender<Inbound>,
    open: StreamOpen,
) -> Result<FileStream, Failure> {
    match open {
        StreamOpen::ReadFile {
            place,
            path,
            offset,
        } => read(inbound, &place, &path, offset).await,
        StreamOpen::WriteFile {
            place,
            path,
            options,
        } => write(inbound, &place, path, options).await,
        StreamOpen::ReadFiles {
            place,
            directory,
            names,
        } => {
            let found = of_many(place::find(inbound, &place, false).await?)?;
            let engine = &found.engine;
            Ok(FileStream {
                output: engine.read_files(&found.root, &directory, names).await?,
                input: None,
            })
        }
        StreamOpen::WriteFiles { place } => {
            let found = of_many(place::find(inbound, &place, true).await?)?;
            let (input, typed) = mpsc::channel(INPUT);
            let content = content(typed);
            let writing = async move { found.engine.write_files(&found.root, content).await };
            Ok(FileStream {
                output: errors_of(writing),
                input: Some(input),
            })
        }
        StreamOpen::FileWork { place, work } => work_on(inbound, place, work).await,
        StreamOpen::Rescue { session, rescue } => rescue_files(inbound, session, rescue).await,
        _ => Err(Failure::internal(tr_sent!(
            "a stream of another kind was opened. Report this error"
        ))),
    }
}

async fn read(
    inbound: &mpsc::Sender<Inbound>,
    place: &FilePlace,
    path: &FilePath,
    offset: u64,
) -> Result<FileStream, Failure> {
    let found = place::find(inbound, place, false).await?;
    let used = using(inbound, &found).await;
    let bytes = found.engine.read_file(&found.root, path, offset).await?;
    Ok(FileStream {
        output: with(bytes, used),
        input: None,
    })
}

async fn write(
    inbound: &mpsc::Sender<Inbound>,
    place: &FilePlace,
    path: FilePath,
    options: WriteOptions,
) -> Result<FileStream, Failure> {
    let found = place::find(inbound, place, true).await?;
    let used = using(inbound, &found).await;
    let (input, typed) = mpsc::channel(INPUT);
    let writing = async move {
        let content = content(typed);
        let root = &found.root;
        found.engine.write_file(root, &path, options, content).await
    };
    Ok(FileStream {
        output: with(errors_of(writing), used),
        input: Some(input),
    })
}

/// The output of work that has none: an error if it fails.
fn errors_of(
    work: impl Future<Output = Result<(), Failure>> + Send + 'static,
) -> BoxStream<'static, Result<Bytes, Failure>> {
    let done = once(work.boxed());
    done.filter_map(async |result| result.err().map(Err))
        .boxed()
}

async fn rescue_files(
    inbound: &mpsc::Sender<Inbound>,
    session: SessionKey,
    rescue: Rescue,
) -> Result<FileStream, Failure> {
    let found = place::find(inbound, &FilePlace::Session { session }, true).await?;
    if found.running.is_none() {
        let text = tr_sent!("the session has ended, so no files of it are copied into a folder");
        return Err(Failure::refused(text).hint(tr_sent!(
            "copy from its home directory: `workbay cp S:PATH .`"
        )));
    }
    let used = using(inbound, &found).await;
    Ok(FileStream {
        output: with(rescue::reports(found.engine, session.id, rescue), used),
        input: None,
    })
}

/// Refuses a place where each file needs a stream.
fn of_many(found: place::FoundPlace) -> Result<place::FoundPlace, Failure> {
    if found.engine.carries_many(&found.root) {
        return Ok(found);
    }
    Err(Failure::unsupported(tr_sent!(
        "files of this place are transferred one at a time"
    ))
    .hint(tr_sent!("transfer each file on its own")))
}

/// The session is used while the result exists.
async fn using(
    inbound: &mpsc::Sender<Inbound>,
    found: &place::FoundPlace,
) -> Option<ActivityReporter> {
    ActivityReporter::of(found.running?, ActivityKind::Exec, inbound).await
}

/// A stream that keeps something until its end.
fn with<T: Send + 'static>(
    stream: BoxStream<'static, T>,
    kept: impl Send + 'static,
) -> BoxStream<'static, T> {
    unfold((stream, kept), async |(mut stream, kept)| {
        let item = stream.next().await?;
        Some((item, (stream, kept)))
    })
    .boxed()
}

/// The input as the content of a file. Without its end, the transfer was interrupted.
fn content(typed: mpsc::Receiver<Input>) -> FileBytes {
    unfold(Some(typed), async |typed| {
        let mut typed = typed?;
        loop {
            match typed.recv().await {
                Some(Input::Bytes(bytes)) => return Some((Ok(bytes), Some(typed))),
                Some(Input::Resize { .. }) => {}
                Some(Input::Eof) => return None,
                None => {
                    let failure = Failure::lost(tr_sent!("the transfer was interrupted"))
                        .hint(tr_sent!("continue it with `--resume`"));
                    return Some((Err(failure), None));
                }
            }
        }
    })
    .boxed()
}

async fn work_on(
    inbound: &mpsc::Sender<Inbound>,
    place: FilePlace,
    work: FileWork,
) -> Result<FileStream, Failure> {
    let is_source_changed = work.is_change() && !matches!(work, FileWork::Copy { .. });
    let found = place::find(inbound, &place, is_source_changed).await?;
    let mut used = vec![using(inbound, &found).await];
    let (local, to) = local(work);
    let progress = match to {
        None => {
            let root = &found.root;
            found.engine.file_work(root, root, local).await?
        }
        Some(to) => {
            let target = place::find(inbound, &to, true).await?;
            used.push(using(inbound, &target).await);
            let is_one_engine = place.context() == to.context();
            copied(found, target, is_one_engine, local).await?
        }
    };
    Ok(FileStream {
        output: with(lines(progress), used),
        input: None,
    })
}

fn local(work: FileWork) -> (LocalWork, Option<FilePlace>) {
    let (paths, to, directory, replace, moving) = match work {
        FileWork::Measure { paths } => return (LocalWork::Measure { paths }, None),
        FileWork::Delete { paths } => return (LocalWork::Delete { paths }, None),
        FileWork::Copy {
            paths,
            to,
            directory,
            replace,
        } => (paths, to, directory, replace, false),
        FileWork::Move {
            paths,
            to,
            directory,
            replace,
        } => (paths, to, directory, replace, true),
    };
    let copy = LocalWork::Copy {
        paths,
        directory,
        replace,
        moving,
    };
    (copy, Some(to))
}

/// Copies by the engine if it can, otherwise through the daemon.
async fn copied(
    from: place::FoundPlace,
    to: place::FoundPlace,
    is_one_engine: bool,
    work: LocalWork,
) -> Result<FileProgresses, Failure> {
    if is_one_engine {
        let tried = from
            .engine
            .file_work(&from.root, &to.root, work.clone())
            .await;
        match tried {
            Err(failure) if failure.kind == FailureKind::Unsupported => {}
            other => return other,
        }
    }
    let end = |found: place::FoundPlace| across::End {
        engine: found.engine,
        root: found.root,
    };
    across::copy(end(from), end(to), work)
}

/// Progress as lines of JSON.
fn lines(progress: FileProgresses) -> BoxStream<'static, Result<Bytes, Failure>> {
    progress
        .map(|progress| progress.map(|progress| line(&progress)))
        .boxed()
}

fn line(progress: &FileProgress) -> Bytes {
    // It has only numbers, so that it can always be written.
    let mut line = serde_json::to_vec(progress).unwrap_or_default();
    line.push(b'\n');
    line.into()
}
