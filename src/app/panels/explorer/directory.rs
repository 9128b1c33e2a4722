//! The entries of a directory that are loaded: pages of a listing that may be much longer.

use std::collections::BTreeMap;

use crate::model::{
    failure::Failure,
    files::{FileEntry, FileListing, FileName, FilePath, ListOptions},
    text::Clean,
};

/// The entries of a page.
pub const PAGE: u32 = 1_000;
/// Pages that are kept besides the visible one, on each side.
const KEPT: u64 = 8;

/// The pages of one directory.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    path: FilePath,
    /// The order, the filter, and whether hidden names are left out.
    options: ListOptions,
    pages: BTreeMap<u64, Vec<FileEntry>>,
    /// How many entries match, `None` until it is known.
    total: Option<u64>,
    all: u64,
    read_only: Option<Clean>,
    failure: Option<Failure>,
    /// Each listing that is requested again has another number, and older answers are ignored.
    generation: u64,
    /// The page that is requested now, and how many of its entries are loaded.
    asked: Option<(u64, u64)>,
    /// The pages are of an earlier listing.
    stale: bool,
}

impl Directory {
    #[must_use]
    pub fn new(path: FilePath) -> Self {
        Self {
            path,
            options: ListOptions {
                without_hidden: true,
                ..ListOptions::default()
            },
            stale: true,
            ..Self::default()
        }
    }

    pub fn path(&self) -> &FilePath {
        &self.path
    }

    pub fn options(&self) -> &ListOptions {
        &self.options
    }

