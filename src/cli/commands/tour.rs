//! `workbay tour`: launches a small session, guides through the TUI with it, and deletes it.

use clap::Args;

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::{
            RunCommand,
            launch::{LaunchMode, request_launch, wait},
            rm,
        },
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        handlers::Start,
        invocation::Invocation,
        output, termination, tty,
        watch::{has_begun, not_running},
    },
    model::{
        capability::EngineState,
        id::{ContextName, SessionId, SessionKey},
        notice::NoticesEdit,
        recent::RecentEdit,
        request::SessionRequest,
        resources::{Bytes, Cpu},
        session::Session,
        span::Span,
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, Snapshot},
};

/// Learn workbay in five minutes, with a guide in the TUI
///
/// The guide says which key to press, and shows the next step when the result is on the screen. The tour launches a small
/// session of its own, and deletes it at the end. It needs a terminal of 80x24, and an
/// engine on this machine.
#[derive(Args, Debug)]
pub struct Tour {}

/// How the names of its sessions begin. The rest are four hexadecimal digits.
const NAME: &str = "tour-";
/// The variable by which a session is known as one of the tour, in addition to its name.
const MARK: &str = "WORKBAY_TOUR";
/// How long to wait until the session runs, and until it has ended.
const PATIENCE: Span = Span(60);

impl RunCommand for Tour {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        check_terminal()?;
        let mut start = invocation.load()?;
        let session = connection::block_on(begin(&start))?;
        start.requested_context = Some(session.context.to_string());
        let paths = start.paths.clone();
        let toured = (invocation.handlers.tour)(start, session.key());
        // Also after an error, nothing is left.
        connection::block_on(async {
            let mut connection = Connection::connect(&paths).await?;
            clean_up(&mut connection, session.key()).await
        })?;
        output::remark(&tr!(
            "The tour has ended. Its session {name} is deleted. `workbay` opens the TUI.",
            name = session.name
        ));
        toured.map(|()| 0).map_err(Fail::from)
    }
}

fn check_terminal() -> Result<(), Fail> {
    let plain = tr!("`workbay --plain` and its command help need less");
    if !tty::is_interactive() {
        let fail = Fail::usage(tr!("the tour needs a terminal on stdin and stdout"));
        return Err(fail.hint(plain));
    }
    match tty::dumb_terminal() {
        Some(why) => {
            Err(Fail::usage(tr!("{why}: the tour can't draw its screen", why)).hint(plain))
        }
        None => Ok(()),
    }
}

/// The session of the tour, which runs: the one of an interrupted tour, or a new one.
async fn begin(start: &Start) -> Result<Session, Fail> {
    let mut connection = Connection::connect(&start.paths).await?;
    let snapshot = connection.snapshot().await?;
    let context = Choice::of(start).context(&snapshot)?;
    check_engine(&snapshot, context)?;
    let earlier = earlier(&connection, &snapshot, context).await?;
    let made = match earlier {
        Some(session) => {
            output::remark(&tr!(
                "Using {name} of an earlier tour.",
                name = session.name
            ));
            session
        }
        None => launch(&mut connection, &snapshot, context).await?,
    };
    let mode = LaunchMode {
        wait: true,
        wait_timeout: Some(PATIENCE),
        format: Json::default(),
        ..LaunchMode::default()
    };
    let key = made.key();
    let waited = wait::out(&mut connection, vec![made], &mode).await;
    let running = match waited {
        Ok(mut sessions) => match sessions.pop().filter(has_begun) {
            Some(session) => Ok(session),
            None => Err(whole(&connection, key).await),
        },
        Err(fail) => Err(fail),
    };
    match running {
        Ok(session) => Ok(session),
        Err(fail) => {
            clean_up(&mut connection, key).await?;
            let hint = tr!("`workbay doctor` finds out what prevents sessions on this machine");
            Err(
                if fail.failure.as_ref().is_some_and(|it| it.hint.is_some()) {
                    fail
                } else {
                    fail.hint(hint)
                },
            )
        }
    }
}

/// Why the session doesn't run.
async fn whole(connection: &Connection, key: SessionKey) -> Fail {
    match find::detail(connection, key).await {
        Ok(Some(session)) => not_running(&session),
        _ => Fail::new(code::FAILED, tr!("the session of the tour doesn't run"))
            .hint(tr!("run `workbay doctor` for the cause")),
    }
}

fn check_engine(snapshot: &Snapshot, context: ContextName) -> Result<(), Fail> {
    if find::schedules(snapshot, context) {
        let why = tr!(
            "the tour needs Docker or Podman, and context {context} is a cluster",
            context
        );
        return Err(Fail::usage(why).hint(tr!(
            "add --context with one of this machine. `workbay context ls` lists contexts"
        )));
    }
    match find::state(snapshot, context).map(|state| &state.engine) {
        Some(EngineState::Lost { why, hint, .. }) => {
            let why = tr!(
                "the engine of context {context} is disconnected: {why}",
                context,
                why
            );
            let fix = hint.as_ref().map_or(
                tr!("run `workbay doctor` for the cause, then start the tour again"),
                Clean::as_str,
            );
            Err(Fail::new(code::UNREACHABLE, why).hint(fix))
        }
        _ => Ok(()),
    }
}

