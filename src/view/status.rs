//! How a status looks: a face and a shape beside its word.

use super::{glyphs::Glyphs, paint::Piece};
use crate::{
    model::{session::Session, status::Status},
    theme::face::Face,
};

pub fn face(status: &Status) -> Face {
    status.tone().into()
}

/// `▪ RUNNING`, as one piece of text.
pub fn word(session: &Session, glyphs: &Glyphs) -> String {
    format!("{} {}", glyphs.shape(&session.status), session.status)
}

/// The same with the place in the queue, the first is 1.
pub fn word_in_queue(session: &Session, glyphs: &Glyphs) -> String {
    let word = word(session, glyphs);
    match session.placement.queue_position {
        Some(place) if session.status == Status::Pending => format!("{word} #{}", place + 1),
        _ => word,
    }
}

pub fn piece(session: &Session, glyphs: &Glyphs) -> Piece {
    (word(session, glyphs), face(&session.status))
}
