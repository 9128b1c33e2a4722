//! `launch --wait` and `--wait-end`.

use super::LaunchMode;
use crate::{
    cli::{
        connection::Connection,
        ended,
        fail::Fail,
        find, output,
        watch::{Goal, Watch, has_begun},
    },
    model::session::Session,
};

/// The sessions after the wait, or as created if the command doesn't wait.
pub async fn out(
    connection: &mut Connection,
    made: Vec<Session>,
    mode: &LaunchMode,
) -> Result<Vec<Session>, Fail> {
    let goal = match (mode.wait, mode.wait_end) {
        (_, true) => Goal::Ended,
        (true, false) => Goal::Begun,
        (false, false) => return Ok(made),
    };
    if mode.wait_end && !mode.format.json {
        // The sessions may end much later, so their names are printed now.
        print(&made)?;
    }
    let mut watch = Watch::new(made, goal);
    let settled = |_: &Session| Ok(());
    watch
        .follow_within(connection, mode.wait_timeout, settled)
        .await?;
    match goal {
        Goal::Begun => {
            let mut sessions = watch.sessions;
            for session in sessions.iter_mut().filter(|session| !has_begun(session)) {
                // A row of a list may lack the reason.
                if let Ok(Some(whole)) = find::detail(connection, session.key()).await {
                    *session = whole;
                }
            }
            Ok(sessions)
        }
        Goal::Ended => ended::whole(connection, watch.sessions).await,
    }
}

pub fn print(made: &[Session]) -> Result<(), Fail> {
    made.iter()
        .try_for_each(|session| output::line(&format!("{} {}", session.name, session.id)))
}
