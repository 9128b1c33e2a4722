//! `workbay rename`: changes the name of a session.

use clap::Args;

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
    },
    model::{name, request::SessionRequest},
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct Rename {
    #[command(flatten)]
    pub one: One,
    /// The new name
    pub new: String,
}

impl RunCommand for Rename {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        name::check(&self.new).map_err(|error| Fail::usage(error.to_string()))?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::session(&connection, Choice::of(start), &self.one.session)
                .await?
                .key();
            let name = self.new.clone();
            connection
                .request_done(Request::session(session, SessionRequest::Rename { name }))
                .await?;
            Ok(0)
        })
    }
}
