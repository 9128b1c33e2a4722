//! Changes several sessions: few requests at a time, and each failure is reported.

use std::future::Future;

use futures_util::{StreamExt as _, stream};

use super::{
    fail::{Fail, Outcome},
    output,
};
use crate::model::session::Session;

/// How many sessions are changed at the same time.
const AT_ONCE: usize = 8;

/// The result of each session.
pub type Results<T> = Vec<(Session, Result<T, Fail>)>;

/// Does something with each session, a few at a time, in their order.
pub async fn each<T, F: Future<Output = Result<T, Fail>>>(
    sessions: &[Session],
    work: impl Fn(Session) -> F,
) -> Results<T> {
    let work = &work;
    let each = sessions.iter().map(|session| async move {
        let result = work(session.clone()).await;
        (session.clone(), result)
    });
    stream::iter(each).buffered(AT_ONCE).collect().await
}

/// Prints a line for what worked and each failure, with a summary if there were several sessions. `done` is a verb in the past
/// tense.
///
/// # Errors
/// The failure of a single session.
pub fn conclude<T>(
    results: Results<T>,
    done: &str,
    line: impl Fn(&Session, T) -> Option<String>,
) -> Outcome {
    let count = results.len();
    let mut failures: Vec<(Session, Fail)> = Vec::new();
    for (session, result) in results {
        match result {
            Ok(value) => {
                if let Some(text) = line(&session, value) {
                    output::line(&text)?;
                }
            }
            Err(fail) => failures.push((session, fail)),
        }
    }
    if count == 1 {
        return failures.pop().map_or(Ok(0), |(_, fail)| Err(fail));
    }
    let exit = failures.first().map_or(0, |(_, fail)| fail.code);
    for (session, fail) in &failures {
        let why = fail.message().unwrap_or_default();
        output::remark(&format!("workbay: {}: {why}", session.name));
    }
    let failed = failures.len();
    if failed > 0 {
        let worked = count - failed;
        output::remark(&tr!(
            "workbay: {worked} {done}, {failed} failed",
            worked,
            done,
            failed
        ));
    }
    Ok(exit)
}
