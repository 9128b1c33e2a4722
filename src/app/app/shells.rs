//! Opens the shell that was chosen in the list of all shells, and new shells.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        focus::Page,
        panels::shells::ShellTarget,
        panes::{self, Axis, ShellPlace},
        step::{Go, Step},
    },
    model::{shell_start::ShellStart, text::Clean},
};

impl App {
    /// Goes to a shell that was chosen in the list, or opens another view of it beside the focused pane.
    pub(super) fn open_target(
        &mut self,
        target: ShellTarget,
        beside: Option<Axis>,
        now: Timestamp,
    ) -> Vec<Step> {
        let mut steps = match (target, beside) {
            (ShellTarget::Pane(pane), None) => self.panes.go_to(pane, &mut self.ids),
            (ShellTarget::Window(pane, index), None) => {
                let mut steps = self.panes.go_to(pane, &mut self.ids);
                steps.extend(self.panes.select_window(index));
                steps
            }
            (ShellTarget::Session(id), None) => self.go(Go::Shell(id), now),
            (ShellTarget::Host, None) => self.host_shell(),
            (target, Some(axis)) => self.open_beside(target, axis),
        };
        steps.extend(self.show(Page::Panes));
        steps
    }

    /// Opens another view of a shell, or a new shell, next to the focused pane.
    fn open_beside(&mut self, target: ShellTarget, axis: Axis) -> Vec<Step> {
        let place = match target {
            ShellTarget::Pane(pane) | ShellTarget::Window(pane, _) => {
                self.panes.pane(pane).map(|pane| pane.place)
            }
            ShellTarget::Session(session) => Some(ShellPlace::Session(session)),
            ShellTarget::Host => Some(ShellPlace::Host),
        };
        let Some(place) = place else {
            return Vec::new();
        };
        let (name, keeps_alive) = match place {
            ShellPlace::Host => (Clean::new(&self.facts.host), false),
            ShellPlace::Session(id) | ShellPlace::Container(id, _) => match self.mirror.session(id)
            {
                Some(session) => (
                    panes::name_in(session, place, &session.name),
                    self.mirror.streams_keep_alive(id.context),
                ),
                None => return Vec::new(),
            },
        };
        self.panes
            .open_beside(place, &name, keeps_alive, axis, &mut self.ids)
    }

    pub(super) fn new_shell(
        &mut self,
        place: ShellPlace,
        name: &Clean,
        start: ShellStart,
    ) -> Vec<Step> {
        let session = place.session();
        let keeps_alive = session.is_some_and(|it| self.mirror.streams_keep_alive(it.context));
        self.panes
            .open_as(place, name, keeps_alive, start, &mut self.ids)
    }
}
