//! The log of one session: followed, scrolled, searched, saved. Scrolling costs the visible rows.

mod errors;
mod line;
mod scroll;
mod search;
mod store;

use std::path::PathBuf;

use jiff::{Timestamp, tz::TimeZone};
use unicode_width::UnicodeWidthStr as _;

use super::{
    effect::Effect,
    input::Input,
    msg::{Mouse, MouseKind, StreamEvent},
    step::{Go, Ids, Step},
};
use crate::{
    action::{Action, Scope},
    key::Key,
    model::{
        id::{KernelId, SessionKey},
        log::LogOptions,
        notice::Level,
        session::Session,
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamId, StreamOpen},
};

pub use line::Line;
use scroll::Place;
pub use scroll::Row;
pub use search::Search;
pub use store::Entry;
use store::{MAX_LINES, Store};

/// Cells left of the text that say which output a line is from.
pub const GUTTER: u16 = 2;
/// Cells a sideways step goes.
const SIDEWAYS: usize = 16;
/// Rows a turn of the wheel goes.
const WHEEL: isize = 3;

/// The state of the line to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Opening,
    /// New lines come as they are written.
    Following,
    /// All there was; the session ended.
    Complete,
    /// It could not be read, or no further.
    Broken {
        why: Clean,
    },
}

#[derive(Debug)]
pub struct Logs {
    pub session: SessionKey,
    pub name: Clean,
    /// Whose logs there are, the main kernel first.
    kernels: Vec<(KernelId, Clean)>,
    /// Position of the kernel whose log is read.
    kernel: usize,
    pub state: State,
    pub wrap: bool,
    pub search: Option<Search>,
    /// The search being typed.
    pub typing: Option<Input>,
    /// Cells scrolled to the right, without wrapping.
    pub left: usize,
    store: Store,
    /// Lines are shown with their times, in this zone.
    times: Option<TimeZone>,
    /// The error gone to last.
    error: Option<usize>,
    stream: StreamId,
    /// The place of the first row seen; `None` = the end is followed.
    top: Option<Place>,
    /// Lines there were when scrolling away from the end began.
    paused_at: usize,
    columns: usize,
    rows: usize,
}

impl Logs {
    pub fn open(session: &Session, kernel: usize, ids: &mut Ids) -> (Self, Vec<Step>) {
        let mut logs = Self {
            session: session.key(),
            name: session.name.clone(),
            kernels: kernels_of(session),
            kernel,
            state: State::Opening,
            wrap: true,
            search: None,
            typing: None,
            left: 0,
            store: Store::default(),
            times: None,
            error: None,
            stream: 0,
            top: None,
            paused_at: 0,
            columns: 80,
            rows: 20,
        };
        let step = logs.read_again(ids);
        (logs, vec![step])
    }

    /// Reads from the beginning; what is on the screen stays until then.
    fn read_again(&mut self, ids: &mut Ids) -> Step {
        self.stream = ids.stream();
        self.state = State::Opening;
        Step::Do(Effect::Open {
            stream: self.stream,
            open: StreamOpen::Log {
                session: self.session,
                options: LogOptions {
                    follow: true,
                    tail: u32::try_from(MAX_LINES).ok(),
                    kernel: self.kernel_id(),
                    timestamps: self.times.is_some(),
                    before: None,
                },
            },
        })
    }

    /// `None` = the main kernel's, which needs no name.
    fn kernel_id(&self) -> Option<KernelId> {
        let other = self.kernels.get(self.kernel).filter(|_| self.kernel > 0);
        other.map(|(id, _)| *id)
    }

    /// Whose log it is and of how many, where there are several.
    pub fn kernel(&self) -> Option<(&Clean, usize, usize)> {
        let (_, hostname) = self.kernels.get(self.kernel)?;
        (self.kernels.len() > 1).then_some((hostname, self.kernel + 1, self.kernels.len()))
    }

    /// The session's kernels were told.
    pub fn know_kernels(&mut self, session: &Session) {
        let at = self.kernels.get(self.kernel).map(|(id, _)| *id);
        let kernels = kernels_of(session);
        let found = kernels.iter().position(|(id, _)| Some(*id) == at);
        if let Some(found) = found.or((self.kernel == 0).then_some(0)) {
            self.kernel = found;
            self.kernels = kernels;
        }
    }

    /// The log of the next kernel, from its beginning.
    fn turn(&mut self, by: isize, ids: &mut Ids) -> Vec<Step> {
        let count = self.kernels.len().cast_signed();
        if count < 2 {
            return Vec::new();
        }
        let mut steps = self.close();
        let next = (self.kernel.cast_signed() + by).rem_euclid(count);
        self.kernel = next.unsigned_abs();
        self.store = Store::default();
        self.search = None;
        self.error = None;
        self.top = None;
        steps.push(self.read_again(ids));
        steps
    }

