//! `workbay wait`: waits until sessions run, or have ended.

use crate::{
    cli::{
        Start,
        args::{WaitFor, WaitGoal},
        choice::Choice,
        connection::{self, Connection},
        ended,
        fail::{Fail, Outcome, code},
        find, listed, output, report,
        watch::{Goal, Watch, has_begun, not_running},
    },
    model::session::Session,
    rules::ending::ending,
};

pub fn wait(start: &Start, arguments: &WaitFor) -> Outcome {
    connection::block_on(async {
        let mut connection = Connection::connect(&start.paths).await?;
        let sessions = chosen(&connection, Choice::of(start), &arguments.sessions).await?;
        let goal = match arguments.goal {
            WaitGoal::Running => Goal::Begun,
            WaitGoal::Ended => Goal::Ended,
        };
        let json = arguments.format.json;
        let print = |session: &Session| {
            if json {
                return Ok(());
            }
            output::line(&told(session, goal))
        };
        let mut watch = Watch::new(sessions, goal);
        watch
            .follow_within(&mut connection, arguments.wait_timeout, print)
            .await?;
        let mut sessions = watch.sessions;
        if goal == Goal::Ended {
            sessions = ended::whole(&connection, sessions).await?;
        }
        if json {
            listed::print_all(&sessions)?;
        }
        Ok(match goal {
            Goal::Begun => running(&sessions),
            Goal::Ended => ended::exit_of_all(&sessions),
        })
    })
}

/// Each session once, in the order in which they were named.
async fn chosen(
    connection: &Connection,
    choice: Choice<'_>,
    words: &[String],
) -> Result<Vec<Session>, Fail> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut chosen: Vec<Session> = Vec::new();
    for session in find::sessions(connection, choice, &words).await? {
        if chosen.iter().all(|known| known.key() != session.key()) {
            chosen.push(session);
        }
    }
    Ok(chosen)
}

fn told(session: &Session, goal: Goal) -> String {
    let result = ending(session).filter(|_| goal == Goal::Ended);
    match result {
        Some(result) => format!("{} {result}", session.name),
        None => format!("{} {}", session.name, session.status),
    }
}

/// Reports the sessions that won't run.
fn running(sessions: &[Session]) -> u8 {
    let failed = sessions.iter().filter(|session| !has_begun(session));
    let codes = failed.map(|session| report(&not_running(session)));
    codes.fold(0, |_, number| number.max(code::FAILED))
}
