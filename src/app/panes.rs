//! The open terminals.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    msg::{Mouse, StreamEvent},
    step::{Ids, Step},
};
use crate::{
    action::{Action, Scope},
    key::Key,
    model::{id::SessionId, text::Clean},
    protocol::message::StreamId,
};

#[derive(Debug, Default)]
pub struct Panes {}

impl Panes {
    /// `tag` begins the terminal tags of this face.
    #[must_use]
    pub fn new(_tag: &str) -> Self {
        Self {}
    }

    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub fn count(&self) -> usize {
        0
    }

    /// How many panes show this session.
    pub fn open_in(&self, _session: SessionId) -> usize {
        0
    }

    /// Full screen without tabs.
    pub fn is_zoomed(&self) -> bool {
        false
    }

    /// Terminal (keys go to the child), Leader (after the leader), Panes (nothing runs in it).
    pub fn scope(&self) -> Scope {
        Scope::Panes
    }

    /// To the session's pane, or opens one.
    pub fn open_session(&mut self, _id: SessionId, _name: &Clean, _ids: &mut Ids) -> Vec<Step> {
        Vec::new()
    }

    pub fn open_host(&mut self, _host: &str, _ids: &mut Ids) -> Vec<Step> {
        Vec::new()
    }

    /// A session got another name.
    pub fn renamed(&mut self, _id: SessionId, _name: &Clean) {}

    /// A key no scope has bound; `None` = not taken either.
    pub fn key(&mut self, _key: Key, _ids: &mut Ids, _now: Timestamp) -> Option<Vec<Step>> {
        None
    }

    /// An action of the scopes Terminal, Leader and Panes.
    pub fn action(&mut self, _action: Action, _ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        Vec::new()
    }

    pub fn paste(&mut self, _text: &str) -> Vec<Step> {
        Vec::new()
    }

    /// `areas`: the tabs and the cells of the pane on top.
    pub fn mouse(&mut self, _mouse: Mouse, _tabs: Rect, _cells: Rect) -> Vec<Step> {
        Vec::new()
    }

    /// The outer terminal got or lost the focus, or the page was entered or left.
    pub fn focus(&mut self, _on: bool) -> Vec<Step> {
        Vec::new()
    }

    /// `None` = not a stream of a pane.
    pub fn stream(
        &mut self,
        _stream: StreamId,
        _event: &StreamEvent,
        _now: Timestamp,
    ) -> Option<Vec<Step>> {
        None
    }

    /// The daemon answers (again).
    pub fn link_up(&mut self, _ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        Vec::new()
    }

    pub fn link_down(&mut self, _why: &Clean, _now: Timestamp) {}

    /// The size of the cells changed.
    pub fn set_size(&mut self, _columns: u16, _rows: u16) -> Vec<Step> {
        Vec::new()
    }

    pub fn tick(&mut self, _ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        Vec::new()
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        None
    }

    /// What is left to close when the face leaves.
    pub fn close_all(&mut self) -> Vec<Step> {
        Vec::new()
    }
}
