//! `workbay runner app`: lists, starts and ends the apps of a container.
//!
//! Each command reads one line of JSON ([`AppOrder`]) from stdin and prints one ([`AppAnswer`]) to stdout.

mod candidates;
mod files;
mod known;
mod list;
mod listening;
mod log_file;
mod patience;
mod process;
mod ready;
mod service_definition;
mod start;
mod started;
mod stop;
mod supervise;

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    process::ExitCode,
};

use super::complain;
use crate::model::{
    app_definition::check_name,
    app_order::{AppAnswer, AppOrder, LONGEST_LINE},
    failure::Failure,
    text::Clean,
};

/// How many lines of a log are printed.
const LOG_LINES: usize = 200;

#[derive(Debug, clap::Subcommand)]
pub(super) enum AppTask {
    /// Lists all apps with their state.
    List,
    /// Starts the app of the order, and waits until it answers.
    Start,
    /// Ends an app.
    Stop { name: String },
    /// Waits until an app ends.
    Wait { name: String },
    /// Prints the last lines of an app's log.
    Log { name: String },
    /// Runs an app and keeps its log; started by `start`.
    Supervise,
}

/// Returns an error only if the order can't be read or the answer can't be written.
pub(super) fn run(task: &AppTask) -> ExitCode {
    if matches!(task, AppTask::Supervise) {
        return supervise::run();
    }
    let outcome = order().and_then(|order| {
        let answer = answer(task, &order).unwrap_or_else(failed);
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&tr_sent!("the request for apps failed: {error}", error));
            ExitCode::FAILURE
        }
    }
}

fn order() -> io::Result<AppOrder> {
    let mut line = Vec::new();
    BufReader::new(io::stdin().lock().take(LONGEST_LINE)).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line)?)
}

fn answer(task: &AppTask, order: &AppOrder) -> Result<AppAnswer, Failure> {
    Ok(match task {
        AppTask::List | AppTask::Supervise => AppAnswer::Apps {
            apps: list::all(order),
        },
        AppTask::Start => AppAnswer::App {
            app: Box::new(start::run(order)?),
        },
        AppTask::Stop { name } => {
            stop::run(order, name)?;
            AppAnswer::Stopped
        }
        AppTask::Wait { name } => AppAnswer::Ended {
            exit_code: stop::wait(order, name)?,
        },
        AppTask::Log { name } => AppAnswer::Log { lines: log(name)? },
    })
}

fn log(name: &str) -> Result<Vec<Clean>, Failure> {
    let files = start::files()?;
    let path = check_name(name)
        .ok()
        .map(|()| files.log(name))
        .filter(|path| path.exists());
    let path = path.ok_or_else(|| {
        let what = tr_sent!(
            "app '{name}' has no log, because workbay hasn't started it",
            name = Clean::new(name)
        );
        Failure::not_found(what)
    })?;
    Ok(log_file::last_lines(&path, LOG_LINES))
}

fn failed(failure: Failure) -> AppAnswer {
    AppAnswer::Failed {
        kind: failure.kind,
        what: failure.what,
        why: failure.why,
        hint: failure.hint,
    }
}
