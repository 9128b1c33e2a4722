//! Actions on the current session, or for a new one.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        allowed::why_not,
        detail::Detail,
        focus::Page,
        logs::Logs,
        step::{Go, Purpose, Step},
    },
    model::{
        capability::Capability, id::SessionKey, notice::Level, request::SessionRequest,
        session::Session,
    },
    protocol::message::Request,
};

impl App {
    /// Actions on the current session. An action that isn't possible now is refused with its reason.
    pub(super) fn on_session(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        if let Some(why) = self.why_not(action) {
            return vec![Step::toast(Level::Warning, why)];
        }
        match action {
            Action::SessionLaunch => return self.open_launcher(now),
            Action::SessionsRefresh => return self.refresh(),
            Action::Command => self.sessions.filter.submit(),
            _ => {}
        }
        if let Some(steps) = self.open_panel(action, now) {
            return steps;
        }
        let Some(session) = self.current().cloned() else {
            return Vec::new();
        };
        match action {
            Action::SessionOpen => {
                self.open_detail(session.key());
                Vec::new()
            }
            Action::SessionShell => self.open_shell(&session, now),
            Action::SessionLogs => self.open_logs(&session),
            Action::SessionAgain => {
                let session = self.full(session.key()).unwrap_or(session);
                vec![Self::ask_again(&session)]
            }
            Action::CopyId => vec![Step::Copy(session.id.to_string())],
            Action::CopyKernelId | Action::CopyContainerId => self.copy_of_kernel(action, &session),
            _ => Vec::new(),
        }
    }

    /// Why an action isn't possible now, `None` if it is possible.
    pub fn why_not(&self, action: Action) -> Option<String> {
        let shown = self.sessions.shown();
        why_not(action, self.current(), shown, &self.mirror, &self.facts)
    }

    fn refresh(&mut self) -> Vec<Step> {
        self.reach.insist();
        let context = self.sessions.shown().one();
        vec![Step::Ask {
            request: Request::refresh(context.filter(|_| self.mirror.has_several_contexts())),
            purpose: Purpose::Refresh,
        }]
    }

    fn open_logs(&mut self, session: &Session) -> Vec<Step> {
        let mut steps = self.show(Page::Logs);
        let full = self.full(session.key());
        let known = full.as_ref().unwrap_or(session);
        let no_times = self.mirror.why_not(known.context, Capability::LogTimes);
        let (logs, more) = Logs::open(
            known,
            self.kernel_of(known),
            no_times.cloned(),
            &mut self.ids,
        );
        self.logs = Some(logs);
        steps.extend(more);
        // A row of the list can lack the session's containers.
        let key = session.key();
        let size = usize::try_from(session.placement.cluster_size).unwrap_or(usize::MAX);
        if full.unwrap_or_else(|| session.clone()).kernels.len() < size {
            steps.push(Step::Ask {
                request: Request::session(key, SessionRequest::Detail),
                purpose: Purpose::Detail(key),
            });
        }
        steps
    }

    /// The position of the container that keys apply to: the marked one of the open detail.
    fn kernel_of(&self, session: &Session) -> usize {
        let open = self.detail.as_ref();
        let open = open.filter(|detail| detail.session() == session.key());
        open.map_or(0, |detail| detail.kernel(session.kernels.len()))
    }

    /// Opens a shell in the container that is marked in the detail, otherwise in the main one.
    fn open_shell(&mut self, row: &Session, now: Timestamp) -> Vec<Step> {
        let full = self.full(row.key());
        let session = full.as_ref().unwrap_or(row);
        let marked = self.kernel_of(session);
        let Some(kernel) = session.kernels.get(marked).filter(|_| marked > 0) else {
            return self.go(Go::Shell(session.key()), now);
        };
        let (kernel, context) = (kernel.id, session.context);
        let keeps_alive = self.mirror.streams_keep_alive(context);
        let ids = &mut self.ids;
        let mut steps = self.panes.open_container(session, kernel, keeps_alive, ids);
        steps.extend(self.show(Page::Panes));
        steps
    }

    fn copy_of_kernel(&self, action: Action, row: &Session) -> Vec<Step> {
        let full = self.full(row.key());
        let session = full.as_ref().unwrap_or(row);
        let Some(kernel) = session.kernels.get(self.kernel_of(session)) else {
            let text = format!("the containers of {} aren't known yet", session.name);
            return vec![Step::toast(Level::Warning, text)];
        };
        match (action, &kernel.container_id) {
            (Action::CopyKernelId, _) => vec![Step::Copy(kernel.id.to_string())],
            (_, Some(id)) => vec![Step::Copy(id.to_string())],
            (_, None) => {
                let text = format!("{} has no container", kernel.hostname);
                vec![Step::toast(Level::Warning, text)]
            }
        }
    }

    pub(super) fn mark_kernel(&mut self, by: isize) {
        let id = self.detail.as_ref().map(Detail::session);
        let full = id.and_then(|id| self.full(id));
        let count = full.map_or(0, |session| session.kernels.len());
        if let Some(detail) = &mut self.detail {
            detail.mark_kernel(by, count);
        }
    }

    pub(super) fn toggle_steps(&mut self) {
        if let Some(detail) = &mut self.detail {
            detail.all_steps = !detail.all_steps;
        }
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
