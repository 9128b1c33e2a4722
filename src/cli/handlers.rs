//! Functions that `main` passes in, for modules that the command line must not import.

use std::{ffi::OsString, path::Path, process::ExitCode};

use color_eyre::Result;
use thiserror::Error;

use crate::{
    config::{contexts::Contexts, layer::Loaded, paths::Paths},
    keymap::Keymap,
    model::{
        capability::EngineInfo,
        failure::Failure,
        id::{ContextName, SessionKey},
        shell_start::ShellStart,
        text::Clean,
    },
};

/// What every command knows when it starts.
#[derive(Clone, Debug)]
pub struct Start {
    pub paths: Paths,
    /// Settings in force, with the problems in the files.
    pub loaded: Loaded,
    pub contexts: Contexts,
    /// The context that `--context` or WORKBAY_CONTEXT names, as written.
    pub requested_context: Option<String>,
    /// The saved layout of panes that the TUI shows first.
    pub layout: Option<String>,
}

/// How to run the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaemonMode {
    /// In the foreground.
    Foreground,
    Detached,
    /// In place of an older program of this process.
    TakeOver,
}

/// The contents of the state database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSummary {
    /// The version of its layout.
    pub layout: usize,
    pub sessions: u64,
    /// Entries of scheduling histories.
    pub history: u64,
    /// The number of rows that couldn't be read and were set aside, and the newest of them.
    pub unreadable: Option<(u64, Clean)>,
}

/// Why the state database can't be used, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreProblem {
    #[error("{0}")]
    Broken(String),
    /// A newer version of this program wrote it.
    #[error("{0}")]
    Newer(String),
    #[error("{0}")]
    Other(String),
}

/// What the plain mode passes on to the commands that it runs.
#[derive(Clone, Debug, Default)]
pub struct PlainOptions {
    /// Options of this invocation, as the commands take them.
    pub words: Vec<String>,
    /// Why it runs, if the user didn't ask for it.
    pub why: Option<&'static str>,
}

/// The functions of other modules.
#[derive(Clone, Copy)]
pub struct Handlers {
    /// Shows what arrives when keys are pressed.
    pub keys: fn(&Keymap) -> Result<()>,
    /// Runs the TUI.
    pub tui: fn(Start) -> Result<()>,
    /// Runs the TUI with a guide, in the context of this session.
    pub tour: fn(Start, SessionKey) -> Result<()>,
    /// Runs the plain mode. Returns the exit code.
    pub plain: fn(Start, PlainOptions) -> Result<u8>,
    /// Runs a session's terminal in this terminal. Returns the exit code.
    pub shell: fn(Start, SessionKey, ShellStart) -> Result<u8>,
    pub daemon: fn(Start, DaemonMode) -> Result<()>,
    /// The main process inside a session.
    pub runner: fn(Vec<OsString>) -> ExitCode,
    /// Asks a context's engine directly, for `doctor` when no daemon runs.
    pub probe: fn(&Start, ContextName) -> std::result::Result<EngineInfo, Failure>,
    /// Reads the state database without changing it. `None` = it doesn't exist yet.
    pub store: fn(&Path) -> std::result::Result<Option<StoreSummary>, StoreProblem>,
}
