//! Launching: opening the launcher, and the results of launches.

use jiff::Timestamp;

use super::{App, daemon::toast_of};
use crate::{
    app::{
        launcher::{EarlierLaunch, Launcher},
        msg::Ticket,
        notices::toast::Launched,
        panels::{pull::PullDialog, terminate},
        step::{LaunchedFrom, Purpose, Step},
    },
    model::{
        failure::Failure, id::SessionKey, notice::Level, session::Session, spec::LaunchRequest,
        status::Status, text::Clean,
    },
    protocol::message::Reply,
};

impl App {
    pub(super) fn open_launcher(&mut self, now: Timestamp) -> Vec<Step> {
        let shown = self.sessions.shown();
        let launcher = Launcher::new(&self.facts, &self.mirror, shown, now);
        self.show_launcher(launcher)
    }

    fn show_launcher(&mut self, mut launcher: Launcher) -> Vec<Step> {
        launcher.id = self.ids.ticket();
        let steps = launcher.ask(&self.mirror);
        self.panels.push(launcher);
        steps
    }

    /// Handles the answer to a launch. If it was refused, its launcher stays open and shows the reason.
    /// Another launcher that was opened in the meantime keeps its texts, and so does one that was edited since.
    pub(super) fn launched(
        &mut self,
        from: LaunchedFrom,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let open = self.panels.get_mut::<Launcher>();
        let asked_by = open.filter(|it| from.launcher == Some(it.id));
        match result {
            Ok(reply) => {
                if asked_by.is_some_and(Launcher::launched) {
                    self.panels.close::<Launcher>();
                }
                let Reply::Launched { sessions, failure } = reply else {
                    return Vec::new();
                };
                let mut steps = Vec::new();
                steps.extend(from.replaces.and_then(|it| self.take_out_replaced(it)));
                if let Some(session) = sessions.first() {
                    self.sessions.select_when_there(session.key());
                }
                self.panels.close::<PullDialog>();
                self.launched = sessions.iter().map(Session::key).collect();

                steps.extend(Launched::new(&sessions).map(Step::Launched));
                steps.extend(self.await_apps(&sessions));
                steps.extend(failure.iter().map(toast_of));
                steps
            }
            Err(failure) => match asked_by {
                Some(launcher) => {
                    launcher.refused(failure);
                    Vec::new()
                }
                None => vec![toast_of(&failure)],
            },
        }
    }

    /// Opens a launcher with the settings of a session. `earlier` has what isn't in the answer.
    pub(super) fn again(
        &mut self,
        earlier: EarlierLaunch,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        match result {
            Ok(Reply::Again {
                mut launch,
                missing,
            }) => {
                if let Some(grown) = earlier.grown {
                    grown.apply(&mut launch);
                }
                if earlier.name.is_none() {
                    launch.name = None;
                }
                let relaunch = EarlierLaunch {
                    launch: *launch,
                    missing,
                    ..earlier
                };
                self.relaunch(Box::new(relaunch), now)
            }
            Ok(_) => Vec::new(),
            Err(failure) => vec![toast_of(&failure)],
        }
    }

    /// Opens a launcher with earlier settings. A launcher with typed values asks for confirmation first.
    pub(super) fn relaunch(&mut self, relaunch: Box<EarlierLaunch>, now: Timestamp) -> Vec<Step> {
        match self.panels.get_mut::<Launcher>() {
            Some(open) if open.is_touched() => {
                open.ask_to_replace(relaunch);
                Vec::new()
            }
            _ => {
                let launcher = Launcher::again(&self.facts, &self.mirror, *relaunch, now);
                self.show_launcher(launcher)
            }
        }
    }

    /// Another session is in the queue in its place, so the old one leaves the queue, unless it has started
    /// in the meantime.
    fn take_out_replaced(&self, key: SessionKey) -> Option<Step> {
        let session = self.mirror.session(key)?;
        let waits = session.status == Status::Pending;
        waits.then(|| terminate::ask(key, &session.name, false))
    }

    /// Takes a text from your editor.
    pub(super) fn edited(
        &mut self,
        ticket: Ticket,
        result: Result<String, Clean>,
        now: Timestamp,
    ) -> Vec<Step> {
        let field = match self.asked.remove(&ticket) {
            Some(Purpose::Edit(field)) => field,
            Some(Purpose::Settings) => return Self::settings_edited(result),
            _ => return Vec::new(),
        };
        match (result, self.panels.get_mut::<Launcher>()) {
            (Ok(text), Some(launcher)) => {
                launcher.edit_done(field, &text, &self.mirror, now);
                Vec::new()
            }
            (Ok(_), None) => Vec::new(),
            (Err(text), _) => vec![Step::Toast {
                level: Level::Error,
                text,
            }],
        }
    }

    /// Takes the content of a recipe, or the reason why it couldn't be read.
    pub(super) fn recipe_read(
        &mut self,
        ticket: Ticket,
        result: Result<Box<LaunchRequest>, Clean>,
        now: Timestamp,
    ) -> Vec<Step> {
        self.asked.remove(&ticket);
        match self.panels.get_mut::<Launcher>() {
            Some(launcher) => launcher.recipe_read(result.map(|it| *it), &self.mirror, now),
            None => Vec::new(),
        }
    }
}
