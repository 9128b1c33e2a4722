//! `launch --wait` and `--wait-end`.

use super::super::{
    args::Manner,
    ended,
    fail::Fail,
    line::Line,
    output,
    watch::{Goal, Watch},
};
use crate::model::session::Session;

/// The sessions as they are when waited for, or as they were made where nobody waits.
pub async fn out(
    line: &mut Line,
    made: Vec<Session>,
    manner: &Manner,
) -> Result<Vec<Session>, Fail> {
    let goal = match (manner.wait, manner.wait_end) {
        (_, true) => Goal::Ended,
        (true, false) => Goal::Begun,
        (false, false) => return Ok(made),
    };
    if manner.wait_end && !manner.format.json {
        // Their end may be far: who waits wants to know the names now.
        print(&made)?;
    }
    let mut watch = Watch::new(made, goal);
    let settled = |_: &Session| Ok(());
    watch
        .follow_within(line, manner.wait_timeout, settled)
        .await?;
    match goal {
        Goal::Begun => Ok(watch.sessions),
        Goal::Ended => ended::whole(line, watch.sessions).await,
    }
}

pub fn print(made: &[Session]) -> Result<(), Fail> {
    made.iter()
        .try_for_each(|session| output::line(&format!("{} {}", session.name, session.id)))
}
