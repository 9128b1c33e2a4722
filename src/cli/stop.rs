//! `workbay daemon stop`: the daemon ends and sessions go on, or end before it.

use super::{
    Start,
    args::DaemonStop,
    daemon,
    fail::{Fail, Outcome, code},
    find,
    line::{self, Line},
    manage, output,
};
use crate::{
    model::session::Session,
    protocol::message::{Request, Snapshot},
};

pub fn stop(start: &Start, arguments: &DaemonStop) -> Outcome {
    if arguments.end_sessions {
        let ended = end_sessions(start, arguments)?;
        if ended != 0 {
            return Ok(ended);
        }
    }
    daemon::stop(&start.paths)
}

/// Ends every session whose life the daemon runs, and waits for that. One that belongs to a cluster's manager
/// needs no daemon of ours and is left alone.
fn end_sessions(start: &Start, arguments: &DaemonStop) -> Outcome {
    manage::refuse_silent_loss("daemon stop --end-sessions", arguments.yes)?;
    let keep_days = start.loaded.settings.history.keep_days;
    line::block_on(async {
        // A daemon that does not run left its sessions running.
        let mut line = Line::connect(&start.paths).await?;
        // Sessions that are not known yet are meant as well.
        let known = line.snapshot().await?;
        let contexts: Vec<_> = known.contexts.iter().map(|it| it.context.name).collect();
        if let Some((_, failure)) = find::incomplete(&known, &contexts).next() {
            return Err(failure.into());
        }
        let snapshot = line.subscribe().await?;
        let open = open(&snapshot);
        if open.is_empty() {
            output::remark("No session is left to terminate.");
            return Ok(0);
        }
        if !arguments.yes && !manage::agreed(&open, &snapshot, false, keep_days)? {
            output::remark("Nothing was terminated, and the daemon keeps running.");
            return Ok(code::FAILED);
        }
        end(&line, &open).await?;
        let work = manage::ends(&mut line, &snapshot, &open);
        let waited = line::within(
            Some(arguments.wait_timeout.0),
            "terminating the sessions",
            work,
        )
        .await;
        waited.map_err(|fail| match fail.code {
            code::TIMEOUT => {
                fail.help("the daemon keeps running. `workbay ls` lists the remaining sessions")
            }
            _ => fail,
        })?;
        output::remark(&match open.len() {
            1 => "1 session has ended.".to_owned(),
            many => format!("{many} sessions have ended."),
        });
        Ok(0)
    })
}

fn open(snapshot: &Snapshot) -> Vec<Session> {
    let open = snapshot.sessions.iter().filter(|session| {
        !session.status.is_final() && !find::schedules(snapshot, session.context)
    });
    open.cloned().collect()
}

/// All are asked to end before one is waited for. What has gone by itself has ended.
async fn end(line: &Line, open: &[Session]) -> Result<(), Fail> {
    for session in open {
        let asked = Request::Terminate {
            session: session.key(),
            force: false,
        };
        match line.tell(asked).await {
            Err(fail) if fail.code != code::NOT_FOUND => return Err(fail),
            _ => {}
        }
    }
    Ok(())
}