    /// Logs, or Input while the search is typed.
    pub fn scope(&self) -> Scope {
        if self.typing.is_some() {
            Scope::Input
        } else {
            Scope::Logs
        }
    }

    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// The line of a number.
    pub fn entry(&self, number: usize) -> Option<&Entry> {
        self.store.get(number)
    }

    pub fn is_following(&self) -> bool {
        self.top.is_none()
    }

    /// Lines that came since the end was left.
    pub fn new_lines(&self) -> usize {
        match self.top {
            Some(_) => self.store.end().saturating_sub(self.paused_at),
            None => 0,
        }
    }

    /// Lines no longer held.
    pub fn dropped(&self) -> usize {
        self.store.dropped()
    }

    /// A key no scope has bound; `false` = not taken either.
    pub fn key(&mut self, key: Key) -> bool {
        let Some(input) = &mut self.typing else {
            return false;
        };
        let taken = input.key(key);
        if taken {
            self.search_typed();
        }
        taken
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(input) = &mut self.typing {
            input.paste(text);
            self.search_typed();
        }
    }

    /// Shows the first hit of what is typed so far.
    fn search_typed(&mut self) {
        let text = self.typing.as_ref().map_or("", Input::text);
        self.search = (!text.is_empty()).then(|| Search::new(text, &self.store));
        let from = self.top.map_or(self.store.first(), |top| top.number);
        let hit = self.search.as_ref().and_then(|s| s.at_or_after(from));
        self.go_to_hit(hit);
    }

    fn go_to_hit(&mut self, hit: Option<usize>) {
        let (Some(search), Some(number)) = (&mut self.search, hit) else {
            return;
        };
        search.current = Some(number);
        let seen = self.visible().iter().any(|row| row.number == number);
        if !seen {
            self.leave_end(Place { number, row: 0 });
            self.move_by(-isize::try_from(self.rows / 3).unwrap_or(0));
        }
    }

