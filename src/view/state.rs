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
            middle(paint, area, &[vec![dim("Connecting to the daemon")]]);
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
            let none = match app.reach.found(&app.mirror, &app.sessions) {
                SearchState::Asking => "No match yet in the loaded sessions: ",
                SearchState::LoadedOnly => "No loaded session matches ",
                SearchState::Everything | SearchState::ByName | SearchState::Cut(_) => {
                    "No session matches "
                }
            };
            let first = vec![dim(none), (query.to_string(), Face::Strong)];
            let clear = key(app, Scope::Global, Action::Back);
            let second = vec![(clear, Face::Key), dim(" clear the filter")];
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
        _ if disconnected => ("Sessions unknown: daemon disconnected", false),
        _ if unknown => ("Sessions unknown: engine disconnected", false),
        _ if connecting => ("Connecting to the engine", false),
        Tab::Running => ("No running sessions", true),
        Tab::Finished => ("No finished sessions", true),
        Tab::Others => ("No sessions in Others", true),
    };
    let mut lines: Vec<Vec<Piece>> = vec![vec![(first.to_owned(), Face::Text)]];
    let about: &[&str] = match tab {
        Tab::Running => &[],
        Tab::Finished => &["Sessions that ended are listed here, with their logs and files."],
        Tab::Others => &[
            "Sessions that couldn't start are listed here.",
            "A session whose command failed is in the tab Finished.",
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
            "launch one",
            Some((Action::Help, "all keys")),
        )),
        Tab::Finished => Some(next(Action::TabRunning, "running sessions", None)),
        Tab::Others => Some(next(
            Action::TabRunning,
            "running sessions",
            Some((Action::TabFinished, "finished sessions")),
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
        ("the tour", MIN_ROWS + tour::rows(screen.width))
    } else {
        ("workbay", MIN_ROWS)
    };
    let text = format!(
        "{who} needs {MIN_COLUMNS}x{rows}, this terminal has {}x{}",
        screen.width, screen.height
    );
    let mut lines = wrapped(&text, screen, Face::Text);
    lines.extend(wrapped(
        "enlarge the terminal to continue",
        screen,
        Face::Dim,
    ));
    if lines.len() + 2 > usize::from(screen.height) {
        let short = format!("too small: {MIN_COLUMNS}x{rows}");
        lines = vec![vec![(short, Face::Text)]];
    }
    let quit = key(app, Scope::Global, Action::Quit);
    lines.push(vec![(quit, Face::Key), dim(" quit")]);
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
