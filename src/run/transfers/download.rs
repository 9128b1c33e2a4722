//! Downloads: files and directories of a place to this machine.

use std::{
    ffi::OsString,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
};

use bytes::BytesMut;
use jiff::Timestamp;

use super::{
    copy,
    local::{self, LocalPart},
    remote,
    small::{SmallDownloads, SmallFile, is_small},
    task::{Part, Result, Stop, Task},
    upload::{blocking, side_of},
};
use crate::{
    app::transfers::{Conflict, ConflictChoice, ConflictKind},
    client::StreamItem,
    model::{
        failure::Failure,
        files::{FileEntry, FileKind, FilePath, FilePlace},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
};

/// Bytes that are written at once.
const PIECE: usize = 1 << 20;

pub async fn download(
    task: &mut Task,
    place: &FilePlace,
    paths: &[FilePath],
    to: &Path,
) -> Result<()> {
    let to = super::local::expanded(to);
    let is_directory = to.is_dir();
    let has_slash = to.as_os_str().to_string_lossy().ends_with('/');
    if !is_directory && (paths.len() > 1 || has_slash) {
        let shown = Clean::new(&to.to_string_lossy());
        let failure = Failure::usage(tr!("{shown} isn't a directory", shown));
        return Err(failure.hint(tr!("choose a directory that exists")).into());
    }
    task.progress.of = copy::measured(task, place, paths).await?;
    for path in paths {
        let Some(entry) = remote::stat(task, place, path).await? else {
            let failure = Failure::not_found(tr!("'{path}' not found", path));
            return Err(failure.hint(tr!("refresh the list with `R`")).into());
        };
        let target = match path.name().filter(|_| is_directory) {
            Some(name) if local::is_plain_name(name) => to.join(name),
            Some(_) => return Err(odd_name(path)),
            None => to.clone(),
        };
        match entry.kind {
            FileKind::File => {
                file(task, (place, path), &entry, target).await?;
            }
            FileKind::Directory => tree(task, (place, path.clone()), target).await?,
            FileKind::Link | FileKind::Special => task.skipped += 1,
        }
    }
    Ok(())
}

fn odd_name(path: &FilePath) -> Stop {
    let failure = Failure::refused(tr!("'{path}' can't be the name of a file here", path));
    Stop::Failed(failure.hint(tr!("rename it, then download it")))
}

/// Downloads a directory with everything in it except links and special files.
async fn tree(
    task: &mut Task,
    (place, path): (&FilePlace, FilePath),
    target: PathBuf,
) -> Result<()> {
    make_directory(&target)?;
    let mut downloads = SmallDownloads::new(&target)?;
    let mut waiting = vec![(path, FilePath::root())];
    while let Some((directory, inside)) = waiting.pop() {
        let mut offset = 0;
        loop {
            let listing = remote::list(task, place, &directory, offset).await?;
            offset += listing.entries.len() as u64;
            let is_last = listing.entries.is_empty() || offset >= listing.total;
            let mut small = Vec::new();
            for entry in listing.entries {
                if !local::is_plain_name(&entry.name.0) {
                    task.skipped += 1;
                    continue;
                }
                let path = directory.join(&entry.name.0)?;
                let inside = inside.join(&entry.name.0)?;
                let local = target.join(inside.as_path());
                match entry.kind {
                    FileKind::File if shares_stream(task, &path, &entry, &local) => {
                        small.push((path, inside, entry));
                    }
                    FileKind::File => {
                        file(task, (place, &path), &entry, local).await?;
                    }
                    FileKind::Directory => {
                        make_directory(&local)?;
                        waiting.push((path, inside));
                    }
                    FileKind::Link | FileKind::Special => task.skipped += 1,
                }
            }
            download_small(
                task,
                &mut downloads,
                (place, &directory),
                (&target, &inside),
                &small,
            )
            .await?;
            if is_last {
                break;
            }
        }
    }
    downloads.finish(task).await
}

/// Whether a file is small, and its name isn't taken by another file.
fn shares_stream(task: &Task, path: &FilePath, entry: &FileEntry, local: &Path) -> bool {
    let source = path.as_path().as_os_str();
    let is_free =
        || task.memory.unstored.contains(source) || std::fs::symlink_metadata(local).is_err();
    is_small(task, source, entry.size) && is_free()
}

/// Downloads small files of a directory into `inside`, a directory below `top`.
async fn download_small(
    task: &mut Task,
    downloads: &mut SmallDownloads,
    (place, directory): (&FilePlace, &FilePath),
    (top, inside): (&Path, &FilePath),
    files: &[(FilePath, FilePath, FileEntry)],
) -> Result<()> {
    let small = |(path, inside, _): &(FilePath, FilePath, FileEntry)| SmallFile {
        source: path.as_path().into(),
        from: path.clone(),
        to: inside.clone(),
    };
    let together: Vec<SmallFile> = files.iter().map(small).collect();
    let from = (place, directory);
    for at in downloads.get(task, from, inside, &together).await? {
        let (path, inside, entry) = &files[at];
        file(task, (place, path), entry, top.join(inside.as_path())).await?;
    }
    Ok(())
}

/// Creates a directory, or uses the one that exists.
fn make_directory(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && is_directory(path) => {
            Ok(())
        }
        result => result.map_err(|error| Stop::local(path, tr!("created"), &error)),
    }
}

