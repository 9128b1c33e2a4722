//! The log view: title, lines, status line.

use ratatui::{layout::Rect, style::Modifier};

use super::{
    badge, cells,
    paint::{Paint, Piece},
    quick_select, text,
};
use crate::{
    action::{Action, Scope},
    app::{
        area::Areas,
        logs::{GUTTER, LogRow, LogState, Logs, WindowLine, feed::Extent, search::Search},
    },
    keymap::Keymap,
    locale,
    model::{log::LogSource, text::Clean},
    theme::face::Face,
};

const HINTS: &[(Scope, Action, &str)] = &[
    (Scope::Global, Action::Back, tr_later!("back")),
    (
        Scope::Logs,
        Action::LogsNextKernel,
        tr_later!("next container"),
    ),
    (Scope::Logs, Action::LogsFollow, tr_later!("follow")),
    (Scope::Logs, Action::LogsSearch, tr_later!("search")),
    (Scope::Logs, Action::LogsWrap, tr_later!("wrap")),
    (Scope::Logs, Action::LogsSave, tr_later!("save")),
    (Scope::Logs, Action::LogsError, tr_later!("error")),
    (Scope::Logs, Action::LogsTimes, tr_later!("times")),
    (
        Scope::Logs,
        Action::LogsQuickSelect,
        tr_later!("quick select"),
    ),
];

const SEARCH_HINTS: &[(Scope, Action, &str)] = &[
    (Scope::Logs, Action::LogsNext, tr_later!("next")),
    (Scope::Logs, Action::LogsPreviousHit, tr_later!("previous")),
    (Scope::Global, Action::Back, tr_later!("end search")),
];

/// Paints a log. `badge` is what every view shows at its edge, `away` is why the engine doesn't respond.
pub fn draw(
    paint: &mut Paint<'_>,
    areas: &Areas,
    logs: &Logs,
    keymap: &Keymap,
    (badge, away): (&[Piece], Option<&Clean>),
) {
    draw_title(paint, areas, logs, badge);
    let rows = logs.visible();
    if logs.is_empty() {
        draw_nothing(paint, areas.log, logs, away);
    }
    for (y, row) in (areas.log.y..areas.log.bottom()).zip(rows) {
        if let Some(entry) = logs.entry(row.number) {
            let line = Rect::new(areas.log.x, y, areas.log.width, 1);
            draw_row(paint, line, logs, entry, row);
        }
    }
    if let Some(select) = &logs.quick {
        quick_select::draw(paint, areas.log, select);
    }
    draw_status(paint, areas, logs, keymap);
}

fn draw_title(paint: &mut Paint<'_>, areas: &Areas, logs: &Logs, badge: &[Piece]) {
    let area = areas.log_title;
    let right = area.right() - badge::draw(paint, area, badge);
    let name = (logs.name.to_string(), Face::Title);
    let mut pieces = tr_pieces!("Log of {name}", Face::Dim, name = name);
    if let Some((hostname, at, count)) = logs.kernel() {
        let of = tr!(
            "  {hostname}, container {at} of {count}",
            hostname,
            at,
            count
        );
        pieces.push((of, Face::Text));
    }
    let (state, face) = state(logs);
    let notes = match position(logs) {
        Some(position) => format!("{position}   {state}"),
        None => state,
    };
    // A long name is cut, so that the state of the log is always visible.
    let taken = text::width(&notes) as u16 + 4;
    let room = right.saturating_sub(area.x + taken);
    let end = paint.pieces(area.x + 1, area.y, room, &pieces);
    let room = right.saturating_sub(end + 3);
    paint.right(end + 2, area.y, room, &notes, face);
    let glyph = paint.glyphs.rule;
    paint.line(
        areas.rule.x,
        areas.rule.y,
        areas.rule.width,
        glyph,
        Face::Border,
    );
}

/// Which lines are on the screen, and how many lines there are.
fn position(logs: &Logs) -> Option<String> {
    let extent = logs.extent();
    let lines = text::grouped(extent.end);
    if logs.is_empty() {
        return None;
    }
    let Some((first, last)) = logs.position() else {
        return Some(tr!("end of the log, {lines} lines read", lines));
    };
    let (first, last) = (text::grouped(first), text::grouped(last));
    let shown = if first == last {
        tr!("line {first}", first)
    } else {
        tr!("lines {first}-{last}", first, last)
    };
    let mut position = tr!("{shown} of {lines}", shown, lines);
    if extent.loading && extent.preview.is_some() {
        position = tr!("{shown}, {lines} read", shown, lines);
    }
    if extent.first > 0 {
        position = tr!(
            "{first} dropped, {position}",
            first = text::grouped(extent.first),
            position
        );
    }
    Some(position)
}