/// The session of a tour that was interrupted.
async fn earlier(
    connection: &Connection,
    snapshot: &Snapshot,
    context: ContextName,
) -> Result<Option<Session>, Fail> {
    for session in &snapshot.sessions {
        let is_open = !session.has_ended() && session.status != Status::Terminating;
        if session.context != context || !is_open || !is_tour_name(session.name.as_str()) {
            continue;
        }
        // A session of yours may have such a name.
        let request = Request::session(session.key(), SessionRequest::Again);
        if let Ok(Reply::Again { launch, .. }) = connection.request(request).await
            && launch.env.contains_key(MARK)
        {
            return Ok(Some(session.clone()));
        }
    }
    Ok(None)
}

fn is_tour_name(name: &str) -> bool {
    let digits = name.strip_prefix(NAME).unwrap_or_default();
    digits.len() == 4 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

async fn launch(
    connection: &mut Connection,
    snapshot: &Snapshot,
    context: ContextName,
) -> Result<Session, Fail> {
    let is_free = |name: &String| snapshot.sessions.iter().all(|it| it.name != name.as_str());
    let name = std::iter::repeat_with(|| name(SessionId::random()))
        .find(is_free)
        .unwrap_or_default();
    output::remark(&tr!(
        "Launching {name} for the tour: a small session that is deleted at the end.",
        name
    ));
    let request = LaunchRequest {
        name: Some(name),
        environment: Some("host".to_owned()),
        cpu: Some(Cpu::from_millis(100)),
        mem: Some(Bytes::mib(64)),
        env: [(MARK.to_owned(), "1".to_owned())].into(),
        ..LaunchRequest::default()
    };
    let (mut made, failure) = request_launch(connection, context, request, true).await??;
    match (made.pop(), failure) {
        (Some(session), None) => Ok(session),
        (_, Some(failure)) => Err(failure.into()),
        (None, None) => Err(Fail::new(code::FAILED, tr!("the session wasn't created"))
            .hint(tr!("start the tour again"))),
    }
}

fn name(id: SessionId) -> String {
    let digits = id.to_string();
    let digits: String = digits.chars().filter(char::is_ascii_hexdigit).collect();
    format!("{NAME}{}", &digits[digits.len().saturating_sub(4)..])
}

/// Terminates the session if it runs, and deletes what is known about it.
async fn clean_up(connection: &mut Connection, key: SessionKey) -> Result<(), Fail> {
    let snapshot = connection.subscribe().await?;
    let Some(session) = snapshot.sessions.iter().find(|it| it.key() == key) else {
        return Ok(());
    };
    if !session.has_ended() {
        output::remark(&tr!("Terminating {name}.", name = session.name));
        let request = SessionRequest::Terminate { force: true };
        connection
            .request_done(Request::session(key, request))
            .await?;
        let ended = termination::wait_for_end(connection, &snapshot, std::slice::from_ref(session));
        connection::within(Some(PATIENCE.0), tr!("terminating"), ended).await?;
    }
    forget_launch(connection, session).await?;
    rm::delete(connection, key).await?;
    forget_notifications(connection, key).await
}

async fn forget_notifications(connection: &Connection, key: SessionKey) -> Result<(), Fail> {
    let Reply::Notices { notices, .. } = connection.request(Request::Notices).await? else {
        return Ok(());
    };
    for notice in notices.into_iter().filter(|it| it.session == Some(key)) {
        let edit = NoticesEdit::Forget {
            notice: Box::new(notice),
        };
        connection.request(Request::EditNotices { edit }).await?;
    }
    Ok(())
}

/// Removes the launch from the recent launches.
async fn forget_launch(connection: &Connection, session: &Session) -> Result<(), Fail> {
    let Reply::Recents { entries: recents } = connection.request(Request::Recents).await? else {
        return Ok(());
    };
    let of_tour = recents.iter().find(|recent| {
        recent.context == session.context
            && recent.launch.env.contains_key(MARK)
            && recent.launch.name.as_deref() == Some(session.name.as_str())
    });
    if let Some(recent) = of_tour {
        let request = Request::EditRecent {
            id: recent.id,
            edit: RecentEdit::Remove,
        };
        connection.request(request).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_sessions_have_names_of_one_form() {
        let name = name(SessionId::random());
        assert!(is_tour_name(&name), "{name}");
        for other in ["tour-", "tour-1", "tour-wxyz", "train-1a2b", "tour-1a2b3"] {
            assert!(!is_tour_name(other), "{other}");
        }
    }
}
