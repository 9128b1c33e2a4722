//! The image pull of a launch: shown, canceled, or run in the background.

use super::App;
use crate::{
    action::Action,
    app::{
        focus::Focus,
        step::{Purpose, Step},
    },
    model::session::Session,
    protocol::message::Request,
};

impl App {
    /// Must be called after every change.
    pub(super) fn follow_pull(&mut self) {
        let free = matches!(self.focus(), Focus::Sessions | Focus::Detail);
        self.pull.follow(&self.mirror, free);
    }

    /// The session whose pull is shown.
    pub fn pulled(&self) -> Option<&Session> {
        let open = self.pull.is_open();
        open.then(|| self.pull.session(&self.mirror)).flatten()
    }

    pub(super) fn in_pull(&mut self, action: Action) -> Vec<Step> {
        match action {
            Action::ConfirmNo | Action::Back => self.give_up_launch(),
            Action::ConfirmPress | Action::ConfirmYes => {
                self.pull.close();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Cancels the launch. None of it has run, so there is no confirmation.
    fn give_up_launch(&mut self) -> Vec<Step> {
        let known = self.pull.all().iter();
        let known = known.filter_map(|key| self.mirror.session(*key));
        let steps = known
            .filter(|it| !it.status.is_final())
            .map(|it| Step::Ask {
                request: Request::Terminate {
                    session: it.key(),
                    force: false,
                },
                purpose: Purpose::Terminate {
                    name: it.name.clone(),
                },
            });
        let steps = steps.collect();
        self.pull.close();
        steps
    }
}
