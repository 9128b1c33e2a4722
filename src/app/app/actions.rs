//! Decides what an action does in the current view or panel.

use jiff::Timestamp;

use super::{App, interrupt_ends};
use crate::{
    action::{Action, Scope},
    app::{
        confirm::Answer,
        effect::Effect,
        focus::{Focus, Page},
        help::Help,
        launcher::Launcher,
        step::{Go, Purpose, Step},
    },
    key::Key,
    model::{notice::Level, status::Tab},
    protocol::message::Request,
};

impl App {
    pub(super) fn action(
        &mut self,
        scope: Scope,
        action: Action,
        key: Option<Key>,
        now: Timestamp,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        // The panes get every action of their scopes first, because it also ends the leader key.
        let asked = matches!(scope, Scope::Input | Scope::Confirm) && self.focus() == Focus::Panes;
        if asked || matches!(scope, Scope::Terminal | Scope::Leader | Scope::Panes) {
            steps.extend(self.panes.action(action, key, &mut self.ids, now));
        }
        steps.extend(match action {
            Action::Help => self.go(Go::Help, now),
            Action::Redraw => vec![Step::Do(Effect::Repaint)],
            Action::Suspend => vec![Step::Do(Effect::Suspend)],
            Action::ToggleMouse => self.toggle_mouse(),
            Action::Interrupt => self.interrupt(now),
            Action::Quit => self.quit(now),
            Action::Notices => self.toggle_notices(),
            Action::Quiet => self.toggle_quiet(),
            _ => match self.focus() {
                Focus::Panel => self.on_panel(now, |top, around| top.action(action, around)),
                Focus::Help | Focus::HelpSearch => self.in_help(action, now),
                Focus::Confirm => self.in_confirm(action),
                Focus::Keep => self.in_keep(action, now),
                Focus::WhyNot => self.in_why_not(action, now),
                Focus::Pull => self.in_pull(action),
                Focus::Launcher | Focus::LauncherQuestion | Focus::LauncherPrompt => {
                    self.in_launcher(action, key, now)
                }
                Focus::Recents | Focus::RecentTitle => self.in_recents(action, now),
                Focus::Scheduling | Focus::SchedulingFilter => self.in_scheduling(action, now),
                Focus::Contexts => self.in_picker(action, now),
                Focus::Shells => self.in_shells(action, now),
                Focus::NewShell => self.in_new_shell(action, now),
                Focus::Notices => self.in_notices(action, now),
                Focus::Logs => self.in_logs(action),
                Focus::Panes => self.in_panes(scope, action),
                Focus::Filter | Focus::Detail | Focus::Sessions => self.in_sessions(action, now),
            },
        });
        steps
    }

    fn toggle_mouse(&mut self) -> Vec<Step> {
        self.mouse = !self.mouse;
        let text = if self.mouse {
            "mouse on: hold Shift to select text"
        } else {
            "mouse off: select text as usual"
        };
        vec![
            Step::Do(Effect::Mouse(self.mouse)),
            Step::toast(Level::Info, text),
        ]
    }

    /// Handles Ctrl-C: goes one step back. At the top, a second press quits.
    fn interrupt(&mut self, now: Timestamp) -> Vec<Step> {
        if self.focus() != Focus::Sessions || self.detail.is_some() || self.sessions.filter.is_on()
        {
            return self.back(now);
        }
        if self.interrupted.is_some_and(|at| now < interrupt_ends(at)) {
            return self.leave();
        }
        self.interrupted = Some(now);
        Vec::new()
    }

    /// The first Ctrl-C was pressed a moment ago.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// Handles `q`: goes one step back, and quits at the top. It loses nothing, so it doesn't ask for
    /// confirmation.
    fn quit(&mut self, now: Timestamp) -> Vec<Step> {
        if self.focus() == Focus::Sessions && self.detail.is_none() {
            return self.leave();
        }
        self.back(now)
    }

