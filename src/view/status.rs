//! Shows a status as a word with a color and a shape.

use super::{glyphs::Glyphs, paint::Piece};
use crate::{
    model::{session::Session, status::Status},
    rules::{ending::ending, verdict},
    theme::face::Face,
};

pub fn face(status: &Status) -> Face {
    status.tone().into()
}

/// `▪ RUNNING`, as one piece of text.
pub fn word(session: &Session, glyphs: &Glyphs) -> String {
    format!("{} {}", glyphs.shape(&session.status), session.status)
}

/// Adds the position in the queue, counted from 1, or the progress of the image pull.
pub fn word_with_progress(session: &Session, glyphs: &Glyphs) -> String {
    let word = word(session, glyphs);
    let pull = session
        .pull
        .as_ref()
        .filter(|_| session.status == Status::Pulling);
    let percent = pull.and_then(|pull| pull.figures.percent());
    match (session.placement.queue_position, percent) {
        (Some(place), _) if session.status == Status::Pending => format!("{word} #{}", place + 1),
        // This text fills the whole column.
        (_, Some(percent)) => format!("{word} {}%", percent.min(99)),
        _ => word,
    }
}

/// `✗ exit 3`: how a session ended.
pub fn result(session: &Session, glyphs: &Glyphs) -> Option<(String, Face)> {
    let ending = ending(session)?;
    let (mark, face) = match ending.tone() {
        verdict::Tone::Good => (glyphs.right, Face::StatusGood),
        verdict::Tone::Bad => (glyphs.wrong, Face::StatusBad),
        verdict::Tone::Warning => (glyphs.shapes.ending, Face::Warning),
        verdict::Tone::Plain => (glyphs.shapes.ended, Face::StatusEnded),
    };
    Some((format!("{mark} {ending}"), face))
}

pub fn piece(session: &Session, glyphs: &Glyphs) -> Piece {
    (word(session, glyphs), face(&session.status))
}
