//! `workbay extend`: extends the time before idle checks reclaim a session, or exempts it.

use crate::{
    cli::{
        Start,
        args::Extend,
        choice::Choice,
        connection::{self, Connection},
        fail::Outcome,
        find, output,
        times::moment,
    },
    model::{
        idle::{Keep, Reprieve},
        session::Session,
    },
    protocol::message::{Reply, Request},
};

pub fn extend(start: &Start, arguments: &Extend) -> Outcome {
    let keep = match (arguments.exempt, arguments.include) {
        (true, _) => Keep::Exempt,
        (false, true) => Keep::Include,
        (false, false) => Keep::Extend,
    };
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let asked = &arguments.one.session;
        let session = find::session(&connection, Choice::of(start), asked)
            .await?
            .key();
        let reply = connection.request(Request::Keep { session, keep }).await?;
        if let Reply::Session { session } = reply {
            output::line(&result(&session))?;
        }
        Ok(0)
    })
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
