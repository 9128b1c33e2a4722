//! Decides which view or panel has the keys, and closes it.

use super::{
    super::{
        focus::{Focus, Page},
        launcher::Overlay,
    },
    App,
};
use crate::action::Scope;

impl App {
    /// The view or panel that gets the keys.
    pub fn focus(&self) -> Focus {
        if let Some(help) = &self.help {
            return if help.searching {
                Focus::HelpSearch
            } else {
                Focus::Help
            };
        }
        if self.confirm.is_some() {
            return Focus::Confirm;
        }
        if self.keep.is_some() {
            return Focus::Keep;
        }
        if self.waits.is_some() {
            return Focus::WhyNot;
        }
        if self.pull.is_open() {
            return Focus::Pull;
        }
        if self.notice_list.is_some() {
            return Focus::Notices;
        }
        if let Some(scheduling) = &self.scheduling {
            return if scheduling.typing {
                Focus::SchedulingFilter
            } else {
                Focus::Scheduling
            };
        }
        if let Some(recents) = &self.recents {
            return match recents.renaming() {
                Some(_) => Focus::RecentTitle,
                None => Focus::Recents,
            };
        }
        if let Some(launcher) = &self.launcher {
            return match launcher.overlay() {
                Some(Overlay::Question(_)) => Focus::LauncherQuestion,
                Some(Overlay::Prompt(_)) => Focus::LauncherPrompt,
                Some(Overlay::Explain(_)) | None => Focus::Launcher,
            };
        }
        if self.picker.is_some() {
            return Focus::Contexts;
        }
        if self.shells.is_some() {
            return Focus::Shells;
        }
        if self.new_shell.is_some() {
            return Focus::NewShell;
        }
        match self.page {
            Page::Logs => Focus::Logs,
            Page::Panes => Focus::Panes,
            Page::Sessions if self.panels.top(true).is_some() => Focus::Panel,
            Page::Sessions if self.sessions.filter.editing().is_some() => Focus::Filter,
            Page::Sessions if self.detail.as_ref().is_some_and(|d| d.focused) => Focus::Detail,
            Page::Sessions => Focus::Sessions,
        }
    }

    /// The scope where keys are looked up first.
    pub fn scope(&self) -> Scope {
        match (self.focus(), &self.logs) {
            (Focus::Panel, _) => self.top().map_or(Scope::Global, |it| it.panel().scope()),
            (Focus::Panes, _) => self.panes.scope(),
            (Focus::Logs, Some(logs)) => logs.scope(),
            (focus, _) => focus.scope(),
        }
    }

    /// Closes the help, dialog or form on top. Returns `false` if there was none.
    pub(super) fn close_top(&mut self) -> bool {
        if self.help.take().is_some() || self.confirm.take().is_some() {
            return true;
        }
        if self.keep.take().is_some()
            || self.scheduling.take().is_some()
            || self.recents.take().is_some()
        {
            return true;
        }
        if self.waits.take().is_some() || self.pull.close() {
            return true;
        }
        if self.launcher.take().is_some()
            || self.picker.take().is_some()
            || self.shells.take().is_some()
            || self.new_shell.take().is_some()
        {
            return true;
        }
        self.panels.pop(true)
    }
}
