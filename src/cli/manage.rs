//! `workbay rename`, `workbay priority`, `workbay extend` and `workbay terminate`.

use std::io::{self, BufRead, IsTerminal, Write};

use super::{
    Start,
    args::{self, Priority, Rename, Terminate},
    choice::Choice,
    connection::{self, Connection},
    fail::{Fail, Outcome, code},
    find::{self, Wanted},
    output,
    times::moment,
    tty,
};
use crate::{
    model::{
        capability::EngineState,
        change::Change,
        id::SessionKey,
        idle::{Keep, Reprieve},
        name, priority,
        session::Session,
        short,
        status::Tab,
    },
    protocol::message::{Reply, Request, Snapshot},
};

/// Maximum number of sessions to read from a cluster for "all".
const EVERYTHING: u32 = 1000;

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

pub fn priority(start: &Start, arguments: &Priority) -> Outcome {
    let priority = arguments.priority;
    priority::check(priority).map_err(Fail::usage)?;
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let asked = &arguments.one.session;
        let session = find::session(&connection, Choice::of(start), asked)
            .await?
            .key();
        connection
            .request_done(Request::Priority { session, priority })
            .await?;
        Ok(0)
    })
}

pub fn extend(start: &Start, arguments: &args::Extend) -> Outcome {
    let keep = match (arguments.exempt, arguments.include) {
        (true, _) => Keep::Exempt,
        (false, true) => Keep::Include,
        (false, false) => Keep::Extend,
    };
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let asked = &arguments.one.session;
        let session = find::session(&connection, Choice::of(start), asked)
            .await?
            .key();
        let reply = connection.request(Request::Keep { session, keep }).await?;
        if let Reply::Session { session } = reply {
            output::line(&kept(&session))?;
        }
        Ok(0)
    })
}

/// Describes the idle checks of the session after the change.
fn kept(session: &Session) -> String {
    let name = &session.name;
    match session.reprieve {
        Reprieve { exempt: true, .. } => format!("{name}: no idle check will reclaim it"),
        Reprieve {
            until: Some(until), ..
        } => format!(
            "{name}: no idle check will reclaim it before {}",
            moment(until)
        ),
        Reprieve { .. } => format!("{name}: idle checks apply again"),
    }
}

pub fn terminate(start: &Start, arguments: &Terminate) -> Outcome {
    let keep_days = start.loaded.settings.history.keep_days;
    connection::block_on(async {
        let mut connection = Connection::connect(&start.paths).await?;
        let chosen = choose(&connection, Choice::of(start), arguments).await?;
        if chosen.is_empty() {
            output::remark("No session is left to terminate.");
            return Ok(0);
        }
        refuse_silent_loss("terminate", arguments.yes)?;
        let snapshot = connection.subscribe().await?;
        if !arguments.yes && !agreed(&chosen, &snapshot, arguments.force, keep_days)? {
            output::remark("Nothing was terminated.");
            return Ok(code::FAILED);
        }
        let force = arguments.force;
        for session in &chosen {
            let session = session.key();
            connection
                .request_done(Request::Terminate { session, force })
                .await?;
        }
        if arguments.wait.wait {
            let work = ends(&mut connection, &snapshot, &chosen);
            connection::within(arguments.wait.seconds(), "terminating", work).await?;
        }
        Ok(0)
    })
}

/// Scripts must confirm with an option.
pub fn refuse_silent_loss(command: &str, yes: bool) -> Result<(), Fail> {
    if yes || tty::is_interactive() {
        return Ok(());
    }
    let fail = Fail::usage(format!(
        "`{command}` asks for confirmation, but stdin isn't a terminal"
    ));
    Err(fail.hint("add --yes to skip the confirmation"))
}

/// All selected sessions, or an error before anything is done. Ended sessions are left out.
async fn choose(
    connection: &Connection,
    choice: Choice<'_>,
    arguments: &Terminate,
) -> Result<Vec<Session>, Fail> {
    if arguments.all {
        return all_open(connection, choice).await;
    }
    let words: Vec<&str> = arguments.sessions.iter().map(String::as_str).collect();
    let mut chosen: Vec<Session> = Vec::new();
    for session in find::sessions(connection, choice, &words).await? {
        if session.status.is_final() {
            output::remark(&format!(
                "{} has already ended ({})",
                session.name, session.status
            ));
        } else if chosen.iter().all(|known| known.key() != session.key()) {
            chosen.push(session);
        }
    }
    Ok(chosen)
}

/// Every session of the context in force that hasn't ended. Administrators also see sessions of others, which
/// "all" never includes.
async fn all_open(connection: &Connection, choice: Choice<'_>) -> Result<Vec<Session>, Fail> {
    let snapshot = connection.snapshot().await?;
    let context = choice.context(&snapshot)?;
    let wanted = [Tab::Running, Tab::Others].map(|tab| Wanted {
        tab,
        text: None,
        count: EVERYTHING,
    });
    let picture = find::picture(connection, (snapshot, None), &[context], &wanted).await?;
    if let Some(failure) = picture.why_stale(context) {
        return Err(failure.clone().into());
    }
    let me = find::state(&picture.snapshot, context).and_then(|state| match &state.engine {
        EngineState::Connected { info } => info.user.as_ref().map(|user| user.email.clone()),
        _ => None,
    });
    let open = picture.snapshot.sessions.into_iter().filter(|session| {
        session.context == context
            && !session.status.is_final()
            && me.as_ref().is_none_or(|me| *me == session.owner)
    });
    Ok(open.collect())
}

/// Prints what is lost and waits for the answer.
pub fn agreed(
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
        "Files outside of folders are deleted.".to_owned()
    } else {
        format!("The log and the home directory are kept for {keep_days} days.")
    };
    let how = if force {
        "are killed at once"
    } else {
        "get SIGTERM, then are killed"
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
        writeln!(
            err,
            "An image is being created from {name}. It will be lost."
        )?;
    }
    write!(
        err,
        "Running programs {how}. Open shells close. {kept}\nTerminate {}? [y/N] ",
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

/// Returns when all of them have ended, in any way.
pub async fn ends(
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
                open.retain(|key| *key != session.key());
            }
            Change::Gone { session } => open.retain(|key| *key != session),
            _ => {}
        }
    }
    Ok(())
}
