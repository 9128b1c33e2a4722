//! Decides what an action does in the current view or panel.

use jiff::Timestamp;

use super::{App, update::interrupt_ends};
use crate::{
    action::{Action, Scope},
    app::{
        allowed::why_read_only,
        effect::Effect,
        focus::{Focus, Page},
        panels::{AnyPanel, scroll::motion},
        step::{Go, Step},
    },
    key::Key,
    model::{notice::Level, status::Tab},
};

impl App {
    pub(super) fn action(
        &mut self,
        scope: Scope,
        action: Action,
        key: Option<Key>,
        now: Timestamp,
    ) -> Vec<Step> {
        self.invoked = Some((scope, action));
        let mut steps = Vec::new();
        // The panes get every action of their scopes first, because it also ends the leader key.
        let asked = matches!(scope, Scope::Input | Scope::Confirm) && self.focus() == Focus::Panes;
        if asked || matches!(scope, Scope::Terminal | Scope::Leader | Scope::Panes) {
            steps.extend(self.panes.action(action, key, &mut self.ids, now));
        }
        steps.extend(match action {
            Action::Help => self.open_help(now),
            Action::Command => self.toggle_palette(now),
            Action::CommandLog => self.toggle_command_log(),
            Action::Redraw => vec![Step::Do(Effect::Repaint)],
            Action::Suspend => vec![Step::Do(Effect::Suspend)],
            Action::ToggleMouse => self.toggle_mouse(),
            Action::Interrupt => self.interrupt(now),
            Action::Quit => self.quit(now),
            Action::Notices => self.toggle_notices(),
            Action::Quiet => self.toggle_quiet(),
            Action::Ports => self.toggle_ports(),
            Action::Dashboard => self.toggle_dashboard(),
            Action::Folders => self.toggle_folders(),
            Action::Transfers => self.toggle_transfers(),
            Action::ThemePick => self.toggle_themes(now),
            Action::Settings => self.toggle_settings(now),
            Action::PaneScratch => self.toggle_scratch(),
            Action::ControlRoom => self.toggle_control_room(),
            Action::Layouts => self.toggle_layouts(),
            _ => match self.focus() {
                Focus::Panel => self.on_panel(now, |top, env| top.action(action, key, env)),
                Focus::Logs => self.in_logs(action, now),
                Focus::Panes => self.in_panes(scope, action, now),
                Focus::Filter | Focus::Detail | Focus::Sessions => self.in_sessions(action, now),
            },
        });
        steps
    }

    fn toggle_themes(&mut self, now: Timestamp) -> Vec<Step> {
        if matches!(self.top(), Some(AnyPanel::Themes(_))) {
            return self.back(now);
        }
        self.go(Go::Open(Action::ThemePick), now)
    }

    fn toggle_mouse(&mut self) -> Vec<Step> {
        self.mouse = !self.mouse;
        let text = if self.mouse {
            tr!("mouse on: hold Shift to select text")
        } else {
            tr!("mouse off: select text as usual")
        };
        vec![
            Step::Do(Effect::Mouse(self.mouse)),
            Step::toast(Level::Info, text),
        ]
    }

    /// Handles Ctrl-C: goes one step back. At the top, a second press quits.
    fn interrupt(&mut self, now: Timestamp) -> Vec<Step> {
        let has_more = self.detail.is_some()
            || self.sessions.filter.is_on()
            || !self.sessions.marks.is_empty();
        if self.focus() != Focus::Sessions || has_more {
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
            if let Some(question) = self.transfers_before_leave(now) {
                return vec![question];
            }
            return self.leave();
        }
        self.back(now)
    }

