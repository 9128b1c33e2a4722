//! The command line: the clap tree and the plain commands, with the same verbs as the TUI.
//!
//! Data goes to stdout, remarks and errors to stderr. `--json` where there is data; the field names
//! and the exit codes are documented in docs/cli.md.

mod args;
mod choice;
mod commands;
mod connection;
mod doors;
mod ended;
mod fail;
mod find;
mod kernels;
mod listed;
mod output;
mod passing;
mod progress;
mod reclaim;
mod termination;
mod times;
mod tty;
mod watch;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use crate::config::{
    self,
    layer::{self, Loaded},
    origin::Places,
    paths::Paths,
};
use args::{Cli, Command, GlobalOptions};
use commands::{
    commit, completion, context, daemon, doctor, env, events, exec, export, extend, folder,
    history, info, keys, launch, logs, ls, man, priority, recent, relaunch, rename, resources, rm,
    run, shell, show, terminate, themes, top, wait,
};
use fail::{Fail, Outcome, code};

pub use doors::{Doors, How, Start, StoreLook, StoreTrouble};

/// Parses the command line and runs the command.
pub fn main(doors: &Doors) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // `runner` is for sessions, not for users: it has no help and no completion, and needs nothing below.
    if arguments.get(1).is_some_and(|word| word == "runner") {
        return (doors.runner)(arguments.into_iter().skip(2).collect());
    }
    if arguments
        .get(1)
        .is_some_and(|word| word == completion::ASKED)
    {
        completion::complete(&arguments[2..], |options| start(options).ok());
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed stdout isn't an error for the help.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(code::USAGE));
        }
    };
    let outcome = dispatch(doors, cli);
    ExitCode::from(outcome.unwrap_or_else(|fail| report(&fail)))
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

fn dispatch(doors: &Doors, cli: Cli) -> Outcome {
    let options = &cli.options;
    let Some(command) = cli.command else {
        return tui(doors, options);
    };
    match command {
        Command::Launch(arguments) => launch::launch(&ready(options)?, arguments),
        Command::Run(arguments) => run::run(&ready(options)?, *arguments),
        Command::Relaunch(arguments) => relaunch::relaunch(&ready(options)?, arguments),
        Command::Recent(arguments) => recent::recent(&ready(options)?, arguments),
        Command::Export(arguments) => export::export(&ready(options)?, &arguments),
        Command::Ls(arguments) => ls::ls(&ready(options)?, &arguments),
        Command::Show(arguments) => show::show(&ready(options)?, &arguments),
        Command::Top(arguments) => top::top(&ready(options)?, &arguments),
        Command::History(arguments) => history::history(&ready(options)?, &arguments),
        Command::Logs(arguments) => logs::logs(&ready(options)?, &arguments),
        Command::Shell(arguments) => shell::shell(doors, ready(options)?, arguments),
        Command::Exec(arguments) => exec::exec(&ready(options)?, arguments),
        Command::Wait(arguments) => wait::wait(&ready(options)?, &arguments),
        Command::Rm(arguments) => rm::rm(&ready(options)?, &arguments),
        Command::Extend(arguments) => extend::extend(&ready(options)?, &arguments),
        Command::Priority(arguments) => priority::priority(&ready(options)?, &arguments),
        Command::Rename(arguments) => rename::rename(&ready(options)?, &arguments),
        Command::Terminate(arguments) => terminate::terminate(&ready(options)?, &arguments),
        Command::Commit(arguments) => commit::commit(&ready(options)?, &arguments),
        Command::Env(args::Env::Ls(arguments)) => env::ls::ls(&ready(options)?, &arguments),
        Command::Env(args::Env::Pull(arguments)) => env::pull::pull(&ready(options)?, &arguments),
        Command::Resources(arguments) => resources::resources(&ready(options)?, &arguments),
        Command::Folder(arguments) => folder::folder(&ready(options)?, &arguments),
        Command::Context(args::Context::Ls(format)) => context::ls(&ready(options)?, format.json),
        Command::Context(args::Context::Show { name, format }) => {
            context::show(&ready(options)?, &name, format.json)
        }
        Command::Context(args::Context::Use { name }) => {
            context::make_default(&ready(options)?, &name)
        }
        Command::Events(format) => events::events(&ready(options)?, format.json),
        Command::Doctor(arguments) => doctor::doctor(doors, &start(options)?, arguments),
        Command::Info(format) => info::info(&start(options)?, format.json),
        Command::Config(args::Config::Check) => commands::config::check(&start(options)?),
        Command::Config(args::Config::PrintDefault {
            resources,
            environments,
        }) => {
            output::print(match (resources, environments) {
                (true, _) => config::resources::EXAMPLE,
                (_, true) => config::environments::BUILTIN,
                _ => layer::DEFAULT,
            })?;
            Ok(0)
        }
        Command::Daemon(args::Daemon::Run {
            detached,
            take_over,
        }) => {
            let how = match (detached, take_over) {
                (_, true) => How::TakingOver,
                (true, false) => How::Detached,
                (false, false) => How::Here,
            };
            let ended = (doors.daemon)(ready(options)?, how);
            ended
                .map(|()| 0)
                .map_err(|why| told_to_starter(detached, why.into()))
        }
        Command::Daemon(args::Daemon::Status(format)) => {
            daemon::status(&start(options)?.paths, format.json)
        }
        Command::Daemon(args::Daemon::Stop(arguments)) => {
            daemon::stop::stop(&ready(options)?, &arguments)
        }
        Command::Daemon(args::Daemon::Unit) => daemon::unit::print(),
        Command::Keys(arguments) => keys::keys(doors, &start(options)?, &arguments),
        Command::Themes(format) => themes::themes(&start(options)?, format.json),
        Command::Completion { shell } => completion::print(shell),
        Command::Man { dir } => man::write(&dir),
    }
}

