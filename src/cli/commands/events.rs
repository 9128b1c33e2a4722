//! `workbay events`: prints changes as they happen.

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        invocation::Invocation,
        listed::ListedChange,
        now, output,
        times::moment,
    },
    model::{
        capability::EngineState,
        change::Change,
        id::{ContextName, SessionKey},
        pull::Pull,
        session::Session,
    },
};

#[derive(Args, Debug)]
pub struct Events {
    #[command(flatten)]
    pub format: Json,
}

/// A line of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event<'a> {
    seq: u64,
    /// When this command received the change.
    at: jiff::Timestamp,
    #[serde(flatten)]
    change: ListedChange<'a>,
}

impl RunCommand for Events {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let snapshot = connection.subscribe().await?;
            let choice = Choice::of(start);
            // Listens to all contexts unless one is named.
            let only = match &start.requested_context {
                Some(_) => Some(choice.context(&snapshot)?),
                None => None,
            };
            let listener = Listener {
                only,
                several: snapshot.contexts.len() > 1 && only.is_none(),
                json: self.format.json,
            };
            tokio::select! {
                outcome = listener.follow(&mut connection, snapshot.seq) => outcome,
                _ = tokio::signal::ctrl_c() => Ok(0),
            }
        })
    }
}

/// What to listen for.
struct Listener {
    only: Option<ContextName>,
    /// Prints sessions with their context.
    several: bool,
    json: bool,
}

impl Listener {
    async fn follow(&self, connection: &mut Connection, seen: u64) -> Outcome {
        let mut seen = seen;
        loop {
            let (seq, change) = connection.next_change(seen).await?;
            seen = seq;
            let elsewhere = match (self.only, context_of(&change)) {
                (Some(only), Some(context)) => only != context,
                _ => false,
            };
            if !elsewhere {
                self.print(seq, &change)?;
            }
        }
    }

    fn print(&self, seq: u64, change: &Change) -> Result<(), Fail> {
        let at = now();
        if self.json {
            let change = ListedChange::new(change, at);
            let event = Event { seq, at, change };
            return output::json_line(&event);
        }
        match self.sentence(change) {
            Some(text) => output::line(&format!("{}  {text}", moment(at))),
            None => Ok(()),
        }
    }

    /// `None` if the change isn't worth reporting.
    fn sentence(&self, change: &Change) -> Option<String> {
        Some(match change {
            // The progress of the image isn't reported.
            Change::Session { session } if is_pulling(session) => return None,
            Change::Session { session } => self.session_line(session),
            Change::Gone { session } => {
                tr!("{session}  deleted", session = self.short(*session))
            }
            Change::Engine { context, engine } => {
                tr!(
                    "engine {context}  {engine_line}",
                    context,
                    engine_line = engine_line(engine)
                )
            }
            Change::Environments {
                context,
                environments,
            } => tr!(
                "engine {context}  {environments} environments",
                context,
                environments = environments.len()
            ),
            Change::Notice { notice } => notice.text.to_string(),
            Change::Totals { .. }
            | Change::Statistics { .. }
            | Change::Pull { .. }
            | Change::Forwards { .. }
            | Change::Usage { .. } => return None,
        })
    }

    fn short(&self, session: SessionKey) -> String {
        let id = session.id.short();
        if self.several {
            return format!("{}/{id}", session.context);
        }
        id
    }

    fn session_line(&self, session: &Session) -> String {
        let id = self.short(session.key());
        let mut line = format!("{id}  {}  {}", session.name, session.status);
        for more in [&session.pending_request, &session.status_message]
            .into_iter()
            .flatten()
        {
            line.push_str("  ");
            line.push_str(more.as_str());
        }
        line
    }
}

fn is_pulling(session: &Session) -> bool {
    let is_pulling = |pull: &Pull| pull.figures.layers > 0 && pull.broken.is_none();
    session.pull.as_deref().is_some_and(is_pulling)
}

/// The context of a change. `None` = no context, or several.
fn context_of(change: &Change) -> Option<ContextName> {
    match change {
        Change::Session { session } => Some(session.context),
        Change::Gone { session } => Some(session.context),
        Change::Engine { context, .. }
        | Change::Environments { context, .. }
        | Change::Totals { context, .. }
        | Change::Pull { context, .. }
        | Change::Statistics { context, .. } => Some(*context),
        Change::Notice { notice } => notice.session.map(|session| session.context),
        Change::Usage { .. } | Change::Forwards { .. } => None,
    }
}

/// The state of the connection to an engine, in words.
pub fn engine_line(engine: &EngineState) -> String {
    match engine {
        EngineState::Connecting => tr!("connecting").to_owned(),
        EngineState::Connected { info } => {
            tr!(
                "{kind} {version} at {endpoint}",
                kind = info.kind,
                version = info.version,
                endpoint = info.endpoint
            )
        }
        EngineState::Lost { why, attempt, .. } => {
            tr!("disconnected: {why} (attempt {attempt})", why, attempt)
        }
    }
}
