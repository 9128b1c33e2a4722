//! The tour in the state of the TUI: what it sees, and its two keys.

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        focus::Focus,
        panels::AnyPanel,
        panes::{PaneState, ShellPlace},
        step::Step,
        tour::{GuidePart, Tour, TourPlace, TourScene, TourStep},
    },
    key::Key,
    keymap::Lookup,
    model::{id::SessionKey, session::Session, status::Status},
};

impl App {
    /// Guides through the TUI, with this session.
    #[must_use]
    pub fn touring(mut self, session: Option<SessionKey>) -> Self {
        self.tour = session.map(Tour::new);
        self
    }

    pub fn is_touring(&self) -> bool {
        self.tour.is_some()
    }

    /// The step and what the guide says. The step is `None` at the end of the tour.
    pub fn tour_guide(&self) -> Option<(Option<TourStep>, Vec<GuidePart>)> {
        let tour = self.tour.as_ref()?;
        let name = self.mirror.session(tour.session);
        let name = name.map_or_else(|| tr!("the session").to_owned(), |it| it.name.to_string());
        Some((tour.step(), tour.guide(&name, &self.tour_scene(tour))))
    }

    /// Handles the keys of the tour, which come before all others. Returns `None` for another key.
    pub(super) fn tour_key(&mut self, key: Key) -> Option<Vec<Step>> {
        self.tour.as_ref()?;
        let Lookup::Matched(actions) = self.keymap.lookup(Scope::Tour, &[key]) else {
            return None;
        };
        self.pending.clear();
        let mut steps = Vec::new();
        for action in actions {
            self.invoked = Some((Scope::Tour, action));
            match action {
                Action::TourSkip => {
                    if let Some(tour) = &mut self.tour {
                        tour.skip();
                    }
                }
                Action::TourLeave => steps.extend(self.leave()),
                _ => {}
            }
        }
        Some(steps)
    }

    /// Goes to the next step when the result of the step is on the screen.
    pub(super) fn follow_tour(&mut self) {
        // Before the first list, nothing is on the screen.
        let Some(mut tour) = self.tour.take_if(|_| self.begun) else {
            return;
        };
        self.dirty |= tour.follow(&self.tour_scene(&tour));
        self.tour = Some(tour);
    }

    fn tour_scene(&self, tour: &Tour) -> TourScene {
        let id = tour.session;
        let place = match (self.focus(), self.top()) {
            (Focus::Panel, Some(AnyPanel::Apps(_))) => TourPlace::Apps,
            (Focus::Panel, Some(AnyPanel::Palette(_))) => TourPlace::Palette,
            (Focus::Panel, Some(AnyPanel::Help(_))) => TourPlace::Help,
            (Focus::Panel, Some(AnyPanel::Terminate(_))) => TourPlace::Terminate,
            (Focus::Panel, _) => TourPlace::OtherPanel,
            (Focus::Filter, _) => TourPlace::Filter,
            (Focus::Detail, _) => TourPlace::Detail,
            (Focus::Sessions, _) => TourPlace::List,
            (Focus::Logs, _) => TourPlace::Log,
            (Focus::Panes, _) => TourPlace::Shell,
        };
        let shell = self.panes.active().filter(|_| place == TourPlace::Shell);
        let is_ending =
            |session: &Session| session.status == Status::Terminating || session.has_ended();
        let current = match &self.detail {
            Some(detail) if detail.focused => Some(detail.session()),
            _ => self.sessions.selected(),
        };
        TourScene {
            place,
            tab: self.sessions.tab(),
            is_selected: current == Some(id),
            has_detail: self.detail.as_ref().is_some_and(|it| it.session() == id),
            has_log: self.logs.as_ref().is_some_and(|it| it.session == id),
            has_shell: shell.is_some_and(|pane| {
                pane.place == ShellPlace::Session(id) && pane.state == PaneState::Live
            }),
            is_filtered: self.sessions.filter.is_on(),
            is_ending: self.mirror.session(id).is_none_or(is_ending),
        }
    }
}
