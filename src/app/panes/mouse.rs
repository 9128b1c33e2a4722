//! Handles the mouse in the terminal view: tabs, borders, and reports to programs.

use jiff::Timestamp;
use ratatui::layout::{Position, Rect};

use super::{Border, PaneArea, PaneId, Panes, TabLabel};
use crate::{
    app::{
        msg::{Button, Mouse, MouseKind},
        step::Step,
    },
    protocol::message::Origin,
    terminal::encode::{self, MouseButton, MouseEvent, MouseReport},
};

/// Where the held mouse button was pressed. Its movements belong to that place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum PressedPlace {
    #[default]
    Nothing,
    Pane(PaneId),
    /// A border, by its number.
    Border(usize),
}

/// The positions of everything in the view.
#[derive(Clone, Copy, Debug)]
pub struct MouseLayout<'a> {
    pub tabs: Rect,
    pub panes: &'a [PaneArea],
    pub borders: &'a [Border],
}

impl Panes {
    pub fn mouse(&mut self, mouse: Mouse, ground: MouseLayout<'_>, now: Timestamp) -> Vec<Step> {
        let at = Position::new(mouse.column, mouse.row);
        if self.quick_select().is_some() {
            if matches!(mouse.kind, MouseKind::Press(_)) {
                self.end_quick_select();
            }
            return Vec::new();
        }
        match (self.held, mouse.kind) {
            (PressedPlace::Border(border), MouseKind::Drag(_)) => {
                return self.drag_border(border, at);
            }
            (PressedPlace::Border(_), MouseKind::Release(_)) => {
                self.held = PressedPlace::Nothing;
                return Vec::new();
            }
            (PressedPlace::Pane(id), MouseKind::Drag(_) | MouseKind::Release(_)) => {
                if matches!(mouse.kind, MouseKind::Release(_)) {
                    self.held = PressedPlace::Nothing;
                }
                let place = ground.panes.iter().find(|it| it.pane == id);
                return place.map_or_else(Vec::new, |it| self.send_mouse(mouse, it, now));
            }
            // The press began elsewhere.
            (PressedPlace::Nothing, MouseKind::Drag(_) | MouseKind::Release(_)) => {
                return Vec::new();
            }
            _ => {}
        }
        if ground.tabs.contains(at) {
            return self.click_tab(mouse, ground.tabs);
        }
        let pressed = matches!(mouse.kind, MouseKind::Press(_));
        let border = ground.borders.iter().find(|it| it.area.contains(at));
        if let Some(border) = border.filter(|_| pressed) {
            self.held = PressedPlace::Border(border.split);
        }
        let within =
            |it: &&PaneArea| it.cells.contains(at) || it.head.is_some_and(|head| head.contains(at));
        let Some(place) = ground.panes.iter().find(within) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        if pressed {
            self.leader = false;
            steps.extend(self.show(place.pane));
            let head = place.head.filter(|head| head.contains(at));
            let window = head.and_then(|head| self.window_at(self.pane(place.pane)?, head, at));
            steps.extend(
                window
                    .into_iter()
                    .flat_map(|index| self.select_window(index)),
            );
        }
        if place.cells.contains(at) {
            if pressed {
                self.held = PressedPlace::Pane(place.pane);
            }
            steps.extend(self.send_mouse(mouse, place, now));
        }
        steps
    }

    fn click_tab(&mut self, mouse: Mouse, tabs: Rect) -> Vec<Step> {
        let at = Position::new(mouse.column, mouse.row);
        let hit = |label: &TabLabel| label.area(tabs).contains(at);
        let clicked = mouse.kind == MouseKind::Press(Button::Left);
        let label = self.tab_labels(tabs.width).into_iter().find(hit);
        let tab = label
            .filter(|_| clicked)
            .and_then(|label| self.tabs.get(label.position));
        let focus = tab.map(|tab| tab.focus);
        focus.map_or_else(Vec::new, |id| self.show(id))
    }

    fn drag_border(&mut self, border: usize, to: Position) -> Vec<Step> {
        let Some(page) = self.page else {
            return Vec::new();
        };
        if let Some(tab) = self.tab() {
            let area = self.area_of(tab, page);
            self.tabs[self.active].tree.drag_border(border, to, area);
        }
        Vec::new()
    }

    /// Reports the event to the program in a pane, if the program has requested it. A drag that leaves the
    /// pane is reported at its edge.
    fn send_mouse(&mut self, mouse: Mouse, place: &PaneArea, now: Timestamp) -> Vec<Step> {
        let origin = match mouse.kind {
            MouseKind::Moved => Origin::Motion,
            _ => Origin::Typed,
        };
        let Some(report) = report(mouse, place.cells) else {
            return Vec::new();
        };
        let pane = self.list.iter_mut().find(|pane| pane.id == place.pane);
        let sent = pane.and_then(|pane| pane.send(origin, encode::mouse(report, pane.modes())?));
        let Some(sent) = sent else {
            return Vec::new();
        };
        let mut steps = self.watch_mouse(mouse, place.pane, now);
        steps.push(sent);
        steps
    }
}

/// Returns `None` if the pane has no cells.
fn report(mouse: Mouse, cells: Rect) -> Option<MouseReport> {
    let button = |button: Button| match button {
        Button::Left => MouseButton::Left,
        Button::Middle => MouseButton::Middle,
        Button::Right => MouseButton::Right,
    };
    let within =
        |at: u16, from: u16, size: u16| at.saturating_sub(from).min(size.saturating_sub(1));
    (!cells.is_empty()).then(|| MouseReport {
        event: match mouse.kind {
            MouseKind::Press(b) => MouseEvent::Press(button(b)),
            MouseKind::Release(b) => MouseEvent::Release(button(b)),
            MouseKind::Drag(b) => MouseEvent::Drag(button(b)),
            MouseKind::Moved => MouseEvent::Moved,
            MouseKind::WheelUp => MouseEvent::WheelUp,
            MouseKind::WheelDown => MouseEvent::WheelDown,
        },
        column: within(mouse.column, cells.x, cells.width),
        row: within(mouse.row, cells.y, cells.height),
        ctrl: mouse.ctrl,
        alt: mouse.alt,
        shift: mouse.shift,
    })
}
