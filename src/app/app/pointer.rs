//! Handles the mouse. Everything is also possible with keys.

use jiff::{SignedDuration, Timestamp};
use ratatui::layout::{Position, Rect};

use super::App;
use crate::{
    action::Action,
    app::{
        focus::Focus,
        msg::{Button, Mouse, MouseKind},
        panes::MouseLayout,
        sessions::sort::SortOrder,
        step::Step,
    },
    model::status::Tab,
};

/// Two clicks on a row within this time open it.
const DOUBLE_CLICK: SignedDuration = SignedDuration::from_millis(400);
/// Lines that one turn of the wheel scrolls.
const WHEEL: isize = 3;

impl App {
    pub(super) fn pointer(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Panes => {
                let floating = self.areas.floating_pane.as_ref();
                if let Some(floating) = floating.filter(|_| self.panes.is_floating()) {
                    let ground = MouseLayout {
                        tabs: Rect::ZERO,
                        panes: std::slice::from_ref(floating),
                        borders: &[],
                    };
                    return self.panes.mouse(mouse, ground, now);
                }
                let ground = MouseLayout {
                    tabs: self.areas.pane_tabs,
                    panes: &self.areas.panes,
                    borders: &self.areas.pane_borders,
                };
                return self.panes.mouse(mouse, ground, now);
            }
            Focus::Logs => {
                return match &mut self.logs {
                    Some(logs) => logs.mouse(mouse),
                    None => Vec::new(),
                };
            }
            _ => {}
        }
        match mouse.kind {
            MouseKind::WheelDown => self.wheel(mouse, WHEEL, now),
            MouseKind::WheelUp => self.wheel(mouse, -WHEEL, now),
            MouseKind::Press(Button::Left) => return self.click(mouse, now),
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, mouse: Mouse, by: isize, now: Timestamp) {
        match &mut self.detail {
            _ if self.panels.dialog().is_some() => {
                self.with_panel(now, |top, env| top.wheel(by, env));
            }
            Some(detail) if self.areas.detail.is_some_and(|area| hits(area, mouse)) => {
                detail.move_by(by);
            }
            _ => self.sessions.scroll(by),
        }
    }

    fn click(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        if self.panels.dialog().is_none() {
            return self.click_page(mouse, now);
        }
        let at = Position::new(mouse.column, mouse.row);
        match self.areas.dialog.as_ref().map(|it| it.part(at)) {
            Some(part) => self.on_panel(now, |top, env| top.click(part, env)),
            None => Vec::new(),
        }
    }

    fn click_page(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        for (tab, area) in Tab::ALL.into_iter().zip(self.areas.tab_titles) {
            if hits(area, mouse) {
                self.go_to_tab(tab);
                return Vec::new();
            }
        }
        if let (Some(detail), Some(area)) = (&mut self.detail, self.areas.detail)
            && hits(area, mouse)
        {
            detail.focused = true;
            return Vec::new();
        }
        let titles = &self.areas.column_titles;
        if let Some((column, _)) = titles.iter().find(|(_, area)| hits(*area, mouse)) {
            let now = self.sessions.order();
            let order = if now.column == *column {
                now.reversed()
            } else {
                SortOrder::by(*column)
            };
            self.sessions.sort(order);
            return Vec::new();
        }
        if hits(self.areas.rows, mouse) {
            let row = usize::from(mouse.row - self.areas.rows.y);
            return self.click_row(row, mouse.ctrl, now);
        }
        Vec::new()
    }

    /// Selects a row, or marks it, and opens it with a second click.
    fn click_row(&mut self, row: usize, marks: bool, now: Timestamp) -> Vec<Step> {
        let Some(id) = self.sessions.visible().get(row).copied() else {
            return Vec::new();
        };
        self.sessions.go_to(self.sessions.offset() + row);
        if let Some(detail) = &mut self.detail {
            detail.focused = false;
            if let Some(session) = id.session() {
                detail.follow(session);
            }
        }
        let session = id.session().and_then(|id| self.mirror.session(id));
        if marks && let Some(session) = session {
            self.sessions.marks.toggle(session);
            self.clicked = None;
            return Vec::new();
        }
        let again = self
            .clicked
            .is_some_and(|(last, at)| last == id && now.duration_since(at) <= DOUBLE_CLICK);
        self.clicked = (!again).then_some((id, now));
        if again {
            let scope = self.scope();
            return self.action(scope, Action::SessionOpen, None, now);
        }
        Vec::new()
    }
}

fn hits(area: Rect, mouse: Mouse) -> bool {
    area.contains(Position::new(mouse.column, mouse.row))
}
