//! The list of contexts: engine, state and number of sessions. Below it are details of the marked context.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{
        app::App,
        area::DialogAreas,
        mirror::{ContextState, Mirror},
        panels::contexts::ContextPicker,
        shown_contexts::ShownContexts,
    },
    model::{
        capability::EngineState,
        context::{Context, EngineKind},
        status::Tab,
    },
    theme::face::Face,
    view::{
        dialog,
        paint::{Paint, Piece},
        text,
    },
};

const WIDTH: u16 = 78;
/// Lines below the list: a blank one, then the details of the marked context.
const FOOT: u16 = 5;
/// Cells of a row's columns, after the name.
const KIND: u16 = 19;
const COUNT: u16 = 14;
const STATE: u16 = 13;

impl Dialog for ContextPicker {
    fn place(&self, app: &App, screen: Rect) -> DialogAreas {
        let contexts = app.mirror.contexts().len() as u16 + 1;
        // Border, blank, search, blank, the rows, the foot, border.
        let height = 2 + 3 + contexts + FOOT;
        let area = dialog::place(screen, WIDTH, height.min(screen.height.saturating_sub(3)));
        let room = dialog::rows(area, 4, 1 + FOOT);
        let height = contexts.min(room.height.max(1));
        dialog::areas(screen, area, Rect { height, ..room })
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        let rows = areas.rows;
        let inner = dialog::frame(
            paint,
            areas.screen,
            areas.area,
            tr!("Contexts"),
            Face::Title,
        );
        draw_search(paint, self, inner);
        dialog::more(paint, areas, self.list.scroll(), self.rows().len());
        let shown = self.rows().iter().skip(self.list.scroll());
        for (line, row) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if self.marked() == Some(*row) {
                dialog::mark(paint, place);
            }
            draw_row(paint, app, place, *row);
        }
        if self.rows().is_empty() {
            let text = tr!("no context matches '{query}'", query = self.query().text());
            paint.text(rows.x + 1, rows.y, rows.width, &text, Face::Dim);
        }
        let foot = Rect::new(
            inner.x,
            rows.bottom() + 1,
            inner.width,
            inner.bottom().saturating_sub(rows.bottom() + 1),
        );
        draw_foot(paint, app, self, foot);
    }
}

fn draw_search(paint: &mut Paint<'_>, picker: &ContextPicker, inner: Rect) {
    let field = Rect::new(inner.x + 1, inner.y + 1, inner.width - 1, 1);
    paint.input(field, picker.query(), true);
    if picker.query().is_empty() {
        let hint = tr!("type to search");
        paint.text(field.x, field.y, field.width, hint, Face::Placeholder);
    }
}

fn draw_row(paint: &mut Paint<'_>, app: &App, place: Rect, row: ShownContexts) {
    let x = place.x + 1;
    let name = place.width.saturating_sub(KIND + COUNT + STATE + 1);
    let (kind_x, count_x) = (x + name, x + name + KIND);
    if app.mirror.is_counted(row) {
        let running = app.mirror.count(row, Tab::Running);
        let count = tr!("{running} running", running = text::grouped(running));
        paint.right(count_x, place.y, COUNT - 2, &count, Face::Text);
    }
    let Some(state) = row.one().and_then(|name| app.mirror.context(name)) else {
        paint.text(x, place.y, name - 2, tr!("all contexts"), Face::Strong);
        return;
    };
    let style = paint.context_style(&app.mirror, state.context.name);
    paint.styled(x, place.y, name - 2, state.context.name.as_str(), style);
    paint.text(kind_x, place.y, KIND - 2, &kind(state), Face::Dim);
    let (shape, word, face) = line(state, paint);
    let text = format!("{shape} {word}");
    paint.text(count_x + COUNT, place.y, STATE, &text, face);
}

/// The engine's kind and version as it reports them, otherwise the configured kind.
fn kind(state: &ContextState) -> String {
    match &state.engine {
        EngineState::Connected { info } => format!("{} {}", info.kind, info.version),
        _ => match state.context.kind {
            EngineKind::Docker => tr!("Docker").to_owned(),
            EngineKind::Backendai => tr!("Backend.AI").to_owned(),
        },
    }
}

fn line(state: &ContextState, paint: &Paint<'_>) -> (&'static str, &'static str, Face) {
    let shapes = &paint.glyphs.shapes;
    match &state.engine {
        EngineState::Connected { .. } => (shapes.good, tr!("connected"), Face::StatusGood),
        EngineState::Connecting => (shapes.progress, tr!("connecting"), Face::StatusProgress),
        EngineState::Lost {
            needs_code: true, ..
        } => (shapes.bad, tr!("needs code"), Face::Bad),
        EngineState::Lost { .. } => (shapes.bad, tr!("lost"), Face::Bad),
    }
}

fn draw_foot(paint: &mut Paint<'_>, app: &App, picker: &ContextPicker, area: Rect) {
    let Some(marked) = picker.marked() else {
        return;
    };
    let lines = match marked.one().and_then(|name| app.mirror.context(name)) {
        Some(state) => about(
            &app.mirror,
            state,
            usize::from(area.width.saturating_sub(1)),
        ),
        None => vec![vec![(
            tr!("every session in one list").to_owned(),
            Face::Dim,
        )]],
    };
    for (line, pieces) in lines.iter().take(usize::from(area.height)).enumerate() {
        let y = area.y + line as u16;
        paint.pieces(area.x + 1, y, area.width.saturating_sub(1), pieces);
    }
}

/// Why the engine is disconnected and the fix, or its address and account.
fn about(mirror: &Mirror, state: &ContextState, cells: usize) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    let wrapped = |text: &str, most: usize, face: Face| {
        let lines = text::wrap(&text::sentence(text), cells).into_iter();
        lines
            .take(most)
            .map(move |line| vec![(line, face)])
            .collect::<Vec<_>>()
    };
    match &state.engine {
        EngineState::Lost { why, hint, .. } => {
            lines.extend(wrapped(why.as_str(), 2, Face::Bad));
            if let Some(hint) = hint {
                lines.extend(wrapped(hint.as_str(), 2, Face::Text));
            }
        }
        EngineState::Connected { info } => {
            lines.push(vec![(info.endpoint.to_string(), Face::Dim)]);
            if let Some(user) = &info.user {
                let text = tr!("as {email}, {role}", email = user.email, role = user.role);
                lines.push(vec![(text, Face::Dim)]);
            }
        }
        EngineState::Connecting => lines.extend(configured(&state.context)),
    }
    let name = ShownContexts::One(state.context.name);
    let of = |tab| text::grouped(mirror.count(name, tab));
    let finished = tr!("{finished} finished", finished = of(Tab::Finished));
    let others = tr!("{others} in other states", others = of(Tab::Others));
    let mut counts = format!("{finished}, {others}");
    if state.context.read_only {
        counts.push_str(tr!("; read-only"));
    }
    lines.push(vec![(counts, Face::Dim)]);
    lines
}

fn configured(context: &Context) -> Option<Vec<Piece>> {
    let endpoint = context.endpoint.as_ref()?;
    Some(vec![(endpoint.to_string(), Face::Dim)])
}
