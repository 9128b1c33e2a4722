//! Copies, moves and deletions, which the daemon carries out.

use std::ffi::OsStr;

use serde::de::DeserializeOwned;

use super::{
    remote,
    task::{Result, Stop, Task},
    upload::side_of,
};
use crate::{
    app::transfers::{Conflict, ConflictChoice, ConflictKind},
    client::StreamItem,
    model::{
        files::{FileKind, FilePath, FilePlace, FileProgress, FileWork},
        id::SessionKey,
        loss::{Rescue, RescueReport},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
};

/// The longest line of progress that is read. The last one of a rescue names what it skipped.
const LONGEST: usize = 256 * 1024;

/// Copies or moves entries into a directory. Each name that is taken is asked about first.
pub async fn copy(
    task: &mut Task,
    (from, paths): (&FilePlace, &[FilePath]),
    (to, directory): (&FilePlace, &FilePath),
    moves: bool,
) -> Result<()> {
    let mut plain = Vec::new();
    let mut replacing = Vec::new();
    let mut renamed = Vec::new();
    for path in paths {
        let name = path.name().unwrap_or_default();
        let target = directory.join(name)?;
        let is_itself = from == to && *path == target;
        let old = remote::stat(task, to, &target).await?;
        match old {
            None => plain.push(path.clone()),
            // A copy into the same directory gets another name.
            Some(_) if is_itself => renamed.push(path.clone()),
            Some(old) => {
                let new = remote::stat(task, from, path).await?;
                let conflict = Conflict {
                    name: Clean::new(&name.to_string_lossy()),
                    new: new.as_ref().map(side_of).unwrap_or_default(),
                    old: side_of(&old),
                    kind: ConflictKind::Taken,
                };
                match task.ask(conflict).await {
                    ConflictChoice::Skip => task.skipped += 1,
                    ConflictChoice::Replace => replacing.push(path.clone()),
                    ConflictChoice::KeepBoth => renamed.push(path.clone()),
                }
            }
        }
    }
    for (paths, replace) in [(plain, false), (replacing, true)] {
        if !paths.is_empty() {
            let work = work_of(paths, to, directory, (moves, replace));
            run(task, from, work).await?;
        }
    }
    for path in renamed {
        copy_renamed(task, (from, &path), (to, directory), moves).await?;
    }
    Ok(())
}

fn work_of(
    paths: Vec<FilePath>,
    to: &FilePlace,
    directory: &FilePath,
    (moves, replace): (bool, bool),
) -> FileWork {
    let (to, directory) = (to.clone(), directory.clone());
    if moves {
        FileWork::Move {
            paths,
            to,
            directory,
            replace,
        }
    } else {
        FileWork::Copy {
            paths,
            to,
            directory,
            replace,
        }
    }
}

/// Copies an entry under another name: into a new directory, from where it is renamed.
async fn copy_renamed(
    task: &mut Task,
    (from, path): (&FilePlace, &FilePath),
    (to, directory): (&FilePlace, &FilePath),
    moves: bool,
) -> Result<()> {
    let name = path.name().unwrap_or_default();
    let free = remote::free_name(task, to, directory, name).await?;
    let aside = OsStr::new(".workbay-copy");
    let aside = remote::free_name(task, to, directory, aside).await?;
    let aside = directory.join(&aside)?;
    remote::create_directory(task, to, &aside).await?;
    let work = work_of(vec![path.clone()], to, &aside, (moves, false));
    let copied = match run(task, from, work).await {
        Ok(()) => remote::rename(task, to, aside.join(name)?, directory.join(&free)?).await,
        Err(stop) => Err(stop),
    };
    // A move that failed half way leaves its files there, so nothing is deleted then.
    if copied.is_ok() || !moves {
        delete_quietly(task, to, aside).await?;
    }
    copied
}

pub async fn delete(task: &mut Task, place: &FilePlace, paths: &[FilePath]) -> Result<()> {
    let paths = paths.to_vec();
    run(task, place, FileWork::Delete { paths }).await
}

/// Deletes one entry, without progress.
pub async fn delete_quietly(task: &Task, place: &FilePlace, path: FilePath) -> Result<()> {
    let work = FileWork::Delete { paths: vec![path] };
    follow(task, place, work, |_| {}).await
}

/// How many files and bytes the paths contain. One file needs no count.
pub async fn measured(
    task: &mut Task,
    place: &FilePlace,
    paths: &[FilePath],
) -> Result<Option<(u64, u64)>> {
    if let [path] = paths
        && let Some(entry) = remote::stat(task, place, path).await?
        && entry.kind == FileKind::File
    {
        return Ok(Some((1, entry.size)));
    }
    let work = FileWork::Measure {
        paths: paths.to_vec(),
    };
    let mut last = FileProgress::default();
    follow(task, place, work, |progress| last = progress).await?;
    Ok(Some((last.files, last.bytes)))
}

/// Lets the daemon work, and reports how far it is.
async fn run(task: &mut Task, place: &FilePlace, work: FileWork) -> Result<()> {
    let before = task.progress.clone();
    let mut stream = open(task, place, work)?;
    let mut lines = Lines::default();
    loop {
        match stream.recv().await {
            Some(StreamItem::Data { bytes, .. }) => {
                if let Some(now) = lines.read::<FileProgress>(&bytes) {
                    task.progress.files = before.files + now.files;
                    task.progress.bytes = before.bytes + now.bytes;
                    let of = now
                        .of
                        .map(|(files, bytes)| (before.files + files, before.bytes + bytes));
                    task.progress.of = of;
                    task.report_if_due().await;
                }
            }
            item => {
                if let Some(result) = ended(item) {
                    return result;
                }
            }
        }
    }
}

/// Copies files of a session into a folder. What was skipped first is the current file at the end.
pub async fn rescue(task: &mut Task, session: SessionKey, rescue: &Rescue) -> Result<()> {
    let rescue = rescue.clone();
    let mut stream = task.client()?.open(StreamOpen::Rescue { session, rescue });
    let mut lines = Lines::default();
    let mut done = false;
    loop {
        match stream.recv().await {
            Some(StreamItem::Data { bytes, .. }) => match lines.read(&bytes) {
                Some(RescueReport::Progress { progress }) => {
                    task.progress.files = progress.files;
                    task.progress.bytes = progress.bytes;
                    task.progress.of = progress.of;
                    task.report_if_due().await;
                }
                Some(RescueReport::Done { rescued }) => {
                    done = true;
                    task.progress.files = rescued.files;
                    task.progress.bytes = rescued.size.0;
                    task.skipped = rescued.skipped.len() as u64;
                    task.progress.current = rescued.skipped.into_iter().next().unwrap_or_default();
                    task.report().await;
                }
                None => {}
            },
            item => {
                if let Some(result) = ended(item) {
                    let early = || Stop::of_stream(StreamEnd::Exited { exit_code: None });
                    return result.and_then(|()| done.then_some(()).ok_or_else(early));
                }
            }
        }
    }
}

/// Lets the daemon work, with `seen` for each line of progress.
async fn follow(
    task: &Task,
    place: &FilePlace,
    work: FileWork,
    mut seen: impl FnMut(FileProgress),
) -> Result<()> {
    let mut stream = open(task, place, work)?;
    let mut lines = Lines::default();
    loop {
        match stream.recv().await {
            Some(StreamItem::Data { bytes, .. }) => {
                if let Some(progress) = lines.read(&bytes) {
                    seen(progress);
                }
            }
            item => {
                if let Some(result) = ended(item) {
                    return result;
                }
            }
        }
    }
}

fn open(task: &Task, place: &FilePlace, work: FileWork) -> Result<crate::client::Stream> {
    let place = place.clone();
    Ok(task.client()?.open(StreamOpen::FileWork { place, work }))
}

/// How the work ended, `None` if it continues.
fn ended(item: Option<StreamItem>) -> Option<Result<()>> {
    match item {
        Some(StreamItem::Opened | StreamItem::Data { .. }) => None,
        Some(StreamItem::Ended(StreamEnd::Exited {
            exit_code: None | Some(0),
        })) => Some(Ok(())),
        Some(StreamItem::Ended(end)) => Some(Err(Stop::of_stream(end))),
        None => Some(Err(Stop::Interrupted(tr!("the connection broke").into()))),
    }
}

/// Lines of progress, which may arrive in pieces.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    /// The last complete line.
    fn read<T: DeserializeOwned>(&mut self, bytes: &[u8]) -> Option<T> {
        let mut last = None;
        for byte in bytes {
            if *byte != b'\n' {
                if self.0.len() < LONGEST {
                    self.0.push(*byte);
                }
                continue;
            }
            last = serde_json::from_slice(&self.0).ok().or(last);
            self.0.clear();
        }
        last
    }
}
