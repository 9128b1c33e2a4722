//! The arguments of the command line.

mod launch;
mod ls;
mod manage;
#[cfg(test)]
mod tests;
mod top;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell as CompletionShell;

pub use self::launch::{
    Export, Fields, Folder, Launch, Manner, Recent, RecentLaunch, RecentOne, Relaunch, Run,
};
pub use self::ls::{Format, Ls, TabChoice};
pub use self::manage::{Extend, Priority, Rename, Rm, Terminate, WaitFor, WaitGoal};
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
    pub options: GlobalOptions,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Without a command, workbay opens the TUI. A session S is a name, an id or the beginning of an id,
or CONTEXT/S for a session of another context.

Examples:
  workbay launch --name work --cpu 1 --wait launch a session with this machine's own programs
  workbay exec work -- make -j2             run a command in that session
  workbay run -- make test                  run a command in a new session

Exit codes: 0 success, 1 failed, 2 invalid arguments, 3 not found, 4 not allowed, 5 engine or daemon
not responding, 124 timed out. `exec`, `run`, `wait` and `launch --wait-end` exit with the code of
the command, or with 125 if the session ended for another reason.";

/// Options of every invocation: the look of the TUI, and the context.
#[derive(Args, Debug, Default)]
pub struct GlobalOptions {
    /// Theme: default-dark, default-light, ansi16 or your own (default: `ui.theme`)
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Keymap: default, vim, emacs or your own (default: `ui.keymap`)
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Don't use the mouse, so that the terminal can select text
    #[arg(long)]
    pub no_mouse: bool,
    /// Disable every action that changes a session
    #[arg(long)]
    pub read_only: bool,
    /// Context (overrides WORKBAY_CONTEXT and the default of contexts.toml)
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Launch a session and print its name and id
    Launch(Launch),
    /// Run a command in a new session, print its output and exit with its exit code
    Run(Box<Run>),
    /// Launch a new session with the settings of an earlier one
    Relaunch(Relaunch),
    /// List, relaunch, pin and rename recent launches
    #[command(subcommand)]
    Recent(Recent),
    /// Print the settings of a session as a recipe for `launch --from`
    Export(Export),
    /// List sessions
    Ls(Ls),
    /// Show the details of a session
    ///
    /// CPU is in percent of one core, as in `docker stats`: two busy cores are 200%.
    Show(Show),
    /// Show the CPU, memory, network and disk use of running sessions
    Top(Top),
    /// Show the scheduling history of a session
    History(History),
    /// Print the log of a session
    Logs(Logs),
    /// Open a shell of a session in this terminal
    Shell(Shell),
    /// Run a command in a session and exit with its exit code
    Exec(Exec),
    /// Wait until sessions run or have ended, and exit with their exit code
    Wait(WaitFor),
    /// Rename a session
    Rename(Rename),
    /// Change the priority of a session in the queue
    Priority(Priority),
    /// Extend a session's time before idle checks reclaim it, or exempt it from them
    Extend(Extend),
    /// Terminate sessions
    Terminate(Terminate),
    /// Delete ended sessions from the list, with their logs and home directories
    Rm(Rm),
    /// Create an image from a running session
    Commit(Commit),
    /// List environments and pull images
    #[command(subcommand)]
    Env(Env),
    /// List the available resources: groups, presets, limits, folders, agents
    Resources(Resources),
    /// List and create folders, which outlive sessions
    #[command(subcommand)]
    Folder(Folder),
    /// List, show and choose contexts: named engines and accounts
    #[command(subcommand)]
    Context(Context),
    /// Print notifications as they happen, until Ctrl-C
    Events(Json),
    /// Check this machine for problems and print how to fix them
    Doctor(Doctor),
    /// Show paths, settings with their sources, and what the terminal supports
    Info(Json),
    /// Check the configuration or print its defaults
    #[command(subcommand)]
    Config(Config),
    /// Start, stop and inspect the daemon, the background process
    #[command(subcommand)]
    Daemon(Daemon),
    /// List all actions and their keys
    Keys(Keys),
    /// List the available themes and keymaps
    Themes(Json),
    /// Print the completion script for a shell
    Completion {
        /// Shell to print the script for
        shell: CompletionShell,
    },
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
    /// Write a report for a bug report to a file, without secrets (`-`: stdout)
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    #[expect(
        clippy::option_option,
        reason = "not asked for; asked for; asked for there"
    )]
    pub report: Option<Option<std::path::PathBuf>>,
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
    /// Stop waiting after this time, with exit code 124 (120, 90s, 10m)
    #[arg(long, value_name = "SPAN", requires = "wait")]
    pub wait_timeout: Option<Span>,
}

