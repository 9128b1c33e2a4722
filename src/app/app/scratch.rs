//! The floating shell over the view that has the keys.

use super::App;
use crate::{
    action::Action,
    app::{
        focus::{Focus, Page},
        panes::{self, ShellPlace},
        step::Step,
    },
    model::{notice::Level, text::Clean},
};

impl App {
    /// The view that fills the screen. The floating shell is over it.
    pub fn page_below(&self) -> Page {
        let page = if self.panes.is_floating() {
            self.below
        } else {
            self.page
        };
        match page {
            // The log may be closed below the floating shell.
            Page::Logs if self.logs.is_none() => Page::Sessions,
            page => page,
        }
    }

    /// Shows or hides the floating shell of the session that the view is about.
    pub(super) fn toggle_scratch(&mut self) -> Vec<Step> {
        if self.panes.is_floating() {
            return self.hide_scratch();
        }
        let place = match self.focus() {
            Focus::Panel | Focus::Filter => return Vec::new(),
            Focus::Panes => self.panes.active().map(|pane| pane.place),
            Focus::Logs => self.logs.as_ref().map(|it| ShellPlace::Session(it.session)),
            Focus::Detail | Focus::Sessions => {
                if let Some(why) = self.why_not(Action::SessionShell) {
                    return vec![Step::toast(Level::Warning, why)];
                }
                self.current().map(|it| ShellPlace::Session(it.key()))
            }
        };
        let Some(place) = place else {
            let text = tr!("select a session first: its shell floats over this view");
            return vec![Step::toast(Level::Info, text)];
        };
        let (name, keeps_alive) = match place.session() {
            None => (Clean::new(&self.facts.host), false),
            Some(key) => match self.mirror.session(key) {
                Some(session) => (
                    panes::name_in(session, place, &session.name),
                    self.mirror.streams_keep_alive(key.context),
                ),
                None => return Vec::new(),
            },
        };
        let over_panes = self.page == Page::Panes;
        self.below = self.page;
        let mut steps = self
            .panes
            .float(place, &name, keeps_alive, over_panes, &mut self.ids);
        if let Some(session) = place.session().and_then(|key| self.mirror.session(key)) {
            steps.extend(self.panes.session_changed(session, &mut self.ids));
        }
        self.pending.clear();
        self.page = Page::Panes;
        steps.extend(self.panes.focus(self.in_front));
        steps
    }

    /// Gives the keys back to the view below.
    pub(super) fn hide_scratch(&mut self) -> Vec<Step> {
        if !self.panes.is_floating() {
            return Vec::new();
        }
        let below = self.below;
        let mut steps = Vec::new();
        if below == Page::Panes {
            steps.extend(self.panes.sink());
        } else {
            steps.extend(self.panes.focus(false));
            steps.extend(self.panes.sink());
        }
        self.page = below;
        steps
    }
}
