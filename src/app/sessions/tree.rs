//! Sessions whose containers are listed below them. A row of a manager's list lacks its containers, so they are
//! read when the session is expanded.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{
    app::{
        detail::{Used, Watched},
        mirror::Mirror,
        step::{Purpose, Step},
    },
    model::{
        capability::Capability, figures::Figures, id::SessionKey, kernel::Kernel,
        request::SessionRequest, session::Session,
    },
    protocol::message::Request,
};

/// The expanded sessions.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    open: HashMap<SessionKey, Expanded>,
}

/// What was read about an expanded session.
#[derive(Clone, Debug, Default)]
struct Expanded {
    full: Option<Session>,
    /// The containers were requested.
    asked: bool,
    /// The use of each container was requested.
    asked_use: bool,
    figures: Watched,
}

impl Tree {
    pub fn is_open(&self, key: SessionKey) -> bool {
        self.open.contains_key(&key)
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn expand(&mut self, key: SessionKey) {
        self.open.entry(key).or_default();
    }

    /// Returns whether it was expanded.
    pub(super) fn collapse(&mut self, key: SessionKey) -> bool {
        self.open.remove(&key).is_some()
    }

    pub(super) fn collapse_all(&mut self) {
        self.open.clear();
    }

    /// Forgets sessions that are gone.
    pub(super) fn follow(&mut self, mirror: &Mirror) {
        self.open.retain(|key, _| mirror.session(*key).is_some());
    }

    /// The last full reading of an expanded session.
    pub fn full(&self, key: SessionKey) -> Option<&Session> {
        self.open.get(&key)?.full.as_ref()
    }

    /// The known containers of a session.
    pub fn kernels<'a>(&'a self, key: SessionKey, mirror: &'a Mirror) -> &'a [Kernel] {
        let row = mirror.session(key).map_or(&[][..], |it| &it.kernels);
        let full = self.full(key).map_or(&[][..], |it| &it.kernels);
        if full.len() > row.len() { full } else { row }
    }

    /// What a container uses.
    pub fn figures(&self, key: SessionKey, kernel: &Kernel) -> Option<&Figures> {
        match &self.open.get(&key)?.figures.used {
            Used::Known(figures) => figures.kernels.get(&kernel.id),
            Used::Asked | Used::Failed(_) | Used::Lacking(_) => None,
        }
    }

    /// Whether the containers of an expanded session are being read.
    pub fn is_loading(&self, key: SessionKey) -> bool {
        let open = self.open.get(&key);
        open.is_some_and(|it| it.asked && it.full.is_none())
    }

    /// Takes a full reading. Returns whether an expanded session has more containers now.
    pub(super) fn read_in_full(&mut self, session: &Session) -> bool {
        let Some(open) = self.open.get_mut(&session.key()) else {
            return false;
        };
        let before = open.full.as_ref().map_or(0, |it| it.kernels.len());
        open.full = Some(session.clone());
        before != session.kernels.len()
    }

    pub fn figures_answered(&mut self, key: SessionKey, used: &Used) {
        if let Some(open) = self.open.get_mut(&key) {
            open.figures.answered(used.clone());
        }
    }

    /// A new sample of a session has arrived.
    pub fn moved(&mut self, key: SessionKey) {
        if let Some(open) = self.open.get_mut(&key) {
            open.figures.moved();
        }
    }

    /// The daemon is connected again, and earlier requests may never be answered.
    pub fn ask_again(&mut self) {
        for open in self.open.values_mut() {
            open.asked = false;
            open.asked_use = false;
        }
    }

    /// Requests the containers and the use of the visible expanded sessions.
    pub(super) fn ask_if_due(
        &mut self,
        visible: &[SessionKey],
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for key in visible {
            let (Some(open), Some(session)) = (self.open.get_mut(key), mirror.session(*key)) else {
                continue;
            };
            let is_partial = session.kernels.len() < session.containers();
            if is_partial && !open.asked {
                open.asked = true;
                steps.push(ask(*key, SessionRequest::Detail, Purpose::Detail(*key)));
            }
            let measured = session.status.is_live()
                && mirror.why_not(key.context, Capability::LiveUsage).is_none();
            let due = open.figures.due().is_some_and(|due| due <= now);
            if measured && (due || !open.asked_use) {
                open.asked_use = true;
                open.figures.asked(now);
                steps.push(ask(*key, SessionRequest::Figures, Purpose::Figures(*key)));
            }
        }
        steps
    }

    /// When the next request is due.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        let due = self.open.values().filter_map(|it| it.figures.due());
        due.filter(|at| *at > now).min()
    }
}

fn ask(session: SessionKey, request: SessionRequest, purpose: Purpose) -> Step {
    Step::Ask {
        request: Request::session(session, request),
        purpose,
    }
}
