//! Handles the daemon's answers, each by the purpose of its request.

use jiff::Timestamp;

use super::{App, daemon::toast_of};
use crate::{
    app::{
        detail::Used,
        launcher::{EarlierLaunch, Launcher},
        msg::Ticket,
        panels::{
            dashboard::Dashboard, history::HistoryTable, recents::Recents, rename::Rename,
            waiting::WaitingDialog,
        },
        step::{Purpose, Step},
    },
    model::{
        failure::{Failure, FailureKind},
        id::{ContextName, SessionKey},
        session::Session,
        spec::LaunchRequest,
        status::Tab,
        text::Clean,
    },
    protocol::message::Reply,
};

impl App {
    pub(super) fn answer(
        &mut self,
        ticket: Ticket,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        let Some(purpose) = self.asked.remove(&ticket) else {
            return Vec::new();
        };
        match purpose {
            Purpose::Launch(from) => self.launched(from, result),
            Purpose::Again {
                context,
                name,
                grown,
                home,
            } => {
                let earlier = EarlierLaunch {
                    name: name.map(Clean::into_string),
                    grown,
                    home,
                    ..EarlierLaunch::new(context, LaunchRequest::default())
                };
                self.again(earlier, result, now)
            }
            Purpose::Notices => self.notices_loaded(result),
            Purpose::Reach {
                context,
                tab,
                word,
                before,
            } => self.reached(context, tab, word.as_deref(), before, result),
            Purpose::Unsaved(session) => self.unsaved_answered(session, result),
            Purpose::Bulk { job, session } => self.bulk_answered((job, session), result),
            Purpose::Apps(asked) => self.apps_answered(asked, result),
            Purpose::Folders(asked) => self.folders_answered(asked, result, now),
            Purpose::Explorer(asked) => self.files_answered(asked, result),
            Purpose::Rename { session, name, new } => match result {
                Ok(_) => Vec::new(),
                Err(failure) => self.rename_failed(session, &name, &new, &failure),
            },
            Purpose::ForwardUrl { then } => match result {
                Ok(Reply::Opened { opened }) => self.url_created(&opened, then),
                Ok(_) => Vec::new(),
                Err(failure) => vec![toast_of(&failure)],
            },
            Purpose::Toast { level, text } => vec![match result {
                Ok(_) => Step::Toast { level, text },
                Err(failure) => toast_of(&failure),
            }],
            Purpose::Effect
            | Purpose::Edit(_)
            | Purpose::Recipe
            | Purpose::Settings
            | Purpose::SaveSetting => {
                let failure = result.err();
                failure.iter().map(toast_of).collect()
            }
            shown => {
                self.show_answer(shown, result, now);
                Vec::new()
            }
        }
    }

