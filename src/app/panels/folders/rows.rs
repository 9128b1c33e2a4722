//! Which folders are listed, in which order, and which one is marked.

use std::cmp::Ordering;

use super::{FolderList, FolderOrder, FoldersPanel};
use crate::{
    app::mirror::Mirror,
    model::{folder::Folder, natural, session::Session},
};

impl FoldersPanel {
    /// All folders that are known.
    pub fn folders(&self) -> &[Folder] {
        match &self.loaded {
            FolderList::Loaded(folders) => folders,
            FolderList::Loading | FolderList::Failed(_) => &[],
        }
    }

    /// The folders that match the filter, in order.
    pub fn rows(&self) -> Vec<&Folder> {
        let typed = self.filter.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |folder: &&Folder| {
            let text = format!("{} {} {}", folder.name, folder.host, folder.whose()).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let mut rows: Vec<&Folder> = self.folders().iter().filter(fits).collect();
        rows.sort_by(|one, other| {
            let order = match self.order {
                FolderOrder::Name => Ordering::Equal,
                // The largest and the newest first.
                FolderOrder::Size => other.size.cmp(&one.size),
                FolderOrder::Created => time(other).cmp(&time(one)),
            };
            let order = order
                .then_with(|| natural::compare(one.name.as_str(), other.name.as_str()))
                .then_with(|| one.id.as_str().cmp(other.id.as_str()));
            if self.reversed {
                order.reverse()
            } else {
                order
            }
        });
        rows
    }

    /// The position of the marked folder.
    pub fn at(&self) -> usize {
        let rows = self.rows();
        let kept = rows
            .iter()
            .position(|it| Some(&it.id) == self.marked.as_ref());
        let last = rows.len().saturating_sub(1);
        kept.unwrap_or_else(|| self.list.marked().min(last))
    }

    /// The marked folder.
    pub fn folder(&self) -> Option<&Folder> {
        self.rows().get(self.at()).copied()
    }

    pub(super) fn mark(&mut self, at: usize) {
        let count = self.rows().len();
        self.list.go_to(at, count);
        self.marked = self.rows().get(self.list.marked()).map(|it| it.id.clone());
    }

    /// The sessions that mount a folder and haven't ended, by name, as the TUI knows them now.
    pub fn mounting<'a>(
        &self,
        folder: &'a Folder,
        mirror: &'a Mirror,
    ) -> impl Iterator<Item = &'a Session> {
        let (context, trash) = (self.context, self.trash);
        let mut mounting: Vec<&Session> = mirror
            .sessions()
            .filter(|it| it.context == context && !it.has_ended())
            .filter(|it| !trash && it.folders.contains(&folder.name))
            .collect();
        mounting.sort_by(|one, other| natural::compare(one.name.as_str(), other.name.as_str()));
        mounting.into_iter()
    }
}

fn time(folder: &Folder) -> Option<jiff::Timestamp> {
    folder.trashed_at.or(folder.created_at)
}
