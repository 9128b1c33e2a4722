//! Everything that can happen to the face.

use bytes::Bytes;

use super::logs::feed::LogEvent;
use crate::{
    key::Key,
    model::{change::Change, log::LogSource, spec::LaunchRequest, text::Clean},
    protocol::message::{Failure, Reply, Snapshot, StreamEnd, StreamId},
};

/// A number the app chose for a question; the answer bears it.
pub type Ticket = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    Key(Key),
    /// Bracketed paste, whole.
    Paste(String),
    Mouse(Mouse),
    Resize {
        columns: u16,
        rows: u16,
    },
    Focus(bool),
    /// A deadline the app asked for (`App::wake_at`) has come.
    Tick,
    Daemon(Link),
    Answer {
        ticket: Ticket,
        result: Result<Reply, Failure>,
    },
    Stream {
        stream: StreamId,
        event: StreamEvent,
    },
    Log {
        log: StreamId,
        event: LogEvent,
    },
    /// An effect was carried out, or not.
    Done {
        ticket: Ticket,
        result: Result<Clean, Clean>,
    },
    /// A text comes back from the person's editor.
    Edited {
        ticket: Ticket,
        result: Result<String, Clean>,
    },
    /// What a recipe says.
    Recipe {
        ticket: Ticket,
        result: Result<Box<LaunchRequest>, Clean>,
    },
    /// Ctrl-C or a signal from outside asks to leave now (SIGTERM, SIGHUP).
    Leave,
}

/// The line to the daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// Connected (again): the whole state.
    Up(Box<Snapshot>),
    Notice(Change),
    Down {
        why: Clean,
        attempt: u32,
    },
    /// The daemon stopped responding, or responds again.
    Silent(bool),
    /// It will not come up without a person (other version, other user).
    Refused(Failure),
}

/// A terminal or a host shell, both alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    Opened,
    Data { source: LogSource, bytes: Bytes },
    Ended(StreamEnd),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    Press(Button),
    Release(Button),
    Drag(Button),
    Moved,
    WheelUp,
    WheelDown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Left,
    Middle,
    Right,
}
