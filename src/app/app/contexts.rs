//! Chooses the shown context by the list or the command line.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        focus::Page,
        panels::palette::words::Command,
        shown_contexts::ShownContexts,
        step::{Go, Step},
    },
    model::{id::ContextName, notice::Level},
};

impl App {
    /// Decides at the first snapshot which context is shown. A later snapshot can lack that context.
    pub(super) fn begin(&mut self) -> Vec<Step> {
        let Some(first) = self.mirror.contexts().first().map(|s| s.context.name) else {
            return Vec::new();
        };
        let wanted = match (self.begun, self.sessions.shown()) {
            (false, _) => self.wanted.unwrap_or(first),
            (true, ShownContexts::All) => return Vec::new(),
            (true, ShownContexts::One(name)) => name,
        };
        self.begun = true;
        if self.mirror.context(wanted).is_some() {
            self.sessions.show(ShownContexts::One(wanted));
            return Vec::new();
        }
        self.sessions.show(ShownContexts::One(first));
        let names: Vec<String> = self.context_names().map(|name| name.to_string()).collect();
        let text = tr!(
            "context '{wanted}' not found. Configured: {names}",
            wanted,
            names = names.join(", ")
        );
        vec![Step::toast(Level::Error, text)]
    }

    fn context_names(&self) -> impl Iterator<Item = ContextName> {
        self.mirror.contexts().iter().map(|s| s.context.name)
    }

    /// Lists the sessions of another context, or of all.
    pub(super) fn show_context(&mut self, shown: ShownContexts) -> Vec<Step> {
        self.sessions.show(shown);
        self.show(Page::Sessions)
    }

    pub(super) fn carry_out_command(&mut self, command: Command, now: Timestamp) -> Vec<Step> {
        match command {
            Command::Contexts => self.go(Go::Open(Action::Contexts), now),
            Command::Show(shown) => self.show_context(shown),
            Command::Tab(tab) => self.show_tab(tab),
            Command::Launch => self.on_session(Action::SessionLaunch, now),
            Command::Refresh => self.on_session(Action::SessionsRefresh, now),
            Command::Settings => self.open_settings(None, now),
            Command::Themes => self.go(Go::Open(Action::ThemePick), now),
            Command::Theme(name) => vec![Step::KeepTheme(name)],
            Command::View(command) => self.view(command),
            Command::Dashboard => self.toggle_dashboard(),
            Command::Group => self.group_list_by_next(),
            Command::GroupBy(grouping) => self.group_list(grouping),
            Command::Help => self.open_help(now),
            Command::Notices => self.toggle_notices(),
            Command::Quiet => self.toggle_quiet(),
            Command::Quit => self.leave(),
        }
    }
}
