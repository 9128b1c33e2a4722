//! The commands: the table of all commands, and a file or directory for each.
//!
//! A new command is a file with its arguments and its [`RunCommand`], and here its `mod` line and its row in the
//! table. A command that only sends one request about sessions is in `session_requests.rs`. The last part of a row says whether the command changes something, because that is refused while the
//! settings are read-only. The order of the table is the order of the help.

mod app;
mod commit;
pub mod completion;
pub mod config;
pub mod context;
pub mod cp;
pub mod daemon;
pub mod doctor;
mod env;
pub mod events;
mod exec;
mod export;
pub mod folder;
pub mod history;
mod image;
pub mod info;
pub mod keys;
pub mod keys_check;
pub mod launch;
pub mod locale;
mod logs;
pub mod ls;
mod man;
mod port;
mod recent;
pub mod relaunch;
mod replay;
pub mod rescue;
pub mod resources;
pub mod rm;
mod run;
mod session_requests;
mod shell;
pub mod show;
mod ssh;
mod terminate;
pub mod themes;
pub mod top;
mod tour;
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

/// Of a command that changes sessions, images or folders, or ends what keeps them.
fn changes<C>(_: &C) -> bool {
    true
}

/// Of a command that changes none of them. Programs in a session aren't workbay's concern.
fn changes_nothing<C>(_: &C) -> bool {
    false
}

/// Declares the commands as the subcommands that clap parses, and runs the chosen one.
macro_rules! commands {
    ($($(#[$help:meta])* $name:ident($arguments:ty) $is_change:path,)*) => {
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$help])* $name($arguments),)*
        }

        impl Command {
            /// Whether it is refused while the settings are read-only.
            pub fn is_change(&self) -> bool {
                match self {
                    $(Self::$name(arguments) => $is_change(arguments),)*
                }
            }
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
    Launch(launch::Launch) launch::Launch::is_change,
    /// Run a command in a new session, print its output and exit with its exit code
    Run(Box<run::Run>) run::Run::is_change,
    /// Launch a new session with the settings of an earlier one
    Relaunch(relaunch::Relaunch) relaunch::Relaunch::is_change,
    /// List, relaunch, pin and rename recent launches
    #[command(subcommand)]
    Recent(recent::RecentCommand) recent::RecentCommand::is_change,
    /// Print the settings of a session as a recipe for `launch --from`
    Export(export::Export) changes_nothing,
    /// List sessions
    Ls(ls::Ls) changes_nothing,
    /// Show the details of a session
    ///
    /// CPU is in cores: 1.50 is one and a half busy cores, which `docker stats` shows as 150%.
    Show(show::Show) changes_nothing,
    /// Show the CPU, memory, network and disk use of running sessions
    Top(top::Top) changes_nothing,
    /// Show the scheduling history of a session
    History(history::History) changes_nothing,
    /// Print the log of a session
    Logs(logs::Logs) changes_nothing,
    Replay(replay::Replay) changes_nothing,
    /// Open a shell of a session in this terminal
    Shell(shell::Shell) changes_nothing,
    /// Run a command in a session and exit with its exit code
    Exec(exec::Exec) changes_nothing,
    /// List, start and stop the apps of a session
    #[command(subcommand)]
    App(app::AppCommand) changes_nothing,
    /// Open ports of this machine to ports of sessions
    #[command(subcommand)]
    Port(port::PortCommand) changes_nothing,
    Cp(cp::Copy) changes_nothing,
    Rescue(rescue::RescueFiles) rescue::RescueFiles::is_change,
    /// Log in to a session by SSH, without a port
    Ssh(ssh::Ssh) changes_nothing,
    /// Print the lines of ~/.ssh/config by which `ssh S.workbay` reaches a session
    SshConfig(ssh::SshConfig) changes_nothing,
    /// Connect stdin and stdout to the SSH server of a session
    #[command(hide = true)]
    SshProxy(ssh::SshProxy) changes_nothing,
    /// Wait until sessions run or have ended, and exit with their exit code
    Wait(wait::WaitFor) changes_nothing,
    #[command(flatten)]
    Session(session_requests::SessionCommand) changes,
    /// Terminate sessions
    Terminate(terminate::Terminate) changes,
    /// Delete ended sessions from the list, with their logs and home directories
    Rm(rm::Rm) changes,
    /// Create an image from a running session
    Commit(commit::Commit) changes,
    /// List environments and pull images
    #[command(subcommand)]
    Env(env::EnvCommand) env::EnvCommand::is_change,
    /// List, remove and transfer images
    #[command(subcommand)]
    Image(image::ImageCommand) image::ImageCommand::is_change,
    /// List the available resources: groups, presets, limits, folders, agents
    Resources(resources::Resources) changes_nothing,
    /// List, create, share and delete folders, which outlive sessions, and copy files
    #[command(subcommand)]
    Folder(folder::FolderCommand) folder::FolderCommand::is_change,
    /// List, show and choose contexts: named engines and accounts
    #[command(subcommand)]
    Context(context::ContextCommand) changes_nothing,
    /// Print notifications as they happen, until Ctrl-C
    Events(events::Events) changes_nothing,
    Tour(tour::Tour) changes,
    /// Check this machine for problems and print how to fix them
    Doctor(doctor::Doctor) changes_nothing,
    /// Show paths, settings with their sources, and what the terminal supports
    Info(info::Info) changes_nothing,
    /// Check the configuration or print its defaults
    #[command(subcommand)]
    Config(config::ConfigCommand) changes_nothing,
    /// Start, stop and inspect the daemon, the background process
    #[command(subcommand)]
    Daemon(daemon::DaemonCommand) daemon::DaemonCommand::is_change,
    /// List all actions and their keys
    Keys(keys::Keys) changes_nothing,
    /// List the available themes and keymaps
    Themes(themes::Themes) changes_nothing,
    /// Check translations, and print all texts for translators
    #[command(subcommand)]
    Locale(locale::LocaleCommand) changes_nothing,
    /// Print the completion script for a shell
    Completion(completion::Completion) changes_nothing,
    /// Write the man pages: workbay.1 and one for each command
    Man(man::Man) changes_nothing,
}
