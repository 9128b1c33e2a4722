//! What the commands that terminate sessions share: the confirmation and the wait for the end.

use std::io::{self, Write};

use super::{connection::Connection, fail::Fail, find, output, tty};
use crate::{
    model::{change::Change, history::Outcome, id::SessionKey, session::Session, short},
    protocol::message::Snapshot,
};

/// Prints what is lost and waits for the answer.
pub fn confirm(
    sessions: &[Session],
    snapshot: &Snapshot,
    force: bool,
    keep_days: u32,
) -> Result<bool, Fail> {
    let several = snapshot.contexts.len() > 1;
    let kept = if sessions
        .iter()
        .any(|s| find::schedules(snapshot, s.context))
    {
        tr!("Files outside of folders are deleted.").to_owned()
    } else {
        tr!(
            "The log and the home directory are kept for {keep_days} days.",
            keep_days
        )
    };
    let how = if force {
        tr!("Running programs are killed at once. Open shells close.")
    } else {
        tr!("Running programs get SIGTERM, then are killed. Open shells close.")
    };
    let mut err = io::stderr().lock();
    let ids: Vec<String> = sessions.iter().map(|it| it.id.to_string()).collect();
    for (session, id) in sessions.iter().zip(short::all(&ids)) {
        let status = &session.status;
        let name = if several {
            format!("{}/{}", session.context, session.name)
        } else {
            session.name.to_string()
        };
        writeln!(
            err,
            "  {name}  {id}  {status}  {}",
            session.environment.label()
        )?;
    }
    for session in sessions.iter().filter(|it| it.is_committed()) {
        let name = &session.name;
        let text = tr!(
            "An image is being created from {name}. It will be lost.",
            name
        );
        writeln!(err, "{text}")?;
    }
    let question = match sessions {
        [one] => tr!("Terminate {name}?", name = one.name),
        many => tr!("Terminate these {count} sessions?", count = many.len()),
    };
    write!(err, "{how} {kept}\n{question} [y/N] ")?;
    err.flush()?;
    tty::is_agreed()
}

/// Returns when all of them have ended, in any way.
pub async fn wait_for_end(
    connection: &mut Connection,
    from: &Snapshot,
    sessions: &[Session],
) -> Result<(), Fail> {
    let ended = |key: &SessionKey| {
        let mut known = from.sessions.iter();
        known.any(|session| session.key() == *key && session.status.is_final())
    };
    let mut open: Vec<SessionKey> = sessions.iter().map(Session::key).collect();
    open.retain(|key| !ended(key));
    let mut seen = from.seq;
    while !open.is_empty() {
        let (seq, change) = connection.next_change(seen).await?;
        seen = seq;
        match change {
            Change::Session { session } if session.status.is_final() => {
                if open.contains(&session.key()) {
                    warn_of_stop_hook(&session);
                }
                open.retain(|key| *key != session.key());
            }
            Change::Gone { session } => open.retain(|key| *key != session),
            _ => {}
        }
    }
    Ok(())
}

fn warn_of_stop_hook(session: &Session) {
    if let Some((outcome, words)) = &session.stop_hook_end
        && !matches!(outcome, Outcome::Success | Outcome::Skipped)
    {
        let name = &session.name;
        output::remark(&tr!(
            "workbay: the stop hook of {name} failed: {words}",
            name,
            words
        ));
    }
}
