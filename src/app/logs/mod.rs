//! The log of one session: following, scrolling, searching and saving. The cost of scrolling depends only on
//! the visible rows.

mod containers;
mod errors;
mod events;
pub mod feed;
mod finding;
pub mod lines;
pub mod log_line;
mod quick;
mod scroll;
pub mod search;
pub mod window;

use std::path::PathBuf;

use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr as _;

use super::{
    effect::Effect,
    input::Input,
    msg::{Mouse, MouseKind},
    quick_select::QuickSelect,
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
    protocol::message::{StreamId, StreamOpen},
};

use feed::{Extent, LogOrder, PREVIEW, Want};
pub use scroll::LogRow;
use scroll::{Goal, LogPosition};
use search::Search;
use window::LogWindow;
pub use window::WindowLine;

/// Cells to the left of the text that show which output a line is from.
pub const GUTTER: u16 = 2;
/// Cells of a sideways step.
const SIDEWAYS: usize = 16;
/// Rows that one turn of the wheel scrolls.
const WHEEL: isize = 3;

/// The state of the connection to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    Opening,
    /// New lines appear as they are written.
    Following,
    /// The log is complete, because the session ended.
    Complete,
    /// The log couldn't be read, or not to its end.
    Broken {
        why: Clean,
    },
}

#[derive(Debug)]
pub struct Logs {
    pub session: SessionKey,
    pub name: Clean,
    /// The containers with logs, the main container first.
    kernels: Vec<(KernelId, Clean)>,
    /// Position of the container whose log is read.
    kernel: usize,
    pub state: LogState,
    pub wrap: bool,
    pub search: Option<Search>,
    /// The search being typed.
    pub typing: Option<Input>,
    /// The labels on the visible lines.
    pub quick: Option<QuickSelect>,
    /// Cells scrolled to the right, without wrapping.
    pub left: usize,
    /// The range of lines in the log.
    extent: Extent,
    /// The lines near the screen.
    window: LogWindow,
    /// Lines are shown with their times, in this zone.
    times: Option<TimeZone>,
    /// Why the engine keeps no times, if it keeps none.
    no_times: Option<Clean>,
    /// The stream that is being read.
    stream: StreamId,
    /// The stream that the lines come from: the previous stream, until the current one is open.
    source: StreamId,
    /// The place of the first visible row, `None` while the end is followed.
    top: Option<LogPosition>,
    /// The place that the view goes to when its lines have arrived.
    goal: Option<Goal>,
    /// Rows to scroll when more lines have arrived.
    owed: isize,
    /// Requested lines that haven't arrived.
    asked: Option<Want>,
    /// The last request and the state of the log then, so that it isn't repeated.
    answered: Option<(Want, u64)>,
    /// The number of searches so far.
    searches: u64,
    /// The end of the log when you scrolled away from it.
    paused_at: u64,
    columns: usize,
    rows: usize,
}

impl Logs {
    /// `no_times` is why the engine keeps no times, if it keeps none.
    pub fn open(
        session: &Session,
        kernel: usize,
        no_times: Option<Clean>,
        ids: &mut Ids,
    ) -> (Self, Vec<Step>) {
        let mut logs = Self {
            session: session.key(),
            name: session.name.clone(),
            kernels: containers::kernels_of(session),
            kernel,
            state: LogState::Opening,
            wrap: true,
            search: None,
            typing: None,
            quick: None,
            left: 0,
            extent: Extent::default(),
            window: LogWindow::default(),
            times: None,
            no_times,
            stream: 0,
            source: 0,
            top: None,
            goal: None,
            owed: 0,
            asked: None,
            answered: None,
            searches: 0,
            paused_at: 0,
            columns: 80,
            rows: 20,
        };
        let step = logs.read(ids);
        logs.source = logs.stream;
        (logs, vec![step])
    }

    /// Reads the log from the beginning.
    fn read(&mut self, ids: &mut Ids) -> Step {
        self.stream = ids.stream();
        self.state = LogState::Opening;
        Step::Do(Effect::Open {
            stream: self.stream,
            open: StreamOpen::Log {
                session: self.session,
                options: LogOptions {
                    follow: true,
                    tail: None,
                    kernel: self.kernel_id(),
                    timestamps: self.no_times.is_none(),
                    before: None,
                },
            },
        })
    }

