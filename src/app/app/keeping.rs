//! Extends or exempts sessions.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        keep::{self, Answer, KeepForm, Offer},
        step::{Purpose, Step},
    },
    model::{id::SessionKey, idle::Keep, notice::Level, session::Session},
    protocol::message::{Reply, Request},
};

impl App {
    /// Opens the dialog and requests the allowed extensions each time.
    pub(super) fn open_keep(&mut self, session: &Session) -> Vec<Step> {
        self.keep = Some(KeepForm::new(session));
        vec![self.reprieves.ask(session.context)]
    }

    /// The rows of the dialog.
    pub fn keep_offers(&self, form: &KeepForm, now: Timestamp) -> Vec<Offer> {
        let told = self.reprieves.told(form.session.context);
        let session = self.full(form.session);
        session.map_or_else(Vec::new, |session| keep::offers(&session, told, now))
    }

    pub(super) fn in_keep(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        self.with_keep(now, |form, offers| form.action(action, offers))
    }

    /// Handles a click on a row of the dialog.
    pub(super) fn click_keep(&mut self, at: usize, now: Timestamp) -> Vec<Step> {
        self.with_keep(now, |form, offers| form.press(at, offers))
    }

    fn with_keep(
        &mut self,
        now: Timestamp,
        ask: impl FnOnce(&mut KeepForm, &[Offer]) -> Answer,
    ) -> Vec<Step> {
        let Some(mut form) = self.keep.take() else {
            return Vec::new();
        };
        let offers = self.keep_offers(&form, now);
        match ask(&mut form, &offers) {
            Answer::Close => Vec::new(),
            // The session is gone.
            Answer::Nothing if offers.is_empty() => Vec::new(),
            Answer::Nothing => {
                self.keep = Some(form);
                Vec::new()
            }
            Answer::Ask(keep) => vec![Step::Ask {
                request: Request::Keep {
                    session: form.session,
                    keep,
                },
                purpose: Purpose::Keep(keep),
            }],
        }
    }

    /// The toast after a successful change.
    pub(super) fn kept(keep: Keep, reply: &Reply) -> Vec<Step> {
        let Reply::Session { session } = reply else {
            return Vec::new();
        };
        let name = &session.name;
        let text = match keep {
            Keep::Extend => format!("{name} extended"),
            Keep::Exempt => format!("{name} exempted from idle checks"),
            Keep::Include => format!("idle checks apply to {name} again"),
        };
        vec![Step::toast(Level::Success, text)]
    }

    /// Requests the rules for a session with an extension, to show how often it can be extended.
    pub(super) fn rules_for(&mut self, id: SessionKey) -> Option<Step> {
        let session = self.mirror.session(id)?;
        session.reprieve.until?;
        self.reprieves.ask_once(id.context)
    }
}
