//! When idle checks reclaim a session, as a column of `workbay ls`.

use jiff::Timestamp;
use ratatui::style::Style;

use super::{output::Cell, times::elapsed};
use crate::{
    model::session::Session,
    rules::reclaim::{Reclaim, Standing, nearest, reclaim, standing},
    theme::{Theme, face::Face},
};

pub fn cell(session: &Session, now: Timestamp, theme: Option<&Theme>) -> Cell {
    let text = match reclaim(session) {
        Reclaim::Never => "-".to_owned(),
        Reclaim::Exempt => tr!("exempt").to_owned(),
        Reclaim::At(until) if until > now => elapsed(until.as_second() - now.as_second()),
        Reclaim::Due | Reclaim::At(_) => tr_in!("reclaim", "now").to_owned(),
    };
    let check = nearest(&session.idle_checks).map(|(check, _)| standing(check, now));
    let face = match (reclaim(session), check) {
        (Reclaim::Due, _) | (_, Some(Standing::AtRisk | Standing::Over)) => Some(Face::Bad),
        (_, Some(Standing::Warning)) => Some(Face::Warning),
        _ => None,
    };
    let style = face.and_then(|face| Some(theme?.style(face)));
    Cell::styled(text, style.unwrap_or_else(Style::new))
}
