//! What a pane shows of its tmux: windows, the position in copy mode, and prompts.

use ratatui::layout::Rect;

use super::PaneHint;
use crate::{
    action::{Action, Scope},
    app::panes::{Copied, PanePrompt, window_tabs},
    keymap::Keymap,
    terminal::control::{CopyMode, Group},
    theme::face::Face,
    view::{paint::Paint, text},
};

/// Paints the windows as tabs. Returns the column after them.
pub fn draw_tabs(paint: &mut Paint<'_>, area: Rect, group: &Group, has_keys: bool) -> u16 {
    let mut end = area.x;
    for tab in window_tabs(group, area.width) {
        let place = tab.area(area);
        let face = match (tab.active, tab.unseen) {
            (true, _) if has_keys => Face::TabActive,
            (false, _) if tab.rang => Face::Warning,
            // New output isn't an alarm, so it only differs from quiet windows.
            (false, true) => Face::Text,
            _ => Face::Tab,
        };
        end = paint.text(place.x, place.y, place.width, &tab.label, face);
    }
    end
}

/// The prompt in the status line, with the typed text.
pub fn draw_prompt(paint: &mut Paint<'_>, area: Rect, prompt: &PanePrompt) {
    let hints = if prompt.is_typed() {
        [
            PaneHint::new("Enter", tr!("accept")),
            PaneHint::new("Esc", tr!("cancel")),
        ]
    } else {
        [
            PaneHint::new("y", tr!("yes")),
            PaneHint::new("n", tr!("no")),
        ]
    };
    let wanted: usize = hints
        .iter()
        .map(|hint| hint.width() + super::GAP.len())
        .sum();
    let room = usize::from(area.width).saturating_sub(wanted + 2);
    let label = text::fit(&prompt.label(), room, paint.glyphs.ellipsis);
    let mut x = paint.text(area.x + 1, area.y, area.width, &label, Face::Accent) + 1;
    if prompt.is_typed() {
        let hints_at = area.right().saturating_sub(wanted as u16);
        let field = Rect::new(x, area.y, hints_at.saturating_sub(x), 1);
        paint.fill(field, Face::InputFocused);
        paint.input(field, &prompt.input, true);
        x = hints_at;
    }
    x += super::GAP.len() as u16;
    for hint in &hints {
        x = super::draw_hint(paint, x, area, hint);
    }
}

/// The position in the scrollback of copy mode.
pub(super) fn place(at: CopyMode) -> String {
    let grouped = text::grouped;
    tr!(
        "line {line} of {lines}",
        line = grouped(at.line),
        lines = grouped(at.lines)
    )
}

/// The most important keys of copy mode.
pub(super) fn copy_hints(at: CopyMode) -> Vec<PaneHint> {
    let keys = if at.vi {
        [
            ("Space", tr!("mark")),
            ("Enter", tr!("copy")),
            ("/ ?", tr!("search")),
            ("g G", tr!("top, bottom")),
            ("q", tr!("leave")),
        ]
    } else {
        [
            ("Ctrl-Space", tr!("mark")),
            ("Alt-w", tr!("copy")),
            ("Ctrl-s Ctrl-r", tr!("search")),
            ("Alt-< Alt->", tr!("top, bottom")),
            ("q", tr!("leave")),
        ]
    };
    // The key that leaves copy mode is first, so that it is never cut.
    let mut hints: Vec<PaneHint> = keys
        .into_iter()
        .map(|(key, word)| PaneHint::new(key, word))
        .collect();
    hints.rotate_right(1);
    hints
}

/// The text that a program wants to put in the clipboard, with the keys to decide.
pub(super) fn draw_held(paint: &mut Paint<'_>, area: Rect, held: &Copied, keymap: &Keymap) {
    let leader = keymap.keys_for(Scope::Terminal, Action::TerminalLeader);
    let leader = leader
        .first()
        .map(|key| super::shown(key))
        .unwrap_or_default();
    let hint = |action, word| {
        let keys = keymap.keys_for(Scope::Leader, action);
        Some(PaneHint::new(format!("{leader} {}", keys.first()?), word))
    };
    let hints = [
        hint(Action::PaneAllowClipboard, tr!("allow")),
        hint(Action::PaneRefuseClipboard, tr!("refuse")),
    ];
    let hints: Vec<PaneHint> = hints.into_iter().flatten().collect();
    let wanted: usize = hints
        .iter()
        .map(|hint| hint.width() + super::GAP.len())
        .sum();
    let room = usize::from(area.width).saturating_sub(wanted + 2);
    let bytes = text::grouped(held.text.len() as u64);
    let variants = [
        tr!(
            "a program in {name} wants your clipboard: {bytes} bytes",
            name = held.name,
            bytes
        ),
        tr!(
            "{name} wants your clipboard: {bytes} bytes",
            name = held.name,
            bytes
        ),
        tr!(
            "clipboard: {bytes} bytes from {name}",
            bytes,
            name = held.name
        ),
    ];
    let fits = |variant: &&String| text::width(variant) <= room;
    let said = variants.iter().find(fits).unwrap_or(&variants[2]);
    let said = text::fit(said, room, paint.glyphs.ellipsis);
    let mut x = paint.text(area.x + 1, area.y, area.width, &said, Face::Warning);
    x += super::GAP.len() as u16;
    for hint in &hints {
        x = super::draw_hint(paint, x, area, hint);
    }
}
