//! The terminal view: tabs, heads, cells, the lines between panes, status line.

mod paste;
mod save_copy;
mod windows;

use ratatui::layout::Rect;

use super::{
    badge, banner, borders, cells, floating,
    paint::{Paint, Piece},
    quick_select,
    still::Still,
    text,
};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::Areas,
        panes::{Pane, PaneArea, PaneQuestion, PaneState, PaneTab, Panes, ShellPlace, head_name},
    },
    keymap::Keymap,
    locale,
    theme::face::Face,
};

/// The hints in the status line after the leader key, the most important first. The `keys` hint lists those
/// that don't fit.
const AFTER_LEADER: &[(&[Action], &str)] = &[
    (&[Action::PaneDetach], tr_later!("back")),
    (&[Action::Help], tr_later!("keys")),
    (&[Action::PanePick], tr_later!("shells")),
    (&[Action::WindowNew], tr_later!("window")),
    (
        &[Action::PaneSplitRight, Action::PaneSplitBelow],
        tr_later!("split"),
    ),
    (&[Action::PaneSearch], tr_later!("search")),
    (&[Action::PaneCopyMode], tr_later!("copy")),
    (&[Action::PaneZoom], tr_later!("zoom")),
    (&[Action::PaneClose], tr_later!("close")),
    (&[Action::PaneQuickSelect], tr_later!("quick select")),
    (&[Action::PaneScratch], tr_later!("floating shell")),
    (&[Action::PaneBroadcast], tr_later!("broadcast")),
    (&[Action::PaneRecord], tr_later!("record")),
    (&[Action::Layouts], tr_later!("layouts")),
    (&[Action::PaneSendPrefix], tr_later!("send Ctrl-B")),
    (&[Action::PaneLiteral], tr_later!("send leader")),
];

/// Paints the terminal view and sets `paint.cursor`.
pub fn draw(
    paint: &mut Paint<'_>,
    areas: &Areas,
    panes: &Panes,
    keymap: &Keymap,
    (notices, still): (&[Piece], &Still),
    unresponsive: bool,
) {
    draw_tabs(paint, areas, panes);
    for place in &areas.panes {
        if let Some(pane) = panes.pane(place.pane) {
            draw_pane(paint, place, panes, pane, still);
            if unresponsive && pane.state == PaneState::Opening && pane.place != ShellPlace::Host {
                draw_unresponsive(paint, place.cells);
            }
        }
    }
    borders::draw(paint, areas, panes);
    if !panes.is_floating() {
        draw_keys(paint, areas, panes, keymap, (notices, unresponsive));
    }
}

/// Paints the floating shell over any view.
pub fn draw_floating(paint: &mut Paint<'_>, areas: &Areas, app: &App, notices: &[Piece]) {
    let panes = &app.panes;
    if let (Some(place), Some(pane)) = (&areas.floating_pane, panes.floating()) {
        floating::draw(paint, areas, pane);
        draw_pane(paint, place, panes, pane, &Still::default());
    }
    draw_keys(
        paint,
        areas,
        panes,
        &app.keymap,
        (notices, app.mirror.is_unresponsive()),
    );
}

/// The status line and the prompt of the focused pane.
fn draw_keys(
    paint: &mut Paint<'_>,
    areas: &Areas,
    panes: &Panes,
    keymap: &Keymap,
    (notices, unresponsive): (&[Piece], bool),
) {
    let Some(pane) = panes.active() else { return };
    paint.ground(areas.pane_status, Face::PaneStatus);
    let taken = badge::draw(paint, areas.pane_status, notices);
    let line = Rect {
        width: areas.pane_status.width.saturating_sub(taken),
        ..areas.pane_status
    };
    if unresponsive && panes.scope() != Scope::Leader {
        // Short, so that the whole command can be read on a small screen.
        let text = tr!(
            "{bad} Daemon not responding. Run `workbay daemon stop`, then `workbay`",
            bad = paint.glyphs.shapes.bad
        );
        let text = text::fit(
            &text,
            usize::from(line.width.saturating_sub(2)),
            paint.glyphs.ellipsis,
        );
        paint.text(line.x + 1, line.y, line.width, &text, Face::Bad);
    } else {
        draw_status(paint, line, panes, pane, keymap);
    }
    match panes.prompt().map(|it| (it, &it.question)) {
        Some((prompt, PaneQuestion::Paste(text))) => {
            paste::draw(paint, areas.screen, &prompt.label(), text);
        }
        Some((prompt, PaneQuestion::SaveCopy { bytes, path })) => {
            save_copy::draw(paint, areas.screen, &prompt.label(), *bytes, path);
        }
        _ => {}
    }
}

