//! `workbay events`: what happens, as it happens.

use serde::Serialize;

use super::{
    fail::{Fail, Outcome},
    line::{self, Line},
    ls::moment,
    now, output,
};
use crate::{
    config::paths::Paths,
    model::{capability::EngineState, change::Change, session::Session},
};

/// One line of `--json`.
#[derive(Serialize)]
struct Event<'a> {
    seq: u64,
    /// When this command heard of it.
    at: jiff::Timestamp,
    #[serde(flatten)]
    change: &'a Change,
}

pub fn events(paths: &Paths, json: bool) -> Outcome {
    line::block_on(async {
        let mut line = Line::connect(paths).await?;
        let snapshot = line.subscribe().await?;
        tokio::select! {
            outcome = follow(&mut line, snapshot.seq, json) => outcome,
            _ = tokio::signal::ctrl_c() => Ok(0),
        }
    })
}

async fn follow(line: &mut Line, seen: u64, json: bool) -> Outcome {
    let mut seen = seen;
    loop {
        let (seq, change) = line.next_change(seen).await?;
        seen = seq;
        print(seq, &change, json)?;
    }
}

fn print(seq: u64, change: &Change, json: bool) -> Result<(), Fail> {
    let at = now();
    if json {
        let event = Event { seq, at, change };
        return output::line(&serde_json::to_string(&event)?);
    }
    match sentence(change) {
        Some(text) => output::line(&format!("{}  {text}", moment(at))),
        None => Ok(()),
    }
}

/// `None` for what is no news to a person.
fn sentence(change: &Change) -> Option<String> {
    Some(match change {
        Change::Session { session } => session_line(session),
        Change::Gone { session } => format!("{}  deleted from the records", session.id.short()),
        Change::Engine { context, engine } => format!("engine {context}  {}", engine_line(engine)),
        Change::Environments {
            context,
            environments,
        } => format!("engine {context}  {} environments", environments.len()),
        Change::Totals { .. } => return None,
        Change::Message { text, .. } => text.to_string(),
        Change::Usage { .. } => return None,
    })
}

fn session_line(session: &Session) -> String {
    let mut line = format!(
        "{}  {}  {}",
        session.id.short(),
        session.name,
        session.status
    );
    for more in [&session.pending_request, &session.status_message]
        .into_iter()
        .flatten()
    {
        line.push_str("  ");
        line.push_str(more.as_str());
    }
    line
}

/// The state of the line to an engine in words.
pub fn engine_line(engine: &EngineState) -> String {
    match engine {
        EngineState::Connecting => "connecting".to_owned(),
        EngineState::Connected { info } => {
            format!("{} {} at {}", info.kind, info.version, info.endpoint)
        }
        EngineState::Lost { why, attempt, .. } => format!("lost: {why} (attempt {attempt})"),
    }
}
