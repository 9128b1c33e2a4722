//! `workbay terminate`: terminates sessions.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;

use crate::{
    cli::{
        args::Wait,
        choice::Choice,
        commands::{RunCommand, rescue},
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find::{self, ListQuery},
        invocation::Invocation,
        output, patterns, several, termination, tty,
    },
    model::{capability::EngineState, request::SessionRequest, session::Session, status::Tab},
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct Terminate {
    /// Names (with * for any text), ids or beginnings of ids
    #[arg(
        value_name = "S",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub sessions: Vec<String>,
    /// All your sessions in the context that haven't ended
    #[arg(long)]
    pub all: bool,
    /// Kill sessions at once, without the stop hook
    #[arg(long)]
    pub force: bool,
    /// Copy files that aren't in a folder first (a failure stops the termination, except with --force)
    #[arg(long, value_name = "FOLDER[/DIRECTORY]")]
    pub rescue_to: Option<OsString>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub wait: Wait,
}

/// Maximum number of sessions to read from a cluster for "all".
const EVERYTHING: u32 = 1000;

impl RunCommand for Terminate {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let keep_days = start.loaded.settings.history.keep_days;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let mut chosen = choose(&connection, Choice::of(start), &self).await?;
            if chosen.is_empty() {
                output::remark(tr!("No session is left to terminate."));
                return Ok(0);
            }
            if self.yes && !self.force {
                refuse_during_commit(&chosen)?;
            }
            tty::require_for_confirmation("terminate", self.yes)?;
            let snapshot = connection.subscribe().await?;
            if !self.yes && !termination::confirm(&chosen, &snapshot, self.force, keep_days)? {
                output::remark(tr!("Nothing was terminated."));
                return Ok(code::FAILED);
            }
            chosen.sort_by_key(|session| session.status.termination_order());
            let force = self.force;
            let rescue_to = self.rescue_to.as_ref().map(|to| (to, chosen.len()));
            let ask = |session: Session| terminate(&connection, session, rescue_to, force);
            let results = several::each(&chosen, ask).await;
            if self.wait.wait {
                let asked = results.iter().filter(|(_, result)| result.is_ok());
                let asked: Vec<Session> = asked.map(|(session, _)| session.clone()).collect();
                let work = termination::wait_for_end(&mut connection, &snapshot, &asked);
                connection::within(self.wait.seconds(), tr!("terminating"), work).await?;
            }
            let done = if self.wait.wait {
                tr!("terminated")
            } else {
                tr!("terminating")
            };
            several::conclude(results, done, |session, ()| {
                Some(format!("{} {done}", session.name))
            })
        })
    }
}

/// Requests the end of a session, after its files are copied if that is wanted.
async fn terminate(
    connection: &Connection,
    session: Session,
    rescue_to: Option<(&OsString, usize)>,
    force: bool,
) -> Result<(), Fail> {
    if let Some(to) = rescue_to {
        rescue_first(connection, &session, to, force).await?;
    }
    let request = SessionRequest::Terminate { force };
    let request = Request::session(session.key(), request);
    connection.request_done(request).await
}

/// Without a question, an image that is being created is only lost if the user asks for it.
fn refuse_during_commit(sessions: &[Session]) -> Result<(), Fail> {
    let Some(session) = sessions.iter().find(|it| it.is_committed()) else {
        return Ok(());
    };
    let name = &session.name;
    let text = tr!(
        "an image is being created from {name}, and would be lost",
        name
    );
    Err(Fail::new(code::FAILED, text).hint(tr!(
        "wait for it (`workbay show {name}` shows the progress), or terminate with --force",
        name
    )))
}

/// Copies the files of a session that would be lost. With force, a failure is only reported.
async fn rescue_first(
    connection: &Connection,
    session: &Session,
    (to, sessions): (&OsString, usize),
    force: bool,
) -> Result<(), Fail> {
    if !session.status.is_live() {
        return Ok(());
    }
    let mut to = PathBuf::from(to);
    // Each session has a directory of its own.
    if sessions > 1 && to.components().count() > 1 {
        to.push(session.name.as_str());
    }
    let copied = async {
        let wanted = rescue::rescue(session, to.as_os_str(), &[])?;
        let rescued = rescue::ask(connection, session, &wanted).await?;
        if let Some(skipped) = rescued.skipped.first() {
            let text = tr!(
                "not all files of {name} were copied: {skipped}",
                name = session.name,
                skipped
            );
            return Err(Fail::new(code::FAILED, text).hint(tr!(
                "run `workbay rescue` with paths, then terminate the session"
            )));
        }
        rescue::print(&wanted, &rescued, false)
    };
    match copied.await {
        Err(fail) if force => {
            let why = fail.message().unwrap_or_default();
            output::remark(&format!("workbay: {why}"));
            Ok(())
        }
        Err(fail) => {
            output::remark(&tr!("{name} keeps running", name = session.name));
            Err(fail)
        }
        Ok(()) => Ok(()),
    }
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
    for session in patterns::sessions(connection, choice, &words, patterns::OPEN).await? {
        if session.has_ended() {
            output::remark(&tr!(
                "{name} has already ended ({status})",
                name = session.name,
                status = session.status
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
    let wanted = [Tab::Running, Tab::Others].map(|tab| ListQuery {
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
            && !session.has_ended()
            && me.as_ref().is_none_or(|me| *me == session.owner)
    });
    Ok(open.collect())
}
