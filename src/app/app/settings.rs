//! The settings page, and settings that take effect while the TUI runs.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        effect::Effect,
        msg::Ticket,
        panels::{AnyPanel, settings::SettingsPage},
        settings::{LiveSettings, SettingsRead},
        step::{Purpose, Step},
    },
    model::{notice::Level, text::Clean},
};

impl App {
    /// Opens or closes the settings page.
    pub(super) fn toggle_settings(&mut self, now: Timestamp) -> Vec<Step> {
        if matches!(self.top(), Some(AnyPanel::Settings(_))) {
            return self.back(now);
        }
        self.open_settings(None, now)
    }

    /// Opens the settings page at a setting.
    pub(super) fn open_settings(&mut self, at: Option<usize>, now: Timestamp) -> Vec<Step> {
        let page = SettingsPage::new(at, &self.env(now));
        self.panels.push(page);
        vec![SettingsPage::ask()]
    }

    /// The settings were read again. What takes effect at once does so.
    pub(super) fn settings_read(&mut self, read: SettingsRead, now: Timestamp) -> Vec<Step> {
        let mut steps = read.live.map_or_else(Vec::new, |live| self.apply(*live));
        // After the keymap, in which their keys are bound.
        if let Some(commands) = read.commands {
            steps.extend(self.commands_read(commands));
        }
        // The page shows the problem itself.
        if let Some(new) = &read.problem
            && self.panels.get::<SettingsPage>().is_none()
            && self.facts.settings_problem.as_ref() != Some(new)
        {
            let text = tr!(
                "the settings stay as they were\n{problem}",
                problem = new.problem
            );
            steps.push(Step::toast(Level::Error, text));
        }
        self.facts.settings = read.rows;
        self.facts.settings_problem = read.problem;
        self.update_panels(now);
        steps
    }

    fn apply(&mut self, live: LiveSettings) -> Vec<Step> {
        let mut steps = Vec::new();
        // A setting that didn't change doesn't undo what was switched by a key.
        if live.mouse != self.facts.mouse {
            self.mouse = live.mouse;
            steps.push(Step::Do(Effect::Mouse(live.mouse)));
        }
        if live.statistics != self.facts.statistics {
            self.statistics_shown = live.statistics;
        }
        if live.notifications.quiet != self.facts.notifications.quiet {
            self.notices.quiet = live.notifications.quiet;
        }
        if let Some(keymap) = live.keymap {
            self.keymap = keymap;
            self.pending.clear();
        }
        self.sessions.set_default_columns(&live.columns);
        let facts = &mut self.facts;
        facts.columns = live.columns;
        facts.mouse = live.mouse;
        facts.statistics = live.statistics;
        facts.unicode = live.unicode;
        facts.charts = live.charts;
        facts.read_only = live.read_only;
        facts.open_apps_after_launch = live.open_apps_after_launch;
        facts.notifications = live.notifications;
        facts.apps.ssh_arguments = live.apps.ssh_arguments;
        steps
    }

    /// A setting was written, or why it wasn't.
    pub(super) fn setting_saved(
        &mut self,
        ticket: Ticket,
        result: Result<Clean, Clean>,
    ) -> Vec<Step> {
        if self.asked.remove(&ticket) != Some(Purpose::SaveSetting) {
            return Vec::new();
        }
        let page = self.panels.get_mut::<SettingsPage>();
        match (page, result) {
            (Some(page), Err(why)) => {
                page.saved(&Err(why));
                Vec::new()
            }
            (page, result) => {
                if let Some(page) = page {
                    page.saved(&result);
                }
                let (level, text) = match result {
                    Ok(text) => (Level::Success, text),
                    Err(text) => (Level::Error, text),
                };
                vec![Step::Toast { level, text }]
            }
        }
    }
}