    /// Reads the log again. The lines on the screen stay until the new ones arrive.
    fn read_again(&mut self, ids: &mut Ids) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.stream != self.source {
            steps.push(close(self.stream));
        }
        steps.push(self.read(ids));
        steps
    }

    /// Discards the lines, because they belong to another log.
    fn forget_lines(&mut self) {
        self.extent = Extent {
            loading: true,
            ..Extent::default()
        };
        self.window.outdate();
        self.asked = None;
        self.answered = None;
        self.goal = None;
        self.owed = 0;
    }

    /// Returns `Logs`, or `Input` while the search is typed.
    pub fn scope(&self) -> Scope {
        if self.typing.is_some() || self.quick.is_some() {
            Scope::Input
        } else {
            Scope::Logs
        }
    }

    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// The line with a number, if it is near the screen.
    pub fn entry(&self, number: u64) -> Option<&WindowLine> {
        self.window.get(number)
    }

    pub fn is_following(&self) -> bool {
        match self.goal {
            Some(goal) => goal == Goal::End,
            None => self.top.is_none(),
        }
    }

    /// The range of lines in the log.
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The numbers of the first and the last visible line, from 1. `None` while the lines before them are
    /// being read.
    pub fn position(&self) -> Option<(u64, u64)> {
        let rows = self.visible();
        let (first, last) = (rows.first()?.number, rows.last()?.number);
        (last < PREVIEW).then_some((first + 1, last + 1))
    }

    /// The number of new lines since you scrolled away from the end.
    pub fn new_lines(&self) -> u64 {
        match self.top {
            Some(_) => self.extent.last().saturating_sub(self.paused_at),
            None => 0,
        }
    }

    /// Sends an order to the log that the lines come from.
    fn order(&self, order: LogOrder) -> Step {
        Step::Do(Effect::Log {
            log: self.source,
            order,
        })
    }

    /// Requests the lines that the view needs next.
    fn settle(&mut self) -> Option<Step> {
        if self.asked.is_some() {
            return None;
        }
        let Some(want) = self.wanted() else {
            if self.goal.is_none() {
                self.owed = 0;
            }
            return None;
        };
        if self.answered == Some((want, self.extent.revision)) {
            self.owed = 0;
            return None;
        }
        self.asked = Some(want);
        Some(self.order(LogOrder::Page(want)))
    }

    /// Handles a key that no scope binds. Returns `None` if the key isn't used.
    pub fn key(&mut self, key: Key) -> Option<Vec<Step>> {
        if let Some(steps) = self.quick_key(key) {
            return Some(steps);
        }
        let taken = self.typing.as_mut()?.key(key);
        taken.then(|| self.search_typed())
    }

    pub fn paste(&mut self, text: &str) -> Vec<Step> {
        match &mut self.typing {
            _ if self.quick.is_some() => Vec::new(),
            Some(input) => {
                input.paste(text);
                self.search_typed()
            }
            None => Vec::new(),
        }
    }

    /// Handles an action of the scopes Logs and Input. `Back` and `Quit` close what is open first and then
    /// the view (`Go::Sessions`).
    pub fn action(&mut self, action: Action, ids: &mut Ids) -> Vec<Step> {
        if let Some(steps) = self.quick_action(action) {
            return steps;
        }
        let mut steps = self.act(action, ids);
        steps.extend(self.settle());
        steps
    }

    fn act(&mut self, action: Action, ids: &mut Ids) -> Vec<Step> {
        let page = isize::try_from(self.rows.saturating_sub(1).max(1)).unwrap_or(1);
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            Action::ListHalfDown => self.move_by(page.midpoint(1)),
            Action::ListHalfUp => self.move_by(-page.midpoint(1)),
            Action::ListFirst => self.go_to(Goal::First),
            Action::ListLast => self.go_to(Goal::End),
            Action::LogsFollow => return self.follow(ids),
            Action::LogsWrap => self.toggle_wrap(),
            Action::LogsLeft | Action::LogsRight if self.wrap => {
                let text = tr!("long lines are wrapped, so there is nothing on the right");
                return vec![Step::toast(Level::Info, text)];
            }
            Action::LogsLeft => self.left = self.left.saturating_sub(SIDEWAYS),
            Action::LogsRight => self.go_right(),
            Action::LogsSearch => self.typing = Some(Input::default()),
            Action::LogsError => return vec![self.next_error()],
            Action::LogsNext => return self.seek(true),
            Action::LogsPreviousHit => return self.seek(false),
            Action::LogsNextKernel => return self.turn(1, ids),
            Action::LogsPreviousKernel => return self.turn(-1, ids),
            Action::LogsSave => return vec![self.save()],
            Action::LogsQuickSelect => return self.begin_quick_select(),
            Action::InputSubmit => self.typing = None,
            Action::InputCancel => {
                self.typing = None;
                return self.end_search();
            }
            Action::Back | Action::Quit => return self.back(),
            _ => {}
        }
        Vec::new()
    }

    fn back(&mut self) -> Vec<Step> {
        if self.typing.take().is_some() | self.search.is_some() {
            return self.end_search();
        }
        vec![Step::Go(Go::Sessions)]
    }

    /// Switches following on or off. A log that broke off is read again.
    /// Whether lines can still come, or can be read again.
    pub fn can_follow(&self) -> bool {
        self.state != LogState::Complete
    }

    fn follow(&mut self, ids: &mut Ids) -> Vec<Step> {
        if !self.can_follow() {
            return Vec::new();
        }
        if matches!(self.state, LogState::Broken { .. }) {
            return self.read_again(ids);
        }
        if self.is_following() {
            self.goal = None;
            self.pause();
        } else {
            self.go_to(Goal::End);
        }
        Vec::new()
    }

    /// Shows or hides the times before the lines.
    pub fn toggle_times(&mut self, zone: &TimeZone) -> Vec<Step> {
        if let Some(why) = &self.no_times {
            return vec![Step::toast(Level::Info, why)];
        }
        self.times = match self.times {
            Some(_) => None,
            None => Some(zone.clone()),
        };
        self.window.show_times(self.times.as_ref());
        self.begin_of_line();
        self.settle().into_iter().collect()
    }

    pub fn shows_times(&self) -> bool {
        self.times.is_some()
    }

    pub fn has_times(&self) -> bool {
        self.no_times.is_none()
    }

    /// Shows the first visible line from its beginning, because the rows of lines have changed.
    fn begin_of_line(&mut self) {
        if let Some(top) = &mut self.top {
            top.row = 0;
        }
    }

    fn toggle_wrap(&mut self) {
        self.wrap = !self.wrap;
        self.left = 0;
        self.begin_of_line();
    }

    fn go_right(&mut self) {
        let widths = self
            .visible()
            .into_iter()
            .filter_map(|row| Some(self.entry(row.number)?.line().text.as_str().width()));
        let widest = widths.max().unwrap_or(0);
        if self.left + self.columns < widest {
            self.left += SIDEWAYS;
        }
    }

    fn save(&self) -> Step {
        let of = match self.kernel().filter(|(_, at, _)| *at > 1) {
            Some((hostname, ..)) => format!("{}-{hostname}", self.name),
            None => self.name.to_string(),
        };
        Step::SaveLog {
            log: self.source,
            path: PathBuf::from(format!("{}-log.txt", file_name(&of))),
            times: self.times.clone(),
        }
    }

    pub fn mouse(&mut self, mouse: Mouse) -> Vec<Step> {
        if self.quick.is_some() {
            if matches!(mouse.kind, MouseKind::Press(_)) {
                self.quick = None;
            }
            return Vec::new();
        }
        match mouse.kind {
            MouseKind::WheelUp => self.move_by(-WHEEL),
            MouseKind::WheelDown => self.move_by(WHEEL),
            _ => {}
        }
        self.settle().into_iter().collect()
    }

    /// The daemon is connected again, so following continues.
    pub fn link_up(&mut self, ids: &mut Ids) -> Vec<Step> {
        if self.state == LogState::Complete {
            return Vec::new();
        }
        self.read_again(ids)
    }

    /// Sets the size of the area for the lines, including the gutter.
    pub fn set_size(&mut self, columns: u16, rows: u16) -> Vec<Step> {
        let columns = usize::from(columns.saturating_sub(GUTTER)).max(2);
        if columns != self.columns {
            self.begin_of_line();
        }
        let rows = usize::from(rows).max(1);
        if (columns, rows) != (self.columns, self.rows) {
            self.quick = None;
        }
        self.columns = columns;
        self.rows = rows;
        self.settle().into_iter().collect()
    }

    /// Stops reading the log and discards its lines.
    pub fn close(&mut self) -> Vec<Step> {
        let mut logs = vec![self.stream];
        if self.source != self.stream {
            logs.push(self.source);
        }
        logs.into_iter().map(close).collect()
    }
}

fn close(stream: StreamId) -> Step {
    Step::Do(Effect::Close { stream })
}

/// A file name can have 255 bytes. The rest is for the suffix.
const LONGEST_NAME: usize = 192;

/// Turns a name into the beginning of a file name that can't lead to another directory or act as an option.
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

// The tests carry out the orders of the view with this reader.
#[cfg(test)]
use crate::run::logs::{LogReader, LogStoreLimits};

#[cfg(test)]
mod tests;
