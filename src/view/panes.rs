//! The open terminals: tabs, cells, status line.

use ratatui::layout::Rect;

use super::{
    cells, notices,
    paint::{Paint, Piece},
    text,
};
use crate::{
    action::{Action, Scope},
    app::{
        area::Areas,
        panes::{Pane, Panes, Place, State},
    },
    keymap::Keymap,
    theme::face::Face,
};

/// What the status line offers after the leader, the most needed first.
const AFTER_LEADER: &[(Action, &str)] = &[
    (Action::PaneDetach, "back"),
    (Action::PanePick, "shells"),
    (Action::WindowNew, "new window"),
    (Action::PaneSplitRight, "split"),
    (Action::PaneCopyMode, "copy"),
    (Action::PaneSearch, "search"),
    (Action::PaneZoom, "zoom"),
    (Action::PaneClose, "close"),
    (Action::Help, "keys"),
    (Action::PaneSendPrefix, "send Ctrl-B"),
    (Action::PaneLiteral, "send the leader"),
];

/// Paints the page of the terminals and sets `paint.cursor`.
pub fn draw(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes, keymap: &Keymap, news: &[Piece]) {
    draw_tabs(paint, areas, panes);
    let Some(pane) = panes.active() else { return };
    match &pane.state {
        State::Opening => {
            let text = match pane.place {
                Place::Session(_) => format!("opening shell in {}...", pane.name),
                Place::Host => format!("opening a shell on {}...", pane.name),
            };
            let middle = areas.pane.y + areas.pane.height / 2;
            paint.centred(areas.pane, middle, &text, Face::Dim);
        }
        State::Paused => {
            let text = "paused while nobody looked; shown again it reconnects";
            let middle = areas.pane.y + areas.pane.height / 2;
            paint.centred(areas.pane, middle, text, Face::Dim);
        }
        State::Live => paint.cursor = cells::paint(&pane.emulator, areas.pane, paint.buffer),
        State::Ended { .. } | State::Lost { .. } => {
            cells::paint(&pane.emulator, areas.pane, paint.buffer);
            paint.fill(areas.pane, Face::Shade);
        }
    }
    paint.fill(areas.pane_status, Face::PaneStatus);
    let taken = notices::draw_badge(paint, areas.pane_status, news);
    let line = Rect {
        width: areas.pane_status.width.saturating_sub(taken),
        ..areas.pane_status
    };
    draw_status(paint, line, panes, pane, keymap);
}

fn draw_tabs(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes) {
    let area = areas.pane_tabs;
    if area.height == 0 {
        return;
    }
    for tab in panes.tabs(area.width) {
        let place = tab.area(area);
        let active = tab.position == panes.active_position();
        let face = if active { Face::TabActive } else { Face::Tab };
        paint.text(place.x, place.y, place.width, &tab.label, face);
    }
    let title = panes.active().and_then(|pane| pane.emulator.title());
    let used = panes
        .tabs(area.width)
        .last()
        .map_or(0, |tab| tab.column + tab.width);
    if let Some(title) = title {
        let room = area.width.saturating_sub(used + 2);
        paint.right(area.x + used + 1, area.y, room, title.as_str(), Face::Dim);
    }
}

fn draw_status(paint: &mut Paint<'_>, area: Rect, panes: &Panes, pane: &Pane, keymap: &Keymap) {
    let room = usize::from(area.width.saturating_sub(2));
    let hints = if panes.scope() == Scope::Leader {
        after_leader(keymap)
    } else if pane.takes_keys() {
        way_out(keymap)
    } else {
        hints_when_ended(keymap)
    };
    let badge = draw_badge(paint, area, pane);
    let room = room.saturating_sub(badge);
    let mut x = area.x + 1;
    // The way out matters more than the reason: that one is cut.
    let needed = hints.first().map_or(0, |hint| hint.width() + GAP.len());
    if let Some((reason, face)) = state(pane) {
        let reason = text::fit(&reason, room.saturating_sub(needed), paint.glyphs.ellipsis);
        x = paint.text(x, area.y, room as u16, &reason, face) + GAP.len() as u16;
    }
    for hint in hints {
        if usize::from(x - area.x) + hint.width() > room + 1 {
            break;
        }
        x = paint.text(x, area.y, area.right() - x, &hint.key, Face::Key);
        x = paint.text(x, area.y, area.right() - x, &hint.word, Face::PaneStatus);
        x += GAP.len() as u16;
    }
}

/// What a person should know of an open line: it counts as use. Gives the cells it took.
fn draw_badge(paint: &mut Paint<'_>, area: Rect, pane: &Pane) -> usize {
    if !pane.keeps_alive || pane.state != State::Live {
        return 0;
    }
    let text = format!("{} keeps this session alive", paint.glyphs.on);
    paint.right(area.x, area.y, area.width - 1, &text, Face::Warning);
    text::width(&text) + GAP.len()
}

/// Between two hints.
const GAP: &str = "   ";

/// A key and what it does here.
struct Hint {
    key: String,
    word: String,
}

impl Hint {
    fn new(key: impl Into<String>, word: &str) -> Self {
        Self {
            key: key.into(),
            word: format!(" {word}"),
        }
    }

    fn width(&self) -> usize {
        text::width(&self.key) + text::width(&self.word)
    }
}

/// What is to be said about the line to the shell.
fn state(pane: &Pane) -> Option<(String, Face)> {
    match &pane.state {
        State::Opening | State::Live | State::Paused => None,
        State::Ended { why } => Some((why.to_string(), Face::Warning)),
        State::Lost { why, retry_at, .. } => {
            let how = if retry_at.is_some() {
                "trying again; Enter tries now"
            } else {
                "it opens again by itself"
            };
            Some((format!("{why}; {how}"), Face::Bad))
        }
    }
}

fn way_out(keymap: &Keymap) -> Vec<Hint> {
    let leaders = keymap.keys_for(Scope::Terminal, Action::TerminalLeader);
    let Some(leader) = leaders.first().map(|key| shown(key)) else {
        return Vec::new();
    };
    let hint = |action, word| {
        let keys = keymap.keys_for(Scope::Leader, action);
        let key = keys.first()?;
        Some(Hint::new(format!("{leader} {key}"), word))
    };
    let mut hints = Vec::new();
    hints.extend(hint(Action::PaneDetach, "back"));
    hints.extend(hint(Action::Help, "keys"));
    let others: Vec<String> = leaders.iter().skip(1).map(|key| shown(key)).collect();
    if !others.is_empty() {
        hints.push(Hint::new(others.join(", "), &format!("is {leader} too")));
    }
    hints.extend(hint(Action::PaneSendPrefix, "sends Ctrl-B"));
    hints
}

fn after_leader(keymap: &Keymap) -> Vec<Hint> {
    let bound = AFTER_LEADER.iter().filter_map(|(action, word)| {
        let keys = keymap.keys_for(Scope::Leader, *action);
        Some(Hint::new(shown(keys.first()?), word))
    });
    bound.collect()
}

fn hints_when_ended(keymap: &Keymap) -> Vec<Hint> {
    let mut hints = vec![Hint::new("Enter", "new"), Hint::new("Esc", "close")];
    if let Some(key) = keymap.keys_for(Scope::Global, Action::Quit).first() {
        hints.push(Hint::new(shown(key), "back to the list"));
    }
    hints
}

/// `ctrl-]` as people write it.
fn shown(key: &str) -> String {
    key.replace("ctrl-", "Ctrl-").replace("alt-", "Alt-")
}
