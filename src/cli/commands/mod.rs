//! The commands: the table of all commands, and a file or directory for each.
//!
//! A new command is a file with its arguments and its [`RunCommand`], and here its `mod` line and its row in the
//! table. The order of the table is the order of the help.

mod commit;
pub mod completion;
pub mod config;
pub mod context;
pub mod daemon;
pub mod doctor;
mod env;
pub mod events;
mod exec;
mod export;
mod extend;
mod folder;
pub mod history;
pub mod info;
pub mod keys;
pub mod launch;
mod logs;
pub mod ls;
mod man;
mod priority;
mod recent;
pub mod relaunch;
mod rename;
pub mod resources;
pub mod rm;
mod run;
mod shell;
pub mod show;
mod terminate;
pub mod themes;
pub mod top;
mod wait;

use clap::Subcommand;

use super::{fail::Outcome, invocation::Invocation};

/// The arguments of a command, which can be run.
pub trait RunCommand {
    /// Runs the command. Returns its exit code.
    fn run(self, invocation: &Invocation<'_>) -> Outcome;
}

impl<C: RunCommand> RunCommand for Box<C> {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        (*self).run(invocation)
    }
}

/// Declares the commands as the subcommands that clap parses, and runs the chosen one.
macro_rules! commands {
    ($($(#[$help:meta])* $name:ident($arguments:ty),)*) => {
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$help])* $name($arguments),)*
        }

        impl RunCommand for Command {
            fn run(self, invocation: &Invocation<'_>) -> Outcome {
                match self {
                    $(Self::$name(arguments) => arguments.run(invocation),)*
                }
            }
        }
    };
}

commands! {
    /// Launch a session and print its name and id
    Launch(launch::Launch),
    /// Run a command in a new session, print its output and exit with its exit code
    Run(Box<run::Run>),
    /// Launch a new session with the settings of an earlier one
    Relaunch(relaunch::Relaunch),
    /// List, relaunch, pin and rename recent launches
    #[command(subcommand)]
    Recent(recent::RecentCommand),
    /// Print the settings of a session as a recipe for `launch --from`
    Export(export::Export),
    /// List sessions
    Ls(ls::Ls),
    /// Show the details of a session
    ///
    /// CPU is in percent of one core, as in `docker stats`: two busy cores are 200%.
    Show(show::Show),
    /// Show the CPU, memory, network and disk use of running sessions
    Top(top::Top),
    /// Show the scheduling history of a session
    History(history::History),
    /// Print the log of a session
    Logs(logs::Logs),
    /// Open a shell of a session in this terminal
    Shell(shell::Shell),
    /// Run a command in a session and exit with its exit code
    Exec(exec::Exec),
    /// Wait until sessions run or have ended, and exit with their exit code
    Wait(wait::WaitFor),
    /// Rename a session
    Rename(rename::Rename),
    /// Change the priority of a session in the queue
    Priority(priority::Priority),
    /// Extend a session's time before idle checks reclaim it, or exempt it from them
    Extend(extend::Extend),
    /// Terminate sessions
    Terminate(terminate::Terminate),
    /// Delete ended sessions from the list, with their logs and home directories
    Rm(rm::Rm),
    /// Create an image from a running session
    Commit(commit::Commit),
    /// List environments and pull images
    #[command(subcommand)]
    Env(env::EnvCommand),
    /// List the available resources: groups, presets, limits, folders, agents
    Resources(resources::Resources),
    /// List and create folders, which outlive sessions
    #[command(subcommand)]
    Folder(folder::FolderCommand),
    /// List, show and choose contexts: named engines and accounts
    #[command(subcommand)]
    Context(context::ContextCommand),
    /// Print notifications as they happen, until Ctrl-C
    Events(events::Events),
    /// Check this machine for problems and print how to fix them
    Doctor(doctor::Doctor),
    /// Show paths, settings with their sources, and what the terminal supports
    Info(info::Info),
    /// Check the configuration or print its defaults
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Start, stop and inspect the daemon, the background process
    #[command(subcommand)]
    Daemon(daemon::DaemonCommand),
    /// List all actions and their keys
    Keys(keys::Keys),
    /// List the available themes and keymaps
    Themes(themes::Themes),
    /// Print the completion script for a shell
    Completion(completion::Completion),
    /// Write the man pages: workbay.1 and one for each command
    Man(man::Man),
}
