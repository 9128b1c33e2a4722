//! Explains an empty list: it is still loading, there are no sessions, or there is a problem.

use ratatui::layout::Rect;

use super::{
    paint::{Paint, Piece},
    text, tour,
};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::{Areas, MIN_COLUMNS, MIN_ROWS},
        mirror::DaemonConnection,
        sessions::reach::SearchState,
    },
    model::{capability::EngineState, status::Tab},
    theme::face::Face,
};

/// Draws the explanation if the list has no rows.
pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let area = areas.rows;
    match app.mirror.connection() {
        DaemonConnection::Connecting => {
            middle(paint, area, &[vec![dim(tr!("Connecting to the daemon"))]]);
        }
        DaemonConnection::Refused(failure) => {
            let mut lines = wrapped(failure.message().as_str(), area, Face::Bad);
            if let Some(help) = &failure.hint {
                lines.push(Vec::new());
                lines.extend(wrapped(help.as_str(), area, Face::Text));
            }
            middle(paint, area, &lines);
        }
        _ if app.sessions.filter.is_on() => {
            let query = app.sessions.filter.query();
            let query = (query.to_string(), Face::Strong);
            let first = match app.reach.found(&app.mirror, &app.sessions) {
                SearchState::Asking => tr_pieces!(
                    "No match yet in the loaded sessions: {query}",
                    Face::Dim,
                    query = query
                ),
                SearchState::LoadedOnly => {
                    tr_pieces!(
                        "No loaded session matches {query}",
                        Face::Dim,
                        query = query
                    )
                }
                SearchState::Everything | SearchState::ByName | SearchState::Cut(_) => {
                    tr_pieces!("No session matches {query}", Face::Dim, query = query)
                }
            };
            let clear = (key(app, Scope::Global, Action::Back), Face::Key);
            let second = tr_pieces!("{key} clear the filter", Face::Dim, key = clear);
            middle(paint, area, &[first, Vec::new(), second]);
        }
        _ => empty(paint, app, area),
    }
}

fn empty(paint: &mut Paint<'_>, app: &App, area: Rect) {
    let unknown = app
        .mirror
        .shown(app.sessions.shown())
        .all(|state| matches!(state.engine, EngineState::Lost { .. }));
    let mut shown = app.mirror.shown(app.sessions.shown()).peekable();
    let connecting =
        shown.peek().is_some() && shown.all(|state| state.engine == EngineState::Connecting);
    let tab = app.sessions.tab();
    let disconnected = matches!(app.mirror.connection(), DaemonConnection::Down { .. });
    let (first, is_known) = match tab {
        _ if disconnected => (tr!("Sessions unknown: daemon disconnected"), false),
        _ if unknown => (tr!("Sessions unknown: engine disconnected"), false),
        _ if connecting => (tr!("Connecting to the engine"), false),
        Tab::Running => (tr!("No running sessions"), true),
        Tab::Finished => (tr!("No finished sessions"), true),
        Tab::Others => (tr!("No sessions in Others"), true),
    };
    let mut lines: Vec<Vec<Piece>> = vec![vec![(first.to_owned(), Face::Text)]];
    let about: &[&str] = match tab {
        Tab::Running => &[],
        Tab::Finished => &[tr!(
            "Sessions that ended are listed here, with their logs and files."
        )],
        Tab::Others => &[
            tr!("Sessions that couldn't start are listed here."),
            tr!("A session whose command failed is in the tab Finished."),
        ],
    };
    if is_known && !about.is_empty() {
        lines.push(Vec::new());
        lines.extend(about.iter().map(|line| vec![dim(line)]));
    }
    let away = app.why_not(Action::SessionLaunch).is_some();
    let next = |action, word: &str, more: Option<(Action, &str)>| {
        let scope = |action: Action| *action.scopes().first().unwrap_or(&Scope::Global);
        let mut pieces = vec![
            (key(app, scope(action), action), Face::Key),
            dim(&format!(" {word}")),
        ];
        if let Some((action, word)) = more {
            pieces.push(dim("   "));
            pieces.push((key(app, scope(action), action), Face::Key));
            pieces.push(dim(&format!(" {word}")));
        }
        pieces
    };
    let keys = match tab {
        Tab::Running if away => None,
        Tab::Running => Some(next(
            Action::SessionLaunch,
            tr!("launch one"),
            Some((Action::Help, tr!("all keys"))),
        )),
        Tab::Finished => Some(next(Action::TabRunning, tr!("show running sessions"), None)),
        Tab::Others => Some(next(
            Action::TabRunning,
            tr!("show running sessions"),
            Some((Action::TabFinished, tr!("show finished sessions"))),
        )),
    };
    if let Some(keys) = keys.filter(|_| is_known) {
        lines.push(Vec::new());
        lines.push(keys);
    }
    middle(paint, area, &lines);
}

/// The terminal is too small for anything else.
pub fn too_small(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let screen = areas.screen;
    let (who, rows) = if app.is_touring() {
        (tr!("the tour"), MIN_ROWS + tour::rows(screen.width))
    } else {
        ("workbay", MIN_ROWS)
    };
    let text = tr!(
        "{who} needs {columns}x{rows}, this terminal has {width}x{height}",
        who,
        columns = MIN_COLUMNS,
        rows,
        width = screen.width,
        height = screen.height
    );
    let mut lines = wrapped(&text, screen, Face::Text);
    lines.extend(wrapped(
        tr!("enlarge the terminal to continue"),
        screen,
        Face::Dim,
    ));
    if lines.len() + 2 > usize::from(screen.height) {
        let short = tr!("too small: {columns}x{rows}", columns = MIN_COLUMNS, rows);
        lines = vec![vec![(short, Face::Text)]];
    }
    let quit = key(app, Scope::Global, Action::Quit);
    lines.push(vec![(quit, Face::Key), dim(&format!(" {}", tr!("quit")))]);
    middle(paint, screen, &lines);
}

fn key(app: &App, scope: Scope, action: Action) -> String {
    let keys = app.keymap.keys_for(scope, action);
    keys.into_iter()
        .next()
        .unwrap_or_else(|| action.name().to_owned())
}

fn dim(text: &str) -> Piece {
    (text.to_owned(), Face::Dim)
}

fn wrapped(text: &str, area: Rect, face: Face) -> Vec<Vec<Piece>> {
    let cells = usize::from(area.width.saturating_sub(4).min(72));
    text::wrap(text, cells)
        .into_iter()
        .map(|line| vec![(line, face)])
        .collect()
}

/// Lines in the middle of an area, slightly above the center.
fn middle(paint: &mut Paint<'_>, area: Rect, lines: &[Vec<Piece>]) {
    let height = (lines.len() as u16).min(area.height);
    let top = area.y + (area.height - height) * 2 / 5;
    for (line, pieces) in lines.iter().take(usize::from(height)).enumerate() {
        paint.centred_pieces(area, top + line as u16, pieces);
    }
}