/// Shows why a pane takes so long to open, and the fix.
fn draw_unresponsive(paint: &mut Paint<'_>, cells: Rect) {
    let y = cells.y + cells.height / 2 + 2;
    let width = usize::from(cells.width.saturating_sub(2));
    let why = (locale::text(banner::SILENT), Face::Bad);
    let rows = [why, (locale::text(banner::END_SILENT), Face::Text)];
    let rows = rows.into_iter().flat_map(|(words, face)| {
        text::wrap(words, width)
            .into_iter()
            .map(move |line| (line, face))
    });
    for (y, (line, face)) in (y..cells.bottom()).zip(rows) {
        paint.centred(cells, y, &line, face);
    }
}

fn draw_pane(paint: &mut Paint<'_>, place: &PaneArea, panes: &Panes, pane: &Pane, still: &Still) {
    let has_keys = panes.active().is_some_and(|active| active.id == pane.id);
    if let Some(head) = place.head {
        draw_head(paint, head, panes, pane, has_keys);
    }
    let cells = place.cells;
    match &pane.state {
        PaneState::Opening => {
            let text = match pane.place {
                ShellPlace::Session(_) | ShellPlace::Container(..) => {
                    tr!("opening a shell in {name}...", name = pane.name)
                }
                ShellPlace::Host => tr!("opening a shell on {name}...", name = pane.name),
            };
            paint.centred(cells, cells.y + cells.height / 2, &text, Face::Dim);
        }
        PaneState::Paused => {
            let text = tr!("paused while hidden; reconnects when you show it");
            paint.centred(cells, cells.y + cells.height / 2, text, Face::Dim);
        }
        PaneState::Live if has_keys && panes.quick_select().is_some() => {
            if let Some(select) = panes.quick_select() {
                quick_select::draw(paint, cells, select);
            }
        }
        PaneState::Live => {
            let cursor =
                cells::paint_loose(&pane.emulator, cells, (paint.buffer, paint.extras), still);
            if has_keys {
                paint.cursor = cursor;
            }
        }
        PaneState::Ended { .. } | PaneState::Lost { .. } => {
            cells::paint(&pane.emulator, cells, (paint.buffer, paint.extras));
            paint.fill(cells, Face::Shade);
            if pane.session_over && !pane.has_begun {
                draw_over(paint, cells, pane);
            }
        }
    }
}

/// A pane whose session had ended before the pane was opened has nothing else to show.
fn draw_over(paint: &mut Paint<'_>, cells: Rect, pane: &Pane) {
    let PaneState::Ended { why } = &pane.state else {
        return;
    };
    let middle = cells.y + cells.height.saturating_sub(1) / 2;
    let room = usize::from(cells.width.saturating_sub(2));
    let lines = [
        (why.as_str(), Face::Warning),
        (tr!("Relaunch it, or close this pane"), Face::Dim),
    ];
    for ((text, face), y) in lines.into_iter().zip(middle..cells.bottom()) {
        let text = text::fit(text, room, paint.glyphs.ellipsis);
        paint.centred(cells, y, &text, face);
    }
}

/// The line above a pane: the owner of its shell, its windows, and the title that its program chose. It also
/// separates panes that are side by side.
fn draw_head(paint: &mut Paint<'_>, area: Rect, panes: &Panes, pane: &Pane, has_keys: bool) {
    if panes.tab().is_some_and(PaneTab::is_shared) {
        let face = if has_keys {
            Face::BorderFocused
        } else {
            Face::Border
        };
        let rule = paint.glyphs.rule.repeat(usize::from(area.width));
        paint.text(area.x, area.y, area.width, &rule, face);
    }
    let places = panes.head(pane, area);
    let mut x = places.windows.x;
    if !places.name.is_empty() {
        let most = usize::from(places.name.width.saturating_sub(2));
        let name = text::fit(&head_name(pane), most, paint.glyphs.ellipsis);
        let face = if has_keys { Face::TabActive } else { Face::Tab };
        let place = places.name;
        paint.text(place.x, place.y, place.width, &format!(" {name} "), face);
    }
    if let Some(group) = panes.head_windows(pane) {
        x = windows::draw_tabs(paint, places.windows, &group, has_keys);
    }
    let mut right = places.windows.right();
    let badge = match (panes.is_broadcast(pane.id), panes.is_marked(pane.id)) {
        (true, _) => Some((tr!("BROADCAST"), Face::ButtonDanger)),
        (false, true) => Some((tr!("marked"), Face::Accent)),
        _ => None,
    };
    let recorded = panes
        .is_recorded(pane.id)
        .then_some((tr!("REC"), Face::Bad));
    for (text, face) in badge.into_iter().chain(recorded) {
        let text = format!(" {text} ");
        let width = text::width(&text) as u16;
        if right > x + width {
            right -= width;
            paint.text(right, area.y, width, &text, face);
        }
    }
    if let Some(title) = pane.emulator.title() {
        let left = right.saturating_sub(x + 2);
        let most = usize::from(left.saturating_sub(2));
        let title = text::fit(title.as_str(), most, paint.glyphs.ellipsis);
        if !title.is_empty() {
            paint.right(x + 2, area.y, left, &format!(" {title} "), Face::Dim);
        }
    }
}

