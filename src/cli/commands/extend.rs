//! `workbay extend`: extends the time before idle checks reclaim a session, or exempts it.

use clap::Args;

use crate::{
    cli::{
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::Outcome,
        invocation::Invocation,
        patterns, several,
        times::moment,
    },
    model::{
        idle::{Keep, Reprieve},
        request::SessionRequest,
        session::Session,
    },
    protocol::message::{Reply, Request},
};

#[derive(Args, Debug)]
pub struct Extend {
    /// Names (with * for any text), ids or beginnings of ids (CONTEXT/… for another context)
    #[arg(value_name = "S", required = true)]
    pub sessions: Vec<String>,
    /// Exempt the session from idle checks
    #[arg(long, conflicts_with = "include")]
    pub exempt: bool,
    /// Apply idle checks to the session again
    #[arg(long)]
    pub include: bool,
}

impl RunCommand for Extend {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let keep = match (self.exempt, self.include) {
            (true, _) => Keep::Exempt,
            (false, true) => Keep::Include,
            (false, false) => Keep::Extend,
        };
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let words: Vec<&str> = self.sessions.iter().map(String::as_str).collect();
            let choice = Choice::of(start);
            let sessions =
                patterns::sessions(&connection, choice, &words, patterns::RUNNING).await?;
            let change = |session: Session| {
                connection.request(Request::session(
                    session.key(),
                    SessionRequest::Keep { keep },
                ))
            };
            let results = several::each(&sessions, change).await;
            several::conclude(results, "changed", |_, reply| match reply {
                Reply::Session { session } => Some(result(&session)),
                _ => None,
            })
        })
    }
}

/// Describes the idle checks of the session after the change.
fn result(session: &Session) -> String {
    let name = &session.name;
    match session.reprieve {
        Reprieve { exempt: true, .. } => format!("{name}: no idle check will reclaim it"),
        Reprieve {
            until: Some(until), ..
        } => format!(
            "{name}: no idle check will reclaim it before {}",
            moment(until)
        ),
        Reprieve { .. } => format!("{name}: idle checks apply again"),
    }
}
