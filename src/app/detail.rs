//! One session in full: state and scrolling of the detail panel. What it shows comes from the
//! mirror; only the history is its own.

use super::step::{Purpose, Step};
use crate::{
    model::{history::HistoryEntry, id::SessionKey, session::Session, status::Status, text::Clean},
    protocol::message::Request,
};

/// The history of the session shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum History {
    #[default]
    Asked,
    /// Newest first.
    Known(Vec<HistoryEntry>),
    Failed(Clean),
}

#[derive(Clone, Debug)]
pub struct Detail {
    session: SessionKey,
    /// The keys go to it, and it shows seconds.
    pub focused: bool,
    history: History,
    /// The session and status the history was asked for.
    asked: Option<(SessionKey, Status)>,
    scroll: usize,
    lines: usize,
    height: usize,
}

impl Detail {
    #[must_use]
    pub fn new(session: SessionKey, focused: bool) -> Self {
        Self {
            session,
            focused,
            history: History::Asked,
            asked: None,
            scroll: 0,
            lines: 0,
            height: 0,
        }
    }

    pub fn session(&self) -> SessionKey {
        self.session
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    /// First visible line.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// More lies below what is visible.
    pub fn has_more_below(&self) -> bool {
        self.scroll + self.height < self.lines
    }

    /// The selection moved to another session.
    pub fn follow(&mut self, session: SessionKey) {
        if session != self.session {
            self.session = session;
            self.history = History::Asked;
            self.scroll = 0;
        }
    }

    pub fn move_by(&mut self, by: isize) {
        self.scroll = self.scroll.saturating_add_signed(by);
        self.clamp();
    }

    pub fn page(&self) -> isize {
        self.height.max(2).cast_signed() - 1
    }

    /// From the layout: how many lines there are and how many are seen.
    pub fn laid_out(&mut self, lines: usize, height: usize) {
        self.lines = lines;
        self.height = height;
        self.clamp();
    }

    fn clamp(&mut self) {
        self.scroll = self.scroll.min(self.lines.saturating_sub(self.height));
    }

    /// Asks for the history when it is another session's or the session went a step further.
    pub fn ask_if_due(&mut self, session: &Session) -> Option<Step> {
        let key = (session.key(), session.status.clone());
        if self.asked.as_ref() == Some(&key) {
            return None;
        }
        self.asked = Some(key);
        Some(Step::Ask {
            request: Request::History {
                session: session.key(),
            },
            purpose: Purpose::History(session.key()),
        })
    }

    /// The daemon is back: what was asked before may never be answered.
    pub fn ask_again(&mut self) {
        self.asked = None;
    }

    pub fn answered(&mut self, session: SessionKey, entries: Result<Vec<HistoryEntry>, Clean>) {
        if session == self.session {
            self.history = match entries {
                Ok(entries) => History::Known(entries),
                Err(why) => History::Failed(why),
            };
        }
    }
}
