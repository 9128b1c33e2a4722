//! How and when sessions ended: in JSON and as columns.

use jiff::Timestamp;
use ratatui::style::Style;
use serde::Serialize;

use crate::{
    cli::{output::Cell, times::moment},
    model::{
        ending::{Ending, ending},
        session::Session,
        verdict::Tone,
    },
    theme::{Theme, face::Face},
};

/// A session as `--json` prints it: its own fields and what follows from them.
#[derive(Serialize)]
pub struct Listed<'a> {
    #[serde(flatten)]
    session: &'a Session,
    /// How it ended.
    outcome: Option<Ending>,
    /// Without time in the queue; `null` = it has not run.
    run_seconds: Option<i64>,
}

impl<'a> Listed<'a> {
    pub fn new(session: &'a Session, now: Timestamp) -> Self {
        Self {
            session,
            outcome: ending(session),
            run_seconds: session.run_seconds(now),
        }
    }
}

/// The columns of how it ended and when.
pub const HEADS: [&str; 2] = ["RESULT", "ENDED"];

/// Whether they have anything to tell.
pub fn is_told(sessions: &[Session]) -> bool {
    sessions.iter().any(|session| ending(session).is_some())
}

pub fn cells(session: &Session, theme: Option<&Theme>) -> [Cell; 2] {
    let at = session.terminated_at.map_or_else(|| "-".to_owned(), moment);
    let Some(ending) = ending(session) else {
        return ["-".into(), at.into()];
    };
    let face = match ending.tone() {
        Tone::Good => Face::StatusGood,
        Tone::Bad => Face::StatusBad,
        Tone::Warning => Face::Warning,
        Tone::Plain => Face::StatusEnded,
    };
    let style = theme.map_or_else(Style::new, |theme| theme.style(face));
    [Cell::styled(ending.to_string(), style), at.into()]
}
