//! The banner above the list while the daemon or an engine isn't connected: the cause, the fix, and the age
//! of the list.

use jiff::Timestamp;

use super::{
    hints,
    paint::{Paint, Piece},
    text,
};
use crate::{
    action::{Action, Scope},
    app::{app::App, area::Areas, durations, mirror::DaemonConnection},
    locale,
    model::{capability::EngineState, id::SessionKey},
    theme::face::Face,
};

/// Maximum lines of a banner.
const MAX_LINES: usize = 5;

/// Returns the banner's lines for a width, none without a problem. Their number doesn't depend on `now`.
pub fn lines(app: &App, width: u16, now: Option<Timestamp>) -> Vec<Vec<Piece>> {
    let cells = usize::from(width.saturating_sub(6));
    let found = trouble(app);
    let mut lines = match found.as_slice() {
        [] => return Vec::new(),
        [one] => in_full(one, cells),
        several => in_short(several),
    };
    if app.mirror.is_unresponsive() {
        return lines;
    }
    let attempt = found.iter().map(|it| it.attempt).max().unwrap_or(0);
    let shown = app.sessions.shown();
    let age = match (app.mirror.stale_since(shown), now) {
        (Some(since), Some(now)) => durations::ago(now.as_second() - since.as_second()),
        _ => String::new(),
    };
    let tries = match attempt {
        _ if found.iter().all(|it| it.needs_code) => {
            tr!("The login isn't retried without a one-time password.").to_owned()
        }
        0 | 1 => tr!("Retrying automatically.").to_owned(),
        n => tr!("Retrying automatically (attempt {n}).", n),
    };
    let stale = |id: &SessionKey| app.is_stale(id.context);
    let mut rows = app.sessions.keys().iter();
    let list = if !rows.clone().any(stale) {
        String::new()
    } else if rows.all(stale) {
        tr!(" The list is from {age}.", age)
    } else {
        tr!(" Its rows are from {age}.", age)
    };
    lines.push(vec![(format!("{tries}{list}"), Face::Dim)]);
    lines.truncate(MAX_LINES);
    lines
}

/// The problem with its cause, then the fix.
fn in_full(trouble: &Trouble, cells: usize) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = text::wrap(&trouble.what, cells)
        .into_iter()
        .take(2)
        .map(|line| vec![(line, Face::Bad)])
        .collect();
    if let Some(hint) = &trouble.hint {
        let hint = text::wrap(&text::sentence(hint), cells).into_iter().take(2);
        lines.extend(hint.map(|line| vec![(line, Face::Text)]));
    }
    lines
}

/// One line for each problem. The list of contexts shows how to fix each of them.
fn in_short(several: &[Trouble]) -> Vec<Vec<Piece>> {
    let room = MAX_LINES - 1;
    let shown = if several.len() > room { room - 1 } else { room };
    let mut lines: Vec<Vec<Piece>> = several
        .iter()
        .take(shown)
        .map(|trouble| vec![(trouble.what.clone(), Face::Bad)])
        .collect();
    if several.len() > shown {
        let more = tr!("and {shown} more", shown = several.len() - shown);
        lines.push(vec![(more, Face::Bad)]);
    }
    lines
}

/// An engine or a daemon that isn't connected or doesn't respond.
struct Trouble {
    /// A full sentence.
    what: String,
    /// What you can do about it.
    hint: Option<String>,
    attempt: u32,
    /// Whether it ends only with a one-time password.
    needs_code: bool,
}

/// The daemon is connected but doesn't respond.
pub const SILENT: &str = tr_later!("The daemon isn't responding.");
/// How to restart a daemon that doesn't respond.
pub const END_SILENT: &str =
    tr_later!("Run `workbay daemon stop`, then `workbay`. Sessions keep running.");

fn trouble(app: &App) -> Vec<Trouble> {
    if app.mirror.is_unresponsive() {
        return vec![Trouble {
            what: locale::text(SILENT).to_owned(),
            hint: Some(locale::text(END_SILENT).to_owned()),
            attempt: 0,
            needs_code: false,
        }];
    }
    if let DaemonConnection::Down { why, attempt, .. } = app.mirror.connection() {
        return vec![Trouble {
            what: tr!("Daemon disconnected: {why}", why),
            hint: None,
            attempt: *attempt,
            needs_code: false,
        }];
    }
    let several = app.mirror.has_several_contexts();
    app.mirror
        .shown(app.sessions.shown())
        .filter_map(|state| match &state.engine {
            EngineState::Lost {
                why,
                hint,
                attempt,
                needs_code,
            } => Some(Trouble {
                what: if several {
                    format!("{}: {why}", state.context.name)
                } else {
                    text::sentence(why.as_str())
                },
                hint: needs_code
                    .then(|| code_hint(app))
                    .flatten()
                    .or_else(|| hint.as_ref().map(ToString::to_string)),
                attempt: *attempt,
                needs_code: *needs_code,
            }),
            _ => None,
        })
        .collect()
}

/// The key for the one-time password, `None` if it has none.
fn code_hint(app: &App) -> Option<String> {
    let key = hints::keys(app, Scope::Sessions, Action::ContextLogIn);
    (!key.is_empty()).then(|| tr!("Press {key} and type a one-time password", key))
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let Some(area) = areas.banner else { return };
    let lines = lines(app, area.width, Some(now));
    let shape = paint.glyphs.shapes.bad;
    paint.text(area.x + 2, area.y, 1, shape, Face::Bad);
    for (line, pieces) in lines.iter().take(usize::from(area.height)).enumerate() {
        let y = area.y + line as u16;
        paint.pieces(area.x + 4, y, area.width.saturating_sub(6), pieces);
    }
}
