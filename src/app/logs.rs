//! The log of one session.

use jiff::Timestamp;

use super::{
    msg::{Mouse, StreamEvent},
    step::{Ids, Step},
};
use crate::{
    action::{Action, Scope},
    key::Key,
    model::session::Session,
    protocol::message::StreamId,
};

#[derive(Debug)]
pub struct Logs {
    pub session: crate::model::id::SessionId,
}

impl Logs {
    pub fn open(session: &Session, _ids: &mut Ids) -> (Self, Vec<Step>) {
        (
            Self {
                session: session.id,
            },
            Vec::new(),
        )
    }

    /// Logs, or Input while the search is typed.
    pub fn scope(&self) -> Scope {
        Scope::Logs
    }

    /// A key no scope has bound; `false` = not taken either.
    pub fn key(&mut self, _key: Key) -> bool {
        false
    }

    /// An action of the scopes Logs and Input; also `Back` and `Quit`, which close what is open
    /// first and then the view (`Go::Sessions`).
    pub fn action(&mut self, _action: Action, _ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        Vec::new()
    }

    pub fn paste(&mut self, _text: &str) {}

    pub fn mouse(&mut self, _mouse: Mouse) -> Vec<Step> {
        Vec::new()
    }

    /// `None` = not our stream.
    pub fn stream(
        &mut self,
        _stream: StreamId,
        _event: &StreamEvent,
        _now: Timestamp,
    ) -> Option<Vec<Step>> {
        None
    }

    /// The daemon answers again: follow on.
    pub fn link_up(&mut self, _ids: &mut Ids) -> Vec<Step> {
        Vec::new()
    }

    pub fn set_size(&mut self, _columns: u16, _rows: u16) {}

    pub fn close(&mut self) -> Vec<Step> {
        Vec::new()
    }
}