    /// An action of the scopes Logs and Input; also `Back` and `Quit`, which close what is open
    /// first and then the view (`Go::Sessions`).
    pub fn action(&mut self, action: Action, ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        let page = isize::try_from(self.rows.saturating_sub(1).max(1)).unwrap_or(1);
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            Action::ListHalfDown => self.move_by(page.midpoint(1)),
            Action::ListHalfUp => self.move_by(-page.midpoint(1)),
            Action::ListFirst => self.leave_end(self.first_place()),
            Action::ListLast => self.top = None,
            Action::LogsFollow => return self.follow(ids),
            Action::LogsWrap => self.toggle_wrap(),
            Action::LogsLeft => self.left = self.left.saturating_sub(SIDEWAYS),
            Action::LogsRight => self.go_right(),
            Action::LogsSearch => self.typing = Some(Input::default()),
            Action::LogsError => return self.next_error(),
            Action::LogsNext => self.next_hit(),
            Action::LogsPreviousHit => self.previous_hit(),
            Action::LogsNextKernel => return self.turn(1, ids),
            Action::LogsPreviousKernel => return self.turn(-1, ids),
            Action::LogsSave => return vec![self.save()],
            Action::InputSubmit => self.typing = None,
            Action::InputCancel => {
                self.typing = None;
                self.search = None;
            }
            Action::Back | Action::Quit => return self.back(),
            _ => {}
        }
        Vec::new()
    }

    fn back(&mut self) -> Vec<Step> {
        if self.typing.take().is_some() | self.search.take().is_some() {
            return Vec::new();
        }
        vec![Step::Go(Go::Sessions)]
    }

    /// Follow on or off; a log that broke off is read again.
    fn follow(&mut self, ids: &mut Ids) -> Vec<Step> {
        if matches!(self.state, State::Broken { .. }) {
            return vec![self.read_again(ids)];
        }
        match self.top {
            Some(_) => self.top = None,
            None => self.leave_end(self.end_top()),
        }
        Vec::new()
    }

    /// Times before the lines, or none any more: the log is read again.
    pub fn toggle_times(&mut self, zone: &TimeZone, ids: &mut Ids) -> Vec<Step> {
        let mut steps = self.close();
        self.times = match self.times {
            Some(_) => None,
            None => Some(zone.clone()),
        };
        self.top = None;
        steps.push(self.read_again(ids));
        steps
    }

    pub fn shows_times(&self) -> bool {
        self.times.is_some()
    }

    fn toggle_wrap(&mut self) {
        self.wrap = !self.wrap;
        self.left = 0;
        if let Some(top) = &mut self.top {
            top.row = 0;
        }
    }

    fn go_right(&mut self) {
        if self.wrap {
            return;
        }
        let widths = self
            .visible()
            .into_iter()
            .filter_map(|row| Some(self.entry(row.number)?.line.text.as_str().width()));
        let widest = widths.max().unwrap_or(0);
        if self.left + self.columns < widest {
            self.left += SIDEWAYS;
        }
    }

    fn next_hit(&mut self) {
        let first = self.visible().first().map_or(0, |row| row.number);
        let hit = self.search.as_ref().and_then(|search| {
            let from = search.current.map_or(first, |number| number + 1);
            search.at_or_after(from)
        });
        self.go_to_hit(hit);
    }

    /// The first line that looks like an error, and those after it.
    fn next_error(&mut self) -> Vec<Step> {
        let from = self.error.map_or(0, |number| number + 1);
        let found = errors::find(&self.store, from).or_else(|| errors::find(&self.store, 0));
        let Some((number, word)) = found else {
            return vec![Step::toast(Level::Info, "no error found in the log")];
        };
        self.error = Some(number);
        let search = self.search.take().filter(|search| search.text() == word);
        self.search = Some(search.unwrap_or_else(|| Search::new(word, &self.store)));
        self.go_to_hit(Some(number));
        Vec::new()
    }

    fn previous_hit(&mut self) {
        let first = self.visible().first().map_or(0, |row| row.number);
        let hit = self.search.as_ref().and_then(|search| {
            let from = search.current.unwrap_or(first);
            search.before(from)
        });
        self.go_to_hit(hit);
    }

    fn save(&self) -> Step {
        let of = match self.kernel().filter(|(_, at, _)| *at > 1) {
            Some((hostname, ..)) => format!("{}-{hostname}", self.name),
            None => self.name.to_string(),
        };
        Step::Save {
            path: PathBuf::from(format!("{}-log.txt", file_name(&of))),
            contents: self.store.text().into_bytes(),
        }
    }

    pub fn mouse(&mut self, mouse: Mouse) -> Vec<Step> {
        match mouse.kind {
            MouseKind::WheelUp => self.move_by(-WHEEL),
            MouseKind::WheelDown => self.move_by(WHEEL),
            _ => {}
        }
        Vec::new()
    }

    /// `None` = not our stream.
    pub fn stream(
        &mut self,
        stream: StreamId,
        event: &StreamEvent,
        _now: Timestamp,
    ) -> Option<Vec<Step>> {
        if stream != self.stream {
            return None;
        }
        match event {
            StreamEvent::Opened => {
                let times = self.times.clone();
                self.store = times.map_or_else(Store::default, Store::with_times);
                self.error = None;
                if let Some(search) = &mut self.search {
                    *search = Search::new(search.text(), &self.store);
                }
                self.state = State::Following;
            }
            StreamEvent::Data { source, bytes } => self.store.read(*source, bytes),
            StreamEvent::Ended(end) => {
                self.store.finish();
                self.state = match end {
                    StreamEnd::Exited { .. } => State::Complete,
                    StreamEnd::Lost { why } => State::Broken { why: why.clone() },
                    StreamEnd::Failed { failure } => State::Broken {
                        why: match &failure.help {
                            Some(help) => Clean::new(&format!("{}. {help}", failure.message)),
                            None => failure.message.clone(),
                        },
                    },
                };
            }
        }
        if let Some(search) = &mut self.search {
            search.catch_up(&self.store);
        }
        Some(Vec::new())
    }

    /// The daemon answers again: follow on.
    pub fn link_up(&mut self, ids: &mut Ids) -> Vec<Step> {
        if self.state == State::Complete {
            return Vec::new();
        }
        vec![self.read_again(ids)]
    }

    /// The place of the lines, the gutter included.
    pub fn set_size(&mut self, columns: u16, rows: u16) {
        let columns = usize::from(columns.saturating_sub(GUTTER)).max(2);
        if columns != self.columns
            && let Some(top) = &mut self.top
        {
            top.row = 0;
        }
        self.columns = columns;
        self.rows = usize::from(rows).max(1);
    }

    pub fn close(&mut self) -> Vec<Step> {
        match self.state {
            State::Opening | State::Following => vec![Step::Do(Effect::Close {
                stream: self.stream,
            })],
            State::Complete | State::Broken { .. } => Vec::new(),
        }
    }
}

fn kernels_of(session: &Session) -> Vec<(KernelId, Clean)> {
    let kernels = session.kernels.iter();
    kernels.map(|k| (k.id, k.hostname.clone())).collect()
}

/// A file's name has 255 bytes; the rest is for what follows.
const LONGEST_NAME: usize = 192;

/// A name as the beginning of a file's name: no part of it leads to another directory or is an option.
pub(super) fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut file = String::new();
    for c in name.chars().map(|c| if kept(c) { c } else { '_' }) {
        if file.len() + c.len_utf8() > LONGEST_NAME {
            break;
        }
        file.push(if file.is_empty() && c == '-' { '_' } else { c });
    }
    file
}

#[cfg(test)]
mod tests;
