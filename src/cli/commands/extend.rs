//! `workbay extend`: extends the time before idle checks reclaim a session, or exempts it.

use clap::Args;

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::Outcome,
        find,
        invocation::Invocation,
        output,
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
    #[command(flatten)]
    pub one: One,
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
            let session = find::session(&connection, Choice::of(start), &self.one.session)
                .await?
                .key();
            let reply = connection
                .request(Request::session(session, SessionRequest::Keep { keep }))
                .await?;
            if let Reply::Session { session } = reply {
                output::line(&result(&session))?;
            }
            Ok(0)
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
