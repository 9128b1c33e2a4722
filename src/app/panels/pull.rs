//! The image pull of a launch: shown until the image has arrived, canceled, or run in the background.

use super::{Hint, Panel, PanelEnv, terminate};
use crate::{
    action::{Action, Scope},
    app::{mirror::Mirror, step::Step},
    key::Key,
    model::{id::SessionKey, session::Session, status::Status},
};

#[derive(Clone, Debug)]
pub struct PullDialog {
    /// All sessions of the launch.
    pub launched: Vec<SessionKey>,
}

impl PullDialog {
    /// The session whose pull is shown.
    pub fn session<'a>(&self, mirror: &'a Mirror) -> Option<&'a Session> {
        pulling(&self.launched, mirror)
    }

    /// Cancels the launch. None of it has run, so there is no confirmation.
    fn cancel(&self, mirror: &Mirror) -> Vec<Step> {
        let known = self.launched.iter().filter_map(|key| mirror.session(*key));
        let asks = known
            .filter(|it| !it.status.is_final())
            .map(|it| terminate::ask(it.key(), &it.name, false));
        [Step::CLOSE].into_iter().chain(asks).collect()
    }
}

/// The first session that waits for its image.
pub fn pulling<'a>(launched: &[SessionKey], mirror: &'a Mirror) -> Option<&'a Session> {
    let mut known = launched.iter().filter_map(|key| mirror.session(*key));
    known.find(|it| it.status == Status::Pulling && it.pull.is_some())
}

const HINTS: &[Hint] = &[
    (Scope::Global, &[Action::Back], tr_later!("cancel launch")),
    (
        Scope::Confirm,
        &[Action::ConfirmPress],
        tr_later!("background"),
    ),
];

impl Panel for PullDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ConfirmNo | Action::Back => self.cancel(env.mirror),
            Action::ConfirmPress | Action::ConfirmYes => self.back(env),
            _ => Vec::new(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
