//! Handles what the daemon sends: its state, its notices, its answers.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        bulk::BulkJob,
        focus::Page,
        launcher::Launcher,
        mirror::Touched,
        msg::Link,
        panels::{self, apps::AppLauncher, dashboard::Dashboard, palette::Palette},
        step::{Purpose, Step},
    },
    model::{
        capability::Capability, change::Change, failure::Failure, id::SessionKey, session::Session,
    },
    protocol::message::Request,
};

impl App {
    pub(super) fn link(&mut self, link: Link, now: Timestamp) -> Vec<Step> {
        match link {
            Link::Up(snapshot) => self.came_up(*snapshot, now),
            Link::Notice(change) => self.notice(change, now),
            Link::Down { why, attempt } => {
                self.mirror.went_down(why.clone(), attempt, now);
                self.bulk.jobs.iter_mut().for_each(BulkJob::connection_lost);
                self.watched = None;
                self.forget_questions();
                self.reach.forget();
                self.update_panels(now);
                self.panes.link_down(&why, now);
                Vec::new()
            }
            Link::NotResponding(unresponsive) => {
                self.mirror.set_unresponsive(unresponsive);
                Vec::new()
            }
            Link::Refused(failure) => {
                self.mirror.was_refused(failure);
                self.forget_questions();
                self.update_panels(now);
                Vec::new()
            }
        }
    }

    fn came_up(
        &mut self,
        snapshot: crate::protocol::message::Snapshot,
        now: Timestamp,
    ) -> Vec<Step> {
        self.mirror.replace(snapshot, now);
        self.toasts.catch_up(&self.mirror, now);
        self.reach.forget();
        let begun = self.begin();
        self.restore_panes();
        self.know_accounts();
        self.sessions.mark_stale();
        self.watched = None;
        self.extension_rules.forget();
        if let Some(detail) = &mut self.detail {
            detail.ask_again();
        }
        self.sessions.ask_again();
        self.update_panels(now);
        for session in self.mirror.sessions() {
            // The steps are dropped, because `link_up` opens the same panes.
            self.panes.session_changed(session, &mut self.ids);
        }
        let mut steps = self.begin_with_layout();
        steps.extend(self.panes.link_up(&mut self.ids, now));
        steps.push(Self::ask_notices());
        steps.extend(begun);
        // The requests of the broken connection get no answers, so they are repeated.
        if let Some(launcher) = self.panels.get_mut::<Launcher>() {
            steps.extend(launcher.ask(&self.mirror));
        }
        if let Some(apps) = self.panels.get_mut::<AppLauncher>() {
            steps.extend(apps.link_up());
        }
        if let Some(open) = self.panels.get_mut::<Dashboard>() {
            open.ask_again();
        }
        steps.extend(self.ask_folders_again());
        steps.extend(self.files_link_up());
        steps.extend(
            self.panels
                .get::<Palette>()
                .map(Palette::ask)
                .unwrap_or_default(),
        );
        if let Some(logs) = &mut self.logs {
            steps.extend(logs.link_up(&mut self.ids));
        }
        steps
    }

    /// Forgets the requests of a broken connection, which get no answers. A launch is repeated on the next
    /// connection.
    fn forget_questions(&mut self) {
        self.asked.retain(|_, purpose| {
            matches!(
                purpose,
                Purpose::Effect
                    | Purpose::Edit(_)
                    | Purpose::Settings
                    | Purpose::SaveSetting
                    | Purpose::Recipe
                    | Purpose::Launch(_)
            )
        });
    }

    fn notice(&mut self, change: Change, now: Timestamp) -> Vec<Step> {
        if let Change::Notice { notice } = change {
            return self.notice_arrived(*notice, now);
        }
        let mut steps = Vec::new();
        let mut starting = None;
        match &change {
            Change::Session { session } => {
                self.notices.follow(session);
                self.toasts.follow(session, now);
                steps = self.panes.session_changed(session, &mut self.ids);
                let runs = session.status.is_live();
                let key = session.key();
                starting = Some(key).filter(|_| runs);
            }
            Change::Gone { session } => {
                self.toasts.gone(*session);
            }
            _ => {}
        }
        if let Some(launcher) = self.panels.get_mut::<Launcher>() {
            launcher.notice(&change, &self.mirror, now);
        }
        if let (Change::Usage { samples }, Some(detail)) = (&change, &mut self.detail) {
            for (session, _) in samples {
                detail.moved(*session);
            }
        }
        if let Change::Usage { samples } = &change {
            for (session, _) in samples {
                self.sessions.moved(*session);
            }
        }
        let touches_panels = matches!(change, Change::Environments { .. } | Change::Engine { .. });
        let lost = match &change {
            Change::Engine { context, .. } if self.mirror.has_lost_engine(*context) => {
                Some(*context)
            }
            _ => None,
        };
        match self.mirror.apply(change, now) {
            Touched::Sessions => self.sessions.mark_stale(),
            Touched::Usage => self.sessions.usage_changed(),
            Touched::Other => {}
        }
        steps.extend(starting.and_then(|key| self.open_apps_after_launch(key)));
        if let Some(context) = lost.filter(|it| !self.mirror.has_lost_engine(*it)) {
            steps.extend(self.files_engine_up(context));
        }
        if touches_panels {
            self.know_accounts();
            self.update_panels(now);
            let mirror = &self.mirror;
            self.panes
                .know_contexts(|context| mirror.streams_keep_alive(context));
        }
        steps
    }

    /// A session with everything that is known about it.
    pub fn full(&self, id: SessionKey) -> Option<Session> {
        panels::full(&self.mirror, self.detail.as_ref(), &self.sessions, id)
    }

    /// Requests samples of the visible sessions when they have changed.
    pub(super) fn watch(&mut self) -> Option<Step> {
        if !self.mirror.is_up() {
            return None;
        }
        let mut wanted = self.visible_live();
        wanted.sort_unstable();
        wanted.dedup();
        if self.watched.as_ref() == Some(&wanted) {
            return None;
        }
        self.watched = Some(wanted.clone());
        Some(Step::Ask {
            request: Request::Watch { sessions: wanted },
            purpose: Purpose::Watch,
        })
    }

    fn visible_live(&self) -> Vec<SessionKey> {
        if self.page != Page::Sessions {
            return Vec::new();
        }
        let detail = self.detail.as_ref().map(super::Detail::session);
        self.sessions
            .sampled(&self.mirror)
            .into_iter()
            .chain(self.dashboard_sessions())
            .chain(detail)
            .filter(|id| {
                let live = self
                    .mirror
                    .session(*id)
                    .is_some_and(|session| session.status.is_live());
                let lacks = self.mirror.why_not(id.context, Capability::LiveUsage);
                live && lacks.is_none()
            })
            .collect()
    }
}

pub(super) fn toast_of(failure: &Failure) -> Step {
    Step::failure(failure)
}
