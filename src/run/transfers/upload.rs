//! Uploads: a file or directory of this machine into a directory of a place.

use std::{
    ffi::OsString,
    fs::Metadata,
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::{
    local, remote,
    small::{SmallFile, SmallUploads, is_small},
    task::{Begun, Part, Result, Stop, Task},
};
use crate::{
    app::transfers::{Conflict, ConflictChoice, ConflictKind, ConflictSide},
    client::StreamItem,
    model::{
        failure::Failure,
        files::{FileEntry, FileKind, FilePath, FilePlace, WriteOptions, part_name},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Where a file or directory goes.
struct Target<'a> {
    place: &'a FilePlace,
    directory: FilePath,
    name: OsString,
}

impl Target<'_> {
    fn path(&self) -> Result<FilePath> {
        Ok(self.directory.join(&self.name)?)
    }
}

pub async fn upload(
    task: &mut Task,
    from: &Path,
    place: &FilePlace,
    directory: &FilePath,
) -> Result<()> {
    let from = local::expanded(from);
    let counted = {
        let from = from.clone();
        blocking(move || local::measure(&from)).await
    };
    task.progress.of = Some(counted.map_err(|error| Stop::local(&from, tr!("read"), &error))?);
    let name = from.canonicalize().ok();
    let name = name.as_deref().unwrap_or(&from).file_name();
    let Some(name) = name.map(ToOwned::to_owned) else {
        let failure = Failure::usage(tr!("the root directory can't be uploaded"));
        return Err(failure.hint(tr!("choose a directory below it")).into());
    };
    let target = Target {
        place,
        directory: directory.clone(),
        // A link that was typed is followed, and keeps its own name.
        name: from.file_name().map_or(name, ToOwned::to_owned),
    };
    let metadata = std::fs::metadata(&from);
    let metadata = metadata.map_err(|error| Stop::local(&from, tr!("read"), &error))?;
    if metadata.is_dir() {
        upload_tree(task, from, target).await
    } else {
        upload_file(task, &from, target).await
    }
}

/// Uploads a directory with everything in it except links and special files.
async fn upload_tree(task: &mut Task, from: PathBuf, target: Target<'_>) -> Result<()> {
    let place = target.place;
    let Some(root) = make_directory(task, &from, target).await? else {
        return Ok(());
    };
    let mut uploads = SmallUploads::new(&from)?;
    let mut waiting = vec![(from.clone(), root)];
    while let Some((local, made)) = waiting.pop() {
        let entries = {
            let local = local.clone();
            blocking(move || entries_of(&local)).await
        };
        let entries = entries.map_err(|error| Stop::local(&local, tr!("read"), &error))?;
        let mut small = Vec::new();
        for (path, metadata) in entries {
            let target = Target {
                place,
                directory: made.path.clone(),
                name: path.file_name().unwrap_or_default().to_owned(),
            };
            match local::kind_of(&metadata) {
                FileKind::Directory => {
                    if let Some(made) = make_directory(task, &path, target).await? {
                        waiting.push((path, made));
                    }
                }
                FileKind::File if is_small(task, path.as_os_str(), metadata.len()) => {
                    small.push((path, target));
                }
                FileKind::File => upload_file(task, &path, target).await?,
                FileKind::Link | FileKind::Special => task.skipped += 1,
            }
        }
        upload_small(task, &mut uploads, (&from, made.is_new), small).await?;
    }
    uploads.finish(task).await
}

/// Uploads the small files of a directory below `top` together. Those whose name is taken are asked about, one by one.
async fn upload_small(
    task: &mut Task,
    uploads: &mut SmallUploads,
    (top, is_new): (&Path, bool),
    files: Vec<(PathBuf, Target<'_>)>,
) -> Result<()> {
    let (mut together, mut targets) = (Vec::new(), Vec::new());
    for (path, target) in files {
        let is_free = is_new
            || task.memory.unstored.contains(path.as_os_str())
            || remote::stat(task, target.place, &target.path()?)
                .await?
                .is_none();
        if !is_free {
            upload_file(task, &path, target).await?;
            continue;
        }
        together.push(SmallFile {
            source: path.clone().into(),
            from: FilePath::parse(path.strip_prefix(top).unwrap_or(&path).as_os_str())?,
            to: target.path()?,
        });
        targets.push(Some((path, target)));
    }
    let Some((_, first)) = targets.first().and_then(Option::as_ref) else {
        return Ok(());
    };
    let place = first.place;
    for at in uploads.send(task, place, &together).await? {
        if let Some((path, target)) = targets.get_mut(at).and_then(Option::take) {
            upload_file(task, &path, target).await?;
        }
    }
    Ok(())
}

fn entries_of(directory: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        entries.push((entry.path(), entry.metadata()?));
    }
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(entries)
}

/// A directory of the place that files go into.
struct Made {
    path: FilePath,
    /// Whether this transfer created it just now, so that no name in it is taken.
    is_new: bool,
}

/// Creates a directory, or uses the one that exists. `None` = the directory is skipped.
async fn make_directory(
    task: &mut Task,
    from: &Path,
    mut target: Target<'_>,
) -> Result<Option<Made>> {
    if let Some(name) = task.memory.renamed.get(from.as_os_str()) {
        target.name.clone_from(name);
    }
    match remote::stat(task, target.place, &target.path()?).await? {
        Some(entry) if entry.kind == FileKind::Directory => {
            return Ok(Some(Made {
                path: target.path()?,
                is_new: false,
            }));
        }
        Some(entry) => {
            let new = ConflictSide::default();
            match task.ask(conflict(&target, new, &entry)).await {
                ConflictChoice::Skip => {
                    task.skipped += 1;
                    return Ok(None);
                }
                // A directory never replaces a file.
                ConflictChoice::KeepBoth | ConflictChoice::Replace => {
                    rename(task, from, &mut target).await?;
                }
            }
        }
        None => {}
    }
    let path = target.path()?;
    remote::create_directory(task, target.place, &path).await?;
    Ok(Some(Made { path, is_new: true }))
}

/// Chooses a free name.
async fn rename(task: &mut Task, from: &Path, target: &mut Target<'_>) -> Result<()> {
    let name = remote::free_name(task, target.place, &target.directory, &target.name).await?;
    task.memory.renamed.insert(from.into(), name.clone());
    target.name = name;
    Ok(())
}

fn conflict(target: &Target<'_>, new: ConflictSide, old: &FileEntry) -> Conflict {
    Conflict {
        name: Clean::new(&target.name.to_string_lossy()),
        new,
        old: side_of(old),
        kind: ConflictKind::Taken,
    }
}

/// What a question shows of an entry of a place.
pub fn side_of(entry: &FileEntry) -> ConflictSide {
    ConflictSide {
        size: (entry.kind != FileKind::Directory).then_some(entry.size),
        modified: entry.modified,
    }
}

async fn upload_file(task: &mut Task, from: &Path, mut target: Target<'_>) -> Result<()> {
    let opened = {
        let from = from.to_path_buf();
        blocking(move || local::open(&from)).await
    };
    let (file, metadata) = opened.map_err(|error| Stop::local(from, tr!("read"), &error))?;
    task.begin(Clean::new(&target.name.to_string_lossy())).await;
    if task.memory.done.contains(from.as_os_str()) {
        task.progress.files += 1;
        task.moved(metadata.len()).await;
        return Ok(());
    }
    if let Some(name) = task.memory.renamed.get(from.as_os_str()) {
        target.name.clone_from(name);
    }
    let mut begun = Begun {
        source: from.into(),
        size: metadata.len(),
        modified: local::modified(&metadata),
        replace: false,
    };
    let earlier = task.memory.begun.clone();
    let earlier = earlier.filter(|it| {
        (&it.source, it.size, it.modified) == (&begun.source, begun.size, begun.modified)
    });
    if let Some(earlier) = &earlier {
        begun.replace = earlier.replace;
    } else if let Some(entry) = remote::stat(task, target.place, &target.path()?).await? {
        match task
            .ask(conflict(&target, local::side_of(&metadata), &entry))
            .await
        {
            ConflictChoice::Skip => {
                task.skipped += 1;
                task.moved(metadata.len()).await;
                return Ok(());
            }
            ConflictChoice::Replace if entry.kind != FileKind::Directory => begun.replace = true,
            // A file never replaces a directory.
            ConflictChoice::KeepBoth | ConflictChoice::Replace => {
                rename(task, from, &mut target).await?;
            }
        }
    }
    let part = target.directory.join(&part_name(&target.name))?;
    let offset = match earlier {
        Some(_) => offset_of(task, target.place, &part, begun.size).await?,
        None => 0,
    };
    task.memory.begun = Some(begun.clone());
    task.part = Some(Part::Remote(target.place.clone(), part));
    let options = WriteOptions {
        size: Some(begun.size),
        offset,
        replace: begun.replace,
        mode: Some(metadata.permissions().mode() & 0o777),
    };
    let path = target.path()?;
    write(task, file, from, (target.place, &path), options).await?;
    task.finished(from.into());
    remote::set_time(task, target.place, &path, begun.modified).await
}

/// How many bytes of an interrupted file have arrived.
async fn offset_of(task: &Task, place: &FilePlace, part: &FilePath, size: u64) -> Result<u64> {
    let entry = remote::stat(task, place, part).await?;
    let entry = entry.filter(|it| it.kind == FileKind::File && it.size <= size);
    Ok(entry.map_or(0, |it| it.size))
}

/// Sends a file, from the offset of the options on.
pub async fn write(
    task: &mut Task,
    mut file: std::fs::File,
    from: &Path,
    (place, path): (&FilePlace, &FilePath),
    options: WriteOptions,
) -> Result<()> {
    let offset = options.offset;
    let mut stream = task.client()?.open(StreamOpen::WriteFile {
        place: place.clone(),
        path: path.clone(),
        options,
    });
    match stream.recv().await {
        Some(StreamItem::Opened) => {}
        Some(StreamItem::Ended(end)) => return Err(Stop::of_stream(end)),
        _ => return Err(Stop::Interrupted(tr!("the connection broke").into())),
    }
    task.moved(offset).await;
    if offset > 0 {
        let to = SeekFrom::Start(offset);
        file.seek(to)
            .map_err(|error| Stop::local(from, tr!("read"), &error))?;
    }
    let sender = stream.sender();
    loop {
        let (back, piece) = blocking(move || {
            let piece = read_piece(&mut file);
            (file, piece)
        })
        .await;
        file = back;
        let piece = piece.map_err(|error| Stop::local(from, tr!("read"), &error))?;
        if piece.is_empty() {
            break;
        }
        let bytes = piece.len() as u64;
        tokio::select! {
            biased;
            sent = sender.send(piece) => {
                if sent.is_err() {
                    break;
                }
            }
            // The daemon accepts no more: the disk is full, for example.
            item = stream.recv() => return Err(stop_of(item)),
        }
        task.moved(bytes).await;
    }
    let _ = sender.end_input().await;
    loop {
        match stream.recv().await {
            Some(StreamItem::Ended(StreamEnd::Exited { exit_code: Some(0) })) => return Ok(()),
            Some(StreamItem::Ended(end)) => return Err(Stop::of_stream(end)),
            Some(_) => {}
            None => return Err(Stop::Interrupted(tr!("the connection broke").into())),
        }
    }
}

fn stop_of(item: Option<StreamItem>) -> Stop {
    match item {
        Some(StreamItem::Ended(end)) => Stop::of_stream(end),
        _ => Stop::Interrupted(tr!("the connection broke").into()),
    }
}

fn read_piece(file: &mut std::fs::File) -> io::Result<Bytes> {
    let mut piece = Vec::with_capacity(PIECE);
    file.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
    Ok(piece.into())
}

/// Runs work on files off the runtime's threads.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime ends.
        Err(_) => std::future::pending().await,
    }
}
