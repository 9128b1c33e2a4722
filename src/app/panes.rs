//! The open terminals: tabs over one screen part, one of them on top.

mod pane;
mod tabs;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    msg::{Button, Mouse, MouseKind, StreamEvent},
    step::{Go, Ids, Step},
};
use crate::{
    action::{Action, Scope},
    key::{Key, KeyCode},
    model::{
        id::{ContextName, SessionKey},
        text::Clean,
    },
    protocol::message::{Origin, StreamId},
    terminal::encode::{self, MouseButton, MouseEvent, MouseReport},
};

pub use pane::{Pane, Place, State};
pub use tabs::Tab;

#[derive(Debug, Default)]
pub struct Panes {
    list: Vec<Pane>,
    /// Position of the pane on top.
    active: usize,
    zoomed: bool,
    /// The leader was pressed: the next key is for us.
    leader: bool,
    /// Begins the terminal tags of this face.
    tag: String,
    /// Panes opened so far; makes tags unique.
    opened: u32,
    /// The last size given by the layout.
    size: Option<(u16, u16)>,
    /// The page is shown and the outer terminal has the focus.
    in_focus: bool,
    daemon_is_up: bool,
}

impl Panes {
    /// `tag` begins the terminal tags of this face.
    #[must_use]
    pub fn new(tag: &str) -> Self {
        Self {
            tag: tag.to_owned(),
            daemon_is_up: true,
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// In the order of the tabs.
    pub fn iter(&self) -> impl Iterator<Item = &Pane> {
        self.list.iter()
    }

    /// The pane on top.
    pub fn active(&self) -> Option<&Pane> {
        self.list.get(self.active)
    }

    pub fn active_position(&self) -> usize {
        self.active
    }

    /// How many panes show this session.
    pub fn open_in(&self, session: SessionKey) -> usize {
        let here = |pane: &&Pane| pane.place == Place::Session(session) && pane.takes_keys();
        self.list.iter().filter(here).count()
    }

    /// Full screen without tabs.
    pub fn is_zoomed(&self) -> bool {
        self.zoomed
    }

    /// Terminal (keys go to the child), Leader (after the leader), Panes (nothing runs in it).
    pub fn scope(&self) -> Scope {
        match self.active() {
            _ if self.leader => Scope::Leader,
            Some(pane) if pane.takes_keys() => Scope::Terminal,
            _ => Scope::Panes,
        }
    }

    /// To the session's pane, or opens one; an ended one is opened anew.
    /// `keeps_alive`: an open terminal counts as use of the session.
    pub fn open_session(
        &mut self,
        id: SessionKey,
        name: &Clean,
        keeps_alive: bool,
        ids: &mut Ids,
    ) -> Vec<Step> {
        let place = Place::Session(id);
        let steps = self.open(place, name, ids);
        for pane in self.list.iter_mut().filter(|pane| pane.place == place) {
            pane.keeps_alive = keeps_alive;
        }
        steps
    }

    /// Contexts told (again) whether open terminals count as use there.
    pub fn know_contexts(&mut self, keeps_alive: impl Fn(ContextName) -> bool) {
        for pane in &mut self.list {
            if let Place::Session(id) = pane.place {
                // A context that is away says nothing: what it said holds.
                pane.keeps_alive |= keeps_alive(id.context);
            }
        }
    }

    /// Which pane a person can see: the one on top while the page is shown.
    pub fn look(&mut self, on_page: bool, ids: &mut Ids, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for (at, pane) in self.list.iter_mut().enumerate() {
            let seen = on_page && at == self.active;
            // Without the daemon nothing can be opened; what is seen is when it is back.
            let ids = self.daemon_is_up.then_some(&mut *ids);
            steps.extend(pane.look(seen, ids, now));
        }
        steps
    }

    /// To the shell of this host, or opens one.
    pub fn open_host(&mut self, host: &str, ids: &mut Ids) -> Vec<Step> {
        self.open(Place::Host, &Clean::new(host), ids)
    }

    fn open(&mut self, place: Place, name: &Clean, ids: &mut Ids) -> Vec<Step> {
        self.leader = false;
        if let Some(at) = self.list.iter().position(|pane| pane.place == place) {
            let mut steps = self.show(at);
            let pane = &mut self.list[at];
            if !pane.takes_keys() {
                steps.push(pane.reopen(ids.stream()));
            }
            return steps;
        }
        self.opened += 1;
        let tag = format!("{}-{}", self.tag, self.opened);
        self.list
            .push(Pane::new(place, name.clone(), tag, ids.stream()));
        // It is opened by `set_size`: a shell never sees a size that is not its own.
        self.show(self.list.len() - 1)
    }

    /// Brings a pane to the top; the focus goes with it.
    fn show(&mut self, at: usize) -> Vec<Step> {
        if at >= self.list.len() {
            return Vec::new();
        }
        let mut steps = Vec::new();
        if at != self.active {
            steps.extend(self.report_focus(false));
            self.active = at;
            steps.extend(self.report_focus(true));
        }
        if let Some(pane) = self.list.get_mut(at) {
            pane.has_news = false;
        }
        steps
    }

    fn report_focus(&mut self, on: bool) -> Option<Step> {
        if !self.in_focus {
            return None;
        }
        let pane = self.list.get_mut(self.active)?;
        let report = encode::focus(on, pane.modes())?;
        pane.send(Origin::Focus, report.to_vec())
    }

    /// A session got another name.
    pub fn renamed(&mut self, id: SessionKey, name: &Clean) {
        for pane in &mut self.list {
            if pane.place == Place::Session(id) && pane.name != *name {
                pane.name = name.clone();
            }
        }
    }

    /// A key no scope has bound; `None` = not taken either.
    pub fn key(&mut self, key: Key, ids: &mut Ids, _now: Timestamp) -> Option<Vec<Step>> {
        if std::mem::take(&mut self.leader) {
            // Unknown after the leader: cancelled, and never typed by accident.
            return Some(Vec::new());
        }
        let pane = self.list.get_mut(self.active)?;
        if pane.is_reopen_key(key) {
            return Some(vec![pane.reopen(ids.stream())]);
        }
        if pane.takes_keys() {
            return Some(pane.type_key(key).into_iter().collect());
        }
        (key == Key::plain(KeyCode::Esc)).then(|| self.close_active())
    }

    /// An action of the scopes Terminal, Leader and Panes; `key` is what was pressed for it.
    pub fn action(&mut self, action: Action, key: Option<Key>) -> Vec<Step> {
        self.leader = action == Action::TerminalLeader;
        match action {
            Action::PaneDetach => vec![Step::Go(Go::Sessions)],
            Action::PaneClose => self.close_active(),
            Action::PaneNext => self.turn(1),
            Action::PanePrevious => self.turn(self.list.len().saturating_sub(1)),
            Action::PaneZoom => {
                self.zoomed = !self.zoomed;
                Vec::new()
            }
            Action::PaneLiteral => {
                let pane = self.list.get_mut(self.active);
                let typed = pane.and_then(|pane| pane.type_key(key?));
                typed.into_iter().collect()
            }
            Action::PaneSendPrefix => {
                let pane = self.list.get_mut(self.active);
                let typed = pane.and_then(|pane| pane.type_key(Key::ctrl('b')));
                typed.into_iter().collect()
            }
            _ => number(action).map_or_else(Vec::new, |at| self.show(at)),
        }
    }

    fn turn(&mut self, by: usize) -> Vec<Step> {
        let at = (self.active + by) % self.list.len().max(1);
        self.show(at)
    }

    /// Closes the pane on top; the shell behind it goes on.
    fn close_active(&mut self) -> Vec<Step> {
        if self.active >= self.list.len() {
            return vec![Step::Go(Go::Sessions)];
        }
        let pane = self.list.remove(self.active);
        let mut steps: Vec<Step> = pane.close().into_iter().collect();
        self.active = self.active.min(self.list.len().saturating_sub(1));
        if let Some(next) = self.list.get_mut(self.active) {
            next.has_news = false;
            steps.extend(self.report_focus(true));
        } else {
            self.zoomed = false;
            steps.push(Step::Go(Go::Sessions));
        }
        steps
    }

    pub fn paste(&mut self, text: &str) -> Vec<Step> {
        self.leader = false;
        let pane = self.list.get_mut(self.active);
        pane.and_then(|pane| pane.send(Origin::Typed, encode::paste(text, pane.modes())))
            .into_iter()
            .collect()
    }

    /// `tabs` and `cells`: where the tabs and the pane on top are.
    pub fn mouse(&mut self, mouse: Mouse, tabs: Rect, cells: Rect) -> Vec<Step> {
        let at = (mouse.column, mouse.row);
        if tabs.contains(at.into()) {
            let hit = |tab: &Tab| tab.area(tabs).contains(at.into());
            let clicked = mouse.kind == MouseKind::Press(Button::Left);
            let tab = self.tabs(tabs.width).into_iter().find(hit);
            return match tab {
                Some(tab) if clicked => self.show(tab.position),
                _ => Vec::new(),
            };
        }
        if !cells.contains(at.into()) {
            return Vec::new();
        }
        let origin = match mouse.kind {
            MouseKind::Moved => Origin::Motion,
            _ => Origin::Typed,
        };
        let report = report(mouse, cells);
        let pane = self.list.get_mut(self.active);
        pane.and_then(|pane| pane.send(origin, encode::mouse(report, pane.modes())?))
            .into_iter()
            .collect()
    }

    /// The outer terminal got or lost the focus, or the page was entered or left.
    pub fn focus(&mut self, on: bool) -> Vec<Step> {
        if on == self.in_focus {
            return Vec::new();
        }
        if !on {
            self.leader = false;
        }
        // Reported while the focus is ours: before it goes, after it came.
        self.in_focus = true;
        let step = self.report_focus(on);
        self.in_focus = on;
        if let Some(pane) = self.list.get_mut(self.active).filter(|_| on) {
            pane.has_news = false;
        }
        step.into_iter().collect()
    }

    /// `None` = not a stream of a pane.
    pub fn stream(
        &mut self,
        stream: StreamId,
        event: &StreamEvent,
        now: Timestamp,
    ) -> Option<Vec<Step>> {
        let at = self.list.iter().position(|pane| pane.stream == stream)?;
        let on_top = at == self.active;
        let pane = &mut self.list[at];
        let steps = pane.event(event, now);
        if on_top {
            pane.has_news = false;
            self.leader &= pane.takes_keys();
        }
        if !self.daemon_is_up && pane.retry_at().is_some() && pane.place != Place::Host {
            pane.lost(Clean::new("workbay's daemon is away"), None);
        }
        Some(steps)
    }

    /// The daemon answers (again).
    pub fn link_up(&mut self, ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        self.daemon_is_up = true;
        self.list
            .iter_mut()
            .filter(|pane| matches!(pane.state, State::Lost { .. }))
            .map(|pane| pane.reopen(ids.stream()))
            .collect()
    }

    pub fn link_down(&mut self, why: &Clean, _now: Timestamp) {
        self.daemon_is_up = false;
        for pane in &mut self.list {
            let paused = pane.state == State::Paused;
            if pane.place != Place::Host && pane.takes_keys() && !paused {
                pane.lost(why.clone(), None);
            }
        }
    }

    /// The size of the cells changed, or a pane was opened.
    pub fn set_size(&mut self, columns: u16, rows: u16) -> Vec<Step> {
        if columns == 0 || rows == 0 {
            return Vec::new();
        }
        self.size = Some((columns, rows));
        self.list
            .iter_mut()
            .filter_map(|pane| pane.set_size(columns, rows))
            .collect()
    }

    pub fn tick(&mut self, ids: &mut Ids, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for pane in &mut self.list {
            pane.emulator.tick(now);
            if pane.retry_at().is_some_and(|at| now >= at) {
                steps.push(pane.reopen(ids.stream()));
            }
        }
        steps
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        let update = self.active().and_then(|pane| pane.emulator.wake_at());
        let retries = self.list.iter().filter_map(Pane::retry_at);
        let pauses = self.list.iter().filter_map(Pane::pause_at);
        retries.chain(pauses).chain(update).min()
    }

    /// What is left to close when the face leaves.
    pub fn close_all(&mut self) -> Vec<Step> {
        self.list
            .drain(..)
            .filter_map(|pane| pane.close())
            .collect()
    }
}

/// The position an action like `pane.3` means.
fn number(action: Action) -> Option<usize> {
    [
        Action::WindowOne,
        Action::WindowTwo,
        Action::WindowThree,
        Action::WindowFour,
        Action::WindowFive,
        Action::WindowSix,
        Action::WindowSeven,
        Action::WindowEight,
        Action::WindowNine,
    ]
    .into_iter()
    .position(|numbered| numbered == action)
}

fn report(mouse: Mouse, cells: Rect) -> MouseReport {
    let button = |button: Button| match button {
        Button::Left => MouseButton::Left,
        Button::Middle => MouseButton::Middle,
        Button::Right => MouseButton::Right,
    };
    MouseReport {
        event: match mouse.kind {
            MouseKind::Press(b) => MouseEvent::Press(button(b)),
            MouseKind::Release(b) => MouseEvent::Release(button(b)),
            MouseKind::Drag(b) => MouseEvent::Drag(button(b)),
            MouseKind::Moved => MouseEvent::Moved,
            MouseKind::WheelUp => MouseEvent::WheelUp,
            MouseKind::WheelDown => MouseEvent::WheelDown,
        },
        column: mouse.column - cells.x,
        row: mouse.row - cells.y,
        ctrl: mouse.ctrl,
        alt: mouse.alt,
        shift: mouse.shift,
    }
}

#[cfg(test)]
mod tests;
