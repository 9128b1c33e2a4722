//! Effects that the app requests, as data. `run/effects` carries them out.

use std::path::PathBuf;

use bytes::Bytes;

use super::{
    layouts::LayoutOrder,
    logs::feed::LogOrder,
    msg::Ticket,
    panes::{RecordOrder, RecordingId},
    saved::SavedState,
    settings::SettingsOrder,
    themes::ThemeOrder,
    transfers::{TransferId, TransferOrder},
};
use crate::{
    model::{spec::LaunchRequest, text::Clean},
    protocol::message::{Origin, Request, StreamId, StreamOpen},
};

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Runs one of your own commands in the background. A notification reports its end.
    RunCommand {
        command: Clean,
        /// The name of the session that it is about.
        session: Option<Clean>,
        argv: Vec<String>,
    },
    /// Sends a request to the daemon. The answer is `Msg::Answer`.
    Ask {
        ticket: Ticket,
        request: Request,
    },
    /// Opens a stream at the daemon. Its events arrive as `Msg::Stream`, those of a log as `Msg::Log`.
    Open {
        stream: StreamId,
        open: StreamOpen,
    },
    /// Opens a shell of this machine on a local pseudo-terminal, with the events of any other stream.
    OpenHostShell {
        stream: StreamId,
        /// What runs in place of the shell; empty = the shell.
        command: Vec<String>,
        columns: u16,
        rows: u16,
    },
    Send {
        stream: StreamId,
        /// The origin of the input. Only typing counts as use of a session.
        origin: Origin,
        bytes: Bytes,
    },
    ResizeStream {
        stream: StreamId,
        columns: u16,
        rows: u16,
    },
    /// An order for an open log. Its results arrive as `Msg::Log`.
    Log {
        log: StreamId,
        order: LogOrder,
    },
    Close {
        stream: StreamId,
    },
    /// Writes a recording of a pane. `Msg::Recording` reports its end.
    Record {
        id: RecordingId,
        order: RecordOrder,
    },
    /// Copies to your clipboard (OSC 52 or a local tool). `Msg::Done` reports the result.
    Copy {
        ticket: Ticket,
        text: String,
    },
    /// Opens a URL in the browser of this machine. `Msg::Done` reports the result.
    Browse {
        ticket: Ticket,
        url: String,
    },
    /// Writes a new file and never replaces an existing one: it adds `-1`, `-2` … to the name. `Msg::Done`
    /// has the path.
    SaveFile {
        ticket: Ticket,
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// Writes a new file in a directory of workbay, which is created if it doesn't exist.
    SavePrivate {
        ticket: Ticket,
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// Opens a text in your editor, which has the screen until it exits. `Msg::Edited` returns the text.
    Edit {
        ticket: Ticket,
        text: String,
    },
    /// Opens your configuration file in your editor, at a line. `Msg::Edited` reports that the editor exited.
    EditSettings {
        ticket: Ticket,
        path: PathBuf,
        line: Option<usize>,
    },
    /// Writes a launch as a recipe to a new file, like `SaveFile`.
    SaveRecipe {
        ticket: Ticket,
        path: PathBuf,
        launch: Box<LaunchRequest>,
    },
    /// Reads a recipe. `Msg::Recipe` has its content.
    ReadRecipe {
        ticket: Ticket,
        path: PathBuf,
    },
    /// An order for a transfer of files. What it reports arrives as `Msg::Transfer`.
    Transfer {
        id: TransferId,
        order: TransferOrder,
    },
    /// Opens a downloaded file in your editor, which has the screen until it exits. `Msg::EditedFile` reports that.
    EditFile {
        transfer: TransferId,
        path: PathBuf,
    },
    /// Completes a typed path of this machine. `Msg::PathCompleted` has the result.
    CompletePath {
        ticket: Ticket,
        typed: String,
    },
    /// Saves the state of the TUI for the next one.
    SaveState(Box<SavedState>),
    /// Reads what this machine uses, and the file system of a path with its meaning. `Msg::Machine` has the result.
    ReadMachine {
        disk: (&'static str, PathBuf),
    },
    /// Asks the terminal for its colors again. `Msg::TerminalColors` has them if they changed.
    AskColors,
    /// Shows or saves a theme, or reads the list of themes.
    Theme(ThemeOrder),
    /// Lists, saves or deletes layouts of panes. `Msg::Layouts` has the result.
    Layouts {
        directory: PathBuf,
        order: LayoutOrder,
    },
    /// Reads settings, or writes one.
    Settings(SettingsOrder),
    Mouse(bool),
    /// Switches reports of mouse movement without a button on or off, while the TUI uses the mouse.
    MouseMoves(bool),
    Bell,
    /// Shows a desktop notification if the terminal passes it on.
    Notify(Clean),
    /// Clears and repaints the screen.
    Repaint,
    Suspend,
    Quit,
}
