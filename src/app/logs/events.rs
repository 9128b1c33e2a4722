//! Handles the events of an open log.

use super::{
    LogState, Logs, close,
    feed::{LogEvent, LogPage, PREVIEW},
    scroll::Goal,
    window::LogWindow,
};
use crate::{
    app::step::Step,
    model::text::Clean,
    protocol::message::{StreamEnd, StreamId},
};

impl Logs {
    /// Handles an event of a log.
    pub fn event(&mut self, log: StreamId, event: LogEvent) -> Vec<Step> {
        let mut steps = match event {
            LogEvent::Opened if log == self.stream => self.opened(),
            LogEvent::Ended(end) if log == self.stream => {
                self.state = ended(end);
                Vec::new()
            }
            _ if log != self.source => return Vec::new(),
            LogEvent::Extent(extent) => {
                self.extent = extent;
                Vec::new()
            }
            LogEvent::Joined { preview, line } => {
                self.renumber(preview, line);
                Vec::new()
            }
            LogEvent::Page(page) => {
                self.take_page(page);
                Vec::new()
            }
            LogEvent::Searched(state) => {
                self.searched(state);
                Vec::new()
            }
            LogEvent::Hit { id, number } => self.hit(id, number),
            LogEvent::Opened | LogEvent::Ended(_) => Vec::new(),
        };
        steps.extend(self.settle());
        steps
    }

    fn opened(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.source != self.stream {
            steps.push(close(self.source));
            self.source = self.stream;
        }
        self.state = LogState::Following;
        self.forget_lines();
        let top = self.top.filter(|top| top.number < PREVIEW);
        match top {
            Some(top) => self.goal = Some(Goal::Line(top.number)),
            None => self.top = None,
        }
        if let Some(search) = &self.search {
            let (current, matcher) = (search.current, search.matcher.clone());
            steps.push(self.search(matcher, current.unwrap_or(0)));
            if let Some(search) = &mut self.search {
                (search.current, search.seeks) = (current, false);
            }
        }
        steps
    }

    fn take_page(&mut self, page: LogPage) {
        self.answered = self.asked.take().map(|want| (want, page.extent.revision));
        self.extent = page.extent.clone();
        self.window = LogWindow::new(page, self.times.as_ref());
        self.resume();
    }
}

fn ended(end: StreamEnd) -> LogState {
    match end {
        StreamEnd::Exited { .. } => LogState::Complete,
        StreamEnd::Lost { why } => LogState::Broken { why },
        StreamEnd::Failed { failure } => LogState::Broken {
            why: Clean::new(&failure.sentence()),
        },
    }
}
