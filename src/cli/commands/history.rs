//! `workbay history`, and the history in `show`.

use std::fmt::Write as _;

use clap::Args;

use crate::{
    cli::{
        args::{Json, One},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{self, Fail},
        find,
        invocation::Invocation,
        now,
        output::{self, Cell},
        times::moment,
    },
    config::user,
    model::{
        history::{HistoryEntry, Outcome, filter::HistoryFilter},
        request::SessionRequest,
        session::Session,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

#[derive(Args, Debug)]
#[command(after_help = "\
Words of --filter: phase:, result:, from:, to:, error:, message:, id:, created:, updated:. For example \
`phase:schedule result:failure`. Times match what happened then or later: created:30m is the last 30 \
minutes.")]
pub struct History {
    #[command(flatten)]
    pub one: One,
    /// Only entries that match all words: phase:TEXT, result:TEXT, created:TIME (see below)
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

impl RunCommand for History {
    fn run(self, invocation: &Invocation<'_>) -> fail::Outcome {
        let start = &invocation.load()?;
        let typed = self.filter.as_deref().unwrap_or_default();
        let filter = HistoryFilter::read(typed, now(), &user::time_zone())
            .map_err(|why| Fail::usage(tr!("--filter: {why}", why)))?;
        let entries = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let session = find::session(&connection, Choice::of(start), name).await?;
            read(&connection, &session).await
        })?;
        let entries: Vec<HistoryEntry> = entries
            .into_iter()
            .filter(|it| filter.matches(it))
            .collect();
        if self.format.json {
            output::json(&entries)?;
        } else {
            output::print(&table(&entries, |_| true))?;
        }
        Ok(0)
    }
}

/// The history, newest first.
pub async fn read(connection: &Connection, session: &Session) -> Result<Vec<HistoryEntry>, Fail> {
    let session = session.key();
    match connection
        .request(Request::session(session, SessionRequest::History))
        .await?
    {
        Reply::History { entries } => Ok(entries),
        other => Err(connection::unexpected(&other)),
    }
}

/// The history in `show`. Shows steps only if one of them adds something beyond success.
pub fn short(history: &[HistoryEntry]) -> String {
    if history.is_empty() {
        return String::new();
    }
    let adds_something = |entry: &HistoryEntry| {
        let mut steps = entry.steps.iter();
        steps.any(|step| step.result != Outcome::Success)
    };
    tr!(
        "\nHistory, newest first\n{table}",
        table = table(history, adds_something)
    )
}

fn table(history: &[HistoryEntry], with_steps: impl Fn(&HistoryEntry) -> bool) -> String {
    let rows: Vec<Vec<Cell>> = history
        .iter()
        .flat_map(|entry| step(entry, with_steps(entry)))
        .collect();
    let head = [
        tr_later!("AT"),
        tr_later!("STEP"),
        tr_later!("STATUS"),
        tr_later!("RESULT"),
        tr_later!("MESSAGE"),
    ];
    output::table(&head, &rows, false)
}

/// The rows of an entry, followed by those of its steps.
fn step(entry: &HistoryEntry, with_steps: bool) -> Vec<Vec<Cell>> {
    let way = match &entry.from {
        Some(from) => format!("{from} -> {}", entry.to),
        None => entry.to.to_string(),
    };
    let mut result = entry.result.word().to_owned();
    if entry.attempts > 1 {
        let _ = write!(
            result,
            "{}",
            tr!(" ({attempts} attempts)", attempts = entry.attempts)
        );
    }
    let mut rows = vec![vec![
        moment(entry.at).into(),
        entry.phase.as_str().into(),
        way.into(),
        result.into(),
        message(entry.message.as_ref(), entry.error_code.as_ref()).into(),
    ]];
    if with_steps {
        rows.extend(entry.steps.iter().map(|step| {
            vec![
                step.started_at.map_or_else(String::new, moment).into(),
                format!("- {}", step.step).into(),
                "".into(),
                step.result.word().into(),
                message(step.message.as_ref(), step.error_code.as_ref()).into(),
            ]
        }));
    }
    rows
}

fn message(text: Option<&Clean>, code: Option<&Clean>) -> String {
    match (text, code) {
        (Some(text), Some(code)) => format!("{text} ({code})"),
        (Some(one), None) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{history::SubStep, id::SessionId, status::Status};
    use jiff::Timestamp;

    #[test]
    fn the_steps_of_an_entry_are_shown_where_one_failed() {
        let step = |name: &str, result| SubStep {
            step: name.into(),
            result,
            error_code: None,
            message: None,
            started_at: None,
            ended_at: None,
        };
        let mut entry = HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some("no room".into()),
            error_code: Some("agent_schedule_unavailable".into()),
            attempts: 3,
            steps: vec![step("sequencer", Outcome::Success)],
            ..HistoryEntry::new(
                SessionId::from_u128(1),
                Timestamp::UNIX_EPOCH,
                "schedule-sessions",
                Some(Status::Pending),
                Status::Pending,
            )
        };
        let text = short(std::slice::from_ref(&entry));
        assert!(text.contains("NEED_RETRY (3 attempts)"), "{text}");
        assert!(
            text.contains("no room (agent_schedule_unavailable)"),
            "{text}"
        );
        assert!(!text.contains("sequencer"), "{text}");
        let whole = table(std::slice::from_ref(&entry), |_| true);
        assert!(whole.contains("- sequencer"), "{whole}");
        entry.steps.push(step("resource", Outcome::Failure));
        let text = short(&[entry]);
        assert!(
            text.contains("- sequencer") && text.contains("- resource"),
            "{text}"
        );
    }
}
