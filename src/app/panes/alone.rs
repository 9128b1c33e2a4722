//! Keeps each window in a single pane. A second view would have another size, and tmux would fill one of the
//! two with dots. A split closes when its shell ends.

use super::{Pane, PaneId, PaneState, PaneTab, Panes, ShellPlace, control::CommandPurpose};
use crate::{
    app::step::Step,
    model::notice::Level,
    terminal::control::{Command, Group, Target},
};

impl Panes {
    /// The windows of a pane that has its own tmux session, so that no other client chooses its window.
    fn own_windows(&self, pane: &Pane) -> Option<&Group> {
        let own = pane.tmux_session();
        self.windows(pane).filter(|group| group.session == own)
    }

    /// The number of the window that a pane shows.
    fn shows(&self, pane: &Pane) -> Option<u32> {
        Some(self.own_windows(pane)?.active()?.index)
    }

    /// The other open pane of the same container that shows a window. `but` is excluded.
    fn holder(&self, place: ShellPlace, index: u32, but: PaneId) -> Option<PaneId> {
        let others = |pane: &&Pane| pane.place == place && pane.id != but;
        let mut others = self.list.iter().filter(others);
        let found = others.find(|pane| self.shows(pane) == Some(index))?;
        Some(found.id)
    }

    /// Whether another pane shows this window of a pane's container.
    pub fn is_elsewhere(&self, pane: &Pane, index: u32) -> bool {
        self.holder(pane.place, index, pane.id).is_some()
    }

    /// Shows a window in the focused pane, or goes to the pane that already shows it.
    pub fn select_window(&mut self, index: u32) -> Vec<Step> {
        let held = self
            .active()
            .and_then(|pane| self.holder(pane.place, index, pane.id));
        match held {
            Some(pane) => self.show(pane),
            None => self.leave_copy_mode(|target| Command::select_window(target, index)),
        }
    }

    /// Shows the next or previous window that no other pane shows.
    pub(super) fn turn_window(&mut self, forward: bool) -> Vec<Step> {
        let known = self.active().and_then(|pane| {
            // With a single pane for the container, tmux chooses the window.
            self.list
                .iter()
                .find(|it| it.place == pane.place && it.id != pane.id)?;
            let group = self.own_windows(pane)?;
            let at = group.windows.iter().position(|window| window.active)?;
            let count = group.windows.len();
            let step = |by: usize| if forward { at + by } else { at + count - by };
            let mut others = (1..count).map(|by| group.windows[step(by) % count].index);
            Some((count, others.find(|index| !self.is_elsewhere(pane, *index))))
        });
        match known {
            Some((_, Some(index))) => self.select_window(index),
            Some((count, None)) if count > 1 => {
                let text = tr!("every other window already has a pane");
                vec![Step::toast(Level::Info, text)]
            }
            _ if forward => self.leave_copy_mode(Command::next_window),
            _ => self.leave_copy_mode(Command::previous_window),
        }
    }

    /// Handles a new list of a container's windows. Closes a split whose window is gone, and separates two
    /// panes that show the same window because of tmux's own keys.
    pub(super) fn part_windows(&mut self, place: ShellPlace) -> Vec<Step> {
        let here: Vec<PaneId> = self
            .list
            .iter()
            .filter(|pane| pane.place == place)
            .map(|pane| pane.id)
            .collect();
        let mut steps = Vec::new();
        for id in here {
            steps.extend(self.part_window(place, id));
        }
        steps
    }

    fn part_window(&mut self, place: ShellPlace, id: PaneId) -> Vec<Step> {
        let Some(pane) = self.pane(id) else {
            return Vec::new();
        };
        let (Some(group), Some(now)) = (self.own_windows(pane), self.shows(pane)) else {
            return Vec::new();
        };
        let there = |index: &u32| group.windows.iter().any(|window| window.index == *index);
        let before = pane.window;
        let left = before.filter(there);
        let holder = self.holder(place, now, id);
        let shown = group.active().and_then(|window| window.id);
        if pane.wanted_window.is_some() {
            return self.show_wanted(place, id);
        }
        if before.is_some() && left.is_none() && (self.is_in_split(id) || holder.is_some()) {
            return self.close_pane(id);
        }
        if let Some(pane) = self.list.iter_mut().find(|pane| pane.id == id) {
            pane.window = Some(now);
            pane.window_id = shown;
        }
        // The pane that changed to the window last keeps it. The other one gets the window that this pane
        // left.
        match (holder, left) {
            (Some(holder), Some(left)) if left != now => self.send_to(place, holder, left),
            _ => Vec::new(),
        }
    }

    /// Brings a pane of a layout to its window. If the window was closed and another pane shows the same one,
    /// the pane gets a new window.
    fn show_wanted(&mut self, place: ShellPlace, id: PaneId) -> Vec<Step> {
        let pane = self.list.iter_mut().find(|pane| pane.id == id);
        let Some(wanted) = pane.and_then(|pane| pane.wanted_window.take()) else {
            return Vec::new();
        };
        let Some(pane) = self.pane(id) else {
            return Vec::new();
        };
        let Some(group) = self.own_windows(pane) else {
            return Vec::new();
        };
        let target = Target::session(&pane.tmux_session());
        let shown = group.active();
        let found = group.windows.iter().find(|it| it.id == Some(wanted));
        let is_shared = |index| self.holder(place, index, id).is_some();
        let command = match (found, shown) {
            (Some(window), _) if window.active || is_shared(window.index) => None,
            (Some(_), _) => Some(Command::select_window_id(&target, wanted)),
            (None, Some(shown)) if is_shared(shown.index) => Some(Command::new_window(&target)),
            (None, _) => None,
        };
        match command {
            Some(command) => self.set(place, command),
            None => self.part_window(place, id),
        }
    }

    fn send_to(&mut self, place: ShellPlace, id: PaneId, index: u32) -> Vec<Step> {
        let Some(pane) = self.pane(id) else {
            return Vec::new();
        };
        let target = Target::session(&pane.tmux_session());
        self.set(place, Command::select_window(&target, index))
    }

    /// Sends a command whose answer isn't needed.
    fn set(&mut self, place: ShellPlace, command: Command) -> Vec<Step> {
        let asked = self.lines.ask(place, command, CommandPurpose::Setting);
        asked.ok().flatten().into_iter().collect()
    }

    /// Whether a pane shares its tab with others.
    pub(super) fn is_in_split(&self, id: PaneId) -> bool {
        let contains = |tab: &&PaneTab| tab.panes().contains(&id);
        let tab = self.tabs.iter().find(contains);
        // A floating shell has a window of its own, as a split has.
        self.floats(id) || tab.is_some_and(PaneTab::is_shared)
    }

    /// Closes a split when its shell ends normally.
    pub(super) fn close_if_split(&mut self, id: PaneId) -> Vec<Step> {
        let pane = self.pane(id);
        let over = pane.is_some_and(|pane| {
            let ended = matches!(pane.state, PaneState::Ended { .. });
            ended && pane.ended_by_itself && !pane.session_over
        });
        if over && self.is_in_split(id) {
            return self.close_pane(id);
        }
        Vec::new()
    }
}
