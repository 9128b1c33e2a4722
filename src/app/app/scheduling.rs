//! The table of the scheduling history: opening, loading and closing it.

use super::App;
use crate::{
    action::Action,
    app::{scheduling::Scheduling, step::Step},
    model::session::Session,
};
use jiff::Timestamp;

impl App {
    pub(super) fn open_scheduling(&mut self, session: &Session) -> Vec<Step> {
        let mut scheduling = Scheduling::new(session.key(), session.name.clone());
        let ask = scheduling.ask();
        self.scheduling = Some(scheduling);
        vec![ask]
    }

    pub(super) fn in_scheduling(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let zone = &self.facts.time_zone;
        let Some(scheduling) = &mut self.scheduling else {
            return Vec::new();
        };
        if let Action::Back | Action::Quit | Action::Interrupt = action {
            self.leave_scheduling(now);
            return Vec::new();
        }
        scheduling.action(action, now, zone).unwrap_or_default()
    }

    /// Clears the filter first, then closes the table.
    pub(super) fn leave_scheduling(&mut self, now: Timestamp) {
        let zone = &self.facts.time_zone;
        let filtered = self
            .scheduling
            .as_mut()
            .is_some_and(|it| it.back(now, zone));
        if !filtered {
            self.scheduling = None;
        }
    }
}
