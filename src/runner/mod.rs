//! `workbay runner`: the part of workbay that runs inside a session's container.
//!
//! It is the container's main process (`runner main`) and the first step of every terminal and command in
//! it (`runner attach`, `runner exec`). It also serves SSH clients of a session (`runner sftp`, `runner listen`).
//! The loader of the bundled tools starts it, so it works even in an image without any files.

mod app;
mod archive;
mod attach;
mod beginning;
mod connector;
mod control;
mod duty;
mod end;
mod exec;
mod files;
mod guard;
mod home;
mod listen;
mod log;
mod main_process;
mod passing;
mod preload;
mod processes;
mod relay;
mod sftp;
mod shell_choice;
mod signals;
mod terminfo;
mod tmux;
mod unsaved;

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};

use beginning::Beginning;
use main_process::Duty;

/// The runner's command line.
#[derive(Debug, Parser)]
#[command(name = "workbay runner", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Main process of a session: prints the start lines, then waits for a signal or for the end of its command.
    Main {
        /// Start lines that describe the session's resources, in order.
        #[arg(long = "say", value_name = "LINE", allow_hyphen_values = true)]
        say: Vec<String>,
        /// Runs the bootstrap script of the home directory first.
        #[arg(long)]
        bootstrap: bool,
        /// Runs this command in a shell, then exits with its exit code.
        #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
        batch: Option<String>,
    },
    /// Becomes a client of the session's tmux on the terminal it was started on.
    Attach {
        /// Pane of the client. An older client of the same pane is detached.
        #[arg(long)]
        tag: String,
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        #[arg(long)]
        size: WindowSize,
        #[command(flatten)]
        beginning: Beginning,
    },
    /// Becomes the control connection of the session's tmux: reports on stdout, commands on stdin.
    Control {
        #[command(flatten)]
        beginning: Beginning,
    },
    /// Detaches every client that `attach` left behind.
    DetachAll,
    /// Connects stdin and stdout to a port of this container.
    Relay {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        port: u16,
    },
    /// Serves SFTP on stdin and stdout.
    Sftp {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
    },
    /// Works on files below /home/work for the daemon, on stdin and stdout.
    Files {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
    },
    /// Listens on a port of this container and carries its connections over stdin and stdout.
    Listen {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        address: String,
        port: u16,
    },
    /// Writes a file or directory as a tar stream to stdout.
    Pack {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        path: String,
    },
    /// Reads a tar stream from stdin into a directory, or as a file.
    Unpack {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        path: String,
    },
    /// Lists, starts and ends the apps of this container.
    App {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        #[command(subcommand)]
        task: app::AppTask,
    },
    /// Counts or packs the files of this container that aren't in a folder.
    Unsaved {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        #[command(subcommand)]
        task: unsaved::UnsavedTask,
    },
    /// Changes the owner of the session's home directory and its contents to this user and group.
    GiveHome { uid: u32, gid: u32 },
    /// Blocks sessions from programs that listen on the engine's machine, and prints as JSON what is in effect.
    Guard {
        /// The bridge of the session's network.
        bridge: String,
    },
    /// Ends the processes that were started with this key.
    End { key: String },
    /// Becomes the given program, after setting the size of the terminal it was started on.
    Exec {
        /// Key by which `runner end` finds this process.
        #[arg(long)]
        key: Option<String>,
        #[arg(long)]
        size: Option<WindowSize>,
        #[arg(last = true, required = true)]
        argv: Vec<OsString>,
    },
}

/// The size of a terminal, written `80x24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WindowSize {
    columns: u16,
    rows: u16,
}

impl std::str::FromStr for WindowSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || format!("invalid terminal size '{text}'. Use COLUMNSxROWS, for example 80x24");
        let (columns, rows) = text.split_once('x').ok_or_else(bad)?;
        let size = Self {
            columns: columns.parse().map_err(|_| bad())?,
            rows: rows.parse().map_err(|_| bad())?,
        };
        if size.columns == 0 || size.rows == 0 {
            return Err(bad());
        }
        Ok(size)
    }
}

impl WindowSize {
    /// Sets the size of the terminal on stdin. Does nothing if stdin isn't a terminal.
    fn apply(self) {
        let size = rustix::termios::Winsize {
            ws_col: self.columns,
            ws_row: self.rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // An error means that there is no terminal to set the size of.
        let _ = rustix::termios::tcsetwinsize(std::io::stdin(), size);
    }
}

/// Runs `workbay runner ARGS…`. `args` are the arguments after `runner`.
///
/// Returns the exit code of the task, 127 if a program isn't found, or 126 if it can't be run.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let all = std::iter::once(OsString::from("workbay runner")).chain(args);
    let arguments = match Arguments::try_parse_from(all) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing more can be done if stderr is closed too.
            let _ = error.print();
            return ExitCode::from(2);
        }
    };
    match arguments.task {
        Task::Main {
            say,
            bootstrap,
            batch,
        } => main_process::run(&Duty {
            say,
            bootstrap,
            batch,
        }),
        Task::Attach {
            tag,
            key,
            size,
            beginning,
        } => attach::run(&tag, key.as_deref(), size, &beginning),
        Task::Control { beginning } => control::run(&beginning),
        Task::DetachAll => attach::detach_all(),
        Task::Relay { port, .. } => relay::run(port),
        Task::Sftp { .. } => sftp::run(),
        Task::Files { .. } => files::run(),
        Task::Listen { address, port, .. } => listen::run(&address, port),
        Task::Pack { path, .. } => archive::pack(&path),
        Task::Unpack { path, .. } => archive::unpack(&path),
        Task::App { task, .. } => app::run(&task),
        Task::Unsaved { task, .. } => unsaved::run(&task),
        Task::GiveHome { uid, gid } => home::give(uid, gid),
        Task::Guard { bridge } => guard::run(&bridge),
        Task::End { key } => end::run(&key),
        Task::Exec { key, size, argv } => exec::run(key.as_deref(), size, &argv),
    }
}

/// Prints one sentence on stderr. It is lost if nothing reads the container's stderr.
fn complain(sentence: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "workbay: {sentence}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_reads_and_nonsense_is_refused() {
        let size: WindowSize = "132x43".parse().unwrap();
        assert_eq!((size.columns, size.rows), (132, 43));
        for bad in ["", "80", "x", "0x24", "80x0", "80x24x3", "70000x24", "-1x5"] {
            assert!(bad.parse::<WindowSize>().is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn a_command_may_hold_anything_after_the_dashes() {
        let parsed = Arguments::try_parse_from(["r", "exec", "--", "ls", "--size", "-x"]).unwrap();
        let Task::Exec {
            size: None, argv, ..
        } = parsed.task
        else {
            panic!("another task: {:?}", parsed.task);
        };
        assert_eq!(argv, ["ls", "--size", "-x"]);
    }
}
