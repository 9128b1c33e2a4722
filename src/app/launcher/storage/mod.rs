//! The third page: folders to mount, which outlive the session.

mod creation;

use super::{FormResponse, FormRow, LaunchInfo, PageForm};
use crate::{
    action::Action,
    app::input::Input,
    key::Key,
    model::{
        folder::Folder,
        launch_field::{FieldProblem, LaunchField as Field},
        spec::{FolderMount, LaunchRequest},
        text::Clean,
    },
};

pub use creation::FolderCreation;
use creation::begins_a_name;

/// The line for the search and the line for a new folder. Between them are two lines for each folder.
const SEARCH: usize = usize::MAX;
pub const NEW: usize = usize::MAX - 1;

/// What a line of the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderRow {
    Search,
    Folder(usize),
    /// The path of the folder in the session.
    Path(usize),
    New,
}

impl FolderRow {
    pub fn of(row: FormRow) -> Self {
        match row.item {
            SEARCH => Self::Search,
            NEW => Self::New,
            item if item.is_multiple_of(2) => Self::Folder(item / 2),
            item => Self::Path(item / 2),
        }
    }

    pub fn row(self) -> FormRow {
        let item = match self {
            Self::Search => SEARCH,
            Self::New => NEW,
            Self::Folder(at) => 2 * at,
            Self::Path(at) => 2 * at + 1,
        };
        FormRow::item(Field::Folders, item)
    }
}

/// A folder and how to mount it.
#[derive(Clone, Debug)]
pub struct FolderEntry {
    pub name: Clean,
    /// `None` if the folder doesn't exist, but the relaunched session had mounted it.
    pub folder: Option<Folder>,
    pub mounted: bool,
    pub path: Input,
    pub read_only: bool,
}

#[derive(Clone, Debug, Default)]
pub struct StorageForm {
    entries: Vec<FolderEntry>,
    automatic: Vec<Clean>,
    search: Option<Input>,
    creation: FolderCreation,
}

impl StorageForm {
    pub fn entries(&self) -> &[FolderEntry] {
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

    pub fn creation(&self) -> &FolderCreation {
        &self.creation
    }

    /// The folders that match the search, and those that are already mounted.
    pub fn shown(&self) -> Vec<usize> {
        let query = self.search.as_ref().map(|it| it.text().to_lowercase());
        let query = query.unwrap_or_default();
        let fits = |entry: &FolderEntry| {
            entry.mounted || entry.name.as_str().to_lowercase().contains(query.trim())
        };
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| fits(entry))
            .map(|(at, _)| at)
            .collect()
    }

