//! The logs of a session with several containers.

use super::{Logs, window::LogWindow};
use crate::{
    app::step::{Ids, Step},
    model::{id::KernelId, notice::Level, session::Session, text::Clean},
};

impl Logs {
    /// `None` is the main container, which needs no id.
    pub(super) fn kernel_id(&self) -> Option<KernelId> {
        let other = self.kernels.get(self.kernel).filter(|_| self.kernel > 0);
        other.map(|(id, _)| *id)
    }

    /// The container of the log, its position and their number, if there are several.
    pub fn kernel(&self) -> Option<(&Clean, usize, usize)> {
        let (_, hostname) = self.kernels.get(self.kernel)?;
        (self.kernels.len() > 1).then_some((hostname, self.kernel + 1, self.kernels.len()))
    }

    /// Takes the containers of the session.
    pub fn know_kernels(&mut self, session: &Session) {
        let at = self.kernels.get(self.kernel).map(|(id, _)| *id);
        let kernels = kernels_of(session);
        let found = kernels.iter().position(|(id, _)| Some(*id) == at);
        if let Some(found) = found.or((self.kernel == 0).then_some(0)) {
            self.kernel = found;
            self.kernels = kernels;
        }
    }

    /// Shows the log of the next container, from its beginning.
    pub(super) fn turn(&mut self, by: isize, ids: &mut Ids) -> Vec<Step> {
        let count = self.kernels.len().cast_signed();
        if count < 2 {
            let text = tr!("this session has one container, so there is one log");
            return vec![Step::toast(Level::Info, text)];
        }
        let mut steps = self.close();
        let next = (self.kernel.cast_signed() + by).rem_euclid(count);
        self.kernel = next.unsigned_abs();
        self.search = None;
        self.top = None;
        self.forget_lines();
        self.window = LogWindow::default();
        steps.push(self.read(ids));
        self.source = self.stream;
        steps
    }
}

pub(super) fn kernels_of(session: &Session) -> Vec<(KernelId, Clean)> {
    let kernels = session.kernels.iter();
    kernels.map(|k| (k.id, k.hostname.clone())).collect()
}
