//! The dialog about a waiting session: opening it, its answers, and launching another session in its place.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        panels::priority,
        step::{LaunchedFrom, Purpose, Step},
        whynot::{Answer, WhyNot, is_whole},
    },
    model::{
        failure::Failure, id::SessionKey, launch::again::Missing, notice::Level, session::Session,
        spec::LaunchRequest, status::Status,
    },
    protocol::message::{Reply, Request},
};

impl App {
    pub(super) fn open_why_not(&mut self, session: &Session) -> Vec<Step> {
        self.waits = Some(WhyNot::new(session));
        WhyNot::ask(session)
    }

    pub(super) fn why_not_answered(
        &mut self,
        id: SessionKey,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) {
        let session = self.full(id);
        if let (Some(open), Some(session)) = (&mut self.waits, session)
            && open.session == id
        {
            open.answered(&session, result, &self.mirror, now);
        }
    }

    pub(super) fn in_why_not(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let answer = self.waits.as_mut().map(|open| open.action(action));
        self.decide_why_not(answer, now)
    }

    pub(super) fn click_why_not(&mut self, at: usize, now: Timestamp) -> Vec<Step> {
        let answer = self.waits.as_mut().map(|open| open.press(at));
        self.decide_why_not(answer, now)
    }

    fn decide_why_not(&mut self, answer: Option<Answer>, now: Timestamp) -> Vec<Step> {
        match answer {
            None | Some(Answer::Nothing) => Vec::new(),
            Some(Answer::Close) => {
                self.waits = None;
                Vec::new()
            }
            Some(Answer::Priority(priority)) => {
                let open = self.waits.take().map(|open| (open.session, open.name));
                let ask = open.map(|(session, name)| priority::ask(session, name, priority));
                ask.into_iter().collect()
            }
            Some(Answer::Launch(request)) => {
                let Some(open) = self.waits.take() else {
                    return Vec::new();
                };
                if !self.is_waiting(open.session) {
                    let text = format!("{} isn't waiting any more", open.name);
                    return vec![Step::toast(Level::Info, text)];
                }
                self.launch_in_place_of((open.session, open.missing), *request, now)
            }
        }
    }

    /// Launches at once if all settings are known. Otherwise the launcher asks for the rest. The waiting
    /// session leaves the queue when the new one is in it.
    fn launch_in_place_of(
        &mut self,
        (old, missing): (SessionKey, Vec<Missing>),
        request: LaunchRequest,
        now: Timestamp,
    ) -> Vec<Step> {
        let context = old.context;
        if missing.is_empty() && is_whole(&request) {
            return vec![Step::Ask {
                request: Request::Launch {
                    context,
                    launch: Box::new(request),
                },
                purpose: Purpose::Launch(LaunchedFrom {
                    launcher: None,
                    replaces: Some(old),
                }),
            }];
        }
        let name = request.name.clone();
        let steps = self.launch_again(context, (&request, name.as_deref()), None, now);
        self.note_missing(missing);
        if let Some(launcher) = &mut self.launcher {
            launcher.replaces = Some(old);
        }
        steps
    }

    fn is_waiting(&self, session: SessionKey) -> bool {
        let session = self.mirror.session(session);
        session.is_some_and(|it| it.status == Status::Pending)
    }

    /// Another session is in the queue in its place, so the old one leaves the queue, unless it has started
    /// in the meantime.
    pub(super) fn take_out_replaced(&self, session: SessionKey) -> Option<Step> {
        if !self.is_waiting(session) {
            return None;
        }
        let name = self.mirror.session(session)?.name.clone();
        Some(Step::Ask {
            request: Request::Terminate {
                session,
                force: false,
            },
            purpose: Purpose::Terminate { name },
        })
    }
}
