//! The stack of panels: the panel on top, and the data that panels can read.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        focus::{Focus, Page},
        panels::{AnyPanel, Around, Panel},
        step::Step,
    },
    model::session::Session,
};

impl App {
    /// Prompts are a line of the sessions view, below everything else.
    fn has_prompts(&self) -> bool {
        self.page == Page::Sessions && self.launcher.is_none() && !self.pull.is_open()
    }

    /// The panel that gets the keys.
    pub fn top(&self) -> Option<&AnyPanel> {
        let focused = self.focus() == Focus::Panel;
        self.panels.top(self.has_prompts()).filter(|_| focused)
    }

    /// The data that panels can read.
    pub fn around(&self, now: Timestamp) -> Around<'_> {
        Around {
            mirror: &self.mirror,
            facts: &self.facts,
            panes: &self.panes,
            detail: self.detail.as_ref(),
            now,
        }
    }

    /// Calls the panel on top. Its moves inside the TUI are carried out at once, so that the next action of
    /// the same key goes to the panel below.
    pub(super) fn on_panel(
        &mut self,
        now: Timestamp,
        call: impl FnOnce(&mut dyn Panel, &Around<'_>) -> Vec<Step>,
    ) -> Vec<Step> {
        self.with_panel(now, call)
            .map_or_else(Vec::new, |steps| self.moved(steps, now))
    }

    pub(super) fn with_panel<R>(
        &mut self,
        now: Timestamp,
        call: impl FnOnce(&mut dyn Panel, &Around<'_>) -> R,
    ) -> Option<R> {
        let with_prompts = self.has_prompts();
        let top = self.panels.top_mut(with_prompts)?;
        let around = Around {
            mirror: &self.mirror,
            facts: &self.facts,
            panes: &self.panes,
            detail: self.detail.as_ref(),
            now,
        };
        Some(call(top, &around))
    }

    pub(super) fn moved(&mut self, steps: Vec<Step>, now: Timestamp) -> Vec<Step> {
        let mut rest = Vec::new();
        for step in steps {
            match step {
                Step::Go(go) => rest.extend(self.go(go, now)),
                step => rest.push(step),
            }
        }
        rest
    }

    /// Opens the panel of an action on a session. Returns `None` if the action opens no panel.
    pub(super) fn open_panel(
        &mut self,
        action: Action,
        session: &Session,
        now: Timestamp,
    ) -> Option<Vec<Step>> {
        let (panel, steps) = AnyPanel::opened_by(action, session, &self.around(now))?;
        self.panels.push(panel);
        Some(steps)
    }
}
