//! Waits until a started app answers on its port.

use std::time::Duration;

use super::{
    candidates::Candidate,
    files::{AppFiles, Run},
    list::ended,
    log_file::last_lines,
    patience::Patience,
    ready, stop,
};
use crate::model::{
    failure::{Failure, FailureKind},
    text::Clean,
};

/// How long an app may take until it answers.
const LONGEST: Duration = Duration::from_secs(180);

/// How many of its last lines explain a failure.
const LINES: usize = 20;

/// Waits until the app answers. What doesn't answer in time is ended.
pub(super) fn wait(app: &Candidate, files: &AppFiles) -> Result<(), Failure> {
    let name = &app.name;
    let mut patience = Patience::of(LONGEST);
    loop {
        let Some(run) = files.run(name) else {
            return Err(Failure::refused(tr_sent!(
                "the files of app '{name}' have disappeared",
                name
            )));
        };
        // Taken before the app is asked, because it may end in between.
        let has_ended = !run.app.is_alive();
        if let Some(port) = run.ports.first()
            && ready::answers(*port, run.protocol)
        {
            return Ok(());
        }
        if has_ended {
            return Err(failed(name, &stop::recorded(files, name, &run), files));
        }
        if !patience.wait() {
            break;
        }
    }
    let port = app.ports.first().copied();
    let port = files
        .run(name)
        .and_then(|run| run.ports.first().copied())
        .or(port);
    let what = tr_sent!(
        "app '{name}' didn't answer on port {port} within {seconds} seconds",
        name,
        port = port.unwrap_or_default(),
        seconds = LONGEST.as_secs()
    );
    stop::end(files, name)?;
    Err(with_log(
        Failure::new(FailureKind::Failed, what),
        files,
        name,
    ))
}

fn failed(name: &str, run: &Run, files: &AppFiles) -> Failure {
    let what = if files.is_stopped(name) {
        tr_sent!("app '{name}' was stopped before it answered", name)
    } else {
        tr_sent!(
            "app '{name}' didn't start: {why}",
            name,
            why = ended(run.exit_code)
        )
    };
    with_log(Failure::new(FailureKind::Failed, what), files, name)
}

/// With the last lines that the app printed.
fn with_log(failure: Failure, files: &AppFiles, name: &str) -> Failure {
    let lines = last_lines(&files.log(name), LINES);
    if lines.is_empty() {
        return failure.hint(tr_sent!("it printed nothing"));
    }
    let lines: Vec<&str> = lines.iter().map(Clean::as_str).collect();
    failure.because(Clean::multiline(&lines.join("\n")))
}