fn draw_tabs(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes) {
    let area = areas.pane_tabs;
    if area.height == 0 {
        return;
    }
    for tab in panes.tab_labels(area.width) {
        let place = tab.area(area);
        let active = tab.position == panes.active_tab();
        let face = if active { Face::TabActive } else { Face::Tab };
        paint.text(place.x, place.y, place.width, &tab.text, face);
    }
}

fn draw_status(paint: &mut Paint<'_>, area: Rect, panes: &Panes, pane: &Pane, keymap: &Keymap) {
    if let Some(prompt) = panes.prompt().filter(|prompt| !prompt.is_dialog()) {
        windows::draw_prompt(paint, area, prompt);
        return;
    }
    let room = usize::from(area.width.saturating_sub(2));
    let copying = panes.window(pane).and_then(|window| window.copy_mode);
    let hints = if panes.quick_select().is_some() {
        let hints = quick_select::HINTS.iter();
        hints
            .map(|(key, word)| PaneHint::new(locale::text(key), word))
            .collect()
    } else if panes.is_moving_border() {
        vec![
            PaneHint::new(tr!("arrows"), tr!("move the border")),
            PaneHint::new(tr!("any other key"), tr!("done")),
        ]
    } else if panes.scope() == Scope::Leader {
        after_leader(keymap)
    } else if let Some(at) = copying {
        windows::copy_hints(at)
    } else if pane.takes_keys() && panes.broadcast_count().is_some() {
        broadcast_hints(keymap)
    } else if pane.takes_keys() {
        leave_hints(keymap)
    } else {
        hints_when_ended(pane, keymap)
    };
    let badge = draw_badge(paint, area, pane);
    let room = room.saturating_sub(badge);
    let mut x = area.x + 1;
    // The first hint is more important than the reason, so the reason is cut.
    let needed = hints.first().map_or(0, |hint| hint.width() + GAP.len());
    if let Some(held) = panes.held_copy()
        && panes.scope() != Scope::Leader
    {
        windows::draw_held(paint, area, held, keymap);
        return;
    }
    let select = panes.quick_select();
    let matches = select.map(|select| (quick_select::count(select), Face::Accent));
    let place = copying.map(|at| (windows::place(at), Face::Accent));
    let recording = panes.is_recorded(pane.id);
    let recording = recording.then(|| (tr!("REC recording").to_owned(), Face::Bad));
    let place = matches.or(place).or_else(|| broadcast(panes)).or(recording);
    if let Some((reason, face)) = state(pane).or(place) {
        let reason = text::fit(&reason, room.saturating_sub(needed), paint.glyphs.ellipsis);
        x = paint.text(x, area.y, room as u16, &reason, face) + GAP.len() as u16;
    }
    for hint in hints {
        if usize::from(x - area.x) + hint.width() > room + 1 {
            break;
        }
        x = draw_hint(paint, x, area, &hint);
    }
}

/// Returns the column of the next hint.
fn draw_hint(paint: &mut Paint<'_>, x: u16, area: Rect, hint: &PaneHint) -> u16 {
    let room = |x: u16| area.right().saturating_sub(x);
    let x = paint.text(x, area.y, room(x), &hint.key, Face::Key);
    let x = paint.text(x, area.y, room(x), &hint.word, Face::PaneStatus);
    x + GAP.len() as u16
}

/// Shows that an open connection counts as use. Returns the cells that it took.
fn draw_badge(paint: &mut Paint<'_>, area: Rect, pane: &Pane) -> usize {
    if !pane.keeps_alive || pane.state != PaneState::Live {
        return 0;
    }
    let text = tr!("{on} keeps this session alive", on = paint.glyphs.on);
    paint.right(area.x, area.y, area.width - 1, &text, Face::Warning);
    text::width(&text) + GAP.len()
}

/// The gap between two hints.
const GAP: &str = "   ";

/// A key and its action.
struct PaneHint {
    key: String,
    word: String,
}

impl PaneHint {
    fn new(key: impl Into<String>, word: &str) -> Self {
        Self {
            key: key.into(),
            word: format!(" {}", locale::of(word)),
        }
    }