    /// Why nothing can be changed in it.
    pub fn read_only(&self) -> Option<&Clean> {
        self.read_only.as_ref()
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Whether nothing of it is known yet.
    pub fn is_loading(&self) -> bool {
        self.total.is_none() && self.failure.is_none()
    }

    /// How many entries match.
    pub fn count(&self) -> usize {
        usize::try_from(self.total.unwrap_or(0)).unwrap_or(usize::MAX)
    }

    /// How many entries the directory has.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// The entry at a position, `None` if it isn't loaded.
    pub fn entry(&self, at: usize) -> Option<&FileEntry> {
        let (page, within) = (page_of(at), at % PAGE as usize);
        self.pages.get(&page)?.get(within)
    }

    /// All loaded entries.
    pub fn loaded(&self) -> impl Iterator<Item = &FileEntry> {
        self.pages.values().flatten()
    }

    /// The loaded entry of this name, with its position.
    pub fn find(&self, name: &FileName) -> Option<(usize, &FileEntry)> {
        self.pages.iter().find_map(|(page, entries)| {
            let within = entries.iter().position(|it| it.name == *name)?;
            let first = usize::try_from(*page).ok()? * PAGE as usize;
            Some((first + within, &entries[within]))
        })
    }

    /// Shows another directory, with the same order.
    pub fn enter(&mut self, path: FilePath) {
        let options = ListOptions {
            filter: None,
            ..self.options.clone()
        };
        let generation = self.generation + 1;
        *self = Self {
            options,
            generation,
            ..Self::new(path)
        };
    }

    /// Changes the order, the filter or the hidden names.
    pub fn set(&mut self, change: impl FnOnce(&mut ListOptions)) {
        let before = self.options.clone();
        change(&mut self.options);
        if self.options != before {
            self.reload();
        }
    }

    /// Requests the listing again. The old one is shown until then.
    pub fn reload(&mut self) {
        self.generation += 1;
        self.asked = None;
        self.stale = true;
    }

    /// The requests of a broken connection get no answers.
    pub fn link_up(&mut self) {
        self.reload();
    }

    /// The next page to request: that of the position, then those of the visible rows. One is requested at a time.
    pub fn missing(&self, at: usize, visible: std::ops::Range<usize>) -> Option<(u64, u64)> {
        if self.asked.is_some() || (self.failure.is_some() && !self.stale) {
            return None;
        }
        if self.stale {
            return Some((self.generation, page_of(at)));
        }
        let last = visible.end.min(self.count()).saturating_sub(1);
        let last = last.max(visible.start);
        let mut wanted = [at, visible.start, last].into_iter();
        let page = wanted.find(|at| *at < self.count() && self.entry(*at).is_none())?;
        Some((self.generation, page_of(page)))
    }

    /// The options of the request for a page, which is under way from now on.
    pub fn ask(&mut self, page: u64) -> ListOptions {
        // A page of very long names arrives in several parts.
        let loaded = self.pages.get(&page).filter(|_| !self.stale);
        let loaded = loaded.map_or(0, |entries| entries.len() as u64);
        self.asked = Some((page, loaded));
        ListOptions {
            offset: page * u64::from(PAGE) + loaded,
            count: PAGE - loaded as u32,
            ..self.options.clone()
        }
    }

    /// Takes a page. Returns `false` if nobody waits for it.
    pub fn answered(
        &mut self,
        (generation, page): (u64, u64),
        result: Result<FileListing, Failure>,
    ) -> bool {
        let asked = self.asked.filter(|(asked, _)| *asked == page);
        let Some((_, loaded)) = asked.filter(|_| generation == self.generation) else {
            return false;
        };
        self.asked = None;
        match result {
            Ok(listing) => self.take(page, loaded, listing),
            Err(failure) => {
                self.pages.clear();
                self.total = None;
                self.failure = Some(failure);
                self.stale = false;
            }
        }
        true
    }

    fn take(&mut self, page: u64, loaded: u64, listing: FileListing) {
        let offset = page * u64::from(PAGE) + loaded;
        // Pages of two states of the directory don't fit together.
        if self.stale || self.total != Some(listing.total) {
            self.pages.clear();
            if loaded > 0 {
                // The beginning of the page is missing now.
                self.total = Some(listing.total);
                self.reload();
                return;
            }
        }
        self.stale = false;
        self.failure = None;
        self.total = Some(listing.total);
        self.all = listing.all;
        self.read_only = listing.read_only;
        let near = page.saturating_sub(KEPT)..=page + KEPT;
        self.pages.retain(|number, _| near.contains(number));
        if listing.entries.is_empty() {
            // Entries that were deleted meanwhile are counted, but there are no others. If the directory became
            // shorter, its last page is requested.
            self.total = Some(listing.total.min(offset));
            self.stale = offset > listing.total;
            return;
        }
        self.pages.entry(page).or_default().extend(listing.entries);
    }
}

fn page_of(at: usize) -> u64 {
    at as u64 / u64::from(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::panels::explorer::testing::{file, listing};

    fn page(number: u64, total: u64) -> FileListing {
        let first = number * u64::from(PAGE);
        let entries = (first..total.min(first + u64::from(PAGE)))
            .map(|n| file(&format!("file-{n}"), n))
            .collect();
        FileListing {
            total,
            ..listing(entries)
        }
    }

    fn load(directory: &mut Directory, at: usize) -> u64 {
        let (generation, number) = directory.missing(at, at..at + 20).unwrap();
        directory.ask(number);
        assert_eq!(directory.missing(at, at..at + 20), None, "one at a time");
        assert!(directory.answered((generation, number), Ok(page(number, 100_000))));
        number
    }

    #[test]
    fn only_the_visible_pages_of_a_long_directory_are_loaded() {
        let mut directory = Directory::new(FilePath::root());
        assert!(directory.is_loading());
        assert_eq!(load(&mut directory, 0), 0);
        assert_eq!(directory.count(), 100_000);
        assert_eq!(directory.missing(0, 0..20), None);
        assert_eq!(load(&mut directory, 99_999), 99);
        assert!(directory.entry(99_999).is_some() && directory.entry(50_000).is_none());
        assert!(directory.entry(0).is_none(), "distant pages are dropped");
        assert_eq!(directory.missing(98_999, 98_990..99_010).unwrap().1, 98);
    }

    #[test]
    fn an_answer_to_an_older_listing_is_ignored() {
        let mut directory = Directory::new(FilePath::root());
        let (old, number) = directory.missing(0, 0..1).unwrap();
        directory.ask(number);
        directory.set(|options| options.reversed = true);
        assert!(!directory.answered((old, number), Ok(page(0, 3))));
        load(&mut directory, 0);
        let name = file("file-7", 7).name;
        assert_eq!(directory.find(&name).unwrap().0, 7);
        directory.reload();
        assert!(
            directory.entry(7).is_some(),
            "the old listing stays visible"
        );
    }

    #[test]
    fn a_page_of_long_names_arrives_in_parts() {
        let mut directory = Directory::new(FilePath::root());
        let (generation, number) = directory.missing(0, 0..20).unwrap();
        directory.ask(number);
        let mut first = page(0, 30);
        let rest = first.entries.split_off(10);
        directory.answered((generation, number), Ok(first));
        assert_eq!(directory.missing(0, 0..10), None);
        let (generation, number) = directory.missing(0, 0..20).unwrap();
        assert_eq!(directory.ask(number).offset, 10);
        let second = FileListing {
            total: 30,
            ..listing(rest)
        };
        directory.answered((generation, number), Ok(second));
        assert_eq!(directory.entry(29).unwrap().size, 29);
        assert_eq!(directory.missing(29, 10..30), None);
    }

    #[test]
    fn entries_that_vanish_while_they_are_listed_dont_keep_it_busy() {
        let mut directory = Directory::new(FilePath::root());
        for expected in [0, 2] {
            let (generation, number) = directory.missing(0, 0..20).unwrap();
            assert_eq!(directory.ask(number).offset, expected);
            let entries = if expected == 0 {
                page(0, 2).entries
            } else {
                Vec::new()
            };
            let part = FileListing {
                total: 3,
                ..listing(entries)
            };
            directory.answered((generation, number), Ok(part));
        }
        assert_eq!(directory.count(), 2);
        assert_eq!(directory.missing(1, 0..20), None);
    }

    #[test]
    fn a_directory_that_became_shorter_is_requested_again() {
        let mut directory = Directory::new(FilePath::root());
        load(&mut directory, 5_000);
        directory.reload();
        let (generation, number) = directory.missing(5_000, 5_000..5_020).unwrap();
        directory.ask(number);
        directory.answered((generation, number), Ok(page(5, 10)));
        assert_eq!(directory.count(), 10);
        assert_eq!(load(&mut directory, 9), 0);
    }
}
