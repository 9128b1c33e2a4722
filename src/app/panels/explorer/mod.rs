//! The explorer: the files of a folder, of a running session, or of the home directory that an ended session left.

mod deletion;
mod directory;
mod operations;
mod panel;
pub mod places;
pub mod preview;
mod prompt;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use self::places::PlacePicker;
pub use self::{
    deletion::{DeleteQuestion, Measuring},
    directory::Directory,
    preview::{Preview, PreviewContent},
    prompt::{ExplorerPrompt, PromptKind},
};
use super::scroll::ListCursor;
use crate::{
    app::{
        input::Input,
        mirror::Mirror,
        msg::{PathCompletion, StreamEvent, Ticket},
        step::{Ids, Purpose, Step},
    },
    model::{
        failure::Failure,
        files::{FileEntry, FileKind, FileName, FileOrder, FilePath, FilePlace, FileRequest},
        id::{ContextName, SessionKey},
        notice::Level,
        text::Clean,
    },
    protocol::message::{Reply, Request, StreamId},
};

/// What an answer to the explorer is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplorerPurpose {
    /// A page of the directory, with the number of its listing.
    Page { generation: u64, page: u64 },
    /// The directory that the preview shows.
    Preview(FilePath),
    /// An entry was created or renamed. It is marked then.
    Changed {
        place: FilePlace,
        /// The toast of the success.
        done: Clean,
        name: FileName,
    },
}

#[derive(Clone, Debug)]
pub struct Explorer {
    place: FilePlace,
    pub directory: Directory,
    pub list: ListCursor,
    /// The marked row's entry, which stays marked when others appear.
    at: Option<FileName>,
    /// The entry that is marked in each directory that was left.
    left_at: HashMap<FilePath, FileName>,
    /// The entries that were chosen with Space, by name.
    chosen: BTreeMap<FileName, FileEntry>,
    filter: Input,
    editing_filter: bool,
    pub preview: Preview,
    prompt: Option<ExplorerPrompt>,
    question: Option<DeleteQuestion>,
    places: Option<PlacePicker>,
    /// The places that were open before.
    visited: Vec<FilePlace>,
    height: usize,
}

impl Explorer {
    #[must_use]
    pub fn new(place: FilePlace, path: FilePath) -> Self {
        Self {
            visited: vec![place.clone()],
            place,
            directory: Directory::new(path),
            list: ListCursor::default(),
            at: None,
            left_at: HashMap::new(),
            chosen: BTreeMap::new(),
            filter: Input::default(),
            editing_filter: false,
            preview: Preview::default(),
            prompt: None,
            question: None,
            places: None,
            height: 0,
        }
    }

