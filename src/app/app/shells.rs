//! Opens the list of all shells, and carries out what is chosen there.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        focus::Page,
        new_shell::NewShell,
        panes::{self, Axis, Place},
        shells::{Door, Shells, Way},
        step::{Go, Step},
    },
    model::{notice::Level, text::Clean},
};

impl App {
    pub(super) fn pick_shell(&mut self) -> Vec<Step> {
        let shells = Shells::new(&self.mirror, &self.panes, &self.facts.host);
        self.shells = Some(shells);
        Vec::new()
    }

    pub(super) fn in_shells(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        if action == Action::Back {
            return self.back(now);
        }
        let chosen = self.shells.as_mut().and_then(|it| it.action(action));
        chosen.map_or_else(Vec::new, |(door, way)| self.go_through(door, way, now))
    }

    /// Handles a click on a row of the list.
    pub(super) fn click_shell(&mut self, row: usize, now: Timestamp) -> Vec<Step> {
        let Some(shells) = &mut self.shells else {
            return Vec::new();
        };
        let at = shells.scroll() + row;
        let door = shells.rows().nth(at).map(|row| row.door);
        door.map_or_else(Vec::new, |door| self.go_through(door, Way::Show, now))
    }

    fn go_through(&mut self, door: Door, way: Way, now: Timestamp) -> Vec<Step> {
        self.shells = None;
        let axis = match way {
            Way::Show => None,
            Way::Beside => Some(Axis::Beside),
            Way::Below => Some(Axis::Below),
        };
        let mut steps = match (door, axis) {
            (Door::Pane(pane), None) => self.panes.go_to(pane, &mut self.ids),
            (Door::Window(pane, index), None) => {
                let mut steps = self.panes.go_to(pane, &mut self.ids);
                steps.extend(self.panes.select_window(index));
                steps
            }
            (Door::Session(id), None) => self.go(Go::Shell(id), now),
            (Door::Host, None) => self.host_shell(),
            (door, Some(axis)) => self.open_beside(door, axis),
        };
        steps.extend(self.show(Page::Panes));
        steps
    }

    /// Opens another view of a shell, or a new shell, next to the focused pane.
    fn open_beside(&mut self, door: Door, axis: Axis) -> Vec<Step> {
        let place = match door {
            Door::Pane(pane) | Door::Window(pane, _) => {
                self.panes.pane(pane).map(|pane| pane.place)
            }
            Door::Session(session) => Some(Place::Session(session)),
            Door::Host => Some(Place::Host),
        };
        let Some(place) = place else {
            return Vec::new();
        };
        let (name, keeps_alive) = match place {
            Place::Host => (Clean::new(&self.facts.host), false),
            Place::Session(id) | Place::Container(id, _) => match self.mirror.session(id) {
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

    /// Opens the form for a new shell in the session of the focused pane.
    pub(super) fn new_shell(&mut self) -> Vec<Step> {
        let Some(pane) = self.panes.active() else {
            return Vec::new();
        };
        match pane.place {
            place @ (Place::Session(_) | Place::Container(..)) => {
                self.new_shell = Some(NewShell::new(place, &pane.name));
                Vec::new()
            }
            Place::Host => {
                let text = "a shell of this machine has no windows: split the pane for another one";
                vec![Step::toast(Level::Info, text)]
            }
        }
    }

    pub(super) fn in_new_shell(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        match action {
            Action::InputSubmit => {}
            Action::InputCancel | Action::Back => return self.back(now),
            _ => return Vec::new(),
        }
        let Some((form, start)) = self
            .new_shell
            .as_mut()
            .and_then(|form| Some((form.clone(), form.submit()?)))
        else {
            return Vec::new();
        };
        self.new_shell = None;
        let session = form.place.session();
        let keeps_alive = session.is_some_and(|it| self.mirror.streams_keep_alive(it.context));
        self.panes
            .open_as(form.place, &form.name, keeps_alive, start, &mut self.ids)
    }
}
