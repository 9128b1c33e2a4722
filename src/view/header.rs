//! The first line: the program, the account, the engine, and its connection.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{badge, paint::Paint, text};
use crate::{
    app::{
        app::App,
        area::Areas,
        mirror::{ContextState, DaemonConnection, Mirror},
        shown_contexts::ShownContexts,
    },
    model::capability::EngineState,
    theme::face::Face,
};

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let area = areas.header;
    paint.fill(area, Face::Header);
    let dot = format!(" {} ", paint.glyphs.dot);
    let shown = app.sessions.shown();
    let (shape, word, face) = state(&app.mirror, shown, paint);
    let state = format!("{shape} {word}");
    let account = format!("{}@{}", app.facts.user, app.facts.host);
    let mut right = text::width(&state) as u16 + 1;
    paint.right(area.x, area.y, area.width.saturating_sub(1), &state, face);
    let rest = Rect {
        width: area.width.saturating_sub(right + 2),
        ..area
    };
    right += badge::draw(paint, rest, &badge::pieces(app, now));
    let brand = paint.text(area.x + 1, area.y, 12, "workbay", Face::HeaderBrand) + 2;
    let mut facts = engine_facts(&app.mirror, shown);
    let room = |right: u16| area.width.saturating_sub(brand + right + 3);
    let account_width = text::width(&account) as u16;
    let all = text::width(&facts.join(&dot)) as u16;
    // The account has precedence over all of the engine's facts but the first two.
    while facts.len() > 2 && text::width(&facts.join(&dot)) as u16 + account_width > room(right) {
        facts.pop();
    }
    if text::width(&facts.join(&dot)) as u16 + account_width <= room(right) || all == 0 {
        right += account_width + 3;
        let x = area.right().saturating_sub(right);
        paint.text(x, area.y, account_width, &account, Face::HeaderInfo);
    }
    paint.text(
        brand,
        area.y,
        area.width.saturating_sub(brand + right + 1),
        &facts.join(&dot),
        Face::HeaderInfo,
    );
    if let Some(context) = single(&app.mirror, shown).filter(|_| app.mirror.has_several_contexts())
    {
        let name = context.context.name;
        let style = paint.context_style(&app.mirror, name);
        let place = Rect::new(brand, area.y, text::width(name.as_str()) as u16, 1);
        paint.buffer.set_style(place.intersection(area), style);
    }
}

/// The engine's facts, the least important last.
fn engine_facts(mirror: &Mirror, shown: ShownContexts) -> Vec<String> {
    let Some(context) = single(mirror, shown) else {
        let all = (!mirror.contexts().is_empty()).then(|| tr!("all contexts").to_owned());
        return all.into_iter().collect();
    };
    let mut facts = vec![context.context.name.to_string()];
    if let EngineState::Connected { info } = &context.engine {
        facts.push(format!("{} {}", info.kind, info.version));
        // 0 means that the engine doesn't report its CPUs.
        if info.cpus.millis() > 0 {
            facts.push(tr!("{cpus} cores", cpus = info.cpus));
        }
        if info.memory.0 > 0 {
            facts.push(info.memory.to_string());
        }
        facts.extend(info.user.as_ref().map(|user| user.email.to_string()));
    }
    facts
}

/// The only context that is shown, if there is exactly one.
fn single(mirror: &Mirror, shown: ShownContexts) -> Option<&ContextState> {
    let mut found = mirror.shown(shown);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The state of the connection to the engine, as a shape and a word.
pub fn state(
    mirror: &Mirror,
    shown: ShownContexts,
    paint: &Paint<'_>,
) -> (&'static str, String, Face) {
    let shapes = &paint.glyphs.shapes;
    let (mut all, mut connected, mut lost) = (0, 0, 0);
    for state in mirror.shown(shown) {
        all += 1;
        connected += usize::from(matches!(state.engine, EngineState::Connected { .. }));
        lost += usize::from(matches!(state.engine, EngineState::Lost { .. }));
    }
    let (shape, word, face) = match mirror.connection() {
        _ if mirror.is_unresponsive() => (shapes.bad, tr!("daemon not responding"), Face::Bad),
        DaemonConnection::Down { .. } => (shapes.bad, tr!("daemon disconnected"), Face::Bad),
        DaemonConnection::Refused(_) => (shapes.bad, tr!("refused"), Face::Bad),
        DaemonConnection::Up if all > 1 && lost > 0 => {
            return (
                shapes.bad,
                tr!("{lost} of {all} disconnected", lost, all),
                Face::Bad,
            );
        }
        DaemonConnection::Up if lost > 0 => (shapes.bad, tr!("engine disconnected"), Face::Bad),
        DaemonConnection::Up if all > 0 && connected == all => {
            (shapes.good, tr!("connected"), Face::StatusGood)
        }
        DaemonConnection::Connecting | DaemonConnection::Up => {
            (shapes.progress, tr!("connecting"), Face::StatusProgress)
        }
    };
    (shape, word.to_owned(), face)
}
