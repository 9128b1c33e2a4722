//! The words of the command line.

mod launch;
mod ls;
mod manage;
mod top;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell as CompletionShell;

pub use self::launch::{
    Export, Fields, Folder, Launch, Manner, Recent, RecentLaunch, RecentOne, Relaunch, Run,
};
pub use self::ls::{Format, Ls, TabChoice};
pub use self::manage::{Keep, Priority, Rename, Rm, Terminate, WaitFor, WaitGoal};
pub use self::top::{Top, TopSort};
use crate::{model::span::Span, protocol::version::version};

/// Run, watch and enter container compute sessions from the keyboard
#[derive(Debug, Parser)]
#[command(
    name = "workbay",
    version = version(),
    after_help = EXAMPLES,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(flatten)]
    pub look: Look,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Without a command, the full-screen view opens. A session S is named by its name, its id or the
beginning of its id; CONTEXT/S where it is not of the context in force.

Examples:
  workbay launch --name work --cpu 1 --wait a session with this machine's own programs
  workbay exec work -- make -j2             one command in it
  workbay run -- make test                  one command in a session of its own

Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 not allowed, 5 engine or daemon does not
answer, 124 timed out. `exec`, `run`, `wait` and `launch --wait-end` pass on the code of the
command; 125 if a session ended otherwise than by its command.";

/// How the full-screen view looks this time.
#[derive(Args, Debug, Default)]
pub struct Look {
    /// Theme for this time: default-dark, default-light, ansi16 or one of your own
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Keymap for this time: default, vim, emacs or one of your own
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// Offer nothing that changes a session
    #[arg(long)]
    pub read_only: bool,
    /// Context for this time, over WORKBAY_CONTEXT and the default of contexts.toml
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Launch a session; prints its name and id
    Launch(Launch),
    /// Run a command in a new session: its output, and its exit code
    Run(Box<Run>),
    /// Launch a session of before again, with its settings
    Relaunch(Relaunch),
    /// Launches of before: list, launch again, pin
    #[command(subcommand)]
    Recent(Recent),
    /// The settings of a session as a recipe for `launch --from`
    Export(Export),
    /// List sessions
    Ls(Ls),
    /// Everything about one session
    ///
    /// CPU is shown in percent of one core, as `docker stats` does: 100% = one core, two busy cores are 200%.
    Show(Show),
    /// Show what running sessions use, refreshed
    Top(Top),
    /// What was decided about a session, step by step
    History(History),
    /// The log of a session
    Logs(Logs),
    /// Work in a session's shell on this terminal
    Shell(Shell),
    /// Run a command in a session and pass on its exit code
    Exec(Exec),
    /// Wait until sessions run or have ended; exits with their exit code
    Wait(WaitFor),
    /// Give a session another name
    Rename(Rename),
    /// Change the priority of a session that waits in the queue
    Priority(Priority),
    /// Put off, or forbid, what idle checks would do to a session
    Keep(Keep),
    /// End sessions
    Terminate(Terminate),
    /// Delete ended sessions from the list, with their logs and home directories
    Rm(Rm),
    /// Make an image of a running session
    Commit(Commit),
    /// Environments that can be launched
    #[command(subcommand)]
    Env(Env),
    /// What a launch may choose from: groups, presets, limits, folders, agents
    Catalogue(Catalogue),
    /// Folders that outlive sessions
    #[command(subcommand)]
    Folder(Folder),
    /// Engines by name
    #[command(subcommand)]
    Context(Context),
    /// Print what happens, until Ctrl-C
    Events(Json),
    /// Check this machine; says how to mend what is wrong
    Doctor(Doctor),
    /// Paths, settings and where each came from, what the terminal can do
    Info(Json),
    /// The configuration file
    #[command(subcommand)]
    Config(Config),
    /// The background process that runs the sessions
    #[command(subcommand)]
    Daemon(Daemon),
    /// Every action and its keys
    Keys(Keys),
    /// Themes and keymaps that can be chosen
    Themes(Json),
    /// Print the completion script of a shell
    Completion { shell: CompletionShell },
    /// Write the man pages: workbay.1 and one for each command
    Man {
        /// Directory to write to (created if missing)
        #[arg(long, value_name = "DIR")]
        dir: std::path::PathBuf,
    },
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug, Default)]
pub struct Doctor {
    #[command(flatten)]
    pub format: Json,
    /// Write all that helps somebody else to help into a file (`-` = stdout), without secrets
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    #[expect(
        clippy::option_option,
        reason = "not asked for; asked for; asked for there"
    )]
    pub report: Option<Option<std::path::PathBuf>>,
}

#[derive(Args, Debug)]
pub struct One {
    /// Name, id or beginning of an id; CONTEXT/… of another context
    #[arg(value_name = "S")]
    pub session: String,
}

