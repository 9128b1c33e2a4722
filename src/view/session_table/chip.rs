//! Notes beside the name of a session: its forwards.

use crate::{
    app::app::App,
    model::{forward::Forward, id::SessionKey},
    theme::face::Face,
    view::text,
};

/// Blank cells between a name and its chip.
pub const CHIP_GAP: u16 = 2;

/// A note beside the name of a session.
pub struct Chip {
    pub text: String,
    pub face: Face,
    pub is_public: bool,
}

/// `2 apps` or `PUBLIC` beside the name of a session with forwards.
pub fn chip(app: &App, session: SessionKey) -> Option<Chip> {
    let is_public = |it: &Forward| it.public.is_some();
    if app.mirror.forwards_of(session).any(is_public) {
        return Some(Chip {
            text: tr!("PUBLIC").to_owned(),
            face: Face::Bad,
            is_public: true,
        });
    }
    let text = match app.mirror.forwards_of(session).count() {
        0 => return None,
        1 => tr!("1 app").to_owned(),
        n => tr!("{n} apps", n),
    };
    Some(Chip {
        text,
        face: Face::Dim,
        is_public: false,
    })
}

/// The cells of the longest name with its chip.
pub fn chip_width(app: &App) -> u16 {
    let with_chip = |forward: &Forward| {
        let chip = chip(app, forward.session)?;
        let name = app.mirror.session(forward.session)?.name.as_str();
        Some(text::width(name) as u16 + CHIP_GAP + text::width(&chip.text) as u16)
    };
    let widths = app.mirror.forwards().iter().filter_map(with_chip);
    widths.max().unwrap_or(0)
}
