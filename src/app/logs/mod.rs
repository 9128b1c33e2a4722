//! The log of one session: following, scrolling, searching and saving. The cost of scrolling depends only on
//! the visible rows.

mod actions;
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

use jiff::tz::TimeZone;

use super::{
    effect::Effect,
    input::Input,
    quick_select::QuickSelect,
    step::{Ids, Step},
};
use crate::{
    action::Scope,
    model::{
        id::{KernelId, SessionKey},
        log::LogOptions,
        session::Session,
        text::Clean,
    },
    protocol::message::{StreamId, StreamOpen},
};

use feed::{Extent, LogOrder, PREVIEW, PageRequest};
pub use scroll::LogRow;
use scroll::{Goal, LogPosition};
use search::Search;
use window::LogWindow;
pub use window::WindowLine;

/// Cells to the left of the text that show which output a line is from.
pub const GUTTER: u16 = 2;
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
    rows_left: isize,
    /// Requested lines that haven't arrived.
    asked: Option<PageRequest>,
    /// The last request and the state of the log then, so that it isn't repeated.
    answered: Option<(PageRequest, u64)>,
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
            rows_left: 0,
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
        self.rows_left = 0;
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
        let Some(want) = self.needed_page() else {
            if self.goal.is_none() {
                self.rows_left = 0;
            }
            return None;
        };
        if self.answered == Some((want, self.extent.revision)) {
            self.rows_left = 0;
            return None;
        }
        self.asked = Some(want);
        Some(self.order(LogOrder::Page(want)))
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

// The tests carry out the orders of the view with this reader.
#[cfg(test)]
use crate::run::logs::{LogReader, LogStoreLimits};

#[cfg(test)]
mod tests;