impl Wait {
    /// How long at most.
    pub fn seconds(&self) -> Option<u64> {
        self.wait_timeout.map(|span| span.0)
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
#[command(after_help = "\
Words of --filter: phase:, result:, from:, to:, error:, message:, id:, created:, updated:. For example
`phase:schedule result:failure`. Times match what happened then or later: created:30m is the last
30 minutes.")]
pub struct History {
    #[command(flatten)]
    pub one: One,
    /// Only entries that match all words: phase:TEXT, result:TEXT, created:TIME (see below)
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Logs {
    #[command(flatten)]
    pub one: One,
    /// Print new lines until the session ends
    #[arg(short, long)]
    pub follow: bool,
    /// Only the last N lines
    #[arg(long, value_name = "N")]
    pub tail: Option<u32>,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Print the time of each line (UTC), if the engine stores times
    #[arg(short, long)]
    pub timestamps: bool,
    /// Print control sequences unchanged, which can affect your terminal
    #[arg(long)]
    pub raw: bool,
}

#[derive(Args, Debug)]
pub struct Shell {
    #[command(flatten)]
    pub one: One,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Shell, by name or full path, in a new window
    #[arg(long, value_name = "SHELL")]
    pub shell: Option<String>,
    /// User in the session, by name or number, with separate windows
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Working directory in the session
    #[arg(long, value_name = "DIRECTORY")]
    pub dir: Option<String>,
    /// Use workbay's bundled shell, for an environment without a shell
    #[arg(long, conflicts_with = "shell")]
    pub toolbox: bool,
    /// Command and arguments to run instead of a shell, after `--` (no shell expands them)
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["shell", "toolbox"])]
    pub argv: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    pub one: One,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// The command and its arguments, after `--` (no shell expands them)
    #[arg(last = true, required = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

/// Commands about environments.
#[derive(Debug, Subcommand)]
pub enum Env {
    /// List environments: images on the engine, then images to pull
    Ls(EnvLs),
    /// Pull an image (Ctrl-C cancels)
    Pull(EnvPull),
}

#[derive(Args, Debug)]
pub struct EnvPull {
    /// Environment (jupyter, python:3.12) or image
    pub image: String,
    /// Print each step as one line of JSON
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct EnvLs {
    /// Only images that are on the engine
    #[arg(long)]
    pub here: bool,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Commit {
    #[command(flatten)]
    pub one: One,
    /// Name of the new image
    pub image_name: String,
    #[command(flatten)]
    pub wait: Wait,
}

#[derive(Args, Debug, Default)]
pub struct Resources {
    /// Project to list the resources of
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Debug, Subcommand)]
pub enum Context {
    /// List contexts and whether their engines are connected
    Ls(Json),
    /// Show the settings of a context, without secrets
    Show {
        /// Name of the context
        name: String,
        #[command(flatten)]
        format: Json,
    },
    /// Make a context the default in your contexts.toml
    Use {
        /// Name of the context
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Check the configuration, theme and keymap (exit code 1 if there are problems)
    Check,
    /// Print the defaults with comments
    PrintDefault {
        /// Print the defaults of resources.toml: groups, presets, limits
        #[arg(long)]
        resources: bool,
        /// Print the built-in environment catalog
        #[arg(long, conflicts_with = "resources")]
        environments: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Daemon {
    /// Run the daemon in the foreground
    Run {
        /// Run in the background and return when the daemon is ready
        #[arg(long)]
        detached: bool,
        /// Continue as the successor of an older version, in the same process
        #[arg(long, hide = true)]
        take_over: bool,
    },
    /// Show whether the daemon is running
    Status(Json),
    /// Stop the daemon; sessions and shells keep running
    Stop(DaemonStop),
    /// Print a systemd user unit for the daemon
    Unit,
}

#[derive(Args, Debug)]
pub struct DaemonStop {
    /// Terminate sessions first, in every context with Docker or Podman
    #[arg(long)]
    pub end_sessions: bool,
    /// Don't ask for confirmation
    #[arg(short, long, requires = "end_sessions")]
    pub yes: bool,
    /// Time limit for the end of sessions, after which the daemon keeps running, with exit code 124
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "5m",
        requires = "end_sessions"
    )]
    pub wait_timeout: Span,
}

#[derive(Subcommand, Clone, Copy, Debug)]
pub enum KeysWhat {
    /// Show what each pressed key sends, what a program receives and which action is bound
    Test,
}

#[derive(Args, Debug, Default)]
pub struct Keys {
    #[command(subcommand)]
    pub what: Option<KeysWhat>,
    /// Keymap to list (default: yours)
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    #[command(flatten)]
    pub format: Json,
}
