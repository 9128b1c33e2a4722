//! `workbay rename` and `workbay terminate`.

use std::io::{self, BufRead, IsTerminal, Write};

use super::{
    Start,
    args::{Rename, Terminate},
    fail::{Fail, Outcome, code},
    line::{self, Line},
    output, tty,
};
use crate::{
    config::paths::Paths,
    model::{name, selector, session::Session},
    protocol::message::{Request, Snapshot},
};

pub fn rename(paths: &Paths, arguments: &Rename) -> Outcome {
    name::check(&arguments.new).map_err(|error| Fail::usage(error.to_string()))?;
    line::block_on(async {
        let line = Line::connect(paths).await?;
        let session = line.session(&arguments.one.session).await?.key();
        let name = arguments.new.clone();
        line.tell(Request::Rename { session, name }).await?;
        Ok(0)
    })
}

pub fn terminate(start: &Start, arguments: &Terminate) -> Outcome {
    refuse_silent_loss(arguments)?;
    let keep_days = start.loaded.settings.history.keep_days;
    line::block_on(async {
        let mut line = Line::connect(&start.paths).await?;
        let snapshot = line.subscribe().await?;
        let chosen = choose(&snapshot, arguments)?;
        if chosen.is_empty() {
            output::remark("No session is left to terminate.");
            return Ok(0);
        }
        if !arguments.yes && !agreed(&chosen, arguments.force, keep_days)? {
            output::remark("Nothing was terminated.");
            return Ok(code::FAILED);
        }
        let force = arguments.force;
        for session in &chosen {
            let session = session.key();
            line.tell(Request::Terminate { session, force }).await?;
        }
        if arguments.wait.wait {
            let work = ends(&mut line, &snapshot, &chosen);
            line::within(arguments.wait.timeout, "terminating", work).await?;
        }
        Ok(0)
    })
}

/// A script must say that it means it.
fn refuse_silent_loss(arguments: &Terminate) -> Result<(), Fail> {
    if arguments.yes || tty::is_interactive() {
        return Ok(());
    }
    let fail = Fail::usage("`terminate` asks before it ends sessions, but nobody can answer here");
    Err(fail.help("add --yes to end them without a question"))
}

/// All that are meant, or an error before anything is done. Those that have ended are left out.
fn choose(snapshot: &Snapshot, arguments: &Terminate) -> Result<Vec<Session>, Fail> {
    let mut chosen: Vec<Session> = Vec::new();
    for text in &arguments.sessions {
        let session = selector::select(&snapshot.sessions, text)?;
        if session.status.is_final() {
            output::remark(&format!(
                "{} has ended already ({})",
                session.name, session.status
            ));
        } else if chosen.iter().all(|known| known.id != session.id) {
            chosen.push(session.clone());
        }
    }
    if arguments.all {
        let open = snapshot.sessions.iter().filter(|s| !s.status.is_final());
        chosen.extend(open.cloned());
    }
    Ok(chosen)
}

/// Says what is lost and waits for the answer.
fn agreed(sessions: &[Session], force: bool, keep_days: u32) -> Result<bool, Fail> {
    let how = if force {
        "are killed at once"
    } else {
        "are asked to end, then killed"
    };
    let mut err = io::stderr().lock();
    for session in sessions {
        let (name, id, status) = (&session.name, session.id.short(), &session.status);
        writeln!(
            err,
            "  {name}  {id}  {status}  {}",
            session.environment.label()
        )?;
    }
    write!(
        err,
        "Programs running there {how}; open shells close. Log and home are kept for \
         {keep_days} days.\nTerminate {}? [y/N] ",
        match sessions {
            [_] => "this session".to_owned(),
            many => format!("these {} sessions", many.len()),
        }
    )?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if answer.is_empty() && io::stderr().is_terminal() {
        writeln!(err)?;
    }
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Returns when all of them have ended, whatever way.
async fn ends(line: &mut Line, from: &Snapshot, sessions: &[Session]) -> Result<(), Fail> {
    let mut open: Vec<_> = sessions.iter().map(Session::key).collect();
    let mut seen = from.seq;
    while !open.is_empty() {
        let (seq, change) = line.next_change(seen).await?;
        seen = seq;
        match change {
            crate::model::change::Change::Session { session } if session.status.is_final() => {
                open.retain(|key| *key != session.key());
            }
            crate::model::change::Change::Gone { session } => open.retain(|key| *key != session),
            _ => {}
        }
    }
    Ok(())
}
