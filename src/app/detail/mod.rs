//! The detail of one session: its state and scrolling. The content comes from the mirror. The panel itself
//! stores the history and the facts that a row of the list lacks.

mod full;
mod usage_history;

use jiff::{SignedDuration, Timestamp};

pub use self::full::fill;
pub use self::usage_history::{Used, Watched};
use super::{
    area::DetailLines,
    mirror::Mirror,
    step::{Purpose, Step},
};
use crate::{
    model::{
        capability::Capability,
        history::HistoryEntry,
        id::SessionKey,
        idle::IdleState,
        loss::{LossRequest, Unsaved},
        request::SessionRequest,
        session::Session,
        status::Status,
        text::Clean,
    },
    protocol::message::Request,
};

/// How long the selection must rest on a session before its detail is requested.
const REST: SignedDuration = SignedDuration::from_millis(150);
/// How often a session is read again while it waits or starts, and while it runs, if the engine decides on
/// its own: attempts, idle checks and containers change without a notice.
const AGAIN_STARTING: SignedDuration = SignedDuration::from_secs(5);
const AGAIN_RUNNING: SignedDuration = SignedDuration::from_secs(30);

/// The history of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum History {
    #[default]
    Asked,
    /// The newest entry first.
    Known(Vec<HistoryEntry>),
    Failed(Clean),
    /// The engine keeps no history, for this reason.
    Lacking(Clean),
}

#[derive(Clone, Debug)]
pub struct Detail {
    session: SessionKey,
    /// The detail has the keys and shows seconds.
    pub focused: bool,
    /// Every step of the history is shown, not only the last failure.
    pub all_steps: bool,
    /// The next layout brings the history to the screen.
    reveals_history: bool,
    history: History,
    figures: Watched,
    /// The files that aren't in a folder, as counted last.
    unsaved: Option<Unsaved>,
    /// The last full reading of the session.
    full: Option<Session>,
    asked: Option<LastRequest>,
    /// The time until which the selection must rest before the detail is requested.
    rest: Option<Timestamp>,
    /// Position of the container that keys apply to.
    kernel: usize,
    scroll: usize,
    lines: usize,
    height: usize,
}

/// The last request and its time.
#[derive(Clone, Debug)]
struct LastRequest {
    session: SessionKey,
    status: Status,
    at: Timestamp,
}

