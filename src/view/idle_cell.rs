//! Shows idle checks in a few cells: the time until the reclaim, in a color for how soon it is.

use jiff::Timestamp;

use super::glyphs::Glyphs;
use crate::{
    app::durations,
    model::session::Session,
    rules::reclaim::{Reclaim, Standing, nearest, reclaim, standing},
    theme::face::Face,
};

pub fn face(standing: Standing) -> Face {
    match standing {
        Standing::NoData => Face::Dim,
        Standing::Grace => Face::Value,
        Standing::Safe => Face::StatusGood,
        Standing::Warning => Face::Warning,
        Standing::AtRisk | Standing::Over => Face::Bad,
    }
}

/// `▪ safe`: a shape next to the word, so that color is never the only sign.
pub fn word(standing: Standing, glyphs: &Glyphs) -> String {
    let shape = match standing {
        Standing::NoData | Standing::Grace => glyphs.shapes.neutral,
        Standing::Safe => glyphs.shapes.good,
        Standing::Warning => glyphs.shapes.ending,
        Standing::AtRisk | Standing::Over => glyphs.shapes.bad,
    };
    format!("{shape} {}", standing.word())
}

/// The cell of the list: the time until the session is reclaimed, in the color of its check.
pub fn until_end(session: &Session, now: Timestamp) -> (String, Face) {
    match reclaim(session) {
        Reclaim::Due => (tr_in!("reclaim", "now").to_owned(), Face::Bad),
        Reclaim::Exempt => (tr!("exempt").to_owned(), Face::Dim),
        Reclaim::Never => ("-".to_owned(), Face::Dim),
        Reclaim::At(until) => {
            let left = until.as_second() - now.as_second();
            let check = nearest(&session.idle_checks).map(|(check, _)| standing(check, now));
            let text = if left < 0 {
                tr_in!("reclaim", "now").to_owned()
            } else {
                durations::coarse(left)
            };
            (text, face(check.unwrap_or(Standing::NoData)))
        }
    }
}
