//! `workbay wait`: waits until sessions run, or have ended.

use clap::{Args, ValueEnum};

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        ended,
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        listed, output, patterns, report,
        watch::{Goal, Watch, has_begun, not_running},
    },
    model::{session::Session, span::Span},
    rules::ending::ending,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WaitGoal {
    /// The session runs (batch: it has started)
    Running,
    /// The session has ended
    #[default]
    Ended,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  workbay wait train
  workbay wait --for running --wait-timeout 5m train-1 train-2

Exit codes with `--for ended`: that of the session's command, of several sessions the first that is not \
0. 125 if a session ended otherwise: terminated, reclaimed, out of memory, timed out, lost.

Exit codes with `--for running`: 1 if a session can't run any more.

124 if --wait-timeout ran out; the sessions continue.")]
pub struct WaitFor {
    /// Names, ids or beginnings of ids
    #[arg(value_name = "S", required = true)]
    pub sessions: Vec<String>,
    /// What to wait for
    #[arg(long = "for", value_enum, default_value_t)]
    pub goal: WaitGoal,
    /// Stop waiting after this time, with exit code 124 (90s, 10m; a number is seconds)
    #[arg(long, value_name = "SPAN")]
    pub wait_timeout: Option<Span>,
    #[command(flatten)]
    pub format: Json,
}

impl RunCommand for WaitFor {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let sessions = chosen(&connection, Choice::of(start), &self.sessions).await?;
            let goal = match self.goal {
                WaitGoal::Running => Goal::Begun,
                WaitGoal::Ended => Goal::Ended,
            };
            let json = self.format.json;
            let print = |session: &Session| {
                if json {
                    return Ok(());
                }
                output::line(&result_line(session, goal))
            };
            let mut watch = Watch::new(sessions, goal);
            watch
                .follow_within(&mut connection, self.wait_timeout, print)
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
}

/// Each session once, in the order in which they were named.
async fn chosen(
    connection: &Connection,
    choice: Choice<'_>,
    words: &[String],
) -> Result<Vec<Session>, Fail> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut chosen: Vec<Session> = Vec::new();
    for session in patterns::sessions(connection, choice, &words, patterns::NEWEST).await? {
        if chosen.iter().all(|known| known.key() != session.key()) {
            chosen.push(session);
        }
    }
    Ok(chosen)
}

fn result_line(session: &Session, goal: Goal) -> String {
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