impl Detail {
    #[must_use]
    pub fn new(session: SessionKey, focused: bool) -> Self {
        Self {
            session,
            focused,
            all_steps: false,
            reveals_history: false,
            history: History::Asked,
            figures: Watched::default(),
            unsaved: None,
            full: None,
            asked: None,
            rest: None,
            kernel: 0,
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

    /// The files that aren't in a folder, as counted when the detail was opened.
    pub fn unsaved(&self) -> Option<&Unsaved> {
        self.unsaved.as_ref()
    }

    pub fn unsaved_answered(&mut self, session: SessionKey, unsaved: Option<Unsaved>) {
        if session == self.session {
            self.unsaved = unsaved;
        }
    }

    /// The session's use.
    pub fn figures(&self) -> &Used {
        &self.figures.used
    }

    /// A new sample of a session has arrived.
    pub fn moved(&mut self, session: SessionKey) {
        if session == self.session {
            self.figures.moved();
        }
    }

    /// The marked one of `count` containers, at first the main container.
    pub fn kernel(&self, count: usize) -> usize {
        self.kernel.min(count.saturating_sub(1))
    }

    /// Marks the container at `at`.
    pub fn go_to_kernel(&mut self, at: usize) {
        self.kernel = at;
    }

    /// Marks another of `count` containers. The first one follows the last.
    pub fn mark_kernel(&mut self, by: isize, count: usize) {
        let count = count.max(1).cast_signed();
        let at = self.kernel(count.cast_unsigned()).cast_signed();
        self.kernel = (at + by).rem_euclid(count).cast_unsigned();
    }

    /// First visible line.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// There are more lines below the visible ones.
    pub fn has_more_below(&self) -> bool {
        self.scroll + self.height < self.lines
    }

    /// The selection moved to another session.
    pub fn follow(&mut self, session: SessionKey) {
        if session != self.session {
            self.session = session;
            self.history = History::Asked;
            self.figures = Watched::default();
            self.unsaved = None;
            self.full = None;
            self.rest = None;
            self.kernel = 0;
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

    /// Shows all steps of the history, or only failed ones, and the history if it is below the screen.
    pub fn toggle_steps(&mut self) {
        self.all_steps = !self.all_steps;
        self.reveals_history = true;
    }

    /// Takes the numbers of lines, and of visible ones, from the layout.
    pub fn laid_out(&mut self, lines: DetailLines, height: usize) {
        self.lines = lines.all;
        self.height = height;
        if std::mem::take(&mut self.reveals_history) && self.has_more_below() {
            self.scroll = self.scroll.max(lines.before_history);
        }
        self.clamp();
    }

    fn clamp(&mut self) {
        self.scroll = self.scroll.min(self.lines.saturating_sub(self.height));
    }

    /// Requests the detail for another session, after a change of the session's status, or when the last
    /// reading is too old.
    pub fn ask_if_due(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        let Some(session) = mirror.session(self.session) else {
            return Vec::new();
        };
        let is_due = match &self.asked {
            None => true,
            Some(asked) if asked.session != self.session => {
                let rest = *self.rest.get_or_insert(later(now, REST));
                now >= rest
            }
            Some(asked) if asked.status != session.status => true,
            Some(_) => self.again_at(mirror).is_some_and(|at| now >= at),
        };
        if !is_due {
            return self.ask_figures_again(now);
        }
        self.rest = None;
        self.asked = Some(LastRequest {
            session: session.key(),
            status: session.status.clone(),
            at: now,
        });
        let mut steps = self.questions(mirror, session);
        steps.extend(self.ask_figures(mirror, session, now));
        steps
    }

    /// Requests the session's use. A session that hasn't run has none.
    fn ask_figures(&mut self, mirror: &Mirror, row: &Session, now: Timestamp) -> Option<Step> {
        if let Some(why) = mirror.why_not(row.context, Capability::LiveUsage) {
            self.figures.answered(Used::Lacking(why.clone()));
            return None;
        }
        if row.status.is_starting() {
            return None;
        }
        Some(self.figures_step(now))
    }

    fn ask_figures_again(&mut self, now: Timestamp) -> Vec<Step> {
        let due = self.figures.due().is_some_and(|due| now >= due);
        due.then(|| self.figures_step(now)).into_iter().collect()
    }

    fn figures_step(&mut self, now: Timestamp) -> Step {
        self.figures.asked(now);
        let session = self.session;
        Step::Ask {
            request: Request::session(session, SessionRequest::Figures),
            purpose: Purpose::Figures(session),
        }
    }

    fn questions(&mut self, mirror: &Mirror, row: &Session) -> Vec<Step> {
        let session = row.key();
        let mut steps = Vec::new();
        match mirror.why_not(session.context, Capability::SchedulingHistory) {
            Some(why) => self.history = History::Lacking(why.clone()),
            None => steps.push(Step::Ask {
                request: Request::session(session, SessionRequest::History),
                purpose: Purpose::History(session),
            }),
        }
        // Only workbay's own engines keep a home directory, and only they can list files.
        if row.status.is_live() && row.home.is_some() {
            steps.push(Step::Ask {
                request: Request::Loss {
                    session,
                    request: LossRequest::List,
                },
                purpose: Purpose::Unsaved(session),
            });
        }
        // The daemon's own records are complete, but the rows of a manager aren't.
        if mirror.can(session.context, Capability::Schedules) {
            steps.push(Step::Ask {
                request: Request::session(session, SessionRequest::Detail),
                purpose: Purpose::Detail(session),
            });
        }
        steps
    }

    /// When to read the session again without a notice about it.
    fn again_at(&self, mirror: &Mirror) -> Option<Timestamp> {
        let asked = self.asked.as_ref()?;
        if asked.session != self.session || !mirror.can(self.session.context, Capability::Schedules)
        {
            return None;
        }
        match &asked.status {
            status if status.is_starting() => Some(later(asked.at, AGAIN_STARTING)),
            status if status.is_live() => Some(later(asked.at, AGAIN_RUNNING)),
            _ => None,
        }
    }

    /// When the next request is due.
    pub fn wake_at(&self, mirror: &Mirror, now: Timestamp) -> Option<Timestamp> {
        let at = self.rest.or_else(|| self.again_at(mirror));
        let both = at.into_iter().chain(self.figures.due());
        both.filter(|at| *at > now).min()
    }

    /// The daemon is connected again, and earlier requests may never be answered.
    pub fn ask_again(&mut self) {
        self.asked = None;
    }

    pub fn figures_answered(&mut self, session: SessionKey, used: Used) {
        if session == self.session {
            self.figures.answered(used);
        }
    }

    pub fn answered(&mut self, session: SessionKey, entries: Result<Vec<HistoryEntry>, Clean>) {
        if session == self.session {
            self.history = match entries {
                Ok(entries) => History::Known(entries),
                Err(why) => History::Failed(why),
            };
        }
    }

    /// Takes a full reading of the session.
    pub fn read_in_full(&mut self, session: Session) {
        if session.key() == self.session {
            self.full = Some(session);
        }
    }

    /// Returns the row with the facts that only a full reading has.
    pub fn full(&self, row: &Session) -> Session {
        let mut session = row.clone();
        if let Some(full) = self.full.as_ref().filter(|full| full.key() == row.key()) {
            full::fill(&mut session, full);
        }
        session
    }

    /// The times at which idle checks would reclaim the session.
    pub fn idle_ends<'a>(&'a self, row: &'a Session) -> impl Iterator<Item = Timestamp> + 'a {
        let read = self.full.as_ref().map_or(&[][..], |full| &full.idle_checks);
        let checks = if row.idle_checks.is_empty() {
            read
        } else {
            &row.idle_checks
        };
        checks.iter().filter_map(|check| match check.state {
            IdleState::Counting { until } => Some(until),
            IdleState::NotCounting | IdleState::Over => None,
        })
    }

    /// Whether the history has steps that aren't shown.
    pub fn has_steps(&self) -> bool {
        matches!(&self.history, History::Known(entries) if entries.iter().any(|e| !e.steps.is_empty()))
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}
