//! `workbay daemon stop`: stops the daemon. Sessions keep running, or are terminated first.

use clap::Args;

use super::process;
use crate::{
    cli::{
        Start,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find, output, termination, tty,
    },
    model::{request::SessionRequest, session::Session, span::Span},
    protocol::message::{Request, Snapshot},
};

#[derive(Args, Debug)]
pub struct DaemonStop {
    /// Terminate sessions first, in every context with Docker or Podman
    #[arg(long)]
    pub terminate_sessions: bool,
    /// Don't ask for confirmation
    #[arg(short, long, requires = "terminate_sessions")]
    pub yes: bool,
    /// Stop waiting for the end of sessions after this time, with exit code 124 (a number is seconds)
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "5m",
        requires = "terminate_sessions"
    )]
    pub wait_timeout: Span,
}

pub fn stop(start: &Start, arguments: &DaemonStop) -> Outcome {
    if arguments.terminate_sessions {
        let ended = terminate_sessions(start, arguments)?;
        if ended != 0 {
            return Ok(ended);
        }
    }
    process::stop(&start.paths)
}

/// Terminates every session that the daemon manages, and waits for that. A session of a cluster's manager
/// doesn't need the daemon, so it isn't terminated.
fn terminate_sessions(start: &Start, arguments: &DaemonStop) -> Outcome {
    tty::require_for_confirmation("daemon stop --terminate-sessions", arguments.yes)?;
    let keep_days = start.loaded.settings.history.keep_days;
    connection::block_on(async {
        // If the daemon doesn't run, its sessions may still be running.
        let mut connection = Connection::connect(&start.paths).await?;
        // Sessions that aren't known yet are included.
        let known = connection.snapshot().await?;
        let contexts: Vec<_> = known.contexts.iter().map(|it| it.context.name).collect();
        if let Some((_, failure)) = find::incomplete(&known, &contexts).next() {
            return Err(failure.into());
        }
        let snapshot = connection.subscribe().await?;
        let open = open(&snapshot);
        if open.is_empty() {
            output::remark(tr!("No session is left to terminate."));
            return Ok(0);
        }
        if !arguments.yes && !termination::confirm(&open, &snapshot, false, keep_days)? {
            output::remark(tr!("Nothing was terminated, and the daemon keeps running."));
            return Ok(code::FAILED);
        }
        end(&connection, &open).await?;
        let work = termination::wait_for_end(&mut connection, &snapshot, &open);
        let waited = connection::within(
            Some(arguments.wait_timeout.0),
            tr!("terminating the sessions"),
            work,
        )
        .await;
        waited.map_err(|fail| match fail.code {
            code::TIMEOUT => fail.hint(tr!(
                "the daemon keeps running. `workbay ls` lists the remaining sessions"
            )),
            _ => fail,
        })?;
        output::remark(&match open.len() {
            1 => tr!("1 session was terminated.").to_owned(),
            many => tr!("{many} sessions were terminated.", many),
        });
        Ok(0)
    })
}

fn open(snapshot: &Snapshot) -> Vec<Session> {
    let open = snapshot
        .sessions
        .iter()
        .filter(|session| !session.has_ended() && !find::schedules(snapshot, session.context));
    let mut open: Vec<Session> = open.cloned().collect();
    open.sort_by_key(|session| session.status.termination_order());
    open
}

/// Requests all terminations before it waits for any. A session that is already gone counts as ended.
async fn end(connection: &Connection, open: &[Session]) -> Result<(), Fail> {
    for session in open {
        let request = Request::session(session.key(), SessionRequest::Terminate { force: false });
        match connection.request_done(request).await {
            Err(fail) if fail.code != code::NOT_FOUND => return Err(fail),
            _ => {}
        }
    }
    Ok(())
}
