//! Launching: the launcher, recent launches, and their results.

use jiff::Timestamp;
use ratatui::layout::Position;

use super::{App, daemon::toast_of};
use crate::{
    action::Action,
    app::{
        launcher::{Launcher, Page as LauncherPage},
        msg::{Mouse, Ticket},
        recents::{Recents, Wish},
        step::{LaunchedFrom, Purpose, Step},
        toast::Launched,
    },
    key::Key,
    model::{
        failure::Failure,
        id::ContextName,
        launch::{again::Missing, grown::Grown},
        notice::Level,
        recent::Recent,
        session::Session,
        spec::LaunchRequest,
        text::Clean,
        verdict::{memory_of_one, ran_out_of_memory},
    },
    protocol::message::{Reply, Request},
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
        self.launcher = Some(launcher);
        steps
    }

    pub(super) fn in_launcher(
        &mut self,
        action: Action,
        key: Option<Key>,
        now: Timestamp,
    ) -> Vec<Step> {
        match action {
            Action::Back => self.back(now),
            Action::LauncherRecents => self.open_recents(),
            _ => match &mut self.launcher {
                Some(launcher) => launcher.action(action, key, &self.mirror, now),
                None => Vec::new(),
            },
        }
    }

    /// Handles the answer to a launch. If it was refused, its launcher stays open and shows the reason.
    /// Another launcher that was opened in the meantime keeps its texts.
    pub(super) fn launched(
        &mut self,
        from: LaunchedFrom,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let open = self.launcher.as_ref().map(|launcher| launcher.id);
        let asked_here = from.launcher.is_some() && from.launcher == open;
        match result {
            Ok(reply) => {
                if asked_here {
                    self.launcher = None;
                }
                let Reply::Launched { sessions, failure } = reply else {
                    return Vec::new();
                };
                let mut steps = Vec::new();
                steps.extend(from.replaces.and_then(|it| self.take_out_replaced(it)));
                if let Some(session) = sessions.first() {
                    self.sessions.select_when_there(session.key());
                }
                self.pull.launched(&sessions);
                steps.extend(Launched::new(&sessions).map(Step::Launched));
                steps.extend(failure.iter().map(toast_of));
                steps
            }
            Err(failure) => match &mut self.launcher {
                Some(launcher) if asked_here => {
                    launcher.refused(failure);
                    Vec::new()
                }
                _ => vec![toast_of(&failure)],
            },
        }
    }

    /// Requests the settings of a session, to relaunch it.
    pub(super) fn ask_again(session: &Session) -> Step {
        let short = ran_out_of_memory(session);
        let memory = short.then(|| memory_of_one(session));
        // A generated name isn't kept.
        let generated = session.name.as_str().ends_with("-session");
        Step::Ask {
            request: Request::Again {
                session: session.key(),
            },
            purpose: Purpose::Again {
                context: session.context,
                name: (!generated).then(|| session.name.clone()),
                grown: memory.filter(|memory| memory.0 > 0).map(Grown::from),
            },
        }
    }

    pub(super) fn again(
        &mut self,
        context: ContextName,
        (name, grown): (Option<Clean>, Option<Grown>),
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        match result {
            Ok(Reply::Again {
                mut launch,
                missing,
            }) => {
                if let Some(grown) = grown {
                    grown.apply(&mut launch);
                }
                let name = name.as_ref().map(Clean::as_str);
                if name.is_none() {
                    launch.name = None;
                }
                let steps = self.launch_again(context, (&launch, name), grown, now);
                self.note_missing(missing);
                steps
            }
            Ok(_) => Vec::new(),
            Err(failure) => vec![toast_of(&failure)],
        }
    }

    pub(super) fn launch_again(
        &mut self,
        context: ContextName,
        launch: (&LaunchRequest, Option<&str>),
        grown: Option<Grown>,
        now: Timestamp,
    ) -> Vec<Step> {
        let (facts, mirror) = (&self.facts, &self.mirror);
        let launcher = Launcher::again(facts, mirror, context, launch, grown, now);
        self.show_launcher(launcher)
    }

    /// Shows what isn't known about the launch that filled the launcher.
    pub(super) fn note_missing(&mut self, missing: Vec<Missing>) {
        if let Some(launcher) = &mut self.launcher {
            launcher.missing = missing;
        }
    }

    pub(super) fn open_recents(&mut self) -> Vec<Step> {
        if let Some(why) = self.why_not(Action::LauncherRecents) {
            return vec![Step::toast(Level::Warning, why)];
        }
        self.recents = Some(Recents::default());
        vec![Recents::ask()]
    }

    pub(super) fn in_recents(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let Some(recents) = &mut self.recents else {
            return Vec::new();
        };
        match recents.action(action) {
            Wish::None => Vec::new(),
            Wish::Ask(step) => vec![step],
            Wish::Close => {
                self.recents = None;
                Vec::new()
            }
            Wish::Open(recent) => self.chosen(recent, now),
        }
    }

    /// Opens a recent launch. A launcher can be open behind the list.
    fn chosen(&mut self, recent: Box<Recent>, now: Timestamp) -> Vec<Step> {
        if self.mirror.context(recent.context).is_none() {
            let text = format!("its context {} isn't configured any more", recent.context);
            return vec![Step::toast(Level::Warning, text)];
        }
        self.recents = None;
        match &mut self.launcher {
            Some(launcher) => launcher.replaced_by(recent),
            None => self.open_recent(&recent, now),
        }
    }

    pub(super) fn open_recent(&mut self, recent: &Recent, now: Timestamp) -> Vec<Step> {
        self.launch_again(recent.context, (&recent.launch, None), None, now)
    }

    /// Takes a text from your editor.
    pub(super) fn edited(
        &mut self,
        ticket: Ticket,
        result: Result<String, Clean>,
        now: Timestamp,
    ) -> Vec<Step> {
        let Some(Purpose::Edit(field)) = self.asked.remove(&ticket) else {
            return Vec::new();
        };
        match (result, &mut self.launcher) {
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
        match &mut self.launcher {
            Some(launcher) => launcher.recipe_read(result.map(|it| *it), &self.mirror, now),
            None => Vec::new(),
        }
    }

    pub(super) fn wheel_in_launcher(&mut self, by: isize) {
        let action = if by > 0 {
            Action::ListDown
        } else {
            Action::ListUp
        };
        if let Some(launcher) = &mut self.launcher {
            launcher.wheel(action);
        }
    }

    pub(super) fn click_in_launcher(&mut self, mouse: Mouse) {
        let Some((wizard, launcher)) = self.areas.wizard.as_ref().zip(self.launcher.as_mut())
        else {
            return;
        };
        let at = Position::new(mouse.column, mouse.row);
        for (page, area) in LauncherPage::ALL.into_iter().zip(wizard.steps) {
            if area.contains(at) {
                launcher.click_step(page);
                return;
            }
        }
        if wizard.body.contains(at) {
            let line = usize::from(mouse.row - wizard.body.y);
            if let Some(spot) = wizard.rows.get(line).copied().flatten() {
                launcher.click(spot.at(mouse.column - wizard.body.x));
            }
        }
    }

    /// A click marks a row. A click on the marked row opens it.
    pub(super) fn click_in_recents(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        let Some((rows, recents)) = self.areas.recent_rows.zip(self.recents.as_mut()) else {
            return Vec::new();
        };
        if !rows.contains(Position::new(mouse.column, mouse.row)) || recents.renaming().is_some() {
            return Vec::new();
        }
        let at = recents.scroll() + usize::from(mouse.row - rows.y);
        if at == recents.marked() {
            return self.in_recents(Action::RecentOpen, now);
        }
        recents.go_to(at);
        Vec::new()
    }
}
