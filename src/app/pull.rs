//! The image pull of a session that was launched from this TUI. A dialog shows it until the image has
//! arrived, the launch is canceled, or the pull continues in the background.

use super::mirror::Mirror;
use crate::model::{id::SessionKey, session::Session, status::Status};

#[derive(Clone, Debug, Default)]
pub struct PullWatch {
    /// The sessions of the newest launch.
    launched: Vec<SessionKey>,
    open: bool,
}

impl PullWatch {
    pub fn launched(&mut self, sessions: &[Session]) {
        self.launched = sessions.iter().map(Session::key).collect();
        self.open = false;
    }

    /// Prevents the dialog from opening after a key was pressed, because it would catch keys meant for
    /// something else.
    pub fn touched(&mut self) {
        if !self.open {
            self.launched.clear();
        }
    }

    /// Takes changes of sessions. The dialog opens while the view is `free`, and closes when nothing is
    /// pulled.
    pub fn follow(&mut self, mirror: &Mirror, free: bool) {
        let pulls = self.session(mirror).is_some();
        if pulls {
            self.open |= free;
        } else if self.open || self.has_begun(mirror) {
            self.close();
        }
    }

    /// A launched session is running or has ended.
    fn has_begun(&self, mirror: &Mirror) -> bool {
        let mut known = self.launched.iter().filter_map(|key| mirror.session(*key));
        known.any(|it| it.status.is_live() || it.status.is_final())
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns `false` if the dialog wasn't open.
    pub fn close(&mut self) -> bool {
        self.launched.clear();
        std::mem::take(&mut self.open)
    }

    /// All sessions of the launch.
    pub fn all(&self) -> &[SessionKey] {
        &self.launched
    }

    /// The first session that waits for its image.
    pub fn session<'a>(&self, mirror: &'a Mirror) -> Option<&'a Session> {
        let mut known = self.launched.iter().filter_map(|key| mirror.session(*key));
        known.find(|it| it.status == Status::Pulling && it.pull.is_some())
    }
}