    /// Handles Esc: closes the innermost thing. At the top, it does nothing.
    pub(super) fn back(&mut self, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Panel => return self.on_panel(now, |top, around| top.back(around)),
            Focus::Help | Focus::HelpSearch => {
                let cleared = self.help.as_mut().is_some_and(Help::clear_search);
                if !cleared {
                    self.help = None;
                }
            }
            Focus::Launcher | Focus::LauncherQuestion | Focus::LauncherPrompt => {
                if self.launcher.as_mut().is_some_and(Launcher::back) {
                    self.close_top();
                }
            }
            Focus::Recents | Focus::RecentTitle => return self.in_recents(Action::Back, now),
            Focus::Notices => return self.in_notices(Action::Back, now),
            Focus::Scheduling | Focus::SchedulingFilter => self.leave_scheduling(now),
            Focus::Confirm
            | Focus::Keep
            | Focus::WhyNot
            | Focus::Pull
            | Focus::Contexts
            | Focus::Shells
            | Focus::NewShell => {
                self.close_top();
            }
            Focus::Logs => return self.in_logs(Action::Back),
            Focus::Panes => {
                let cancelled = self.panes.cancel_prompt();
                return cancelled.unwrap_or_else(|| self.show(Page::Sessions));
            }
            Focus::Filter => {
                self.sessions.filter.clear();
            }
            Focus::Detail => self.unfocus_detail(),
            Focus::Sessions => {
                if !self.sessions.filter.clear() && self.detail.take().is_none() {
                    self.toasts.dismiss();
                }
            }
        }
        Vec::new()
    }

    /// A detail next to the list stays open and follows the selection. Otherwise it closes.
    pub(super) fn unfocus_detail(&mut self) {
        match &mut self.detail {
            Some(detail) if self.areas.detail_beside => detail.focused = false,
            _ => self.detail = None,
        }
    }

    fn in_help(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let Some(help) = &mut self.help else {
            return Vec::new();
        };
        let page = help.page();
        match action {
            Action::Back => return self.back(now),
            Action::HelpSearch | Action::SessionsFilter => help.searching = true,
            Action::InputSubmit => help.searching = false,
            Action::InputCancel => {
                help.clear_search();
            }
            _ => help.move_by(motion(action, page).unwrap_or(0)),
        }
        Vec::new()
    }

    fn in_confirm(&mut self, action: Action) -> Vec<Step> {
        let Some(confirm) = &mut self.confirm else {
            return Vec::new();
        };
        let Some(answer) = confirm.action(action) else {
            return Vec::new();
        };
        let (session, name) = (confirm.session, confirm.name.clone());
        self.confirm = None;
        match answer {
            Answer::Leave => Vec::new(),
            Answer::Terminate { force } => vec![Step::Ask {
                request: Request::Terminate { session, force },
                purpose: Purpose::Terminate { name },
            }],
        }
    }

    /// Handles a click on a button of the dialog.
    pub(super) fn press_button(&mut self, yes: bool, now: Timestamp) -> Vec<Step> {
        let action = if yes {
            Action::ConfirmYes
        } else {
            Action::ConfirmNo
        };
        match self.focus() {
            Focus::LauncherQuestion => self.in_launcher(action, None, now),
            _ => self.in_confirm(action),
        }
    }

    fn in_logs(&mut self, action: Action) -> Vec<Step> {
        if let Some(tab) = tab_of(action) {
            return self.show_tab(tab);
        }
        match (action, &mut self.logs) {
            (Action::Panes, _) => self.show_panes(),
            (Action::HostShell, _) => self.host_shell(),
            (Action::LogsTimes, Some(logs)) => logs.toggle_times(&self.facts.time_zone),
            (_, Some(logs)) => logs.action(action, &mut self.ids),
            (_, None) => self.show(Page::Sessions),
        }
    }

    fn in_panes(&mut self, scope: Scope, action: Action) -> Vec<Step> {
        match action {
            Action::Back if scope == Scope::Global => self.show(Page::Sessions),
            Action::HostShell => self.host_shell(),
            Action::PanePick => self.pick_shell(),
            Action::WindowNewAs => self.new_shell(),
            _ => tab_of(action).map_or_else(Vec::new, |tab| self.show_tab(tab)),
        }
    }

    fn in_sessions(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        if let Some(steps) = self.in_filter(action) {
            return steps;
        }
        if self.move_in_list(action) {
            return Vec::new();
        }
        if let Some(tab) = tab_of(action) {
            return self.show_tab(tab);
        }
        match action {
            Action::Back => return self.back(now),
            Action::TabNext => self.go_to_tab(self.sessions.tab().next(1)),
            Action::TabPrevious => self.go_to_tab(self.sessions.tab().next(-1)),
            Action::Panes => return self.show_panes(),
            Action::HostShell => return self.host_shell(),
            Action::Contexts => return self.pick_context(),
            Action::Command => return self.command_line(),
            Action::DetailSteps => self.toggle_steps(),
            Action::DetailNextKernel => self.mark_kernel(1),
            Action::DetailPreviousKernel => self.mark_kernel(-1),
            Action::SessionsFilter => self.sessions.filter.edit(),
            Action::SessionsSort => {
                let (tab, shown) = (self.sessions.tab(), self.sessions.shown());
                let reclaim = self.sessions.widest().reclaim;
                let order = self.sessions.order();
                self.sessions.sort(order.next(tab, shown, reclaim));
            }
            Action::SessionsReverse => self.sessions.sort(self.sessions.order().reversed()),
            Action::SessionsStatistics => return self.toggle_statistics(),
            Action::LauncherRecents => return self.open_recents(),
            _ => return self.on_session(action, now),
        }
        Vec::new()
    }

    fn in_filter(&mut self, action: Action) -> Option<Vec<Step>> {
        match action {
            Action::InputSubmit => {
                self.sessions.filter.submit();
                self.reach.hurry();
            }
            Action::InputCancel => {
                self.sessions.filter.clear();
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn move_in_list(&mut self, action: Action) -> bool {
        if self.focus() == Focus::Detail {
            let Some(detail) = &mut self.detail else {
                return false;
            };
            let Some(by) = motion(action, detail.page()) else {
                return false;
            };
            detail.move_by(by);
            return true;
        }
        match action {
            Action::ListFirst => self.sessions.go_to(0),
            Action::ListLast => {
                self.reach.insist();
                self.sessions.go_to_last();
            }
            _ => match motion(action, self.sessions.page()) {
                Some(by) => self.sessions.move_by(by),
                None => return false,
            },
        }
        true
    }

    fn show_tab(&mut self, tab: Tab) -> Vec<Step> {
        self.go_to_tab(tab);
        self.show(Page::Sessions)
    }

    /// Shows another tab. The list gets the keys back from the detail, whose session isn't in that tab.
    pub(super) fn go_to_tab(&mut self, tab: Tab) {
        if tab != self.sessions.tab() && self.detail.as_ref().is_some_and(|it| it.focused) {
            self.unfocus_detail();
        }
        self.sessions.show_tab(tab);
    }

    fn show_panes(&mut self) -> Vec<Step> {
        if self.panes.is_empty() {
            let text = "no shell is open: press s for one in a session, ! for one on this machine";
            return vec![Step::toast(Level::Info, text)];
        }
        self.show(Page::Panes)
    }

    pub(super) fn host_shell(&mut self) -> Vec<Step> {
        let mut steps = self.panes.open_host(&self.facts.host, &mut self.ids);
        steps.extend(self.show(Page::Panes));
        steps
    }
}

/// The distance of a motion, with pages of `page` lines.
pub(super) fn motion(action: Action, page: isize) -> Option<isize> {
    Some(match action {
        Action::ListDown => 1,
        Action::ListUp => -1,
        Action::ListPageDown => page,
        Action::ListPageUp => -page,
        Action::ListHalfDown => page.midpoint(1),
        Action::ListHalfUp => -page.midpoint(1),
        Action::ListFirst => isize::MIN / 2,
        Action::ListLast => isize::MAX / 2,
        _ => return None,
    })
}

fn tab_of(action: Action) -> Option<Tab> {
    match action {
        Action::TabRunning => Some(Tab::Running),
        Action::TabFinished => Some(Tab::Finished),
        Action::TabOthers => Some(Tab::Others),
        _ => None,
    }
}