    /// Takes an answer that only changes what is shown.
    fn show_answer(&mut self, purpose: Purpose, result: Result<Reply, Failure>, now: Timestamp) {
        match purpose {
            Purpose::Recents => {
                if let Some(recents) = self.panels.get_mut::<Recents>() {
                    recents.answered(result);
                }
            }
            Purpose::Palette(query) => self.palette_answered(query, result, now),
            Purpose::History(id) => self.history_answered(id, result),
            Purpose::Figures(id) => self.figures_answered(id, result),
            Purpose::WhyNot(session) => self.why_not_answered(session, result, now),
            Purpose::Scheduling(session) => {
                if let Some(table) = self.panels.get_mut::<HistoryTable>() {
                    table.answered(session, result);
                }
            }
            Purpose::Detail(id) => {
                if let Ok(Reply::Session { session }) = result {
                    self.read_in_full(id, *session);
                }
            }
            Purpose::Catalogue { context, project } => {
                if let Some(launcher) = self.panels.get_mut::<Launcher>() {
                    launcher.answered(context, project.as_deref(), result);
                }
            }
            Purpose::CreateFolder { context, .. } => {
                if let Some(launcher) = self.panels.get_mut::<Launcher>() {
                    launcher.folder_created(context, result);
                }
            }
            Purpose::Owner { context, email } => {
                if let Some(launcher) = self.panels.get_mut::<Launcher>() {
                    launcher.found_owner(context, &email, result);
                }
            }
            Purpose::ExtensionRules(context) => self.extension_rules.answered(context, result),
            Purpose::Dashboard(context) => {
                if let Some(open) = self.panels.get_mut::<Dashboard>() {
                    open.agents_answered(context, result);
                }
            }
            // After a failure the known environments are good enough. The banner shows what is disconnected.
            Purpose::Environments(context) => {
                if let Ok(Reply::Environments { environments }) = result {
                    self.mirror.set_environments(context, environments);
                    self.update_panels(now);
                }
            }
            Purpose::Watch if result.is_err() => self.watched = None,
            Purpose::Watch | Purpose::Refresh => {}
            // `answer` handles these.
            Purpose::Launch(_)
            | Purpose::Again { .. }
            | Purpose::Notices
            | Purpose::Reach { .. }
            | Purpose::Unsaved(_)
            | Purpose::Bulk { .. }
            | Purpose::Apps(_)
            | Purpose::Folders(_)
            | Purpose::Explorer(_)
            | Purpose::Rename { .. }
            | Purpose::ForwardUrl { .. }
            | Purpose::Toast { .. }
            | Purpose::Effect
            | Purpose::Edit(_)
            | Purpose::Recipe
            | Purpose::Settings
            | Purpose::SaveSetting => {}
        }
    }

    /// Shows the typed name again, so that you don't have to retype it.
    fn rename_failed(
        &mut self,
        session: SessionKey,
        name: &Clean,
        new: &str,
        failure: &Failure,
    ) -> Vec<Step> {
        if self.panels.is_open::<Rename>() || failure.kind == FailureKind::NotFound {
            return vec![toast_of(failure)];
        }
        let why = failure.message();
        self.panels.push(Rename::again(session, name, new, why));
        Vec::new()
    }

    fn history_answered(&mut self, id: SessionKey, result: Result<Reply, Failure>) {
        if let Some(detail) = &mut self.detail {
            match result {
                Ok(Reply::History { entries }) => detail.answered(id, Ok(entries)),
                Ok(_) => {}
                Err(failure) => detail.answered(id, Err(failure.message())),
            }
        }
    }

    fn figures_answered(&mut self, id: SessionKey, result: Result<Reply, Failure>) {
        let used = match result {
            Ok(Reply::Figures { figures }) => Used::Known(*figures),
            Ok(_) => return,
            Err(failure) => Used::Failed(failure.message()),
        };
        self.sessions.figures_answered(id, &used);
        if let Some(detail) = &mut self.detail {
            detail.figures_answered(id, used);
        }
    }

    /// Takes a full reading of a session: the detail shows it, and an open log gets its containers.
    fn read_in_full(&mut self, id: SessionKey, session: Session) {
        if let Some(logs) = &mut self.logs
            && logs.session == id
        {
            logs.know_kernels(&session);
        }
        self.sessions.read_in_full(&session);
        if let Some(detail) = &mut self.detail {
            detail.read_in_full(session);
        }
    }

    fn why_not_answered(&mut self, id: SessionKey, result: Result<Reply, Failure>, now: Timestamp) {
        let session = self.full(id);
        if let (Some(open), Some(session)) = (self.panels.get_mut::<WaitingDialog>(), session)
            && open.session == id
        {
            open.answered(&session, result, &self.mirror, now);
        }
    }

    fn reached(
        &mut self,
        context: ContextName,
        tab: Tab,
        word: Option<&str>,
        before: u64,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let total = match &result {
            Ok(Reply::Reached { total }) => Some(*total),
            _ => None,
        };
        match word {
            Some(word) => self.reach.searched(context, tab, word, total),
            None => self.reach.answered(context, tab, before, &self.mirror),
        }
        match result {
            Ok(_) => Vec::new(),
            Err(failure) => vec![toast_of(&failure)],
        }
    }
}
