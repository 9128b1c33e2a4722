//! What the app wants done outside itself, as data; `run/effects` carries it out.

use std::path::PathBuf;

use bytes::Bytes;

use super::{kept::Kept, logs::feed::LogOrder, msg::Ticket};
use crate::{
    model::{spec::LaunchRequest, text::Clean},
    protocol::message::{Origin, Request, StreamId, StreamOpen},
};

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the daemon; the answer is `Msg::Answer`.
    Ask {
        ticket: Ticket,
        request: Request,
    },
    /// Open a stream at the daemon; its life comes as `Msg::Stream`, that of a log as `Msg::Log`.
    Open {
        stream: StreamId,
        open: StreamOpen,
    },
    /// A shell of this host on a local pseudo-terminal, as a stream like any other.
    OpenHostShell {
        stream: StreamId,
        columns: u16,
        rows: u16,
    },
    Send {
        stream: StreamId,
        /// Who made it: only what a person types counts as use of a session.
        origin: Origin,
        bytes: Bytes,
    },
    ResizeStream {
        stream: StreamId,
        columns: u16,
        rows: u16,
    },
    /// Of an open log; what comes of it is `Msg::Log`.
    Log {
        log: StreamId,
        order: LogOrder,
    },
    Close {
        stream: StreamId,
    },
    /// To the person's clipboard (OSC 52, or a local tool); `Msg::Done` says how.
    Copy {
        ticket: Ticket,
        text: String,
    },
    /// Write a new file (never over an old one; `-1`, `-2` … is added); `Msg::Done` carries the path.
    SaveFile {
        ticket: Ticket,
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// The same in a directory of ours, which is made if it does not exist.
    SavePrivate {
        ticket: Ticket,
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// A text in the person's editor, the screen is its own meanwhile; `Msg::Edited` brings it back.
    Edit {
        ticket: Ticket,
        text: String,
    },
    /// A launch as a recipe to a new file, as `SaveFile`.
    SaveRecipe {
        ticket: Ticket,
        path: PathBuf,
        launch: Box<LaunchRequest>,
    },
    /// `Msg::Recipe` brings what it says.
    ReadRecipe {
        ticket: Ticket,
        path: PathBuf,
    },
    /// How the TUI stands, for the next one.
    Keep(Box<Kept>),
    Mouse(bool),
    /// Whether movement without a button is to be told, too; only while the mouse is ours.
    MouseMoves(bool),
    Bell,
    /// To the person's desktop, where their terminal passes it on.
    Notify(Clean),
    /// Clear and paint everything.
    Repaint,
    Suspend,
    Quit,
}