/// The process that starts a detached daemon needs only the reason, and prints the rest itself.
fn told_to_starter(detached: bool, fail: Fail) -> Fail {
    let Some(message) = fail.message().filter(|_| detached) else {
        return fail;
    };
    output::remark(message.as_str());
    Fail::silent(fail.code)
}

fn tui(doors: &Doors, options: &GlobalOptions) -> Outcome {
    use std::io::IsTerminal;
    if !std::io::stdout().is_terminal() {
        // Without a terminal, prints the list as plain text.
        return ls::ls(&start(options)?, &args::Ls::default());
    }
    if !std::io::stdin().is_terminal() {
        let fail = Fail::usage("the TUI needs a keyboard, but stdin isn't a terminal");
        return Err(fail.hint("`workbay ls` lists sessions, `workbay --help` lists commands"));
    }
    let start = start(options)?;
    choice::Choice::of(&start).configured()?;
    (doors.tui)(start).map(|()| 0).map_err(Fail::from)
}

/// Finds the directories and reads the settings.
fn start(options: &GlobalOptions) -> Result<Start, Fail> {
    let paths = Paths::resolve().map_err(|error| Fail::usage(error.to_string()))?;
    let places = Places {
        site: layer::SITE_FILE.into(),
        user: paths.config_file(),
    };
    let mut loaded = layer::load(&places, variable);
    loaded.take_resources(config::resources::load(&Places {
        site: config::resources::SITE_FILE.into(),
        user: paths.resources_file(),
    }));
    loaded.take_environments(config::environments::load(&Places {
        site: config::environments::SITE_FILE.into(),
        user: paths.environments_file(),
    }));
    apply(options, &mut loaded);
    let places = Places {
        site: config::contexts::SITE_FILE.into(),
        user: paths.contexts_file(),
    };
    let asked = options
        .context
        .clone()
        .or_else(|| variable("WORKBAY_CONTEXT"));
    Ok(Start {
        paths,
        loaded,
        contexts: config::contexts::load(&places, variable),
        asked_context: asked.filter(|name| !name.is_empty()),
    })
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn apply(options: &GlobalOptions, loaded: &mut Loaded) {
    if let Some(theme) = &options.theme {
        loaded.set_by_option("ui.theme", "--theme", |s| s.ui.theme.clone_from(theme));
    }
    if let Some(keymap) = &options.keymap {
        loaded.set_by_option("ui.keymap", "--keymap", |s| s.ui.keymap.clone_from(keymap));
    }
    if options.no_mouse {
        loaded.set_by_option("ui.mouse", "--no-mouse", |s| s.ui.mouse = false);
    }
    if options.read_only {
        loaded.set_by_option("ui.read-only", "--read-only", |s| s.ui.read_only = true);
    }
}

/// Like [`start()`], with a remark on problems: a broken file doesn't stop a command, but is reported.
fn ready(options: &GlobalOptions) -> Result<Start, Fail> {
    let start = start(options)?;
    remark_problems(&start);
    Ok(start)
}

/// Prints the problems in the files of settings and contexts.
fn remark_problems(start: &Start) {
    for problem in start.loaded.problems.iter().chain(&start.contexts.problems) {
        output::remark(&format!("workbay: {problem}. This part is ignored"));
    }
}

/// The only clock of this module.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line is a shell: it reads the clock and hands it on"
)]
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}
