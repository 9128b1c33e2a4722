//! The open terminals: tabs, cells, status line.

use super::{
    cells,
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
    (Action::PaneDetach, "back to the list"),
    (Action::PaneNext, "next"),
    (Action::PanePrevious, "previous"),
    (Action::PaneZoom, "zoom"),
    (Action::PaneSendPrefix, "send Ctrl-B"),
    (Action::PaneClose, "close"),
    (Action::Help, "keys"),
    (Action::PaneLiteral, "send the leader"),
];

/// Paints the page of the terminals and sets `paint.cursor`.
pub fn draw(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes, keymap: &Keymap) {
    draw_tabs(paint, areas, panes);
    let Some(pane) = panes.active() else { return };
    match &pane.state {
        State::Opening => {
            let text = match pane.place {
                Place::Session(_) => format!("opening shell in {}{}", pane.name, "..."),
                Place::Host => format!("opening a shell on {}{}", pane.name, "..."),
            };
            let middle = areas.pane.y + areas.pane.height / 2;
            paint.centred(areas.pane, middle, &text, Face::Dim);
        }
        State::Live => paint.cursor = cells::paint(&pane.emulator, areas.pane, paint.buffer),
        State::Ended { .. } | State::Lost { .. } => {
            cells::paint(&pane.emulator, areas.pane, paint.buffer);
            paint.fill(areas.pane, Face::Shade);
        }
    }
    draw_status(paint, areas, panes, pane, keymap);
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

fn draw_status(paint: &mut Paint<'_>, areas: &Areas, panes: &Panes, pane: &Pane, keymap: &Keymap) {
    let area = areas.pane_status;
    let mut pieces = state(pane);
    let hints = if panes.scope() == Scope::Leader {
        after_leader(keymap)
    } else if pane.takes_keys() {
        way_out(keymap)
    } else {
        hints_when_ended(keymap)
    };
    if !pieces.is_empty() {
        pieces.push(("   ".to_owned(), Face::PaneStatus));
    }
    let room = usize::from(area.width.saturating_sub(2));
    // The way out matters more than the reason: that one is cut.
    let taken: usize = pieces.iter().map(|(text, _)| text::width(text)).sum();
    let wanted: usize = hints
        .iter()
        .take(4)
        .map(|(text, _)| text::width(text))
        .sum();
    if taken + wanted > room
        && let Some((reason, _)) = pieces.first_mut()
    {
        let keep = room.saturating_sub(wanted + 3);
        *reason = text::fit(reason, keep, paint.glyphs.ellipsis);
    }
    pieces.extend(hints);
    paint.fill(area, Face::PaneStatus);
    paint.pieces(area.x + 1, area.y, area.width.saturating_sub(2), &pieces);
}

/// What is to be said about the line to the shell.
fn state(pane: &Pane) -> Vec<Piece> {
    match &pane.state {
        State::Opening | State::Live => Vec::new(),
        State::Ended { why } => vec![(why.to_string(), Face::Warning)],
        State::Lost {
            why,
            attempt,
            retry_at,
        } => {
            let how = if retry_at.is_some() {
                format!("opening it again, attempt {attempt}")
            } else {
                "opening it again when the daemon is back".to_owned()
            };
            vec![
                (why.to_string(), Face::Bad),
                (format!("; {how}"), Face::PaneStatus),
            ]
        }
    }
}

fn way_out(keymap: &Keymap) -> Vec<Piece> {
    let leaders = keymap.keys_for(Scope::Terminal, Action::TerminalLeader);
    let Some(leader) = leaders.first() else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    let hints = [(Action::PaneDetach, "back"), (Action::Help, "keys")];
    for (action, word) in hints {
        if let Some(key) = keymap.keys_for(Scope::Leader, action).first() {
            pieces.push((format!("{} {key}", shown(leader)), Face::Key));
            pieces.push((format!(" {word}   "), Face::PaneStatus));
        }
    }
    let others: Vec<String> = leaders.iter().skip(1).map(|key| shown(key)).collect();
    if !others.is_empty() {
        pieces.push((others.join(", "), Face::Key));
        pieces.push((format!(" is {} too   ", shown(leader)), Face::PaneStatus));
    }
    if let Some(key) = keymap
        .keys_for(Scope::Leader, Action::PaneSendPrefix)
        .first()
    {
        pieces.push((format!("{} {key}", shown(leader)), Face::Key));
        pieces.push((" Ctrl-B for the tmux inside".to_owned(), Face::PaneStatus));
    }
    pieces
}

fn after_leader(keymap: &Keymap) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (action, word) in AFTER_LEADER {
        if let Some(key) = keymap.keys_for(Scope::Leader, *action).first() {
            pieces.push((shown(key), Face::Key));
            pieces.push((format!(" {word}   "), Face::PaneStatus));
        }
    }
    pieces
}

fn hints_when_ended(keymap: &Keymap) -> Vec<Piece> {
    let mut pieces = vec![
        ("Enter".to_owned(), Face::Key),
        (" new   ".to_owned(), Face::PaneStatus),
        ("Esc".to_owned(), Face::Key),
        (" close   ".to_owned(), Face::PaneStatus),
    ];
    if let Some(key) = keymap.keys_for(Scope::Global, Action::Quit).first() {
        pieces.push((shown(key), Face::Key));
        pieces.push((" back to the list".to_owned(), Face::PaneStatus));
    }
    pieces
}

/// `ctrl-]` as people write it.
fn shown(key: &str) -> String {
    key.replace("ctrl-", "Ctrl-").replace("alt-", "Alt-")
}
