//! `workbay rename`, `priority` and `extend`: commands that send one request about sessions.
//!
//! A new one is a variant of [`SessionCommand`], and its arguments with its request in this file.

use clap::{Args, Subcommand};

use crate::{
    cli::{
        args::{One, number},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
        patterns::{self, Candidates},
        several,
        times::moment,
    },
    model::{
        idle::{Keep, Reprieve},
        name, priority,
        request::SessionRequest,
        session::Session,
    },
    protocol::message::{Reply, Request},
};

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Rename a session
    Rename(Rename),
    /// Change the priority of a session in the queue
    Priority(Priority),
    /// Extend a session's time before idle checks reclaim it, or exempt it from them
    Extend(Extend),
}

impl RunCommand for SessionCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        match self {
            Self::Rename(arguments) => arguments.run(invocation),
            Self::Priority(arguments) => arguments.run(invocation),
            Self::Extend(arguments) => arguments.run(invocation),
        }
    }
}

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
        let priority = self.priority;
        priority::check(priority).map_err(Fail::usage)?;
        let asked = Asked {
            sessions: &[self.one.session],
            candidates: patterns::PENDING,
            request: SessionRequest::Priority { priority },
        };
        asked.send(invocation, |session, _, several| {
            several.then(|| {
                tr!(
                    "{name} has priority {priority}",
                    name = session.name,
                    priority
                )
            })
        })
    }
}

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
        let keep = match (self.exempt, self.include) {
            (true, _) => Keep::Exempt,
            (false, true) => Keep::Include,
            (false, false) => Keep::Extend,
        };
        let asked = Asked {
            sessions: &self.sessions,
            candidates: patterns::RUNNING,
            request: SessionRequest::Keep { keep },
        };
        asked.send(invocation, |_, reply, _| match reply {
            Reply::Session { session } => Some(idle_checks_of(&session)),
            _ => None,
        })
    }
}

/// Describes the idle checks of the session after the change.
fn idle_checks_of(session: &Session) -> String {
    let name = &session.name;
    match session.reprieve {
        Reprieve { exempt: true, .. } => tr!("{name}: no idle check will reclaim it", name),
        Reprieve {
            until: Some(until), ..
        } => tr!(
            "{name}: no idle check will reclaim it before {moment}",
            name,
            moment = moment(until)
        ),
        Reprieve { .. } => tr!("{name}: idle checks apply again", name),
    }
}

/// The same request about each of these sessions.
struct Asked<'a> {
    /// Names, patterns or ids.
    sessions: &'a [String],
    /// The sessions that a pattern can mean.
    candidates: Candidates,
    request: SessionRequest,
}

impl Asked<'_> {
    /// Sends the requests. `line` is what is printed about a session and its answer; it also gets whether there are
    /// several sessions.
    fn send(
        self,
        invocation: &Invocation<'_>,
        line: impl Fn(&Session, Reply, bool) -> Option<String>,
    ) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let words: Vec<&str> = self.sessions.iter().map(String::as_str).collect();
            let choice = Choice::of(start);
            let sessions = patterns::sessions(&connection, choice, &words, self.candidates).await?;
            let results = several::each(&sessions, |session: Session| {
                connection.request(Request::session(session.key(), self.request.clone()))
            })
            .await;
            let several = sessions.len() > 1;
            several::conclude(results, tr!("changed"), |session, reply| {
                line(session, reply, several)
            })
        })
    }
}
