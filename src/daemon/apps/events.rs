//! What the main loop does with the reports of tasks.

use std::sync::atomic::Ordering::Relaxed;

use super::{AppEvent, Asker};
use crate::{
    daemon::{clock, main_loop::core::Core},
    model::{
        app::App,
        change::Change,
        failure::Failure,
        forward::{ForwardId, ForwardOptions, ForwardTarget},
        id::SessionKey,
        notice::{Level, Notice, NoticeKind},
        text::Clean,
    },
    protocol::message::Reply,
};

impl Core {
    pub(in crate::daemon) async fn app_event(&mut self, event: AppEvent) {
        match event {
            AppEvent::Answered { asker, result } => {
                self.answer(asker.connection, asker.id, result);
            }
            AppEvent::Started {
                asker,
                session,
                app,
                options,
            } => self.app_started(asker, session, *app, options).await,
            AppEvent::SshReady {
                asker,
                session,
                options,
            } => {
                let result = self.open_port(session, ForwardTarget::Ssh, &options).await;
                self.answer(asker.connection, asker.id, result);
            }
            AppEvent::Stopped {
                asker,
                session,
                app,
            } => {
                self.apps.watched.remove(&(session, app.clone()));
                let forwards = self.apps.of(session, Some(&app));
                self.close_forwards(forwards).await;
                self.answer(asker.connection, asker.id, Ok(Reply::Done));
            }
            AppEvent::Ended {
                session,
                app,
                exit_code,
            } => self.app_ended(session, app, exit_code),
            AppEvent::Reached { forward, failure } => self.forward_reached(forward, failure),
        }
    }

    async fn app_started(
        &mut self,
        asker: Asker,
        session: SessionKey,
        app: App,
        options: Option<ForwardOptions>,
    ) {
        if app.startable && !self.apps.watched.contains_key(&(session, app.name.clone())) {
            self.apps.watch_app(session, app.name.clone());
        }
        let result = match options {
            None => Ok(Reply::Apps { apps: vec![app] }),
            Some(options) => self.open_app(session, &app, &options).await,
        };
        self.answer(asker.connection, asker.id, result);
    }

    async fn open_app(
        &mut self,
        session: SessionKey,
        app: &App,
        options: &ForwardOptions,
    ) -> Result<Reply, Failure> {
        let Some(port) = app.ports.first() else {
            let failure = Failure::refused(tr_sent!("{title} has no port", title = app.title));
            return Err(failure.hint(tr_sent!("`workbay app logs` shows what it printed")));
        };
        let target = ForwardTarget::App {
            app: app.name.clone(),
            port: Some(*port),
        };
        let opened = self.open_forward(session, target, Some(app), options).await;
        opened.map(|opened| Reply::Opened {
            opened: Box::new(opened),
        })
    }

    /// An app ended on its own: its forwards stay, so that they work again when it is started again.
    fn app_ended(&mut self, session: SessionKey, app: Clean, exit_code: Option<i64>) {
        self.apps.watched.remove(&(session, app.clone()));
        let forwards = self.apps.of(session, Some(&app));
        let ended = match exit_code {
            Some(code) => tr_sent!("{app} ended with exit code {code}", app, code),
            None => tr_sent!("{app} ended", app),
        };
        let mut title = None;
        for id in forwards {
            if let Some(open) = self.apps.open.get_mut(&id) {
                open.forward.broken = Some(Clean::new(&ended));
                open.inside.is_broken.store(true, Relaxed);
                title = Some((
                    open.forward.title.clone(),
                    open.forward.session_name.clone(),
                ));
            }
        }
        // Nobody has the app open.
        let Some((title, name)) = title else { return };
        self.notify(Notice {
            at: clock::now(),
            kind: NoticeKind::AppEnded { app },
            level: Level::Warning,
            session: Some(session),
            text: Clean::new(&match exit_code {
                Some(code) => tr_sent!(
                    "{title} of {name} ended with exit code {code}",
                    title,
                    name,
                    code
                ),
                None => tr_sent!("{title} of {name} ended", title, name),
            }),
        });
        self.publish_forwards();
    }

    fn forward_reached(&mut self, forward: ForwardId, failure: Option<Clean>) {
        if let Some(open) = self.apps.open.get_mut(&forward) {
            open.forward.broken = failure;
            self.publish_forwards();
        }
    }

    /// Closes what belongs to sessions that have ended.
    pub(in crate::daemon) async fn follow_sessions(&mut self, changes: &[Change]) {
        for change in changes {
            let ended = match change {
                Change::Session { session } if session.has_ended() => session.key(),
                Change::Gone { session } => *session,
                Change::Session { session } => {
                    self.rename_forwards(session.key(), &session.name);
                    continue;
                }
                _ => continue,
            };
            self.apps
                .watched
                .retain(|(session, _), _| *session != ended);
            let forwards = self.apps.of(ended, None);
            self.close_forwards(forwards).await;
            super::keys::KeyFiles::new(&self.apps.keys).forget(ended);
        }
    }

    fn rename_forwards(&mut self, session: SessionKey, name: &Clean) {
        let mut renamed = false;
        for open in self.apps.open.values_mut() {
            if open.forward.session == session && open.forward.session_name != *name {
                open.forward.session_name.clone_from(name);
                renamed = true;
            }
        }
        if renamed {
            self.publish_forwards();
        }
    }
}
