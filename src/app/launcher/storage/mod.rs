//! The third page: folders to mount, which outlive the session.

mod making;

use super::{Form, Heard, Offer, Row};
use crate::{
    action::Action,
    app::input::Input,
    key::Key,
    model::{
        catalogue::Folder,
        launch_field::{FieldProblem, LaunchField as Field},
        spec::{FolderMount, LaunchRequest},
        text::Clean,
    },
};

pub use making::Making;
use making::begins_a_name;

/// The line for the search and the line for a new folder. Between them are two lines for each folder.
pub const SEARCH: usize = usize::MAX;
pub const NEW: usize = usize::MAX - 1;

/// What a line of the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Search,
    Folder(usize),
    /// The path of the folder in the session.
    Path(usize),
    New,
}

impl Line {
    pub fn of(row: Row) -> Self {
        match row.item {
            SEARCH => Self::Search,
            NEW => Self::New,
            item if item.is_multiple_of(2) => Self::Folder(item / 2),
            item => Self::Path(item / 2),
        }
    }

    pub fn row(self) -> Row {
        let item = match self {
            Self::Search => SEARCH,
            Self::New => NEW,
            Self::Folder(at) => 2 * at,
            Self::Path(at) => 2 * at + 1,
        };
        Row::item(Field::Folders, item)
    }
}

/// A folder and how to mount it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Clean,
    /// `None` if the folder doesn't exist, but the relaunched session had mounted it.
    pub folder: Option<Folder>,
    pub mounted: bool,
    pub path: Input,
    pub read_only: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Storage {
    entries: Vec<Entry>,
    automatic: Vec<Clean>,
    search: Option<Input>,
    making: Making,
}

impl Storage {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The automounted folders.
    pub fn automatic(&self) -> &[Clean] {
        &self.automatic
    }

    /// The search text, `None` if it is empty.
    pub fn search(&self) -> Option<&Input> {
        self.search.as_ref()
    }

    pub fn making(&self) -> &Making {
        &self.making
    }

    /// The folders that match the search, and those that are already mounted.
    pub fn shown(&self) -> Vec<usize> {
        let query = self.search.as_ref().map(|it| it.text().to_lowercase());
        let query = query.unwrap_or_default();
        let fits = |entry: &Entry| {
            entry.mounted || entry.name.as_str().to_lowercase().contains(query.trim())
        };
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| fits(entry))
            .map(|(at, _)| at)
            .collect()
    }

    fn input_mut(&mut self, row: Row) -> Option<&mut Input> {
        match Line::of(row) {
            Line::Search => self.search.as_mut(),
            Line::Path(at) => self.entries.get_mut(at).map(|it| &mut it.path),
            Line::New => match &mut self.making {
                Making::Typing(input) => Some(input),
                Making::No | Making::Asked(_) | Making::Failed(..) => None,
            },
            Line::Folder(_) => None,
        }
    }

    fn toggle(&mut self, at: usize) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.mounted = !entry.mounted;
            let only = entry.folder.as_ref().is_some_and(can_only_be_read);
            entry.read_only = entry.read_only || only;
        }
        // A folder that doesn't exist can't be mounted again.
        self.entries
            .retain(|entry| entry.mounted || entry.folder.is_some());
    }

    fn toggle_read_only(&mut self, at: usize) {
        let Some(entry) = self.entries.get_mut(at) else {
            return;
        };
        let only = entry.folder.as_ref().is_some_and(can_only_be_read);
        entry.read_only = only || !entry.read_only;
        entry.mounted = true;
    }

    fn step_search(&mut self) -> Heard {
        self.search.get_or_insert_default();
        Heard::Goto(Line::Search.row())
    }
}

fn can_only_be_read(folder: &Folder) -> bool {
    folder.permission == *"ro"
}

fn entry(folder: Folder, mounted: bool) -> Entry {
    Entry {
        name: folder.name.clone(),
        mounted,
        path: Input::default(),
        read_only: can_only_be_read(&folder),
        folder: Some(folder),
    }
}

impl Form for Storage {
    fn rows(&self, _offer: &Offer) -> Vec<Row> {
        let mut lines = Vec::new();
        if self.search.is_some() {
            lines.push(Line::Search);
        }
        for at in self.shown() {
            lines.push(Line::Folder(at));
            if self.entries[at].mounted {
                lines.push(Line::Path(at));
            }
        }
        lines.push(Line::New);
        lines.into_iter().map(Line::row).collect()
    }

    fn first(&self, offer: &Offer) -> Option<Row> {
        let rows = self.rows(offer);
        let folder = |row: &&Row| matches!(Line::of(**row), Line::Folder(_));
        rows.iter().find(folder).or(rows.first()).copied()
    }

    fn key(&mut self, row: Row, key: Key, offer: &Offer) -> bool {
        if Line::of(row) == Line::New {
            match self.making {
                // If you continue typing while the folder is being created, the keys don't trigger anything
                // else.
                Making::Asked(_) => return begins_a_name(key),
                Making::No if !begins_a_name(key) => return false,
                _ => self.begin_typing(offer),
            }
        }
        self.input_mut(row).is_some_and(|input| input.key(key))
    }

