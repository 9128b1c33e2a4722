//! `workbay rm`: deletes ended sessions from the list, with their kept data.

use std::io::{self, Write};

use clap::Args;

use crate::{
    cli::{
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        output, patterns, tty,
    },
    model::{id::SessionKey, request::SessionRequest, session::Session},
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct Rm {
    /// Names (with * for any text), ids or beginnings of ids of ended sessions
    #[arg(value_name = "S", required = true)]
    pub sessions: Vec<String>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
}

impl RunCommand for Rm {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        tty::require_for_confirmation("rm", self.yes)?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let words: Vec<&str> = self.sessions.iter().map(String::as_str).collect();
            let sessions =
                patterns::sessions(&connection, Choice::of(start), &words, patterns::ENDED).await?;
            check(&sessions)?;
            if !self.yes && !agreed(&sessions)? {
                output::remark(tr!("Nothing was deleted."));
                return Ok(code::FAILED);
            }
            let mut keys: Vec<SessionKey> = sessions.iter().map(Session::key).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                delete(&connection, key).await?;
            }
            Ok(0)
        })
    }
}

/// Returns when all data of the session is deleted.
pub async fn delete(connection: &Connection, session: SessionKey) -> Result<(), Fail> {
    connection
        .request_done(Request::session(session, SessionRequest::Delete))
        .await
}

/// Fails if a session hasn't ended, so that nothing is deleted.
fn check(sessions: &[Session]) -> Result<(), Fail> {
    let open = sessions.iter().find(|session| !session.has_ended());
    let Some(session) = open else {
        return Ok(());
    };
    let (name, status) = (&session.name, &session.status);
    let why = tr!(
        "session {name} is {status}: only ended sessions can be deleted",
        name,
        status
    );
    Err(Fail::new(code::FAILED, why).hint(tr!("run `workbay terminate {name}` first", name)))
}

fn agreed(sessions: &[Session]) -> Result<bool, Fail> {
    let mut err = io::stderr().lock();
    for session in sessions {
        writeln!(err, "  {}  {}", session.name, session.id.short())?;
    }
    write!(err, "{} [y/N] ", question(sessions.len()))?;
    err.flush()?;
    tty::is_agreed()
}

fn question(count: usize) -> String {
    match count {
        1 => {
            tr!("Its record, log and home directory are deleted.\nDelete this session?").to_owned()
        }
        many => tr!(
            "Their records, logs and home directories are deleted.\nDelete these {many} sessions?",
            many
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_one_session_or_several() {
        assert!(question(1).starts_with("Its record, log"));
        assert!(question(2).starts_with("Their records, logs"));
        assert!(question(2).ends_with("Delete these 2 sessions?"));
    }
}