    fn input_mut(&mut self, row: FormRow) -> Option<&mut Input> {
        match FolderRow::of(row) {
            FolderRow::Search => self.search.as_mut(),
            FolderRow::Path(at) => self.entries.get_mut(at).map(|it| &mut it.path),
            FolderRow::New => match &mut self.creation {
                FolderCreation::Typing(input) => Some(input),
                FolderCreation::Idle | FolderCreation::Asked(_) | FolderCreation::Failed(..) => {
                    None
                }
            },
            FolderRow::Folder(_) => None,
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

    fn step_search(&mut self) -> FormResponse {
        self.search.get_or_insert_default();
        FormResponse::Focus(FolderRow::Search.row())
    }
}

fn can_only_be_read(folder: &Folder) -> bool {
    folder.permission == *"ro"
}

fn entry(folder: Folder, mounted: bool) -> FolderEntry {
    FolderEntry {
        name: folder.name.clone(),
        mounted,
        path: Input::default(),
        read_only: can_only_be_read(&folder),
        folder: Some(folder),
    }
}

impl PageForm for StorageForm {
    fn rows(&self, _info: &LaunchInfo) -> Vec<FormRow> {
        let mut lines = Vec::new();
        if self.search.is_some() {
            lines.push(FolderRow::Search);
        }
        for at in self.shown() {
            lines.push(FolderRow::Folder(at));
            if self.entries[at].mounted {
                lines.push(FolderRow::Path(at));
            }
        }
        lines.push(FolderRow::New);
        lines.into_iter().map(FolderRow::row).collect()
    }

    fn first(&self, info: &LaunchInfo) -> Option<FormRow> {
        let rows = self.rows(info);
        let folder = |row: &&FormRow| matches!(FolderRow::of(**row), FolderRow::Folder(_));
        rows.iter().find(folder).or(rows.first()).copied()
    }

    fn key(&mut self, row: FormRow, key: Key, info: &LaunchInfo) -> bool {
        if FolderRow::of(row) == FolderRow::New {
            match self.creation {
                // If you continue typing while the folder is being created, the keys don't trigger anything
                // else.
                FolderCreation::Asked(_) => return begins_a_name(key),
                FolderCreation::Idle if !begins_a_name(key) => return false,
                _ => self.begin_typing(info),
            }
        }
        self.input_mut(row).is_some_and(|input| input.key(key))
    }

    fn paste(&mut self, row: FormRow, text: &str, info: &LaunchInfo) -> bool {
        if FolderRow::of(row) == FolderRow::New {
            self.begin_typing(info);
        }
        let input = self.input_mut(row);
        input.is_some_and(|input| {
            input.paste(text);
            true
        })
    }

    fn action(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> FormResponse {
        let line = FolderRow::of(row);
        match (action, line) {
            (Action::LauncherToggle, FolderRow::Folder(at)) => self.toggle(at),
            (Action::LauncherReadOnly, FolderRow::Folder(at) | FolderRow::Path(at)) => {
                self.toggle_read_only(at);
            }
            (Action::LauncherAdd, _) => return self.begin_creation(info),
            (Action::LauncherToggle, FolderRow::New) => return self.begin_creation(info),
            (Action::LauncherContinue, FolderRow::New) => return self.create(info),
            (Action::LauncherSearch, _) => return self.step_search(),
            (Action::LauncherContinue, FolderRow::Search) => {
                let first = self.shown().first().copied();
                return first.map_or(FormResponse::Handled, |at| {
                    FormResponse::Focus(FolderRow::Folder(at).row())
                });
            }
            (
                Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast,
                _,
            ) => {
                let input = self.input_mut(row);
                if !key.zip(input).is_some_and(|(key, input)| input.key(key)) {
                    return FormResponse::Ignored;
                }
            }
            _ => return FormResponse::Ignored,
        }
        FormResponse::Handled
    }

    fn back(&mut self, row: FormRow, _info: &LaunchInfo) -> bool {
        match (FolderRow::of(row), &self.creation) {
            (FolderRow::New, FolderCreation::Typing(_) | FolderCreation::Failed(..)) => {
                self.creation = FolderCreation::Idle;
            }
            (FolderRow::Search, _) => self.search = None,
            _ => return false,
        }
        true
    }

    /// An existing folder can only have a problem with its path, so this is the line of the path.
    fn row_of(&self, problem: &FieldProblem, _info: &LaunchInfo) -> Option<FormRow> {
        let all = self.entries.iter().enumerate();
        let mut mounted = all.filter(|(_, entry)| entry.mounted);
        let line = match problem.item {
            Some(item) => match mounted.nth(item)? {
                (at, entry) if entry.folder.is_some() => FolderRow::Path(at),
                (at, _) => FolderRow::Folder(at),
            },
            // A problem with the folder that is being created.
            None if !matches!(self.creation, FolderCreation::Idle) => FolderRow::New,
            None => mounted
                .next()
                .map_or(FolderRow::New, |(at, _)| FolderRow::Folder(at)),
        };
        Some(line.row())
    }

    fn read(&mut self, request: &LaunchRequest, info: &LaunchInfo) {
        self.search = None;
        self.creation = FolderCreation::Idle;
        self.entries.clear();
        self.automatic.clear();
        self.info_changed(info, request);
    }

    fn write(&self, request: &mut LaunchRequest, _info: &LaunchInfo) {
        let mounted = self.entries.iter().filter(|it| it.mounted);
        request.mounts = mounted
            .map(|entry| FolderMount {
                folder: entry.name.to_string(),
                path: Some(entry.path.text().trim().to_owned()).filter(|it| !it.is_empty()),
                read_only: entry.read_only,
            })
            .collect();
    }

    fn problems(&self, _info: &LaunchInfo) -> Vec<FieldProblem> {
        let why = self.why_unfinished();
        why.map(|why| FieldProblem::new(Field::Folders, why))
            .into_iter()
            .collect()
    }

    fn info_changed(&mut self, info: &LaunchInfo, request: &LaunchRequest) {
        let Some(catalogue) = &info.catalogue else {
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

impl StorageForm {
    /// Marks the folders of a request as mounted, even if they don't exist.
    fn keep_missing(&mut self, request: &LaunchRequest) {
        for mount in &request.mounts {
            let known = self.entries.iter().position(|it| it.name == *mount.folder);
            let at = known.unwrap_or_else(|| {
                self.entries.push(FolderEntry {
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
