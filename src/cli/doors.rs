//! What the command line cannot do itself: the rooms it may not enter, as functions that `main`
//! hands in.

use std::{ffi::OsString, path::Path, process::ExitCode};

use color_eyre::Result;
use thiserror::Error;

use crate::{
    config::{contexts::Contexts, layer::Loaded, paths::Paths},
    keymap::Keymap,
    model::{
        capability::EngineInfo,
        id::{ContextName, SessionKey},
        shell::ShellStart,
        text::Clean,
    },
};

/// Everything a start of workbay knows before it begins.
#[derive(Clone, Debug)]
pub struct Start {
    pub paths: Paths,
    /// Settings in force, with what was wrong in the files.
    pub loaded: Loaded,
    pub contexts: Contexts,
    /// The context that `--context` or WORKBAY_CONTEXT asks for, as written.
    pub asked_context: Option<String>,
}

/// Why the engine could not be asked, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEngine {
    pub why: Clean,
    pub hint: Option<Clean>,
}

/// How to be the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In the foreground.
    Here,
    Detached,
    /// In the place of an older program of this process.
    TakingOver,
}

/// What the daemon's database holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreLook {
    /// Steps its layout has taken.
    pub layout: usize,
    pub sessions: u64,
    /// Entries of scheduling histories.
    pub history: u64,
    /// How many rows could not be read and were set aside, and what the newest of them is.
    pub unreadable: Option<(u64, Clean)>,
}

/// Why it cannot be used, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreTrouble {
    #[error("{0}")]
    Broken(String),
    /// A newer version of this program wrote it.
    #[error("{0}")]
    Newer(String),
    #[error("{0}")]
    Other(String),
}

/// The rooms beside this one.
#[derive(Clone, Copy)]
pub struct Doors {
    /// Shows what arrives when keys are pressed.
    pub keys: fn(&Keymap) -> Result<()>,
    /// The full-screen view.
    pub tui: fn(Start) -> Result<()>,
    /// A session's terminal on this terminal; gives the exit code.
    pub shell: fn(Start, SessionKey, ShellStart) -> Result<u8>,
    pub daemon: fn(Start, How) -> Result<()>,
    /// The main process inside a session.
    pub runner: fn(Vec<OsString>) -> ExitCode,
    /// Asks a context's engine directly, for `doctor` when no daemon runs.
    pub probe: fn(&Start, ContextName) -> std::result::Result<EngineInfo, NoEngine>,
    /// Looks at the daemon's database and changes nothing; `None` = there is none yet.
    pub store: fn(&Path) -> std::result::Result<Option<StoreLook>, StoreTrouble>,
}