fn is_directory(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|it| it.is_dir())
}

/// Downloads one file. Returns its path here, `None` if it was skipped.
pub async fn file(
    task: &mut Task,
    (place, path): (&FilePlace, &FilePath),
    entry: &FileEntry,
    mut target: PathBuf,
) -> Result<Option<PathBuf>> {
    let source: OsString = path.as_path().into();
    task.begin(entry.name.shown()).await;
    if task.memory.done.contains(&source) {
        task.progress.files += 1;
        task.moved(entry.size).await;
        return Ok(Some(target));
    }
    if let Some(name) = task.memory.renamed.get(&source) {
        target.set_file_name(name);
    }
    let mut replace = false;
    if let Ok(old) = std::fs::symlink_metadata(&target) {
        let conflict = Conflict {
            name: Clean::new(&target.file_name().unwrap_or_default().to_string_lossy()),
            new: side_of(entry),
            old: local::side_of(&old),
            kind: ConflictKind::Taken,
        };
        match task.ask(conflict).await {
            ConflictChoice::Skip => {
                task.skipped += 1;
                task.moved(entry.size).await;
                return Ok(None);
            }
            ConflictChoice::Replace if !old.is_dir() => replace = true,
            // A file never replaces a directory.
            ConflictChoice::KeepBoth | ConflictChoice::Replace => {
                target = local::free_path(&target);
                let name = target.file_name().unwrap_or_default();
                task.memory.renamed.insert(source.clone(), name.into());
            }
        }
    }
    let part = {
        let (target, size, modified) = (target.clone(), entry.size, entry.modified);
        blocking(move || LocalPart::open(&target, size, modified)).await
    };
    let part = part.map_err(|error| Stop::local(&target, tr!("written"), &error))?;
    task.part = Some(Part::Local(part.path.clone()));
    let path_of_part = part.path.clone();
    let written = read(task, (place, path), part, entry.modified).await?;
    let finished = {
        let (target, about) = (target.clone(), (entry.mode, entry.modified));
        blocking(move || local::finish(&written, &path_of_part, &target, about, replace)).await
    };
    finished.map_err(|error| Stop::local(&target, tr!("written"), &error))?;
    task.finished(source);
    Ok(Some(target))
}

/// Receives the rest of a file. Returns the complete part.
async fn read(
    task: &mut Task,
    (place, path): (&FilePlace, &FilePath),
    part: LocalPart,
    modified: Option<Timestamp>,
) -> Result<File> {
    let LocalPart {
        mut file,
        path: part,
        offset,
    } = part;
    let mut stream = task.client()?.open(StreamOpen::ReadFile {
        place: place.clone(),
        path: path.clone(),
        offset,
    });
    task.moved(offset).await;
    let mut piece = BytesMut::with_capacity(PIECE);
    loop {
        let end = match stream.recv().await {
            Some(StreamItem::Opened) => None,
            Some(StreamItem::Data { bytes, .. }) => {
                piece.extend_from_slice(&bytes);
                task.moved(bytes.len() as u64).await;
                None
            }
            Some(StreamItem::Ended(end)) => Some(end),
            None => Some(StreamEnd::Lost {
                why: tr!("the connection broke").into(),
            }),
        };
        if piece.len() >= PIECE || (end.is_some() && !piece.is_empty()) {
            let bytes = piece.split().freeze();
            let (back, written) = blocking(move || {
                let written = file.write_all(&bytes);
                let written = written.and_then(|()| LocalPart::mark(&file, modified));
                (file, written)
            })
            .await;
            file = back;
            written.map_err(|error| Stop::local(&part, tr!("written"), &error))?;
        }
        match end {
            None => {}
            Some(StreamEnd::Exited {
                exit_code: None | Some(0),
            }) => return Ok(file),
            Some(end) => return Err(Stop::of_stream(end)),
        }
    }
}
