//! What the command line cannot do itself: the rooms it may not enter, as functions that `main`
//! hands in.

use std::{ffi::OsString, process::ExitCode};

use color_eyre::Result;

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
    pub mend: Option<Clean>,
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
    /// The daemon, in the foreground or detached.
    pub daemon: fn(Start, bool) -> Result<()>,
    /// The main process inside a session.
    pub runner: fn(Vec<OsString>) -> ExitCode,
    /// Asks a context's engine directly, for `doctor` when no daemon runs.
    pub probe: fn(&Start, ContextName) -> std::result::Result<EngineInfo, NoEngine>,
}
