//! Opens the control room, and watches the screens that it shows.

use super::App;
use crate::app::{
    focus::Focus,
    panels::{AnyPanel, control_room::ControlRoom},
    step::Step,
};

impl App {
    /// Opens or closes the control room.
    pub(super) fn toggle_control_room(&mut self) -> Vec<Step> {
        if matches!(self.top(), Some(AnyPanel::Room(_))) {
            self.panels.close::<ControlRoom>();
            return Vec::new();
        }
        if matches!(self.focus(), Focus::Panel | Focus::Filter) {
            return Vec::new();
        }
        let marked = self.sessions.marks.keys().collect();
        let selected = self.current().map(crate::model::session::Session::key);
        self.panels.push(ControlRoom::new(marked, selected));
        Vec::new()
    }

    /// Watches the screens of the shown page. Those of contexts where an open terminal counts as use aren't watched.
    pub(super) fn follow_control_room(&mut self) {
        let wanted = match self.panels.get::<ControlRoom>() {
            Some(room) => room.page(&self.mirror, self.areas.screen).sessions,
            None => Vec::new(),
        };
        let mirror = &self.mirror;
        let wanted = wanted.into_iter().filter(|key| {
            let live = mirror.session(*key).is_some_and(|it| it.status.is_live());
            live && !mirror.streams_keep_alive(key.context)
        });
        self.panes.watch_screens(wanted.collect());
    }
}