    /// Handles Esc: closes the innermost thing. At the top, it does nothing.
    pub(super) fn back(&mut self, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Panel => return self.on_panel(now, |top, env| top.back(env)),
            Focus::Logs => return self.in_logs(Action::Back, now),
            Focus::Panes => {
                let cancelled = self.panes.cancel_prompt();
                return cancelled.unwrap_or_else(|| self.show(Page::Sessions));
            }
            Focus::Filter => {
                self.sessions.filter.clear();
            }
            Focus::Detail => self.unfocus_detail(),
            Focus::Sessions => {
                if !self.sessions.marks.clear()
                    && !self.sessions.filter.clear()
                    && self.detail.take().is_none()
                {
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

    fn in_logs(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        if let Some(tab) = tab_of(action) {
            return self.show_tab(tab);
        }
        match (action, &mut self.logs) {
            (Action::Panes, _) => self.show_panes(now),
            (Action::HostShell, _) => self.host_shell(),
            (Action::LogsTimes, Some(logs)) => logs.toggle_times(&self.facts.time_zone),
            (_, Some(logs)) => logs.action(action, &mut self.ids),
            (_, None) => self.show(Page::Sessions),
        }
    }

    fn in_panes(&mut self, scope: Scope, action: Action, now: Timestamp) -> Vec<Step> {
        match action {
            Action::Back if scope == Scope::Global => self.show(Page::Sessions),
            Action::HostShell => self.host_shell(),
            Action::Panes => self.show_panes(now),
            Action::PaneBroadcast => self.toggle_broadcast(),
            Action::PaneRelaunch => self.relaunch_pane(now),
            Action::PanePick | Action::WindowNewAs => {
                self.open_panel(action, now).unwrap_or_default()
            }
            _ => tab_of(action).map_or_else(Vec::new, |tab| self.show_tab(tab)),
        }
    }

    /// Switches broadcast in terminals on or off.
    fn toggle_broadcast(&mut self) -> Vec<Step> {
        let (mirror, facts) = (&self.mirror, &self.facts);
        self.panes
            .toggle_broadcast(|context| why_read_only(context, mirror, facts).is_some())
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
            Action::Panes => return self.show_panes(now),
            Action::HostShell => return self.host_shell(),
            Action::DetailSteps => return said(self.toggle_steps()),
            Action::DetailNextKernel => return said(self.mark_kernel(1)),
            Action::DetailPreviousKernel => return said(self.mark_kernel(-1)),
            Action::SessionsFilter => self.sessions.filter.edit(),
            Action::SessionsSort => {
                let (tab, shown) = (self.sessions.tab(), self.sessions.shown());
                let reclaim = self.sessions.widest().reclaim;
                let order = self.sessions.order();
                self.sessions.sort(order.next(tab, shown, reclaim));
            }
            Action::SessionsMark => self.sessions.toggle_mark(&self.mirror),
            Action::SessionsMarkAll => return self.mark_all(),
            Action::SessionsMarkRange => self.sessions.mark_range(&self.mirror),
            Action::SessionsMarkDown => self.sessions.mark_and_move(1, &self.mirror),
            Action::SessionsMarkUp => self.sessions.mark_and_move(-1, &self.mirror),
            Action::SessionsUnmarkAll if self.sessions.marks.is_empty() => {
                return said(Some(tr!("no session is marked").to_owned()));
            }
            Action::SessionsUnmarkAll => {
                self.sessions.marks.clear();
            }
            Action::SessionsColumns => return self.open_columns(),
            Action::SessionsExport => return self.open_export(),
            Action::BulkResults => return self.show_bulk_results(),
            Action::SessionsGroup => return said(self.sessions.group_by_next(&self.mirror)),
            Action::SessionsFold => return said(self.sessions.fold(&self.mirror)),
            Action::SessionsUnfold => return said(self.sessions.unfold(&self.mirror)),
            Action::SessionsFoldAll => return said(self.sessions.fold_all(&self.mirror)),
            Action::SessionsReverse => self.sessions.sort(self.sessions.order().reversed()),
            Action::SessionsStatistics => return self.toggle_statistics(),
            _ => return self.on_session(action, now),
        }
        Vec::new()
    }

    fn in_filter(&mut self, action: Action) -> Option<Vec<Step>> {
        match action {
            Action::TabNext if self.focus() == Focus::Filter => self.complete_filter(),
            // An invalid filter stays open, so that its error stays visible.
            Action::InputSubmit if self.sessions.filter.error().is_some() => {}
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

    pub(super) fn show_tab(&mut self, tab: Tab) -> Vec<Step> {
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

    /// Shows the open shells if they are on one tab. Otherwise lists them, because the focused tab is often
    /// about another session than the selected one.
    fn show_panes(&mut self, now: Timestamp) -> Vec<Step> {
        match self.panes.tabs().len() {
            0 => {
                let text = tr!(
                    "No shell is open. Press s for one in a session, ! for one on this machine"
                );
                vec![Step::toast(Level::Info, text)]
            }
            1 => self.show(Page::Panes),
            _ => self.go(Go::Open(Action::PanePick), now),
        }
    }

    pub(super) fn host_shell(&mut self) -> Vec<Step> {
        let mut steps = self.panes.open_host(&self.facts.host, &mut self.ids);
        steps.extend(self.show(Page::Panes));
        steps
    }
}

/// Reports why an action has no effect.
fn said(why: Option<String>) -> Vec<Step> {
    let toast = why.map(|why| Step::toast(Level::Info, why));
    toast.into_iter().collect()
}

fn tab_of(action: Action) -> Option<Tab> {
    match action {
        Action::TabRunning => Some(Tab::Running),
        Action::TabFinished => Some(Tab::Finished),
        Action::TabOthers => Some(Tab::Others),
        _ => None,
    }
}
