//! `workbay priority`: changes the priority of a session in the queue.

use crate::{
    cli::{
        Start,
        args::Priority,
        choice::Choice,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
    },
    model::priority,
    protocol::message::Request,
};

pub fn priority(start: &Start, arguments: &Priority) -> Outcome {
    let priority = arguments.priority;
    priority::check(priority).map_err(Fail::usage)?;
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let asked = &arguments.one.session;
        let session = find::session(&connection, Choice::of(start), asked)
            .await?
            .key();
        connection
            .request_done(Request::Priority { session, priority })
            .await?;
        Ok(0)
    })
}
