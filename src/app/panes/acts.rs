//! Key actions on panes: typing, tabs, panes side by side.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{Axis, PaneId, PaneTab, Panes, ShellPlace, tree::Side};
use crate::{
    action::Action,
    app::step::{Go, Ids, Step},
    key::{Key, KeyCode},
    model::{notice::Level, shell_start::ShellStart, text::Clean},
    protocol::message::Origin,
    terminal::encode,
};

/// Cells of one step of a border.
const COLUMNS_AT_ONCE: u16 = 4;
const ROWS_AT_ONCE: u16 = 2;

impl Panes {
    /// Handles a key that no scope binds. Returns `None` if it isn't used.
    pub fn key(&mut self, key: Key, ids: &mut Ids, now: Timestamp) -> Option<Vec<Step>> {
        if std::mem::take(&mut self.leader) {
            // An unknown key after the leader key cancels it, and is never typed by accident.
            return Some(Vec::new());
        }
        if std::mem::take(&mut self.moving)
            && let Some(side) = arrow(key)
        {
            return Some(self.move_border(side));
        }
        if let Some(steps) = self.quick_key(key) {
            return Some(steps);
        }
        if self.prompt().is_some() {
            return self.type_answer(key);
        }
        let pane = self.active_mut()?;
        if pane.is_reopen_key(key) {
            return Some(vec![pane.reopen(ids.stream())]);
        }
        if pane.takes_keys() {
            return Some(self.type_to_active(key, now));
        }
        (key == Key::plain(KeyCode::Esc)).then(|| self.close_active())
    }

    /// Handles an action of the scopes Terminal, Leader and Panes. `key` is the pressed key.
    pub fn action(
        &mut self,
        action: Action,
        key: Option<Key>,
        ids: &mut Ids,
        now: Timestamp,
    ) -> Vec<Step> {
        self.leader = action == Action::TerminalLeader;
        self.moving = false;
        if let Some(steps) = self.quick_action(action) {
            return steps;
        }
        if let Some(steps) = self.floating_action(action) {
            return steps;
        }
        if let Some(why) = self.why_nothing(action) {
            return vec![Step::toast(Level::Info, why)];
        }
        match action {
            Action::PaneDetach => vec![Step::Go(Go::Sessions)],
            Action::PaneClose => self.close_active(),
            Action::PaneNext => self.turn(1),
            Action::PanePrevious => self.turn(self.tabs.len().saturating_sub(1)),
            Action::PaneZoom => self.zoom(),
            Action::PaneMark => self.toggle_pane_mark(),
            Action::PaneRecord => self.toggle_recording(now),
            Action::PaneQuickSelect => self.begin_quick_select(),
            Action::PaneSplitRight => self.split(Axis::Beside, ids),
            Action::PaneSplitBelow => self.split(Axis::Below, ids),
            Action::PaneLeft => self.look_to(Side::Left),
            Action::PaneDown => self.look_to(Side::Down),
            Action::PaneUp => self.look_to(Side::Up),
            Action::PaneRight => self.look_to(Side::Right),
            Action::PaneGrowLeft => self.move_border(Side::Left),
            Action::PaneGrowDown => self.move_border(Side::Down),
            Action::PaneGrowUp => self.move_border(Side::Up),
            Action::PaneGrowRight => self.move_border(Side::Right),
            Action::PaneLiteral => key.map_or_else(Vec::new, |key| self.type_to_active(key, now)),
            Action::PaneSendPrefix => self.type_to_active(Key::ctrl('b'), now),
            _ => self.window_action(action).unwrap_or_default(),
        }
    }

