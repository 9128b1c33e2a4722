//! A session in the output of `--json`, the same for every command.

use jiff::Timestamp;
use serde::Serialize;

use super::{fail::Fail, now, output};
use crate::model::{change::Change, session::Session};

pub use crate::rules::listed::Listed;

fn all(sessions: &[Session]) -> Vec<Listed<'_>> {
    let now = now();
    let sessions = sessions.iter();
    sessions.map(|session| Listed::new(session, now)).collect()
}

/// Prints a list of sessions.
pub fn print_all(sessions: &[Session]) -> Result<(), Fail> {
    output::json(&all(sessions))
}

/// Prints a session.
pub fn print_one(session: &Session) -> Result<(), Fail> {
    output::json(&Listed::new(session, now()))
}

/// A change whose session has the same fields.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ListedChange<'a> {
    Session {
        change: &'static str,
        session: Listed<'a>,
    },
    Other(&'a Change),
}

impl<'a> ListedChange<'a> {
    pub fn new(change: &'a Change, now: Timestamp) -> Self {
        match change {
            Change::Session { session } => Self::Session {
                change: "session",
                session: Listed::new(session, now),
            },
            other => Self::Other(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::ended;

    #[test]
    fn the_end_is_in_fields_of_the_session_itself() {
        for (session, reason, code) in [
            (ended("self-terminated", Some(3)), "exited", Some(3)),
            (ended("user-requested", Some(143)), "terminated", None),
        ] {
            let listed =
                serde_json::to_value(Listed::new(&session, Timestamp::UNIX_EPOCH)).unwrap();
            assert_eq!(listed["end_reason"], reason);
            assert_eq!(listed["exit_code"].as_i64(), code);
            assert_eq!(listed["name"], "train");
        }
    }

    #[test]
    fn an_event_has_the_fields_that_lists_have() {
        let session = ended("self-terminated", Some(3));
        let change = Change::Session {
            session: Box::new(session),
        };
        let printed = ListedChange::new(&change, Timestamp::UNIX_EPOCH);
        let printed = serde_json::to_value(printed).unwrap();
        let plain = serde_json::to_value(&change).unwrap();
        assert_eq!(printed["change"], plain["change"]);
        assert_eq!(printed["session"]["exit_code"], 3);
    }
}
