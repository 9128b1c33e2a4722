//! Notifications: how they are announced, and the actions in their list.

use jiff::Timestamp;

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        allowed,
        effect::Effect,
        focus::{Focus, Page},
        notices::{Attention, toast::SessionEvent},
        panels::notifications::NoticeList,
        step::{Purpose, Step},
    },
    model::{
        failure::Failure,
        id::SessionKey,
        notice::{Level, Notice, NoticeKind, NoticesEdit},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

impl App {
    /// Handles a new notification.
    pub(super) fn notice_arrived(&mut self, notice: Notice, now: Timestamp) -> Vec<Step> {
        let attention = Attention {
            in_front: self.in_front,
            in_terminal: self.page == Page::Panes,
            is_followed: notice.session.is_some_and(|it| self.toasts.follows(it)),
        };
        let mut steps = Vec::new();
        if !self.notices.receive(&notice, attention) {
            return steps;
        }
        self.notice_came();
        let how = self.notices.announce(&notice, attention, now);
        if how.bell && self.facts.notifications.bell {
            steps.push(Step::Do(Effect::Bell));
        }
        if how.desktop {
            steps.push(Step::Do(Effect::Notify(notice.text.clone())));
        }
        if how.toast {
            let level = notice.level;
            let event = SessionEvent::of(&notice.kind);
            let text = match self.hint_of(&notice) {
                Some(hint) => Clean::multiline(&format!("{}\n{hint}", notice.text)),
                None => notice.text,
            };
            match event {
                Some(event) => self.toasts.report(event, level, text, now),
                None => steps.push(Step::Toast { level, text }),
            }
        }
        steps
    }

    /// The key that extends a session which will be reclaimed, if that is allowed.
    fn hint_of(&self, notice: &Notice) -> Option<String> {
        if !matches!(notice.kind, NoticeKind::IdleWarning { .. }) {
            return None;
        }
        let session = self.mirror.session(notice.session?)?;
        let (keep, shown) = (Action::SessionExtend, self.sessions.shown());
        let why = allowed::why_not(keep, Some(session), shown, &self.mirror, &self.facts);
        let keys = self.keymap.keys_for(Scope::Sessions, keep);
        let key = keys.into_iter().next().filter(|_| why.is_none())?;
        Some(tr!("press {key} in the list to extend it", key))
    }

    fn notice_came(&mut self) {
        if let Some(list) = self.panels.get_mut::<NoticeList>() {
            list.came(1, self.notices.len());
            self.notices.mark_read();
        }
    }

    /// Requests the notifications from before this TUI started, or from while it was disconnected.
    pub(super) fn ask_notices() -> Step {
        Step::Ask {
            request: Request::Notices,
            purpose: Purpose::Notices,
        }
    }

    pub(super) fn notices_loaded(&mut self, result: Result<Reply, Failure>) -> Vec<Step> {
        if let Ok(Reply::Notices { notices, unseen }) = result {
            let before = self.notices.len();
            self.notices.catch_up(notices, unseen);
            if let Some(list) = self.panels.get_mut::<NoticeList>() {
                let count = self.notices.len();
                list.came(count.saturating_sub(before), count);
                self.notices.mark_read();
            }
        }
        Vec::new()
    }

    /// Opens or closes the list.
    pub(super) fn toggle_notices(&mut self) -> Vec<Step> {
        if self.panels.close::<NoticeList>() {
            return Vec::new();
        }
        // The list doesn't open over a form, so that its texts are kept.
        if matches!(self.focus(), Focus::Panel | Focus::Filter) {
            return Vec::new();
        }
        self.panels.push(NoticeList::default());
        self.toasts.clear();
        self.edit_notices(NoticesEdit::Seen)
    }

    pub(super) fn edit_notices(&mut self, edit: NoticesEdit) -> Vec<Step> {
        match &edit {
            NoticesEdit::Seen => self.notices.mark_read(),
            NoticesEdit::Forget { notice } => self.notices.forget(notice),
            NoticesEdit::Clear => self.notices.forget_all(),
        }
        // Without a daemon, the change applies only in this TUI.
        let ask = self.mirror.is_up().then_some(Step::Ask {
            request: Request::EditNotices { edit },
            purpose: Purpose::Effect,
        });
        ask.into_iter().collect()
    }

    pub(super) fn toggle_quiet(&mut self) -> Vec<Step> {
        self.notices.quiet = !self.notices.quiet;
        let text = if self.notices.quiet {
            tr!("quiet mode on: no bell, toasts only for warnings and errors")
        } else {
            tr!("quiet mode off: all toasts, bell for warnings")
        };
        vec![Step::toast(Level::Info, text)]
    }

    /// Shows a session with its detail.
    pub(super) fn show_session(&mut self, key: SessionKey) -> Vec<Step> {
        let steps = self.show(Page::Sessions);
        self.sessions.select_when_there(key);
        self.detail = None;
        self.open_detail(key);
        steps
    }

    /// The session that will be reclaimed next, if that is soon. Every view shows it.
    pub fn next_end(&self, now: Timestamp) -> Option<(Clean, i64)> {
        let (session, until) = self.notices.next_end(&self.mirror, now)?;
        Some((session.name.clone(), until.as_second() - now.as_second()))
    }
}
