//! The command line as a whole, and arguments that several commands have.

#[cfg(test)]
mod tests;

use std::str::FromStr;

use clap::{Args, Parser};

use super::commands::Command;
use crate::{model::span::Span, protocol::version::version};

/// Run, watch and enter container compute sessions from the keyboard
#[derive(Debug, Default, Parser)]
#[command(
    name = "workbay",
    version = version(),
    after_help = EXAMPLES,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(flatten)]
    pub options: GlobalOptions,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Without a command, workbay opens the TUI. A session S is a name, an id or the beginning of an id, or \
CONTEXT/S for a session of another context.

Examples:
  workbay launch --name work --cpu 1 --wait  launch a session
  workbay exec work uname -a                 run a command in that session
  workbay run echo hello                     run a command in a new session

Exit codes: 0 success, 1 failed, 2 invalid arguments, 3 not found, 4 not allowed, 5 engine or daemon \
not responding, 124 timed out, 141 output closed. `exec`, `run`, `wait` and `launch --wait-end` exit \
with the code of the command, or with 125 if the session ended for another reason.";

/// Options of every invocation: the look of the TUI, and the context.
#[derive(Args, Debug, Default)]
pub struct GlobalOptions {
    /// Theme: a name of `workbay themes`, or LIGHT/DARK (default: `ui.theme`)
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Keymap: default, vim, emacs, k9s, arrows or your own (default: `ui.keymap`)
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Saved layout of panes to show at the start
    #[arg(long, value_name = "NAME")]
    pub layout: Option<String>,
    /// Don't use the mouse, so that the terminal can select text
    #[arg(long)]
    pub no_mouse: bool,
    /// Plain mode: numbered menus and sentences instead of the TUI
    #[arg(long)]
    pub plain: bool,
    /// Refuse every command and action that changes sessions, images or folders
    #[arg(long)]
    pub read_only: bool,
    /// Context (overrides WORKBAY_CONTEXT and the default of contexts.toml)
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,
}

/// Reads a whole number.
pub fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "use a whole number".to_owned())
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct One {
    /// Name, id or beginning of an id (CONTEXT/… for another context)
    #[arg(value_name = "S")]
    pub session: String,
}

/// How long to wait for the end of something.
#[derive(Args, Debug, Default)]
pub struct Wait {
    /// Wait until the command has finished
    #[arg(long)]
    pub wait: bool,
    /// Stop waiting after this time, with exit code 124 (90s, 10m; a number is seconds)
    #[arg(long, value_name = "SPAN", requires = "wait")]
    pub wait_timeout: Option<Span>,
}

impl Wait {
    /// How long at most.
    pub fn seconds(&self) -> Option<u64> {
        self.wait_timeout.map(|span| span.0)
    }
}