/// The state of the log.
fn state(logs: &Logs) -> (String, Face) {
    match &logs.state {
        LogState::Opening => (tr!("opening").to_owned(), Face::Dim),
        LogState::Broken { .. } => (tr!("interrupted").to_owned(), Face::Bad),
        LogState::Complete => (tr!("ended").to_owned(), Face::Dim),
        _ if !logs.is_following() => match logs.new_lines() {
            0 => (tr!("paused").to_owned(), Face::Warning),
            new => (
                tr!("paused, {new} new", new = text::grouped(new)),
                Face::Warning,
            ),
        },
        LogState::Following => (tr!("following").to_owned(), Face::Success),
    }
}

fn draw_nothing(paint: &mut Paint<'_>, area: Rect, logs: &Logs, away: Option<&Clean>) {
    let text = match &logs.state {
        LogState::Opening => tr!("Loading the log...").to_owned(),
        LogState::Following => tr!("No output yet").to_owned(),
        LogState::Complete => tr!("No output").to_owned(),
        LogState::Broken { why } => why.to_string(),
    };
    let cells = usize::from(area.width.saturating_sub(8));
    let mut lines = text::wrap(&text, cells);
    if let Some(why) = away.filter(|_| logs.state == LogState::Opening) {
        lines.extend(text::wrap(why.as_str(), cells));
    }
    let first = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (first..area.bottom()).zip(lines) {
        paint.centred(area, y, &line, Face::Dim);
    }
}

fn draw_row(paint: &mut Paint<'_>, area: Rect, logs: &Logs, entry: &WindowLine, row: LogRow) {
    if entry.source() == LogSource::Stderr {
        let glyph = paint.glyphs.vertical;
        paint.text(area.x, area.y, 1, glyph, Face::LogStderr);
    }
    let line = entry.line().text.as_str();
    let shown = line.get(row.start..row.end).unwrap_or_default();
    let hidden = text::take(shown, logs.left).len();
    let start = row.start + hidden;
    let shown = &shown[hidden..];
    let x = area.x + GUTTER.min(area.width);
    let mut edges: Vec<usize> = vec![start, start + shown.len()];
    let inside = |at: &usize| *at > start && *at < start + shown.len();
    edges.extend(entry.line().styles.iter().map(|(at, _)| *at).filter(inside));
    edges.sort_unstable();
    edges.dedup();
    let mut at = x;
    for pair in edges.windows(2) {
        let piece = line.get(pair[0]..pair[1]).unwrap_or_default();
        let look = entry.line().style_at(pair[0]);
        let style = paint.style(Face::Text).patch(cells::style(look));
        let room = usize::from(area.right().saturating_sub(at));
        let (end, _) = paint.buffer.set_stringn(at, area.y, piece, room, style);
        for x in at..end {
            paint.extras.set(x, area.y, look.underline, None);
        }
        at = end;
    }
    mark_hits(paint, area, logs, row, (x, start));
}

/// Marks the matches of the search in a row. Its text begins at byte `origin.1` and at column `origin.0`.
fn mark_hits(paint: &mut Paint<'_>, area: Rect, logs: &Logs, row: LogRow, origin: (u16, usize)) {
    let (Some(search), Some(entry)) = (&logs.search, logs.entry(row.number)) else {
        return;
    };
    let line = entry.line().text.as_str();
    let (x, start) = origin;
    let text_start = entry.text_start();
    for place in search.matcher.places(&line[text_start..]) {
        let from = (place.start + text_start).max(start);
        let to = (place.end + text_start).min(row.end);
        if from >= to {
            continue;
        }
        let before = line.get(start..from).map_or(0, text::width) as u16;
        let width = line.get(from..to).map_or(0, text::width) as u16;
        let hit = Rect::new(x.saturating_add(before), area.y, width, 1).intersection(area);
        paint.fill(hit, Face::Match);
        if search.current == Some(row.number) {
            paint.buffer.set_style(hit, Modifier::REVERSED);
        }
    }
}