    /// Why an action about several panes has no effect.
    fn why_nothing(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::PaneNext | Action::PanePrevious if self.tabs.len() < 2 => {
                Some(tr!("no other shell is open"))
            }
            Action::PaneLeft
            | Action::PaneDown
            | Action::PaneUp
            | Action::PaneRight
            | Action::PaneGrowLeft
            | Action::PaneGrowDown
            | Action::PaneGrowUp
            | Action::PaneGrowRight => {
                let tab = self.tabs.get(self.active)?;
                (tab.panes().len() < 2).then_some(tr!("no other pane is on this screen"))
            }
            _ => None,
        }
    }

    fn type_to_active(&mut self, key: Key, now: Timestamp) -> Vec<Step> {
        let mut steps = self.watch_key(key, now);
        let into = self.typed_into();
        let panes = self.list.iter_mut().filter(|pane| into.contains(&pane.id));
        steps.extend(panes.filter_map(|pane| pane.type_key(key)));
        steps
    }

    /// Shows another tab.
    fn turn(&mut self, by: usize) -> Vec<Step> {
        let at = (self.active + by) % self.tabs.len().max(1);
        let focus = self.tabs.get(at).map(|tab| tab.focus);
        focus.map_or_else(Vec::new, |id| self.show(id))
    }

    fn zoom(&mut self) -> Vec<Step> {
        if let Some(tab) = self.tabs.get_mut(self.active) {
            tab.zoomed = !tab.zoomed;
        }
        self.mark_seen();
        Vec::new()
    }

    /// The area of the shown tab.
    fn area(&self) -> Option<(Rect, &PaneTab)> {
        let tab = self.tab()?;
        Some((self.area_of(tab, self.page?), tab))
    }

    /// Focuses the pane on that side, even if a pane fills the view.
    fn look_to(&mut self, side: Side) -> Vec<Step> {
        let found = self
            .area()
            .and_then(|(area, tab)| tab.tree.beside(tab.focus, side, area));
        let Some(pane) = found else {
            return Vec::new();
        };
        self.unzoom();
        self.show(pane)
    }

    fn unzoom(&mut self) {
        if let Some(tab) = self.tabs.get_mut(self.active) {
            tab.zoomed = false;
        }
    }

    /// Moves a border of the focused pane. Arrow keys continue to move it until another key is pressed.
    fn move_border(&mut self, side: Side) -> Vec<Step> {
        let Some((area, _)) = self.area() else {
            return Vec::new();
        };
        let cells = match side {
            Side::Left | Side::Right => COLUMNS_AT_ONCE,
            Side::Down | Side::Up => ROWS_AT_ONCE,
        };
        let tab = &mut self.tabs[self.active];
        self.moving = !tab.zoomed && tab.tree.push_border(tab.focus, side, cells, area);
        Vec::new()
    }

    /// Whether arrows move a border now.
    pub fn is_moving_border(&self) -> bool {
        self.moving
    }

    /// Opens a new shell next to or below the focused pane, in the same place.
    fn split(&mut self, axis: Axis, ids: &mut Ids) -> Vec<Step> {
        let Some(pane) = self.active() else {
            return Vec::new();
        };
        let (place, name, keeps_alive) = (pane.place, pane.name.clone(), pane.keeps_alive);
        self.open_beside(place, &name, keeps_alive, axis, ids)
    }

    /// Opens a new pane for a place, in half of the focused pane's area.
    pub fn open_beside(
        &mut self,
        place: ShellPlace,
        name: &Clean,
        keeps_alive: bool,
        axis: Axis,
        ids: &mut Ids,
    ) -> Vec<Step> {
        self.unzoom();
        let Some((area, tab)) = self.area() else {
            return self.open(place, name, ids);
        };
        let mut tree = tab.tree.clone();
        let new = PaneId(self.opened + 1);
        if !tree.split(tab.focus, new, axis, area) {
            let text = tr!("pane too small to split: each half needs 20 columns and 4 rows");
            return vec![Step::toast(Level::Warning, text)];
        }
        let is_open = self.list.iter().any(|pane| pane.place == place);
        let id = self.add(place, name, ids);
        if let Some(pane) = self.list.last_mut() {
            pane.keeps_alive = keeps_alive;
            // Two views of one window would only mirror each other.
            pane.start.fresh = is_open;
        }
        self.tabs[self.active].tree = tree;
        self.show(id)
    }

    /// Opens a shell with the chosen settings, on a tab of its own.
    pub fn open_as(
        &mut self,
        place: ShellPlace,
        name: &Clean,
        keeps_alive: bool,
        start: ShellStart,
        ids: &mut Ids,
    ) -> Vec<Step> {
        let id = self.add(place, name, ids);
        if let Some(pane) = self.list.last_mut() {
            pane.keeps_alive = keeps_alive;
            pane.start = start;
        }
        self.tabs.push(PaneTab::new(id));
        self.show(id)
    }

    /// Focuses a pane. If its shell has ended, it is reopened.
    pub fn go_to(&mut self, id: PaneId, ids: &mut Ids) -> Vec<Step> {
        let mut steps = self.show(id);
        if let Some(pane) = self.active_mut().filter(|pane| pane.can_reopen()) {
            steps.push(pane.reopen(ids.stream()));
        }
        steps
    }

    /// Closes the focused pane. Its shell keeps running.
    pub(super) fn close_active(&mut self) -> Vec<Step> {
        match self.active().map(|pane| pane.id) {
            Some(id) => self.close_pane(id),
            None => vec![Step::Go(Go::Sessions)],
        }
    }

    /// Closes a pane. Its neighbors take its room.
    pub(super) fn close_pane(&mut self, id: PaneId) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        if let Some(at) = self.position(id) {
            steps.extend(self.list.remove(at).close());
        }
        steps.extend(self.forget_floating(id));
        let contains = |tab: &PaneTab| tab.panes().contains(&id);
        let Some(at) = self.tabs.iter().position(contains) else {
            return steps;
        };
        let had_keys = at == self.active && self.tabs[at].focus == id;
        match self.tabs.remove(at).without(id) {
            Some(rest) => self.tabs.insert(at, rest),
            None if at < self.active => self.active -= 1,
            None => self.active = self.active.min(self.tabs.len().saturating_sub(1)),
        }
        if self.tabs.is_empty() {
            steps.push(Step::Go(Go::Sessions));
        } else if had_keys {
            self.leader = false;
            self.mark_seen();
            steps.extend(self.report_focus(true));
        }
        if let Some(page) = self.page {
            steps.extend(self.set_page(page));
        }
        steps
    }

    pub fn paste(&mut self, text: &str) -> Vec<Step> {
        self.leader = false;
        self.moving = false;
        // Nothing may reach the shell while the keys choose a label.
        if self.quick_select().is_some() {
            return Vec::new();
        }
        if self.prompt().is_some() {
            return self.paste_answer(text);
        }
        if self.asks_before_paste(text) {
            return Vec::new();
        }
        self.paste_now(text)
    }

    /// Closes without asking for confirmation.
    pub(super) fn paste_now(&mut self, text: &str) -> Vec<Step> {
        let into = self.typed_into();
        let panes = self.list.iter_mut().filter(|pane| into.contains(&pane.id));
        panes
            .filter_map(|pane| pane.send(Origin::Typed, encode::paste(text, pane.modes())))
            .collect()
    }
}

fn arrow(key: Key) -> Option<Side> {
    if key.alt || key.shift {
        return None;
    }
    match key.code {
        KeyCode::Left => Some(Side::Left),
        KeyCode::Down => Some(Side::Down),
        KeyCode::Up => Some(Side::Up),
        KeyCode::Right => Some(Side::Right),
        _ => None,
    }
}
