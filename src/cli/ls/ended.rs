//! The columns of how and when sessions ended.

use ratatui::style::Style;

use crate::{
    cli::{output::Cell, times::moment},
    model::{ending::ending, session::Session, verdict::Tone},
    theme::{Theme, face::Face},
};

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