fn draw_status(paint: &mut Paint<'_>, areas: &Areas, logs: &Logs, keymap: &Keymap) {
    let area = areas.log_status;
    let search = logs.search.as_ref();
    let count = search.map(|search| matches(search, logs.extent()));
    if let Some(input) = &logs.typing {
        let x = paint.text(area.x + 1, area.y, 2, "/", Face::Accent) + 1;
        let count = count.unwrap_or_default();
        let taken = text::width(&count) as u16 + 2;
        let field = Rect::new(x, area.y, area.right().saturating_sub(x + taken), 1);
        paint.input(field, input, true);
        paint.right(
            area.right().saturating_sub(taken),
            area.y,
            taken - 1,
            &count,
            Face::Dim,
        );
        return;
    }
    if let Some(select) = &logs.quick {
        let mut pieces = vec![(quick_select::count(select), Face::Accent)];
        for (key, word) in quick_select::HINTS {
            pieces.push((format!("   {key}"), Face::Key));
            pieces.push((format!(" {word}"), Face::Hint));
        }
        paint.pieces(area.x + 1, area.y, area.width.saturating_sub(2), &pieces);
        return;
    }
    let mut pieces: Vec<Piece> = Vec::new();
    if let (Some(search), Some(count)) = (&logs.search, count) {
        pieces.push((format!("{}  ", search.name()), Face::Accent));
        pieces.push((format!("{count}   "), Face::Dim));
    }
    if let Some(why) = &logs.extent().in_memory {
        pieces.push((format!("{why}   "), Face::Warning));
    }
    if let (LogState::Broken { why }, false) = (&logs.state, logs.is_empty()) {
        pieces.push((format!("{why}   "), Face::Bad));
    }
    add_hints(&mut pieces, area.width, logs, keymap);
    paint.pieces(area.x + 1, area.y, area.width.saturating_sub(2), &pieces);
}

/// Adds the hints that fit.
fn add_hints(pieces: &mut Vec<Piece>, width: u16, logs: &Logs, keymap: &Keymap) {
    let hints = if logs.search.is_some() {
        SEARCH_HINTS
    } else {
        HINTS
    };
    let gap = if width < 100 { "  " } else { "   " };
    let room = usize::from(width.saturating_sub(2));
    for (scope, action, word) in hints
        .iter()
        .filter(|(_, action, _)| is_shown(*action, logs))
    {
        let Some(key) = keymap.keys_for(*scope, *action).into_iter().next() else {
            continue;
        };
        let word = format!(" {}", word_now(*action, word, logs));
        let taken: usize = pieces.iter().map(|(text, _)| text::width(text)).sum();
        if taken + text::width(&key) + text::width(&word) > room {
            break;
        }
        pieces.push((key, Face::Key));
        pieces.push((word, Face::Hint));
        pieces.push((gap.to_owned(), Face::Hint));
    }
}

/// Whether an action does something with this log.
fn is_shown(action: Action, logs: &Logs) -> bool {
    match action {
        Action::LogsNextKernel => logs.kernel().is_some(),
        Action::LogsTimes => logs.has_times(),
        Action::LogsFollow => logs.can_follow(),
        _ => true,
    }
}

/// How many lines match, or the progress of the search.
fn matches(search: &Search, extent: &Extent) -> String {
    let state = &search.state;
    let matches = text::grouped(state.matches);
    if !state.complete {
        let searched = if extent.loading {
            tr!("{searched} lines", searched = text::grouped(state.searched))
        } else {
            format!("{} %", state.searched * 100 / state.lines.max(1))
        };
        return tr!("searching… {searched}, {matches} found", searched, matches);
    }
    match state.position {
        Some(position) => tr!(
            "{position} of {matches} lines",
            position = text::grouped(position),
            matches
        ),
        None if state.matches == 1 => tr!("1 line").to_owned(),
        None => tr!("{matches} lines", matches),
    }
}

/// The hint of a toggle says what the key will do.
fn word_now(action: Action, word: &str, logs: &Logs) -> String {
    match action {
        Action::LogsFollow if matches!(logs.state, LogState::Broken { .. }) => {
            tr!("reload").to_owned()
        }
        Action::LogsFollow if logs.is_following() => tr!("pause").to_owned(),
        Action::LogsWrap if logs.wrap => tr!("no wrap").to_owned(),
        Action::LogsTimes if logs.shows_times() => tr!("hide times").to_owned(),
        _ => locale::of(word).to_owned(),
    }
}
