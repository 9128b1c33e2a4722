//! A session in the output of `--json`, the same for every command and for exports.

use jiff::Timestamp;
use serde::Serialize;

use crate::{
    model::session::Session,
    rules::ending::{Ending, ending},
};

/// A session's own fields and values derived from them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed<'a> {
    #[serde(flatten)]
    session: &'a Session,
    /// Why it ended, in a word. `null` before it ends.
    end_reason: Option<String>,
    /// The exit code of its command. `null` = it didn't end by its command.
    exit_code: Option<i64>,
    /// Excludes the time in the queue. `null` = it hasn't run.
    run_seconds: Option<i64>,
}

impl<'a> Listed<'a> {
    pub fn new(session: &'a Session, now: Timestamp) -> Self {
        let ending = ending(session);
        Self {
            session,
            end_reason: ending.map(Ending::reason),
            exit_code: ending.and_then(Ending::exit_code),
            run_seconds: session.run_seconds(now),
        }
    }
}
