//! Work on many files: measuring, deleting, copying and moving.

use std::{collections::HashSet, ffi::CString, io, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, FileType, Stat, statat},
    io::Errno,
};
use serde::{Deserialize, Serialize};

use super::{
    Result, copy,
    error::{Verb, failed, failed_io},
    root::{Root, directory_in},
};
use crate::{
    model::{
        failure::Failure,
        files::{FilePath, FileProgress},
        text::io_reason,
    },
    tree::{self, WalkStep},
};

/// The unit of `Stat::st_blocks` on every file system.
const BLOCK: u64 = 512;
/// How much is done between two reports.
const FILES: u64 = 64;
const BYTES: u64 = 1 << 20;

/// Work whose paths are in one directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "kebab-case")]
pub enum LocalWork {
    /// Counts files, and bytes as `du` does: in blocks, with hard-linked files once.
    Measure {
        paths: Vec<FilePath>,
    },
    Delete {
        paths: Vec<FilePath>,
    },
    /// Copies into a directory of the target.
    Copy {
        paths: Vec<FilePath>,
        directory: FilePath,
        replace: bool,
        /// Whether the originals are deleted.
        moving: bool,
    },
}

/// Gets the progress. `false` = stop.
pub type Report<'a> = &'a mut dyn FnMut(FileProgress) -> bool;

/// Carries out the work. `target` is where copies go. Copies that can't be completed are removed.
pub fn carry_out(root: &Root, target: &Root, work: &LocalWork, report: Report<'_>) -> Result<()> {
    let mut watch = Watch::new(report);
    match work {
        LocalWork::Measure { paths } => measure(root, paths, &mut watch)?,
        LocalWork::Delete { paths } => {
            for path in paths {
                delete(root, path, &mut watch)?;
            }
        }
        LocalWork::Copy {
            paths,
            directory,
            replace,
            moving,
        } => {
            let job = copy::Job {
                from: root,
                to: target,
                directory,
                replace: *replace,
            };
            if *moving {
                copy::move_all(&job, paths, &mut watch)?;
            } else {
                copy::copy_all(&job, paths, &mut watch)?;
            }
        }
    }
    watch.end();
    Ok(())
}

/// Counts progress and reports it now and then.
pub(super) struct Watch<'a> {
    pub progress: FileProgress,
    reported: FileProgress,
    report: Report<'a>,
}

impl<'a> Watch<'a> {
    fn new(report: Report<'a>) -> Self {
        Self {
            progress: FileProgress::default(),
            reported: FileProgress::default(),
            report,
        }
    }

    /// Counts what was done. Fails if the work is cancelled.
    pub fn add(&mut self, files: u64, bytes: u64) -> Result<()> {
        self.progress.files += files;
        self.progress.bytes += bytes;
        let (now, before) = (self.progress, self.reported);
        if now.files - before.files < FILES && now.bytes - before.bytes < BYTES {
            return Ok(());
        }
        self.reported = now;
        if (self.report)(now) {
            Ok(())
        } else {
            Err(cancelled())
        }
    }

    fn end(&mut self) {
        (self.report)(self.progress);
    }
}

pub(super) fn cancelled() -> Failure {
    Failure::refused(tr_sent!("the work was cancelled")).hint(tr_sent!("start it again"))
}

/// The entry at a path, in its open directory.
pub(super) struct Place {
    pub dir: OwnedFd,
    pub name: CString,
    pub stat: Stat,
}

impl Place {
    pub fn find(root: &Root, path: &FilePath, what: Verb) -> Result<Self> {
        let (dir, name) = root.parent(path, what)?;
        let stat = statat(&dir, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| failed(path, what, error))?;
        Ok(Self { dir, name, stat })
    }

    pub fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }
}

/// Calls `each` for every entry of the paths, for directories, too.
pub(super) fn visit(
    root: &Root,
    paths: &[FilePath],
    what: Verb,
    mut each: impl FnMut(&Stat) -> Result<()>,
) -> Result<()> {
    for path in paths {
        let fail = |error| failed(path, what, error);
        let top = if path.is_root() {
            root.directory(path).map_err(fail)?
        } else {
            let place = Place::find(root, path, what)?;
            if !place.is_directory() {
                each(&place.stat)?;
                continue;
            }
            directory_in(&place.dir, &place.name).map_err(fail)?
        };
        let mut stopped = None;
        let walked = tree::visit_opened(top, |entry| match each(entry.stat) {
            Ok(()) => Ok(WalkStep::Into),
            Err(failure) => {
                stopped = Some(failure);
                Err(io::ErrorKind::Interrupted.into())
            }
        });
        if let Some(failure) = stopped {
            return Err(failure);
        }
        walked.map_err(|error| failed_io(path, what, &error))?;
    }
    Ok(())
}

fn measure(root: &Root, paths: &[FilePath], watch: &mut Watch<'_>) -> Result<()> {
    let mut met = HashSet::new();
    visit(root, paths, Verb::Measured, |stat| {
        let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let is_new = is_directory || stat.st_nlink < 2 || met.insert((stat.st_dev, stat.st_ino));
        let blocks = u64::try_from(stat.st_blocks).unwrap_or(0);
        let bytes = if is_new { blocks * BLOCK } else { 0 };
        watch.add(u64::from(!is_directory), bytes)
    })
}

/// Deletes an entry with its contents.
pub(super) fn delete(root: &Root, path: &FilePath, watch: &mut Watch<'_>) -> Result<()> {
    let place = Place::find(root, path, Verb::Deleted)?;
    let mut was_cancelled = false;
    let removed = tree::remove_entry(place.dir, &place.name, &mut || {
        was_cancelled = watch.add(1, 0).is_err();
        !was_cancelled
    });
    match removed {
        Err(_) if was_cancelled => Err(cancelled()),
        Err(error) if error.raw_os_error().is_none() => {
            // The message has the path of the entry inside.
            let text = tr_sent!(
                "'{path}' can't be deleted completely: {why}",
                path,
                why = io_reason(&error)
            );
            Err(Failure::refused(text).hint(tr_sent!("check the permissions and the mounts in it")))
        }
        other => other.map_err(|error| failed_io(path, Verb::Deleted, &error)),
    }
}

/// How many files the paths contain, and the bytes that a copy has to read.
pub(super) fn count(root: &Root, paths: &[FilePath]) -> Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    visit(root, paths, Verb::Copied, |stat| {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {}
            FileType::RegularFile => {
                files += 1;
                bytes += u64::try_from(stat.st_size).unwrap_or(0);
            }
            _ => files += 1,
        }
        Ok(())
    })?;
    Ok((files, bytes))
}

/// An error of a system call, or a failure that was explained already.
pub(super) enum Trouble {
    Errno(Errno),
    Failure(Failure),
}

impl From<Errno> for Trouble {
    fn from(error: Errno) -> Self {
        Self::Errno(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}
