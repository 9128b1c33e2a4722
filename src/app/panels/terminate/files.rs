//! The files that are deleted with a session, as the dialog shows them.

use std::collections::BTreeSet;

use crate::{
    model::{
        files::FilePath,
        loss::{Unsaved, UnsavedFile},
        text::Clean,
    },
    rules::loss,
};

/// How many files the dialog names.
pub const SHOWN: usize = 6;

/// What is known about the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LossFiles {
    /// They aren't counted: the session doesn't run, or its engine can't.
    #[default]
    Unknown,
    Asked,
    Known(Box<KnownFiles>),
    Failed(Clean),
}

/// The counted files, the marked one, and those chosen for a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFiles {
    pub unsaved: Unsaved,
    pub cursor: usize,
    pub chosen: BTreeSet<usize>,
}

impl LossFiles {
    pub fn known(unsaved: Unsaved) -> Self {
        Self::Known(Box::new(KnownFiles {
            unsaved,
            ..KnownFiles::default()
        }))
    }

    /// The files by name, the newest first. `true` = it is deleted at once.
    pub fn listed(&self) -> Vec<(&UnsavedFile, bool)> {
        match self {
            Self::Known(known) => known.unsaved.newest(),
            _ => Vec::new(),
        }
    }

    /// Whether any file can be copied.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Known(known) if !known.unsaved.is_empty())
    }

    /// The first visible file, so that the marked one is visible.
    pub fn first_shown(&self) -> usize {
        match self {
            Self::Known(known) => (known.cursor + 1).saturating_sub(SHOWN),
            _ => 0,
        }
    }

    pub(super) fn move_by(&mut self, by: isize) {
        let last = self.listed().len().saturating_sub(1);
        if let Self::Known(known) = self {
            known.cursor = known.cursor.saturating_add_signed(by).min(last);
        }
    }

    /// Chooses the marked file for a copy, or not any more.
    pub(super) fn choose(&mut self) {
        if let Self::Known(known) = self {
            let cursor = known.cursor;
            if !known.chosen.remove(&cursor) {
                known.chosen.insert(cursor);
            }
        }
    }

    /// The chosen paths. Empty = all.
    pub fn chosen(&self) -> Vec<FilePath> {
        let Self::Known(known) = self else {
            return Vec::new();
        };
        let listed = known.unsaved.newest();
        let chosen = known.chosen.iter().filter_map(|at| listed.get(*at));
        chosen.map(|(file, _)| file.path.clone()).collect()
    }

    /// The line about files that are deleted at once, instead of the general one. `place` is where files are kept.
    pub(super) fn lost(&self, place: &str) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Asked => Some(tr!("Files outside {place} (being counted).", place)),
            Self::Failed(why) => Some(tr!("Files outside {place}: {why}", place, why)),
            Self::Known(known) => Some(match loss::lost(&known.unsaved) {
                Some(lost) => format!("{lost}."),
                None if known.unsaved.home_is_kept => {
                    tr!("No files: none is outside /home/work and folders.").to_owned()
                }
                None => tr!("No files: none is outside folders.").to_owned(),
            }),
        }
    }

    /// How many files the home directory has, if it has any and is kept.
    pub(super) fn home(&self) -> Option<String> {
        match self {
            Self::Known(known) if known.unsaved.home_is_kept => {
                let home = known.unsaved.home.total;
                (home.files > 0).then(|| loss::amount(home))
            }
            _ => None,
        }
    }

    /// Why more files may exist.
    pub(super) fn incomplete(&self) -> Option<String> {
        match self {
            Self::Known(known) => {
                let why = known.unsaved.incomplete()?;
                Some(tr!("More files may be lost: {why}.", why))
            }
            _ => None,
        }
    }
}
