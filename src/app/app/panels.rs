//! The stack of panels: which view or panel has the keys, and the data that panels can read.

use jiff::Timestamp;

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        focus::{Focus, Page},
        panels::{
            AnyPanel, Panel, PanelEnv, opened_by,
            pull::{PullDialog, pulling},
        },
        step::Step,
    },
    model::{notice::Level, session::Session},
};

impl App {
    /// The panel that has the keys.
    pub fn top(&self) -> Option<&AnyPanel> {
        self.panels.top(self.page == Page::Sessions)
    }

    /// The view or panel that has the keys.
    pub fn focus(&self) -> Focus {
        match self.page {
            _ if self.top().is_some() => Focus::Panel,
            Page::Logs => Focus::Logs,
            Page::Panes => Focus::Panes,
            Page::Sessions if self.sessions.filter.editing().is_some() => Focus::Filter,
            Page::Sessions if self.detail.as_ref().is_some_and(|d| d.focused) => Focus::Detail,
            Page::Sessions => Focus::Sessions,
        }
    }

    /// The scope where keys are looked up first.
    pub fn scope(&self) -> Scope {
        match (self.focus(), self.top(), &self.logs) {
            (_, Some(top), _) => top.panel().scope(),
            (Focus::Panes, ..) => self.panes.scope(),
            (Focus::Logs, _, Some(logs)) => logs.scope(),
            (Focus::Logs, ..) => Scope::Logs,
            (Focus::Filter, ..) => Scope::Input,
            (Focus::Detail, ..) => Scope::Detail,
            (Focus::Sessions | Focus::Panel, ..) => Scope::Sessions,
        }
    }

    /// The data that panels can read.
    pub fn env(&self, now: Timestamp) -> PanelEnv<'_> {
        PanelEnv {
            mirror: &self.mirror,
            facts: &self.facts,
            keymap: &self.keymap,
            panes: &self.panes,
            detail: self.detail.as_ref(),
            sessions: &self.sessions,
            notices: &self.notices,
            extension_rules: &self.extension_rules,
            transfers: &self.transfers,
            views: &self.views,
            themes: &self.themes,
            layouts: self.layouts.as_deref(),
            frecency: &self.frecency,
            commands: &self.commands,
            screen: self.areas.screen,
            shown: self.sessions.shown(),
            now,
        }
    }

    /// Calls the panel on top. Its moves inside the TUI are carried out at once, so that the next action of
    /// the same key goes to the panel below.
    pub(super) fn on_panel(
        &mut self,
        now: Timestamp,
        call: impl FnOnce(&mut dyn Panel, &PanelEnv<'_>) -> Vec<Step>,
    ) -> Vec<Step> {
        self.with_panel(now, call)
            .map_or_else(Vec::new, |steps| self.moved(steps, now))
    }

    pub(super) fn with_panel<R>(
        &mut self,
        now: Timestamp,
        call: impl FnOnce(&mut dyn Panel, &PanelEnv<'_>) -> R,
    ) -> Option<R> {
        let with_prompts = self.page == Page::Sessions;
        let mut panels = std::mem::take(&mut self.panels);
        let top = panels.top_mut(with_prompts);
        let result = top.map(|top| call(top, &self.env(now)));
        self.panels = panels;
        result
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

    /// Tells all open panels that contexts, engines or environments have changed.
    pub(super) fn update_panels(&mut self, now: Timestamp) {
        let mut panels = std::mem::take(&mut self.panels);
        panels.update(&self.env(now));
        self.panels = panels;
    }

    /// Opens the panel of an action. Returns `None` if the action opens no panel.
    pub(super) fn open_panel(&mut self, action: Action, now: Timestamp) -> Option<Vec<Step>> {
        let (panel, steps) = opened_by(action, &self.env(now))?;
        if let Some(why) = self.why_not(action) {
            return Some(vec![Step::toast(Level::Warning, why)]);
        }
        if let Some(panel) = panel {
            self.panels.push(panel);
        }
        Some(steps)
    }

    /// Opens the dialog of an image pull while no other panel is open, and closes it when nothing is pulled.
    pub(super) fn follow_pull(&mut self) {
        let mirror = &self.mirror;
        if let Some(open) = self.panels.get::<PullDialog>() {
            if open.session(mirror).is_none() {
                self.panels.close::<PullDialog>();
            }
        } else if pulling(&self.launched, mirror).is_some() {
            if matches!(self.focus(), Focus::Sessions | Focus::Detail) {
                let launched = std::mem::take(&mut self.launched);
                self.panels.push(PullDialog { launched });
            }
        } else {
            let mut known = self.launched.iter().filter_map(|key| mirror.session(*key));
            let begun = |it: &Session| it.status.is_live() || it.status.is_final();
            if known.any(begun) {
                self.launched.clear();
            }
        }
    }
}
