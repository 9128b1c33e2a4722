//! The image that a launch made here waits for: told on top of the page until it is here, the launch is given
//! up, or the pull is left to go on by itself.

use super::mirror::Mirror;
use crate::model::{id::SessionKey, session::Session, status::Status};

#[derive(Clone, Debug, Default)]
pub struct PullWatch {
    /// What was launched together, newest launch only.
    launched: Vec<SessionKey>,
    open: bool,
}

impl PullWatch {
    pub fn launched(&mut self, sessions: &[Session]) {
        self.launched = sessions.iter().map(Session::key).collect();
        self.open = false;
    }

    /// Something was pressed: what opens by itself after that would catch keys that are meant for
    /// something else.
    pub fn touched(&mut self) {
        if !self.open {
            self.launched.clear();
        }
    }

    /// Sessions changed. It opens where the page is `free`, and closes when nothing is pulled any more.
    pub fn follow(&mut self, mirror: &Mirror, free: bool) {
        let pulls = self.session(mirror).is_some();
        if pulls {
            self.open |= free;
        } else if self.open || self.has_begun(mirror) {
            self.close();
        }
    }

    /// What was launched is past its pull, or gone.
    fn has_begun(&self, mirror: &Mirror) -> bool {
        let mut known = self.launched.iter().filter_map(|key| mirror.session(*key));
        known.any(|it| it.status.is_live() || it.status.is_final())
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    /// `false` = it was not open.
    pub fn close(&mut self) -> bool {
        self.launched.clear();
        std::mem::take(&mut self.open)
    }

    /// All that was launched together.
    pub fn all(&self) -> &[SessionKey] {
        &self.launched
    }

    /// The first that waits for its image.
    pub fn session<'a>(&self, mirror: &'a Mirror) -> Option<&'a Session> {
        let mut known = self.launched.iter().filter_map(|key| mirror.session(*key));
        known.find(|it| it.status == Status::Pulling && it.pull.is_some())
    }
}