    /// Keeps the places that an earlier explorer has visited.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        for place in &earlier.visited {
            if !self.visited.contains(place) {
                self.visited.push(place.clone());
            }
        }
        self
    }

    pub fn place(&self) -> &FilePlace {
        &self.place
    }

    /// The session whose files are shown.
    pub fn session(&self) -> Option<SessionKey> {
        match &self.place {
            FilePlace::Session { session } => Some(*session),
            FilePlace::Folder { .. } => None,
        }
    }

    pub fn filter(&self) -> &Input {
        &self.filter
    }

    pub fn is_editing_filter(&self) -> bool {
        self.editing_filter
    }

    pub fn prompt_line(&self) -> Option<&ExplorerPrompt> {
        self.prompt.as_ref()
    }

    pub fn question(&self) -> Option<&DeleteQuestion> {
        self.question.as_ref()
    }

    pub fn picker(&self) -> Option<&PlacePicker> {
        self.places.as_ref()
    }

    /// The places to choose from.
    pub fn place_rows(&self, mirror: &Mirror) -> Vec<places::PlaceRow> {
        places::rows(mirror, &self.visited)
    }

    /// Whether something is typed or asked, so that no dialog may take the keys.
    pub fn is_busy(&self) -> bool {
        self.prompt.is_some()
            || self.question.is_some()
            || self.places.is_some()
            || self.editing_filter
    }

    /// The marked entry.
    pub fn entry(&self) -> Option<&FileEntry> {
        self.directory.entry(self.list.marked())
    }

    /// The path of an entry of this directory.
    pub fn path_of(&self, name: &FileName) -> Option<FilePath> {
        self.directory.path().join(&name.0).ok()
    }

    pub fn is_chosen(&self, name: &FileName) -> bool {
        self.chosen.contains_key(name)
    }

    /// How many entries are chosen, and the size of the files among them.
    pub fn chosen(&self) -> (usize, u64) {
        let size = self.chosen.values().map(|it| it.size).sum();
        (self.chosen.len(), size)
    }

    /// The entries that an operation is about: the chosen ones, otherwise the marked one.
    fn subjects(&self) -> Vec<&FileEntry> {
        if self.chosen.is_empty() {
            return self.entry().into_iter().collect();
        }
        self.chosen.values().collect()
    }

    fn subject_paths(&self) -> Vec<FilePath> {
        let names = self.subjects().into_iter();
        names.filter_map(|it| self.path_of(&it.name)).collect()
    }

    /// Marks a row.
    fn go_to(&mut self, at: usize) {
        self.list.go_to(at, self.directory.count());
        self.at = self.entry().map(|it| it.name.clone());
    }

    /// Shows another directory of this place.
    fn enter(&mut self, path: FilePath) -> Vec<Step> {
        let from = self.directory.path().clone();
        if let Some(name) = self.at.take() {
            self.left_at.insert(from.clone(), name);
        }
        // Of the directory above, the one that was left is marked.
        let child = from.parent().filter(|parent| *parent == path);
        let child = child.and_then(|_| from.name().map(|name| FileName(name.to_owned())));
        self.at = child.or_else(|| self.left_at.get(&path).cloned());
        self.directory.enter(path);
        self.list = ListCursor::default();
        self.list.laid_out(self.height, 0);
        self.chosen.clear();
        self.filter.set("");
        self.editing_filter = false;
        self.preview.forget().into_iter().collect()
    }

    /// Shows another place.
    fn open_place(&mut self, place: FilePlace) -> Vec<Step> {
        let mut steps: Vec<Step> = self.close_streams();
        let options = self.directory.options().clone();
        let mut other = Self::new(place, FilePath::root()).after(self);
        other.directory.set(|it| {
            *it = options;
            it.filter = None;
        });
        other.height = self.height;
        *self = other;
        steps.extend(self.preview.forget());
        steps
    }

    /// Stops what it reads. It is closed.
    pub fn close_streams(&mut self) -> Vec<Step> {
        let measuring = self.question.as_mut().and_then(DeleteQuestion::close);
        self.preview.close().into_iter().chain(measuring).collect()
    }

    /// Requests the listing again.
    pub fn reload(&mut self) -> Vec<Step> {
        self.directory.reload();
        self.preview.forget().into_iter().collect()
    }

    /// Files of a place have changed.
    pub fn changed(&mut self, place: &FilePlace) -> Vec<Step> {
        if *place == self.place {
            return self.reload();
        }
        Vec::new()
    }

    /// The daemon is connected again. Requests of the broken connection get no answers.
    pub fn link_up(&mut self) {
        self.directory.link_up();
        self.preview.forget();
        if let Some(question) = &mut self.question {
            question.measuring = Measuring::Due;
        }
    }

    /// The engine is connected again. Requests of the broken connection may be answered late or with an error.
    pub fn engine_up(&mut self, context: ContextName) -> Vec<Step> {
        if self.place.context() != context {
            return Vec::new();
        }
        let mut steps = self.reload();
        if let Some(question) = &mut self.question {
            steps.extend(question.close());
            question.measuring = Measuring::Due;
        }
        steps
    }

    /// Requests what the next frame needs: missing pages, the preview, the count of a question.
    pub fn ask_if_due(
        &mut self,
        mirror: &Mirror,
        shows_preview: bool,
        ids: &mut Ids,
        now: Timestamp,
    ) -> Vec<Step> {
        if !mirror.is_up() {
            return Vec::new();
        }
        let mut steps: Vec<Step> = self.ask_page().into_iter().collect();
        if shows_preview {
            let entry = self.entry().cloned();
            let entry = entry.and_then(|entry| Some((self.path_of(&entry.name)?, entry)));
            let entry = entry.as_ref().map(|(path, entry)| (path.clone(), entry));
            steps.extend(self.preview.follow(&self.place, entry, ids, now));
        }
        let question = self.question.as_mut();
        steps.extend(question.and_then(|it| it.measure(&self.place, ids)));
        steps
    }

    fn ask_page(&mut self) -> Option<Step> {
        let first = self.list.scroll();
        let visible = first..first + self.height.max(1);
        let (generation, page) = self.directory.missing(self.list.marked(), visible)?;
        let path = self.directory.path().clone();
        let options = self.directory.ask(page);
        Some(Step::Ask {
            request: self.request(FileRequest::List { path, options }),
            purpose: Purpose::Explorer(ExplorerPurpose::Page { generation, page }),
        })
    }

    fn request(&self, request: FileRequest) -> Request {
        Request::Files {
            place: self.place.clone(),
            request,
        }
    }

    /// When something is requested although nothing happens.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.preview.wake_at()
    }

    /// Takes an answer of the daemon.
    pub fn answered(
        &mut self,
        asked: ExplorerPurpose,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        match (asked, result) {
            (ExplorerPurpose::Page { generation, page }, result) => {
                let result = match result {
                    Ok(Reply::Files { listing }) => Ok(listing),
                    Ok(_) => return Vec::new(),
                    Err(failure) => Err(failure),
                };
                // A broken connection says nothing about the entries, so marks stay as they were.
                let is_lost = matches!(&result, Err(failure) if failure.is_lost());
                if self.directory.answered((generation, page), result) && !is_lost {
                    self.keep_marked();
                }
                Vec::new()
            }
            (ExplorerPurpose::Preview(path), result) => {
                match result {
                    Ok(Reply::Files { listing }) => self.preview.listed(&path, Ok(listing)),
                    Ok(_) => {}
                    Err(failure) => self.preview.listed(&path, Err(failure)),
                }
                Vec::new()
            }
            (ExplorerPurpose::Changed { place, done, name }, Ok(_)) => {
                let mut steps = vec![Step::toast(Level::Success, done.as_str())];
                if place == self.place {
                    self.at = Some(name);
                    self.chosen.clear();
                    steps.extend(self.reload());
                }
                steps
            }
            (ExplorerPurpose::Changed { .. }, Err(failure)) => {
                let mut steps = vec![Step::failure(&failure)];
                steps.extend(self.reload());
                steps
            }
        }
    }

    /// After new rows arrived, the same entry is marked, and chosen entries that are gone aren't chosen any more.
    fn keep_marked(&mut self) {
        let count = self.directory.count();
        let found = self.at.as_ref().and_then(|name| self.directory.find(name));
        let at = found.map_or_else(|| self.list.marked(), |(at, _)| at);
        self.list.go_to(at, count);
        if let Some(entry) = self.entry() {
            self.at = Some(entry.name.clone());
        }
        // Only a directory that is loaded completely shows what is gone.
        if self.directory.loaded().count() == count && self.filter.is_empty() {
            let directory = &self.directory;
            self.chosen.retain(|name, _| directory.find(name).is_some());
        }
    }

    pub fn owns(&self, stream: StreamId) -> bool {
        let question = self.question.as_ref();
        self.preview.owns(stream) || question.is_some_and(|it| it.owns(stream))
    }

    /// Takes what a stream of the explorer brings.
    pub fn stream(&mut self, stream: StreamId, event: &StreamEvent) -> Vec<Step> {
        if self.preview.owns(stream) {
            return self.preview.stream(event).into_iter().collect();
        }
        if let Some(question) = &mut self.question {
            question.stream(event);
        }
        Vec::new()
    }

    /// A completion of the typed path is under way.
    pub fn completing(&mut self, ticket: Ticket) {
        if let Some(prompt) = &mut self.prompt {
            prompt.completing = Some(ticket);
        }
    }

    /// Takes a completed path.
    pub fn completed(&mut self, ticket: Ticket, completion: PathCompletion) {
        if let Some(prompt) = &mut self.prompt {
            prompt.completed(ticket, completion);
        }
    }

    fn filter_changed(&mut self) {
        let text = self.filter.text().to_owned();
        self.directory
            .set(|options| options.filter = Some(text).filter(|text| !text.is_empty()));
        if self.directory.options().filter.is_some() {
            self.list.go_to(0, self.directory.count());
        }
    }

    fn sort(&mut self) {
        self.directory.set(|options| {
            options.order = match options.order {
                FileOrder::Name => FileOrder::Size,
                FileOrder::Size => FileOrder::Modified,
                FileOrder::Modified => FileOrder::Name,
            };
            options.reversed = false;
        });
    }
}

/// Whether an entry has content that can be read.
fn is_readable(entry: &FileEntry) -> bool {
    matches!(entry.kind, FileKind::File)
}
