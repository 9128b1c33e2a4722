//! The list of notifications on the screen: the marked one and the visible ones.

use super::{Hint, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        notices::Notices,
        session_actions,
        step::{Go, Step},
    },
    key::Key,
    model::notice::{Level, Notice, NoticesEdit},
};

#[derive(Clone, Debug, Default)]
pub struct NoticeList {
    pub list: ListCursor,
}

impl NoticeList {
    pub fn notice<'a>(&self, notices: &'a Notices) -> Option<&'a Notice> {
        notices.get(self.list.marked())
    }

    /// The marked notification stays marked when new ones appear above it. At the top, the newest one becomes
    /// marked.
    pub fn came(&mut self, above: usize, count: usize) {
        if self.list.marked() > 0 {
            self.list.go_to(self.list.marked() + above, count);
        }
    }
}

/// Handles an action on a notification.
fn act(action: Action, notice: &Notice, env: &PanelEnv<'_>) -> Vec<Step> {
    let is_about_session = session_actions::find(action).is_some();
    match (action, missing(notice, env)) {
        (Action::NoticeCopy, _) => vec![Step::Copy(notice.text.to_string())],
        (Action::NoticeForget, _) => {
            let notice = Box::new(notice.clone());
            vec![Step::EditNotices(NoticesEdit::Forget { notice })]
        }
        (action, Some(why)) if action == Action::NoticeOpen || is_about_session => {
            vec![Step::toast(Level::Warning, why)]
        }
        (Action::NoticeOpen, _) => {
            let show = notice.session.map(|it| Step::Go(Go::ShowSession(it)));
            [Step::CLOSE].into_iter().chain(show).collect()
        }
        (action, _) if is_about_session => vec![Step::Go(Go::Act(action))],
        _ => Vec::new(),
    }
}

/// Why an action isn't possible on the notification's session, `None` if the session is known.
fn missing(notice: &Notice, env: &PanelEnv<'_>) -> Option<String> {
    match notice.session {
        None => Some(tr!("this notification has no session").to_owned()),
        Some(key) if env.mirror.session(key).is_none() => Some(tr!(
            "session {short} isn't in the list any more",
            short = key.id.short()
        )),
        Some(_) => None,
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Notices,
        &[Action::NoticeOpen],
        tr_later!("show session"),
    ),
    (Scope::Notices, &[Action::SessionShell], tr_later!("shell")),
    (
        Scope::Notices,
        &[Action::SessionExtend],
        tr_later!("extend"),
    ),
    (Scope::Notices, &[Action::SessionLogs], tr_later!("log")),
    (
        Scope::Notices,
        &[Action::SessionAgain],
        tr_later!("relaunch"),
    ),
    (
        Scope::Notices,
        &[Action::SessionTerminate],
        tr_later!("terminate"),
    ),
    (Scope::Notices, &[Action::NoticeForget], tr_later!("remove")),
    (Scope::Notices, &[Action::Quiet], tr_later!("quiet")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
    (Scope::Notices, &[Action::NoticeCopy], tr_later!("copy")),
    (
        Scope::Notices,
        &[Action::NoticeForgetAll],
        tr_later!("clear all"),
    ),
];

impl Panel for NoticeList {
    fn scope(&self) -> Scope {
        Scope::Notices
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.list.action(action, env.notices.len()) {
            return Vec::new();
        }
        match (action, self.notice(env.notices)) {
            (Action::Back, _) => self.back(env),
            (Action::NoticeForgetAll, _) => vec![Step::EditNotices(NoticesEdit::Clear)],
            (action, Some(notice)) => act(action, notice, env),
            (_, None) => vec![Step::toast(Level::Info, tr!("no notification is selected"))],
        }
    }

    /// A click marks a row. A click on the marked row opens it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() {
                    return self.action(Action::NoticeOpen, None, env);
                }
                self.list.go_to(at, env.notices.len());
                Vec::new()
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), env.notices.len());
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        self.list.laid_out(height, env.notices.len());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_one_stays_marked_and_in_sight() {
        let mut it = NoticeList::default();
        let at = |it: &NoticeList| (it.list.marked(), it.list.scroll());
        it.list.laid_out(3, 10);
        it.came(1, 11);
        assert_eq!(at(&it), (0, 0));
        it.list.move_by(4, 11);
        assert_eq!(at(&it), (4, 2));
        it.came(1, 12);
        assert_eq!(at(&it), (5, 3));
        it.list.move_by(isize::MAX / 2, 12);
        assert_eq!(at(&it), (11, 9));
        it.list.go_to(11, 0);
        assert_eq!(at(&it), (0, 0));
    }
}
