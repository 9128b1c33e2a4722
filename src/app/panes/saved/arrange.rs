//! Shows a saved layout in place of the panes that are open. Nothing that only a pane keeps alive is closed.

use super::{MOST, SavedPane, SavedPaneTab};
use crate::{
    app::{
        panes::{Pane, PaneId, PaneTab, Panes, ShellPlace, tree::Tree},
        step::{Ids, Step},
    },
    model::{id::SessionKey, session::Session, text::Clean},
};

/// The session of a saved pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundSession {
    /// It is the same session, or a newer one with its name.
    Here(SessionKey),
    /// It has ended, and no running session has its name. The text says so.
    Over(Clean),
}

/// What became of the panes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arranged {
    /// How many panes of the layout are shown.
    pub panes: usize,
    /// The sessions that have ended, each once.
    pub over: Vec<Clean>,
    /// How many panes were closed. Their shells keep running.
    pub closed: usize,
}

impl Panes {
    /// Replaces the panes by those of a layout. A pane that is open already moves to its place. Of the others,
    /// shells of this machine and panes that are recorded stay, on tabs after the layout. With `same_tags`, a
    /// pane returns to the tmux session that it had when the layout was saved.
    pub fn arrange(
        &mut self,
        (saved, active): (Vec<SavedPaneTab>, usize),
        find: impl Fn(&SavedPane) -> FoundSession,
        same_tags: bool,
        ids: &mut Ids,
    ) -> (Arranged, Vec<Step>) {
        let mut steps: Vec<Step> = self.report_focus(false).into_iter().collect();
        steps.extend(self.sink());
        self.cancel_leader();
        let old = std::mem::take(&mut self.tabs);
        self.active = 0;
        let mut arranged = Arranged::default();
        let mut taken: Vec<PaneId> = Vec::new();
        for (at, tab) in saved.into_iter().enumerate() {
            let mut made = |pane: SavedPane| {
                let is_full = taken.len() >= MOST;
                let id = (!is_full).then(|| {
                    self.place_saved(pane, &find, (same_tags, &taken), &mut arranged, ids)
                })?;
                taken.push(id);
                Some(id)
            };
            if let Some(tree) = Tree::restored(tab.tree, &mut made) {
                self.add_restored(tree, (tab.focus, tab.zoomed), at <= active);
            }
        }
        arranged.panes = taken.len();
        steps.extend(self.clear_others(old, &taken, &mut arranged));
        if let Some(page) = self.page {
            steps.extend(self.set_page(page));
        }
        steps.extend(self.report_focus(true));
        self.mark_seen();
        (arranged, steps)
    }

    /// The open pane with the tag of a saved one, or a new pane.
    fn place_saved(
        &mut self,
        mut saved: SavedPane,
        find: &impl Fn(&SavedPane) -> FoundSession,
        (same_tags, taken): (bool, &[PaneId]),
        arranged: &mut Arranged,
        ids: &mut Ids,
    ) -> PaneId {
        let session = saved.session.map(|_| find(&saved));
        let is_same = matches!((&session, saved.session),
            (Some(FoundSession::Here(key)), Some(before)) if *key == before)
            || session.is_none();
        let open = self.list.iter().find(|pane| {
            let same_place = pane.place.session() == saved.session;
            same_place && pane.tag() == saved.tag && pane.takes_keys() && !pane.floats
        });
        if let Some(id) = open.map(|pane| pane.id).filter(|id| !taken.contains(id)) {
            let pane = self.list.iter_mut().find(|pane| pane.id == id);
            if let Some(pane) = pane.filter(|pane| pane.window_id != saved.window) {
                pane.wanted_window = saved.window;
            }
            return id;
        }
        let window = saved.window.filter(|_| is_same);
        // The window exists already, or the pane gets one when tmux has listed the windows.
        saved.start.fresh &= window.is_none();
        if let Some(FoundSession::Here(key)) = session {
            saved.session = Some(key);
        }
        let name = saved.name.clone();
        if !same_tags {
            saved.tag = format!("{}-{}", self.tag, self.opened + 1);
        }
        let id = self.put_back(saved, ids);
        if let Some(pane) = self.list.iter_mut().find(|pane| pane.id == id) {
            pane.wanted_window = window;
            if let Some(FoundSession::Over(why)) = session {
                pane.begin_over(why);
                if !arranged.over.contains(&name) {
                    arranged.over.push(name);
                }
            }
        }
        id
    }

    /// Closes the panes that the layout doesn't have, except those that would lose something.
    fn clear_others(
        &mut self,
        old: Vec<PaneTab>,
        taken: &[PaneId],
        arranged: &mut Arranged,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for tab in old {
            let mut rest = Some(tab);
            for id in rest.as_ref().map(PaneTab::panes).unwrap_or_default() {
                let pane = self.pane(id);
                let stays = pane.is_some_and(|pane| {
                    let is_host = pane.place == ShellPlace::Host && pane.takes_keys();
                    is_host || self.is_recorded(id)
                });
                if stays && !taken.contains(&id) {
                    continue;
                }
                rest = rest.and_then(|tab| tab.without(id));
                if let Some(at) = self.position(id).filter(|_| !taken.contains(&id)) {
                    let pane = self.list.remove(at);
                    arranged.closed += usize::from(pane.takes_keys());
                    steps.extend(pane.close());
                }
            }
            self.tabs.extend(rest);
        }
        steps
    }

    /// Marks the focused pane to follow the relaunch of its session.
    pub fn follow_relaunch(&mut self) {
        if let Some(pane) = self.active_mut() {
            pane.follows_name = true;
        }
    }

    /// Opens the panes that wait for a relaunch of a session with this name.
    pub(in crate::app::panes) fn follow_name(
        &mut self,
        session: &Session,
        ids: &mut Ids,
    ) -> Vec<Step> {
        if !session.status.is_live() || !self.daemon_is_up {
            return Vec::new();
        }
        let new = session.key();
        let waits = |pane: &&mut Pane| {
            let is_older = |old: SessionKey| old.context == new.context && old != new;
            let old = matches!(pane.place, ShellPlace::Session(old) if is_older(old));
            pane.follows_name && pane.session_over && old && pane.name == session.name
        };
        let panes = self.list.iter_mut().filter(waits);
        let reopened = panes.map(|pane| {
            pane.place = ShellPlace::Session(new);
            pane.session_over = false;
            pane.follows_name = false;
            pane.reopen(ids.stream())
        });
        reopened.collect()
    }
}
