//! Arguments of the commands that wait for, change, terminate or remove sessions.

use clap::{Args, ValueEnum};

use super::{Json, One, Wait};
use crate::model::span::Span;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WaitGoal {
    /// The session runs (batch: it has started)
    Running,
    /// The session has ended
    #[default]
    Ended,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  workbay wait train                       exits with the exit code of the session
  workbay wait --for running --wait-timeout 5m a b

Exit codes, with `--for ended`: that of the session's command, of several sessions the first that is not
0. 125 if a session ended otherwise: terminated, reclaimed, out of memory, timed out, lost. With `--for
running`: 1 if a session can't run any more. 124 if --wait-timeout ran out; the sessions continue.")]
pub struct WaitFor {
    /// Names, ids or beginnings of ids
    #[arg(value_name = "S", required = true)]
    pub sessions: Vec<String>,
    /// What to wait for
    #[arg(long = "for", value_enum, default_value_t)]
    pub goal: WaitGoal,
    /// Stop waiting after this time, with exit code 124 (120, 90s, 10m)
    #[arg(long, value_name = "SPAN")]
    pub wait_timeout: Option<Span>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Rm {
    /// Names, ids or beginnings of ids of ended sessions
    #[arg(value_name = "S", required = true)]
    pub sessions: Vec<String>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Args, Debug)]
pub struct Rename {
    #[command(flatten)]
    pub one: One,
    /// The new name
    pub new: String,
}

#[derive(Args, Debug)]
pub struct Priority {
    #[command(flatten)]
    pub one: One,
    /// The new priority (0 to 100, highest first)
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub priority: i32,
}

#[derive(Args, Debug)]
pub struct Extend {
    #[command(flatten)]
    pub one: One,
    /// Exempt the session from idle checks
    #[arg(long, conflicts_with = "include")]
    pub exempt: bool,
    /// Apply idle checks to the session again
    #[arg(long)]
    pub include: bool,
}

#[derive(Args, Debug)]
pub struct Terminate {
    /// Names, ids or beginnings of ids
    #[arg(
        value_name = "S",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub sessions: Vec<String>,
    /// All your sessions in the context that haven't ended
    #[arg(long)]
    pub all: bool,
    /// Kill sessions at once, without the stop hook
    #[arg(long)]
    pub force: bool,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub wait: Wait,
}
