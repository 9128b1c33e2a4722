//! Carries out actions on the current session, or for a new one. What they do is in `session_actions`.

use jiff::Timestamp;

use super::{App, bulk::is_bulk};
use crate::{
    action::{Action, Scope},
    app::{
        allowed::why_not,
        detail::Detail,
        focus::{Focus, Page},
        logs::Logs,
        panels::selected_kernel,
        session_actions,
        step::{Purpose, Step},
    },
    model::{
        capability::Capability,
        context::EngineKind,
        id::{KernelId, SessionKey},
        notice::Level,
        request::SessionRequest,
    },
    protocol::message::Request,
};

impl App {
    /// Actions on the current session. An action that isn't possible now is refused with its reason.
    pub(super) fn on_session(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        if action == Action::SessionOpen && self.toggles_group() {
            return Vec::new();
        }
        if self.acts_on_marked()
            && let Some(steps) = self.on_marked(action, now)
        {
            return steps;
        }
        if let Some(why) = self.why_not(action) {
            return vec![Step::toast(Level::Warning, why)];
        }
        match action {
            Action::SessionLaunch => return self.open_launcher(now),
            Action::SessionsRefresh => return self.refresh(),
            _ => {}
        }
        if let Some(steps) = self.open_panel(action, now) {
            return steps;
        }
        let (Some(session), Some(of_session)) = (self.current(), session_actions::find(action))
        else {
            return Vec::new();
        };
        let Some(session) = self.full(session.key()) else {
            return Vec::new();
        };
        let outcome = (of_session.run)(&session, &self.env(now));
        if let Some(panel) = outcome.panel {
            self.panels.push(panel);
        }
        self.moved(outcome.steps, now)
    }

    /// Why an action isn't possible now, `None` if it is possible.
    pub fn why_not(&self, action: Action) -> Option<String> {
        if self.acts_on_marked() && is_bulk(action) {
            return self.why_not_marked(action);
        }
        if let Some(why) = self.why_not_on_group(action) {
            return Some(why);
        }
        let shown = self.sessions.shown();
        why_not(action, self.current(), shown, &self.mirror, &self.facts)
    }

    /// Folds or unfolds the selected group of the list.
    fn toggles_group(&mut self) -> bool {
        self.focus() == Focus::Sessions && self.sessions.toggle_group()
    }

    /// Why an action on a session isn't possible while a group is selected.
    fn why_not_on_group(&self, action: Action) -> Option<String> {
        session_actions::find(action)?;
        let selected = self.focus() == Focus::Sessions && self.sessions.selected_group().is_some();
        if !selected || action == Action::SessionOpen {
            return None;
        }
        let keys = self.keymap.keys_for(Scope::Sessions, Action::SessionsMark);
        let way = keys
            .first()
            .map(|key| tr!(". Press {key} to mark its sessions", key));
        let way = way.unwrap_or_default();
        Some(tr!("a group is selected{way}", way))
    }

    fn refresh(&mut self) -> Vec<Step> {
        self.reach.insist();
        let context = self.sessions.shown().one();
        vec![Step::Ask {
            request: Request::refresh(context.filter(|_| self.mirror.has_several_contexts())),
            purpose: Purpose::toast(Level::Info, tr!("list refreshed")),
        }]
    }

    /// Reads the list again when the terminal gets the focus: a manager reports no event for some changes, such as another name.
    pub(super) fn refresh_on_return(&self) -> Option<Step> {
        let shown = self.sessions.shown();
        let mut contexts = self.mirror.shown(shown);
        let has_manager = contexts.any(|it| it.context.kind == EngineKind::Backendai);
        let context = shown.one().filter(|_| self.mirror.has_several_contexts());
        (has_manager && self.mirror.is_up() && self.page == Page::Sessions).then(|| Step::Ask {
            request: Request::refresh(context),
            purpose: Purpose::Refresh,
        })
    }

    /// Opens the log of a session, in the container that is selected in the detail.
    pub(super) fn open_logs(&mut self, key: SessionKey) -> Vec<Step> {
        let mut steps = self.show(Page::Logs);
        let Some(session) = self.full(key) else {
            return steps;
        };
        let no_times = self.mirror.why_not(key.context, Capability::LogTimes);
        let selected = selected_kernel(self.detail.as_ref(), &self.sessions, &session);
        let (logs, more) = Logs::open(&session, selected, no_times.cloned(), &mut self.ids);
        self.logs = Some(logs);
        steps.extend(more);
        // A row of the list can lack the session's containers.
        let size = usize::try_from(session.placement.cluster_size).unwrap_or(usize::MAX);
        if session.kernels.len() < size {
            steps.push(Step::Ask {
                request: Request::session(key, SessionRequest::Detail),
                purpose: Purpose::Detail(key),
            });
        }
        steps
    }

    /// Opens a shell in a container of a session.
    pub(super) fn open_container_shell(&mut self, key: SessionKey, kernel: KernelId) -> Vec<Step> {
        let Some(session) = self.full(key) else {
            return Vec::new();
        };
        let keeps_alive = self.mirror.streams_keep_alive(key.context);
        let ids = &mut self.ids;
        let mut steps = self
            .panes
            .open_container(&session, kernel, keeps_alive, ids);
        steps.extend(self.show(Page::Panes));
        steps
    }

    /// Selects another container of the session in the details. Returns why it can't.
    pub(super) fn mark_kernel(&mut self, by: isize) -> Option<String> {
        let id = self.detail.as_ref().map(Detail::session)?;
        let full = self.full(id);
        let count = full.as_ref().map_or(0, |session| session.kernels.len());
        if count < 2 {
            let name = full.map(|session| session.name.clone());
            let name = name.or_else(|| Some(self.mirror.session(id)?.name.clone()))?;
            return Some(tr!("{name} has one container", name));
        }
        self.detail.as_mut()?.mark_kernel(by, count);
        None
    }

    /// Shows all steps of the scheduling history in the details, or fewer. Returns why it can't.
    pub(super) fn toggle_steps(&mut self) -> Option<String> {
        let detail = self.detail.as_mut()?;
        if !detail.has_steps() {
            return Some(tr!("the scheduling history has no steps").to_owned());
        }
        detail.toggle_steps();
        None
    }

    /// Opens the detail. The next press focuses it, and another one closes it.
    pub(super) fn open_detail(&mut self, id: SessionKey) {
        let beside = self.areas.screen.width >= crate::app::area::BESIDE_COLUMNS;
        match &mut self.detail {
            Some(detail) if detail.focused => self.unfocus_detail(),
            Some(detail) => {
                detail.follow(id);
                detail.focused = true;
            }
            None => self.detail = Some(Detail::new(id, !beside)),
        }
    }
}
