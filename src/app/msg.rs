//! All events that the TUI can receive.

use bytes::Bytes;

use super::{
    layouts::LayoutsRead,
    logs::feed::LogEvent,
    machine::MachineReading,
    panes::{RecordingEnd, RecordingId},
    settings::SettingsRead,
    themes::Themes,
    transfers::{TransferEvent, TransferId},
};
use crate::{
    key::Key,
    keymap::Keymap,
    model::{
        change::Change, failure::Failure, log::LogSource, problem::Problem, spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Reply, Snapshot, StreamEnd, StreamId},
    terminal::defaults::DefaultColors,
};

/// A number that the app chooses for a request. The answer has the same number.
pub type Ticket = u64;

#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    Key(Key),
    /// A complete bracketed paste.
    Paste(String),
    Mouse(Mouse),
    Resize {
        columns: u16,
        rows: u16,
    },
    Focus(bool),
    /// A deadline of the app (`App::wake_at`) has passed.
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
    /// The result of an effect.
    Done {
        ticket: Ticket,
        result: Result<Clean, Clean>,
    },
    /// A text returns from your editor.
    Edited {
        ticket: Ticket,
        result: Result<String, Clean>,
    },
    /// The content of a recipe.
    Recipe {
        ticket: Ticket,
        result: Result<Box<LaunchRequest>, Clean>,
    },
    /// What a transfer of files reports.
    Transfer {
        id: TransferId,
        event: TransferEvent,
    },
    /// A recording of a pane has ended.
    Recording {
        id: RecordingId,
        end: RecordingEnd,
    },
    /// Your editor exited.
    EditedFile {
        transfer: TransferId,
        result: Result<(), Clean>,
    },
    /// The list of themes, read again.
    Themes(Themes),
    /// The saved layouts of panes, after an order was carried out.
    Layouts(Box<LayoutsRead>),
    /// What this machine uses.
    Machine(MachineReading),
    /// The settings, read again.
    Settings(Box<SettingsRead>),
    /// A setting was written to your file, or why not.
    SettingSaved {
        ticket: Ticket,
        result: Result<Clean, Clean>,
    },
    /// The terminal changed to a dark or a light color scheme.
    ColorScheme {
        dark: bool,
    },
    /// The terminal reported the colors of its text and background.
    TerminalColors(DefaultColors),
    PathCompleted {
        ticket: Ticket,
        completion: PathCompletion,
    },
    /// A file of the keymap has changed.
    Keymap(Result<Box<Keymap>, Vec<Problem>>),
    /// Ctrl-C or a signal from outside requests to quit now (SIGTERM, SIGHUP).
    Leave,
}

/// What begins like a typed path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCompletion {
    /// The text that was completed.
    pub typed: String,
    /// The text as far as all candidates agree.
    pub text: String,
    /// The names that are possible. Those of directories end with a slash.
    pub candidates: Vec<Clean>,
}

/// The state of the connection to the daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// Connected or reconnected, with the whole state.
    Up(Box<Snapshot>),
    Notice(Change),
    Down {
        why: Clean,
        attempt: u32,
    },
    /// The daemon stopped responding, or responds again.
    NotResponding(bool),
    /// The connection won't succeed until you fix the cause (another version, another user).
    Refused(Failure),
}

/// An event of a terminal or a host shell.
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