    fn width(&self) -> usize {
        text::width(&self.key) + text::width(&self.word)
    }
}

/// The state of the connection to the shell.
fn state(pane: &Pane) -> Option<(String, Face)> {
    match &pane.state {
        PaneState::Opening | PaneState::Live if pane.session_paused => {
            let text = tr!("the container is paused, so its shell doesn't respond");
            Some((text.to_owned(), Face::Warning))
        }
        PaneState::Opening | PaneState::Live | PaneState::Paused => None,
        PaneState::Ended { why } if pane.session_over && !pane.has_begun => {
            Some((why.to_string(), Face::Warning))
        }
        PaneState::Ended { .. } if pane.session_over => {
            Some((tr!("the session has ended").to_owned(), Face::Warning))
        }
        PaneState::Ended { why } => Some((why.to_string(), Face::Warning)),
        PaneState::Lost { why, retry_at, .. } => {
            let how = if retry_at.is_some() {
                tr!("retrying, Enter retries now")
            } else {
                tr!("reopens automatically")
            };
            // The reason is cut off if there is no room, not what happens next.
            Some((format!("{how}: {why}"), Face::Bad))
        }
    }
}

/// How many panes get the keys.
fn broadcast(panes: &Panes) -> Option<(String, Face)> {
    let count = panes.broadcast_count()?;
    let text = match panes.broadcast_hidden() {
        0 => tr!("BROADCAST to {count} panes", count),
        hidden => tr!(
            "BROADCAST to {count} panes, {hidden} not on the screen",
            count,
            hidden
        ),
    };
    Some((text, Face::Bad))
}

fn broadcast_hints(keymap: &Keymap) -> Vec<PaneHint> {
    let leader = keymap.keys_for(Scope::Terminal, Action::TerminalLeader);
    let key = keymap.keys_for(Scope::Leader, Action::PaneBroadcast);
    let mut hints = Vec::new();
    if let (Some(leader), Some(key)) = (leader.first(), key.first()) {
        let keys = format!("{} {key}", shown(leader));
        hints.push(PaneHint::new(keys, tr!("stop")));
    }
    hints.extend(leave_hints(keymap));
    hints
}

fn leave_hints(keymap: &Keymap) -> Vec<PaneHint> {
    let leaders = keymap.keys_for(Scope::Terminal, Action::TerminalLeader);
    let Some(leader) = leaders.first().map(|key| shown(key)) else {
        return Vec::new();
    };
    let hint = |action, word| {
        let keys = keymap.keys_for(Scope::Leader, action);
        let key = keys.first()?;
        Some(PaneHint::new(format!("{leader} {key}"), word))
    };
    let mut hints = Vec::new();
    hints.extend(hint(Action::PaneDetach, tr!("back")));
    hints.extend(hint(Action::Help, tr!("keys")));
    let others: Vec<String> = leaders.iter().skip(1).map(|key| shown(key)).collect();
    if !others.is_empty() {
        hints.push(PaneHint::new(others.join(", "), tr!("leader, too")));
    }
    hints.extend(hint(Action::PaneSendPrefix, tr!("send Ctrl-B")));
    hints
}

fn after_leader(keymap: &Keymap) -> Vec<PaneHint> {
    let bound = AFTER_LEADER.iter().filter_map(|(actions, word)| {
        let keys = actions.iter().filter_map(|action| {
            let keys = keymap.keys_for(Scope::Leader, *action);
            keys.first().map(|key| shown(key))
        });
        let keys = keys.collect::<Vec<_>>().join(" ");
        (!keys.is_empty()).then(|| PaneHint::new(keys, word))
    });
    bound.collect()
}

/// The hints in an ended session, where no shell can be opened.
fn hints_when_ended(pane: &Pane, keymap: &Keymap) -> Vec<PaneHint> {
    let mut hints = Vec::new();
    if pane.can_reopen() {
        hints.push(PaneHint::new("Enter", tr_in!("shell", "new")));
    }
    let relaunch = keymap.keys_for(Scope::Panes, Action::PaneRelaunch);
    if let Some(key) = relaunch.first().filter(|_| pane.session_over) {
        hints.push(PaneHint::new(shown(key), tr!("relaunch")));
    }
    hints.push(PaneHint::new("Esc", tr!("close")));
    if let Some(key) = keymap.keys_for(Scope::Global, Action::Quit).first() {
        hints.push(PaneHint::new(shown(key), tr!("list")));
    }
    hints
}

/// Formats `ctrl-]` as `Ctrl-]`.
fn shown(key: &str) -> String {
    key.replace("ctrl-", "Ctrl-").replace("alt-", "Alt-")
}
