//! `workbay show`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    args::Show,
    fail::{Fail, Outcome},
    line::{self, Line},
    ls::{elapsed, moment},
    now, output,
    output::Cell,
};
use crate::{
    config::paths::Paths,
    model::{history::HistoryEntry, session::Session},
    protocol::message::{Reply, Request},
};

/// What `--json` prints: the session's fields and its history, newest first.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    session: &'a Session,
    history: &'a [HistoryEntry],
}

pub fn show(paths: &Paths, arguments: &Show) -> Outcome {
    let (session, history) = line::block_on(async {
        let line = Line::connect(paths).await?;
        let session = line.session(&arguments.one.session).await?;
        let history = history(&line, &session).await?;
        Ok((session, history))
    })?;
    if arguments.format.json {
        let (session, history) = (&session, history.as_slice());
        output::json(&Shown { session, history })?;
    } else {
        output::print(&text(&session, &history))?;
    }
    Ok(0)
}

async fn history(line: &Line, session: &Session) -> Result<Vec<HistoryEntry>, Fail> {
    let session = session.key();
    match line.ask(Request::History { session }).await? {
        Reply::History { entries } => Ok(entries),
        other => Err(line::unexpected(&other)),
    }
}

fn text(session: &Session, history: &[HistoryEntry]) -> String {
    let mut out = output::fields(&fields(session));
    if !history.is_empty() {
        let rows: Vec<Vec<Cell>> = history.iter().map(step).collect();
        out.push_str("\nHistory, newest first\n");
        out.push_str(&output::table(
            &["AT", "STEP", "STATUS", "RESULT", "MESSAGE"],
            &rows,
            false,
        ));
    }
    out
}

fn fields(session: &Session) -> Vec<(&'static str, String)> {
    let slots = &session.requested_slots;
    let mut fields = vec![
        ("Name", session.name.to_string()),
        ("Id", session.id.to_string()),
        ("Status", status(session)),
        ("Environment", session.environment.label()),
        ("CPU", slots.cpu.to_string()),
        (
            "Memory",
            format!("{} (shared {})", slots.mem, session.shmem),
        ),
        ("Owner", session.owner.to_string()),
        ("Engine", session.context.to_string()),
        ("Created", moment(session.created_at)),
        ("Elapsed", elapsed(session.elapsed_seconds(now()))),
    ];
    let times = [
        ("Started", session.started_at),
        ("Ended", session.terminated_at),
    ];
    fields.extend(
        times
            .into_iter()
            .filter_map(|(name, at)| Some((name, moment(at?)))),
    );
    for kernel in &session.kernels {
        let mut line = format!("{} {}", kernel.hostname, kernel.status);
        if let Some(id) = &kernel.container_id {
            let short: String = id.as_str().chars().take(12).collect();
            let _ = write!(line, ", container {short}");
        }
        if let Some(code) = kernel.exit_code {
            let _ = write!(line, ", exit code {code}");
        }
        if kernel.oom_killed {
            line.push_str(", killed for want of memory");
        }
        fields.push(("Kernel", line));
    }
    fields.extend(session.scratch.clone().map(|path| ("Home", path)));
    fields
}

/// The word, its reason and the sentence for a person.
fn status(session: &Session) -> String {
    let mut line = session.status.to_string();
    if let Some(info) = &session.status_info {
        let _ = write!(line, " ({info})");
    }
    if let Some(pending) = &session.pending_request {
        let _ = write!(line, ", {pending}");
    }
    if let Some(message) = &session.status_message {
        let _ = write!(line, ": {message}");
    }
    line
}

fn step(entry: &HistoryEntry) -> Vec<Cell> {
    let way = match &entry.from {
        Some(from) => format!("{from} -> {}", entry.to),
        None => entry.to.to_string(),
    };
    let result = serde_json::to_value(&entry.result)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default();
    let message = entry.message.as_ref().map_or("", |text| text.as_str());
    vec![
        moment(entry.at).into(),
        entry.phase.as_str().into(),
        way.into(),
        result.into(),
        message.into(),
    ]
}
