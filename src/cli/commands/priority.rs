//! `workbay priority`: changes the priority of a session in the queue.

use clap::Args;

use crate::{
    cli::{
        args::{One, number},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
    },
    model::{priority, request::SessionRequest},
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct Priority {
    #[command(flatten)]
    pub one: One,
    /// The new priority (0 to 100, highest first)
    #[arg(value_name = "N", allow_negative_numbers = true, value_parser = number::<i32>)]
    pub priority: i32,
}

impl RunCommand for Priority {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let priority = self.priority;
        priority::check(priority).map_err(Fail::usage)?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::session(&connection, Choice::of(start), &self.one.session)
                .await?
                .key();
            connection
                .request_done(Request::session(
                    session,
                    SessionRequest::Priority { priority },
                ))
                .await?;
            Ok(0)
        })
    }
}