/// How long to wait for the end of something.
#[derive(Args, Debug, Default)]
pub struct Wait {
    /// Wait until it is done
    #[arg(long)]
    pub wait: bool,
    /// Give up waiting after so long: 120 (seconds), 10m (exit code 124)
    #[arg(long, value_name = "SPAN", requires = "wait")]
    pub timeout: Option<Span>,
}

impl Wait {
    /// How long at most.
    pub fn seconds(&self) -> Option<u64> {
        self.timeout.map(|span| span.0)
    }
}

#[derive(Args, Debug)]
pub struct Show {
    #[command(flatten)]
    pub one: One,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct History {
    #[command(flatten)]
    pub one: One,
    /// Only entries for which all of it holds: `phase:`, `result:`, `from:`, `to:`, `error:`,
    /// `message:`, `id:`, `created:`, `updated:` (at that time or later; `30m` = half an hour ago)
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Logs {
    #[command(flatten)]
    pub one: One,
    /// Go on with new lines until the session ends
    #[arg(short, long)]
    pub follow: bool,
    /// Only the last N lines
    #[arg(long, value_name = "N")]
    pub tail: Option<u32>,
    /// Of this kernel: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Each line with its time (UTC), where the engine keeps times
    #[arg(short, long)]
    pub timestamps: bool,
    /// Bytes as they are; control sequences reach your terminal
    #[arg(long)]
    pub raw: bool,
}

#[derive(Args, Debug)]
pub struct Shell {
    #[command(flatten)]
    pub one: One,
    /// In this container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// This shell, by name or full path, in a window of its own
    #[arg(long, value_name = "SHELL")]
    pub shell: Option<String>,
    /// As this user of the session, by name or number, with windows of their own
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// In this directory of the session
    #[arg(long, value_name = "DIRECTORY")]
    pub dir: Option<String>,
    /// The shell that workbay brings along, for an environment that has none
    #[arg(long, conflicts_with = "shell")]
    pub toolbox: bool,
    /// Run this instead of a shell, after `--`; no shell is between
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["shell", "toolbox"])]
    pub argv: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    pub one: One,
    /// In this container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// The command and its arguments, after `--`; no shell is between
    #[arg(last = true, required = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

/// What sessions are waited for to do.
#[derive(Debug, Subcommand)]
pub enum Env {
    /// List environments: what is on the engine, then what would be pulled
    Ls(EnvLs),
    /// Fetch an image; Ctrl-C gives it up
    Pull(EnvPull),
}

#[derive(Args, Debug)]
pub struct EnvPull {
    /// A name of the catalogue (jupyter, python:3.12), or an image
    pub image: String,
    /// One line for each step, as JSON
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct EnvLs {
    /// Only what is on the engine
    #[arg(long)]
    pub here: bool,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Commit {
    #[command(flatten)]
    pub one: One,
    /// Name of the image
    pub image_name: String,
    #[command(flatten)]
    pub wait: Wait,
}

#[derive(Args, Debug, Default)]
pub struct Catalogue {
    /// For this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Debug, Subcommand)]
pub enum Context {
    /// List contexts and whether their engines answer
    Ls(Json),
    /// Everything about one context; secrets are not shown
    Show {
        name: String,
        #[command(flatten)]
        format: Json,
    },
    /// Make it the default of your contexts.toml
    Use { name: String },
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Check configuration, theme and keymap; exit code 1 when something is wrong
    Check,
    /// Print the annotated defaults
    PrintDefault {
        /// Those of resources.toml: groups, presets, limits
        #[arg(long)]
        resources: bool,
        /// The built-in catalogue of environments
        #[arg(long, conflicts_with = "resources")]
        environments: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Daemon {
    /// Run it here, in the foreground
    Run {
        /// In the background; returns when it is ready
        #[arg(long)]
        detached: bool,
        /// In the place of an older program of the same process
        #[arg(long, hide = true)]
        take_over: bool,
    },
    /// Whether it runs
    Status(Json),
    /// End it; sessions and shells go on
    Stop(DaemonStop),
    /// Print a systemd user unit for it
    Unit,
}

#[derive(Args, Debug)]
pub struct DaemonStop {
    /// End the sessions first, in every context whose sessions the daemon runs itself
    #[arg(long)]
    pub end_sessions: bool,
    /// Do not ask
    #[arg(short, long, requires = "end_sessions")]
    pub yes: bool,
    /// Give up after so long, with the daemon still there: 120 (seconds), 10m (exit code 124)
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "5m",
        requires = "end_sessions"
    )]
    pub timeout: Span,
}

#[derive(Subcommand, Clone, Copy, Debug)]
pub enum KeysWhat {
    /// Press keys and see what arrives, what a program gets and what they are bound to
    Test,
}

#[derive(Args, Debug, Default)]
pub struct Keys {
    #[command(subcommand)]
    pub what: Option<KeysWhat>,
    /// A keymap other than yours
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    #[command(flatten)]
    pub format: Json,
}
