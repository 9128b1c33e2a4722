//! The first line: who we are, where sessions run, whether everything answers.

use super::{paint::Paint, text};
use crate::{
    app::{
        app::App,
        area::Areas,
        mirror::{Line, Mirror},
    },
    model::capability::EngineState,
    theme::face::Face,
};

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let area = areas.header;
    paint.fill(area, Face::Header);
    let dot = format!(" {} ", paint.glyphs.dot);
    let (shape, word, face) = state(&app.mirror, paint);
    let state = format!("{shape} {word}");
    let person = format!("{}@{}", app.facts.user, app.facts.host);
    let mut right = text::width(&state) as u16 + 1;
    paint.right(area.x, area.y, area.width - 1, &state, face);
    let brand = paint.text(area.x + 1, area.y, 12, "workbay", Face::HeaderBrand) + 2;
    let mut facts = engine_facts(&app.mirror);
    let room = |right: u16| area.width.saturating_sub(brand + right + 3);
    let person_width = text::width(&person) as u16;
    let all = text::width(&facts.join(&dot)) as u16;
    // The person gives way last but for the engine's name.
    while facts.len() > 2 && text::width(&facts.join(&dot)) as u16 + person_width > room(right) {
        facts.pop();
    }
    if text::width(&facts.join(&dot)) as u16 + person_width <= room(right) || all == 0 {
        right += person_width + 3;
        let x = area.right().saturating_sub(right);
        paint.text(x, area.y, person_width, &person, Face::HeaderInfo);
    }
    paint.text(
        brand,
        area.y,
        area.width.saturating_sub(brand + right + 1),
        &facts.join(&dot),
        Face::HeaderInfo,
    );
}

/// The engine's facts, the least needed last.
fn engine_facts(mirror: &Mirror) -> Vec<String> {
    let Some((context, state)) = mirror.engine() else {
        return Vec::new();
    };
    let mut facts = vec![context.to_string()];
    if let EngineState::Connected { info } = state {
        facts.push(format!("{} {}", info.kind, info.version));
        facts.push(format!("{} cores", info.cpus));
        facts.push(info.memory.to_string());
    }
    facts
}

/// The state of the whole line to the engine in a shape and a word.
fn state(mirror: &Mirror, paint: &Paint<'_>) -> (&'static str, &'static str, Face) {
    let shapes = &paint.glyphs.shapes;
    match (mirror.line(), mirror.engine()) {
        (Line::Down { .. }, _) => (shapes.bad, "daemon lost", Face::Bad),
        (Line::Refused(_), _) => (shapes.bad, "refused", Face::Bad),
        (Line::Up, Some((_, EngineState::Connected { .. }))) => {
            (shapes.good, "connected", Face::StatusGood)
        }
        (Line::Up, Some((_, EngineState::Lost { .. }))) => (shapes.bad, "engine lost", Face::Bad),
        (Line::Connecting | Line::Up, _) => (shapes.progress, "connecting", Face::StatusProgress),
    }
}
