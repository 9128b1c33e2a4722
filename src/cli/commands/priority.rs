//! `workbay priority`: changes the priority of a session in the queue.

use clap::Args;

use crate::{
    cli::{
        args::{One, number},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        invocation::Invocation,
        patterns, several,
    },
    model::{priority, request::SessionRequest, session::Session},
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
            let words = [self.one.session.as_str()];
            let choice = Choice::of(start);
            let sessions =
                patterns::sessions(&connection, choice, &words, patterns::PENDING).await?;
            let change = |session: Session| {
                let request = SessionRequest::Priority { priority };
                connection.request_done(Request::session(session.key(), request))
            };
            let results = several::each(&sessions, change).await;
            let several = sessions.len() > 1;
            several::conclude(results, "changed", |session, ()| {
                several.then(|| format!("{} has priority {priority}", session.name))
            })
        })
    }
}
