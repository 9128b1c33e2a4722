//! `workbay rename`: changes the name of a session.

use crate::{
    cli::{
        Start,
        args::Rename,
        choice::Choice,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
    },
    model::name,
    protocol::message::Request,
};

pub fn rename(start: &Start, arguments: &Rename) -> Outcome {
    name::check(&arguments.new).map_err(|error| Fail::usage(error.to_string()))?;
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let asked = &arguments.one.session;
        let session = find::session(&connection, Choice::of(start), asked)
            .await?
            .key();
        let name = arguments.new.clone();
        connection
            .request_done(Request::Rename { session, name })
            .await?;
        Ok(0)
    })
}
