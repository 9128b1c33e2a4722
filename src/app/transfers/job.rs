//! What a transfer does, and what it reports. `run/transfers` carries transfers out.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::model::{
    failure::Failure,
    files::{FilePath, FilePlace},
    id::{ContextName, SessionKey},
    loss::Rescue,
    text::Clean,
};

/// A number that the app chooses for a transfer.
pub type TransferId = u64;

/// Work on files that takes time. It continues while the explorer is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferJob {
    /// Copies a file or directory of this machine into a directory of a place.
    Upload {
        from: PathBuf,
        to: FilePlace,
        directory: FilePath,
    },
    /// Copies to this machine: into `to` if that is a directory, otherwise to this path.
    Download {
        from: FilePlace,
        paths: Vec<FilePath>,
        to: PathBuf,
    },
    /// Copies or moves into a directory of a place.
    Copy {
        from: FilePlace,
        paths: Vec<FilePath>,
        to: FilePlace,
        directory: FilePath,
        moves: bool,
    },
    Delete {
        from: FilePlace,
        paths: Vec<FilePath>,
    },
    /// Copies files of a session into a folder, complete or not at all.
    Rescue {
        session: SessionKey,
        /// The name of the session.
        name: Clean,
        rescue: Rescue,
        /// The session is terminated after the copy, with force or without.
        then_terminate: Option<bool>,
    },
    /// Downloads a file, opens it in your editor, and uploads it if it was changed.
    Edit {
        place: FilePlace,
        path: FilePath,
        /// Changes aren't uploaded.
        read_only: bool,
    },
}

impl TransferJob {
    /// The places whose files it changes.
    pub fn changes(&self) -> Vec<FilePlace> {
        match self {
            Self::Upload { to, .. } => vec![to.clone()],
            Self::Download { .. } => Vec::new(),
            Self::Copy {
                from, to, moves, ..
            } => {
                let from = moves.then_some(from);
                from.into_iter().chain([to]).cloned().collect()
            }
            Self::Delete { from, .. } => vec![from.clone()],
            Self::Rescue { .. } => vec![self.target().0],
            Self::Edit { place, .. } => vec![place.clone()],
        }
    }

    /// Whether it needs the engine of a context.
    pub fn is_in(&self, context: ContextName) -> bool {
        match self {
            Self::Upload { to: place, .. }
            | Self::Download { from: place, .. }
            | Self::Delete { from: place, .. }
            | Self::Edit { place, .. } => place.context() == context,
            Self::Copy { from, to, .. } => [from, to].iter().any(|it| it.context() == context),
            Self::Rescue { session, .. } => session.context == context,
        }
    }

    /// The place and the directory whose files it is about.
    pub fn target(&self) -> (FilePlace, FilePath) {
        let parent = |path: Option<&FilePath>| {
            path.and_then(FilePath::parent)
                .unwrap_or_else(FilePath::root)
        };
        match self {
            Self::Upload { to, directory, .. } | Self::Copy { to, directory, .. } => {
                (to.clone(), directory.clone())
            }
            Self::Download { from, paths, .. } | Self::Delete { from, paths } => {
                (from.clone(), parent(paths.first()))
            }
            Self::Rescue {
                session, rescue, ..
            } => {
                let folder = FilePlace::Folder {
                    context: session.context,
                    folder: rescue.folder.clone(),
                };
                (folder, rescue.directory.clone())
            }
            Self::Edit { place, path, .. } => (place.clone(), parent(Some(path))),
        }
    }

    /// What it does, as the list shows it: `Upload`.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Upload { .. } => tr!("Upload"),
            Self::Download { .. } => tr!("Download"),
            Self::Copy { moves: true, .. } => tr!("Move"),
            Self::Copy { .. } => tr!("Copy"),
            Self::Delete { .. } => tr!("Delete"),
            Self::Rescue { .. } => tr!("Rescue"),
            Self::Edit { .. } => tr!("Edit"),
        }
    }

    /// Its files: a name, or how many there are.
    pub fn subject(&self) -> Clean {
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            Clean::new(&name.to_string_lossy())
        };
        match self {
            Self::Upload { from, .. } => name(from),
            Self::Download { paths, .. }
            | Self::Copy { paths, .. }
            | Self::Delete { paths, .. } => match paths.as_slice() {
                [one] => name(one.as_path()),
                several => Clean::new(&tr!("{several} entries", several = several.len())),
            },
            Self::Rescue { name, .. } => name.clone(),
            Self::Edit { path, .. } => name(path.as_path()),
        }
    }

    /// Its files in a sentence: a name in quotes, or how many there are.
    pub fn quoted(&self) -> String {
        let subject = self.subject();
        match self {
            Self::Download { paths, .. }
            | Self::Copy { paths, .. }
            | Self::Delete { paths, .. }
                if paths.len() != 1 =>
            {
                subject.into_string()
            }
            Self::Rescue { .. } => tr!("files of {subject}", subject),
            _ => format!("'{subject}'"),
        }
    }

    /// What a toast reports when it is done: `'a.txt' uploaded`.
    pub(super) fn done_text(&self, subject: &str) -> String {
        match self {
            Self::Upload { .. } => tr!("{subject} uploaded", subject),
            Self::Download { .. } => tr!("{subject} downloaded", subject),
            Self::Copy { moves: true, .. } => tr!("{subject} moved", subject),
            Self::Copy { .. } | Self::Rescue { .. } => tr!("{subject} copied", subject),
            Self::Delete { .. } => tr!("{subject} deleted", subject),
            Self::Edit { .. } => tr!("{subject} saved", subject),
        }
    }
}

/// An order for a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferOrder {
    /// Begins. `resumed` is whether it was interrupted before, so that files that are complete are kept.
    Start {
        job: TransferJob,
        resumed: bool,
    },
    /// Stops. What was copied of the current file is deleted.
    Cancel,
    Answer(ConflictAnswer),
    /// Your editor exited, or didn't start.
    Edited(Result<(), Clean>),
}

/// What a transfer reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    Progress(TransferProgress),
    /// A name is taken.
    Asks(Conflict),
    /// The file is ready for your editor.
    EditReady(PathBuf),
    Ended(TransferEnd),
}

/// How far a transfer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferProgress {
    pub files: u64,
    pub bytes: u64,
    /// How many files and bytes there are, once that is counted.
    pub of: Option<(u64, u64)>,
    /// The current file.
    pub current: Clean,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferEnd {
    Done {
        /// Links, pipes and other entries that can't be copied, and files that you skipped.
        skipped: u64,
    },
    /// The file wasn't changed in the editor.
    Unchanged,
    Failed(Failure),
    /// The connection broke. The transfer can continue where it stopped.
    Interrupted(Clean),
    Cancelled,
}

/// A name that is taken at the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub name: Clean,
    /// The new file: its size, and when it was changed.
    pub new: ConflictSide,
    pub old: ConflictSide,
    pub kind: ConflictKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// The destination has an entry of this name.
    Taken,
    /// The file was changed while you edited it.
    ChangedMeanwhile,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConflictSide {
    /// `None` = it is a directory.
    pub size: Option<u64>,
    pub modified: Option<Timestamp>,
}

/// What to do about a name that is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConflictChoice {
    Replace,
    /// The new file gets another name.
    #[default]
    KeepBoth,
    Skip,
}

impl ConflictChoice {
    pub const ALL: [Self; 3] = [Self::KeepBoth, Self::Replace, Self::Skip];
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConflictAnswer {
    pub choice: ConflictChoice,
    /// For all later conflicts of the transfer, too.
    pub all: bool,
}
