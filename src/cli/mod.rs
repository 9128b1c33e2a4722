//! The command line: the clap tree and the plain commands, with the same verbs as the TUI.
//!
//! Data goes to stdout, remarks and errors to stderr. `--json` where there is data; the field names
//! and the exit codes are documented in docs/cli.md.

mod args;
mod choice;
mod commands;
mod connection;
mod disk_use;
mod ended;
mod fail;
mod find;
mod forwarding;
mod handlers;
mod help_notes;
mod invocation;
mod kernels;
mod language;
mod listed;
mod log_words;
mod meter;
mod output;
mod parser_words;
pub mod parts;
mod passing;
mod patterns;
mod progress;
mod read_only;
mod reclaim;
mod reports;
#[cfg(test)]
mod schema;
mod several;
mod stdin;
mod termination;
mod times;
mod tty;
mod watch;
mod words;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _};

use args::Cli;
use commands::{RunCommand as _, completion, ls};
use fail::{Fail, Outcome, code};
use invocation::Invocation;

use crate::{config::layer::Loaded, locale};

pub use handlers::{DaemonMode, Handlers, PlainOptions, Start, StoreProblem, StoreSummary};

/// Parses the command line and runs the command.
pub fn main(handlers: &Handlers) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // `runner` is for sessions, not for users: it has no help and no completion, and needs nothing below.
    if arguments.get(1).is_some_and(|word| word == "runner") {
        return (handlers.runner)(arguments.into_iter().skip(2).collect());
    }
    if arguments
        .get(1)
        .is_some_and(|word| word == completion::ASKED)
    {
        // What is typed doesn't change the language of the descriptions.
        let early = language::start(&arguments[..1]);
        completion::complete(&arguments[2..], |options| {
            invocation::load(options, early.as_ref()).ok()
        });
        return ExitCode::SUCCESS;
    }
    let early = language::start(&arguments);
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(code) => return ExitCode::from(code),
    };
    let outcome = dispatch(handlers, cli, early.as_ref());
    ExitCode::from(outcome.unwrap_or_else(|fail| report(&fail)))
}

/// Returns the exit code if the arguments aren't a command: after a message, a help text or the version.
fn parse(arguments: Vec<OsString>) -> Result<Cli, u8> {
    // The TUI is mostly started without arguments, and building the tree of all commands takes a tenth of its start.
    if arguments.len() <= 1 {
        return Ok(Cli::default());
    }
    let root = Cli::command();
    let arguments = words::as_options(arguments, &root);
    let parsed = language::help(root).try_get_matches_from(&arguments);
    let parsed = parsed.and_then(|mut matches| {
        let cli = Cli::from_arg_matches_mut(&mut matches);
        cli.map_err(|error| error.format(&mut Cli::command()))
    });
    parsed.map_err(|error| {
        if let Some(fail) = words::of_docker(&error, &arguments, &Cli::command()) {
            return report(&fail);
        }
        print(&error);
        u8::try_from(error.exit_code()).unwrap_or(code::USAGE)
    })
}

/// Prints what clap says: an error, the help or the version.
fn print(error: &clap::Error) {
    if locale::catalog().is_some() && error.use_stderr() && !parts::is_help(error) {
        output::remark(&parser_words::error(&error.to_string()));
        return;
    }
    // A closed stdout isn't an error for the help.
    let _ = error.print();
}

/// Prints the error on stderr. Returns the exit code.
fn report(fail: &Fail) -> u8 {
    if let Some(failure) = &fail.failure {
        output::remark(&format!("workbay: {failure}"));
        if let Some(hint) = &failure.hint {
            output::remark(&format!("         {hint}"));
        }
    }
    fail.code
}

fn dispatch(handlers: &Handlers, cli: Cli, early: Option<&Loaded>) -> Outcome {
    let invocation = Invocation {
        handlers,
        options: &cli.options,
        early,
    };
    if cli.options.plain {
        tty::be_plain();
    }
    match cli.command {
        Some(command) => {
            if command.is_change() {
                read_only::check(&invocation.load_silently()?)?;
            }
            command.run(&invocation)
        }
        None => tui(&invocation),
    }
}

fn tui(invocation: &Invocation<'_>) -> Outcome {
    use std::io::IsTerminal;
    if invocation.options.plain {
        return plain(invocation, None);
    }
    if !std::io::stdout().is_terminal() {
        // Without a terminal, prints the list as plain text.
        return ls::ls(&invocation.load_silently()?, &ls::Ls::default());
    }
    if !std::io::stdin().is_terminal() {
        let fail = Fail::usage(tr!("the TUI needs a keyboard, but stdin isn't a terminal"));
        return Err(fail.hint(tr!(
            "`workbay ls` lists sessions, `workbay --help` lists commands"
        )));
    }
    if let Some(why) = tty::dumb_terminal() {
        return plain(invocation, Some(why));
    }
    let start = invocation.load_silently()?;
    choice::Choice::of(&start).configured()?;
    (invocation.handlers.tui)(start)
        .map(|()| 0)
        .map_err(Fail::from)
}

/// Runs the plain mode. `why`: the reason, if the user didn't ask for it.
fn plain(invocation: &Invocation<'_>, why: Option<&'static str>) -> Outcome {
    tty::be_plain();
    let start = invocation.load()?;
    choice::Choice::of(&start).configured()?;
    let mut words = vec!["--plain".to_owned()];
    if invocation.options.read_only {
        words.push("--read-only".to_owned());
    }
    let options = PlainOptions { words, why };
    (invocation.handlers.plain)(start, options).map_err(Fail::from)
}

/// The only clock of this module.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line is a shell: it reads the clock and hands it on"
)]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}
