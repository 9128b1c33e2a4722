//! Your own commands (`[[command]]` in your configuration file), as they are written.

use std::path::PathBuf;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomCommand {
    pub name: String,
    /// The key as it is written, `ctrl-k` or `g x`. `None` = only in the palette.
    pub key: Option<String>,
    /// Where the key works and the palette lists it.
    pub scopes: Vec<CommandScope>,
    /// The command line with placeholders.
    pub template: String,
    pub confirm: Confirm,
    pub target: CommandTarget,
    /// It may change something, so it is disabled where nothing may be changed.
    pub changes: bool,
    /// A filter of the sessions that it is possible for. Empty = all.
    pub show: String,
    /// Where its key is written, for conflicts.
    pub place: CommandPlace,
}

/// A place in a file, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandPlace {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
}

/// A view that has a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandScope {
    /// The list of sessions.
    List,
    /// The details of a session.
    Detail,
    /// A terminal, after the leader key.
    Terminal,
}

impl CommandScope {
    pub const ALL: [Self; 3] = [Self::List, Self::Detail, Self::Terminal];

    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Detail => "detail",
            Self::Terminal => "terminal",
        }
    }
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandTarget {
    /// On this machine, in a pane.
    Pane,
    /// In the session, in a pane.
    Session,
    /// On this machine, without a terminal. A notification has its result.
    Background,
}

impl CommandTarget {
    pub const ALL: [Self; 3] = [Self::Pane, Self::Session, Self::Background];

    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pane => "pane",
            Self::Session => "session",
            Self::Background => "background",
        }
    }
}

/// Whether a command asks first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Confirm {
    #[default]
    No,
    /// With the command line.
    Yes,
    /// With a text of your own.
    Text(String),
}