    fn paste(&mut self, row: Row, text: &str, offer: &Offer) -> bool {
        if Line::of(row) == Line::New {
            self.begin_typing(offer);
        }
        let input = self.input_mut(row);
        input.is_some_and(|input| {
            input.paste(text);
            true
        })
    }

    fn action(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> Heard {
        let line = Line::of(row);
        match (action, line) {
            (Action::LauncherToggle, Line::Folder(at)) => self.toggle(at),
            (Action::LauncherReadOnly, Line::Folder(at) | Line::Path(at)) => {
                self.toggle_read_only(at);
            }
            (Action::LauncherAdd, _) => return self.begin_making(offer),
            (Action::LauncherToggle, Line::New) => return self.begin_making(offer),
            (Action::LauncherGoOn, Line::New) => return self.make(offer),
            (Action::LauncherSearch, _) => return self.step_search(),
            (Action::LauncherGoOn, Line::Search) => {
                let first = self.shown().first().copied();
                return first.map_or(Heard::Yes, |at| Heard::Goto(Line::Folder(at).row()));
            }
            (
                Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast,
                _,
            ) => {
                let input = self.input_mut(row);
                if !key.zip(input).is_some_and(|(key, input)| input.key(key)) {
                    return Heard::No;
                }
            }
            _ => return Heard::No,
        }
        Heard::Yes
    }

    fn back(&mut self, row: Row, _offer: &Offer) -> bool {
        match (Line::of(row), &self.making) {
            (Line::New, Making::Typing(_) | Making::Failed(..)) => self.making = Making::No,
            (Line::Search, _) => self.search = None,
            _ => return false,
        }
        true
    }

    /// An existing folder can only have a problem with its path, so this is the line of the path.
    fn row_of(&self, problem: &FieldProblem, _offer: &Offer) -> Option<Row> {
        let all = self.entries.iter().enumerate();
        let mut mounted = all.filter(|(_, entry)| entry.mounted);
        let line = match problem.item {
            Some(item) => match mounted.nth(item)? {
                (at, entry) if entry.folder.is_some() => Line::Path(at),
                (at, _) => Line::Folder(at),
            },
            // A problem with the folder that is being created.
            None if !matches!(self.making, Making::No) => Line::New,
            None => mounted.next().map_or(Line::New, |(at, _)| Line::Folder(at)),
        };
        Some(line.row())
    }

    fn read(&mut self, request: &LaunchRequest, offer: &Offer) {
        self.search = None;
        self.making = Making::No;
        self.entries.clear();
        self.automatic.clear();
        self.offered(offer, request);
    }

    fn write(&self, request: &mut LaunchRequest, _offer: &Offer) {
        let mounted = self.entries.iter().filter(|it| it.mounted);
        request.mounts = mounted
            .map(|entry| FolderMount {
                folder: entry.name.to_string(),
                path: Some(entry.path.text().trim().to_owned()).filter(|it| !it.is_empty()),
                read_only: entry.read_only,
            })
            .collect();
    }

    fn problems(&self, _offer: &Offer) -> Vec<FieldProblem> {
        let why = self.why_unfinished();
        why.map(|why| FieldProblem::new(Field::Folders, why))
            .into_iter()
            .collect()
    }

    fn offered(&mut self, offer: &Offer, request: &LaunchRequest) {
        let Some(catalogue) = &offer.catalogue else {
            self.keep_missing(request);
            return;
        };
        let (automatic, mountable): (Vec<&Folder>, Vec<&Folder>) = catalogue
            .folders
            .iter()
            .partition(|it| it.is_auto_mounted());
        self.automatic = automatic.iter().map(|it| it.name.clone()).collect();
        let mut before = std::mem::take(&mut self.entries);
        for folder in mountable {
            let known = before.iter().position(|it| it.name == folder.name);
            let mut next = match known {
                Some(at) => before.remove(at),
                None => entry(folder.clone(), false),
            };
            next.folder = Some(folder.clone());
            self.entries.push(next);
        }
        // Keeps mounted folders that the context doesn't list: new ones, and those that were removed.
        self.entries
            .extend(before.into_iter().filter(|it| it.mounted));
        self.keep_missing(request);
    }
}

impl Storage {
    /// Marks the folders of a request as mounted, even if they don't exist.
    fn keep_missing(&mut self, request: &LaunchRequest) {
        for mount in &request.mounts {
            let known = self.entries.iter().position(|it| it.name == *mount.folder);
            let at = known.unwrap_or_else(|| {
                self.entries.push(Entry {
                    name: Clean::new(&mount.folder),
                    folder: None,
                    mounted: false,
                    path: Input::default(),
                    read_only: false,
                });
                self.entries.len() - 1
            });
            let entry = &mut self.entries[at];
            if !entry.mounted {
                entry.mounted = true;
                entry.path.set(mount.path.as_deref().unwrap_or_default());
                entry.read_only = mount.read_only;
            }
        }
    }
}
