//! Notifications: how they are announced, and the actions in their list.

use jiff::Timestamp;

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        allowed,
        effect::Effect,
        focus::{Focus, Page},
        msg::Mouse,
        notice_list::NoticeList,
        notices::Attention,
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
    pub(super) fn told_notice(&mut self, notice: Notice, now: Timestamp) -> Vec<Step> {
        let attention = Attention {
            in_front: self.in_front,
            in_terminal: self.page == Page::Panes,
            is_followed: notice.session.is_some_and(|it| self.toasts.tells_of(it)),
        };
        let mut steps = Vec::new();
        if !self.notices.hear(&notice, attention) {
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
            let text = match self.hint_of(&notice) {
                Some(hint) => Clean::multiline(&format!("{}\n{hint}", notice.text)),
                None => notice.text,
            };
            steps.push(Step::Toast { level, text });
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
        Some(format!("press {key} in the list to extend it"))
    }

    fn notice_came(&mut self) {
        if let Some(list) = &mut self.notice_list {
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

    pub(super) fn notices_told(&mut self, result: Result<Reply, Failure>) -> Vec<Step> {
        if let Ok(Reply::Notices { notices, unseen }) = result {
            let before = self.notices.len();
            self.notices.catch_up(notices, unseen);
            if let Some(list) = &mut self.notice_list {
                let count = self.notices.len();
                list.came(count.saturating_sub(before), count);
                self.notices.mark_read();
            }
        }
        Vec::new()
    }

    /// Opens or closes the list.
    pub(super) fn toggle_notices(&mut self) -> Vec<Step> {
        if self.notice_list.take().is_some() {
            return Vec::new();
        }
        // The list doesn't open over a form, so that its texts are kept.
        let free = matches!(
            self.focus(),
            Focus::Sessions | Focus::Detail | Focus::Logs | Focus::Panes
        );
        if !free {
            return Vec::new();
        }
        self.notice_list = Some(NoticeList::default());
        self.notices.mark_read();
        self.toasts.clear();
        self.edit_notices(NoticesEdit::Seen).into_iter().collect()
    }

    fn edit_notices(&self, edit: NoticesEdit) -> Option<Step> {
        // Without a daemon, the change applies only in this TUI.
        self.mirror.is_up().then_some(Step::Ask {
            request: Request::EditNotices { edit },
            purpose: Purpose::Effect,
        })
    }

    pub(super) fn toggle_quiet(&mut self) -> Vec<Step> {
        self.notices.quiet = !self.notices.quiet;
        let text = if self.notices.quiet {
            "quiet mode on: no bell, toasts only for warnings and errors"
        } else {
            "quiet mode off: all toasts, bell for warnings"
        };
        vec![Step::toast(Level::Info, text)]
    }

    /// The marked notification in the open list.
    pub fn marked_notice(&self) -> Option<&Notice> {
        self.notice_list.as_ref()?.notice(&self.notices)
    }

    pub(super) fn in_notices(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let count = self.notices.len();
        let Some(list) = &mut self.notice_list else {
            return Vec::new();
        };
        if let Some(by) = super::actions::motion(action, list.page()) {
            list.move_by(by, count);
            return Vec::new();
        }
        match action {
            Action::Back => {
                self.notice_list = None;
                Vec::new()
            }
            Action::NoticeForgetAll => {
                self.notices.forget_all();
                self.edit_notices(NoticesEdit::Clear).into_iter().collect()
            }
            _ => match self.marked_notice().cloned() {
                Some(notice) => self.on_notice(action, notice, now),
                None => Vec::new(),
            },
        }
    }

    fn on_notice(&mut self, action: Action, notice: Notice, now: Timestamp) -> Vec<Step> {
        match action {
            Action::NoticeOpen => self.go_to_session(&notice),
            Action::NoticeCopy => vec![Step::Copy(notice.text.into_string())],
            Action::NoticeForget => {
                self.notices.forget(&notice);
                let notice = Box::new(notice);
                let step = self.edit_notices(NoticesEdit::Forget { notice });
                step.into_iter().collect()
            }
            action if allowed::is_about_a_session(action) => {
                if let Some(why) = self.not_there(&notice) {
                    return vec![Step::toast(Level::Warning, why)];
                }
                let may = self.why_not(action).is_none();
                let steps = self.on_session(action, now);
                // A dialog opens on top of the list. Every other action leads elsewhere, so the list closes.
                if may && self.confirm.is_none() && self.keep.is_none() {
                    self.notice_list = None;
                }
                steps
            }
            _ => Vec::new(),
        }
    }

    /// Why an action isn't possible on the notification's session, `None` if the session is known.
    fn not_there(&self, notice: &Notice) -> Option<String> {
        match notice.session {
            None => Some("this notification has no session".to_owned()),
            Some(key) if self.mirror.session(key).is_none() => Some(format!(
                "session {} isn't in the list any more",
                key.id.short()
            )),
            Some(_) => None,
        }
    }

    /// Shows a session with its detail.
    fn go_to_session(&mut self, notice: &Notice) -> Vec<Step> {
        let why = self.not_there(notice);
        let Some(key) = notice.session.filter(|_| why.is_none()) else {
            let why = why.unwrap_or_default();
            return vec![Step::toast(Level::Warning, why)];
        };
        self.notice_list = None;
        self.show_session(key)
    }

    fn show_session(&mut self, key: SessionKey) -> Vec<Step> {
        let steps = self.show(Page::Sessions);
        self.sessions.select_when_there(key);
        self.detail = None;
        self.open_detail(key);
        steps
    }

    pub(super) fn click_in_notices(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        let count = self.notices.len();
        let position = ratatui::layout::Position::new(mouse.column, mouse.row);
        let Some((rows, list)) = self.areas.notice_rows.zip(self.notice_list.as_mut()) else {
            return Vec::new();
        };
        if !rows.contains(position) {
            let outside = self.areas.dialog.is_some_and(|it| !it.contains(position));
            if outside {
                self.notice_list = None;
            }
            return Vec::new();
        }
        let at = list.scroll() + usize::from(mouse.row - rows.y);
        if at == list.marked() {
            return self.in_notices(Action::NoticeOpen, now);
        }
        list.go_to(at, count);
        Vec::new()
    }

    /// The session that will be reclaimed next, if that is soon. Every view shows it.
    pub fn next_end(&self, now: Timestamp) -> Option<(Clean, i64)> {
        let (session, until) = self.notices.next_end(&self.mirror, now)?;
        Some((session.name.clone(), until.as_second() - now.as_second()))
    }
}
