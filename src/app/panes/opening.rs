//! Opens panes: of a session, of one of its containers, and of this machine.

use super::{Pane, PaneId, PaneTab, Panes, ShellPlace, name_in};
use crate::{
    app::step::{Ids, Step},
    model::{
        id::{KernelId, SessionKey},
        session::Session,
        text::Clean,
    },
};

impl Panes {
    /// Shows the session's pane, or opens one. A pane whose shell has ended is reopened. `keeps_alive`: an
    /// open terminal counts as use of the session.
    pub fn open_session(
        &mut self,
        id: SessionKey,
        name: &Clean,
        keeps_alive: bool,
        ids: &mut Ids,
    ) -> Vec<Step> {
        let place = ShellPlace::Session(id);
        let steps = self.open(place, name, ids);
        for pane in self.list.iter_mut().filter(|pane| pane.place == place) {
            pane.keeps_alive = keeps_alive;
        }
        steps
    }

    /// Does the same for another container of a cluster session.
    pub fn open_container(
        &mut self,
        session: &Session,
        kernel: KernelId,
        keeps_alive: bool,
        ids: &mut Ids,
    ) -> Vec<Step> {
        let place = ShellPlace::Container(session.key(), kernel);
        let name = name_in(session, place, &session.name);
        let steps = self.open(place, &name, ids);
        for pane in self.list.iter_mut().filter(|pane| pane.place == place) {
            pane.keeps_alive = keeps_alive;
        }
        steps
    }

    /// Shows the shell of this machine, or opens one.
    pub fn open_host(&mut self, host: &str, ids: &mut Ids) -> Vec<Step> {
        self.open(ShellPlace::Host, &Clean::new(host), ids)
    }

    pub(super) fn open(&mut self, place: ShellPlace, name: &Clean, ids: &mut Ids) -> Vec<Step> {
        self.leader = false;
        let is_shell =
            |pane: &Pane| pane.place == place && !pane.floats && !pane.runs_command_here();
        if let Some(at) = self.list.iter().position(is_shell) {
            let mut steps = self.show(self.list[at].id);
            let pane = &mut self.list[at];
            if pane.can_reopen() {
                steps.push(pane.reopen(ids.stream()));
            }
            return steps;
        }
        let id = self.add(place, name, ids);
        self.tabs.push(PaneTab::new(id));
        self.show(id)
    }

    /// Adds a pane that isn't on a tab yet. `set_page` opens it, so that its shell starts with the right
    /// size.
    pub(super) fn add(&mut self, place: ShellPlace, name: &Clean, ids: &mut Ids) -> PaneId {
        self.opened += 1;
        let id = PaneId(self.opened);
        let tag = format!("{}-{}", self.tag, self.opened);
        let pane = Pane::new(id, place, name.clone(), tag, ids.stream());
        self.take_in(pane);
        id
    }

    pub(super) fn take_in(&mut self, pane: Pane) {
        let schemes = self.link_schemes.clone();
        self.list
            .push(pane.with_colors(self.colours).with_link_schemes(schemes));
    }
}
