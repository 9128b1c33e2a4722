//! The exit code of a session that has ended, for scripts.

use super::{
    connection::Connection,
    fail::{Fail, code},
    find, report,
};
use crate::{
    model::session::Session,
    rules::{
        ending::{Ending, ending},
        verdict::verdict,
    },
};

/// The exit code of its command, or why there is none.
pub fn exit(session: &Session) -> Result<u8, Fail> {
    match ending(session).and_then(Ending::exit_code) {
        Some(number) => Ok(u8::try_from(number).unwrap_or(code::FAILED)),
        None => {
            let how = verdict(session, None).map(|verdict| verdict.text);
            let how = how.unwrap_or_else(|| session.status.to_string());
            let name = &session.name;
            Err(Fail::new(
                code::ENDED,
                tr!("session {name}: {how}", name, how),
            ))
        }
    }
}

/// The first exit code that isn't 0. Reports each session that ended other than by its command.
pub fn exit_of_all(sessions: &[Session]) -> u8 {
    let mut first = 0;
    for session in sessions {
        let help = tr!(
            "`workbay show {name}` shows its history",
            name = session.name
        );
        let number = exit(session).unwrap_or_else(|fail| report(&fail.hint(help)));
        if first == 0 {
            first = number;
        }
    }
    first
}

/// Rows of a cluster's list may lack exit codes, so these sessions are read again.
pub async fn whole(connection: &Connection, sessions: Vec<Session>) -> Result<Vec<Session>, Fail> {
    let mut all = Vec::with_capacity(sessions.len());
    for row in sessions {
        let known = row.main_kernel().and_then(|kernel| kernel.exit_code);
        let detail = match known {
            Some(_) => None,
            None => find::detail(connection, row.key()).await?,
        };
        all.push(detail.unwrap_or(row));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::ended;

    fn out_of_memory() -> Session {
        let mut session = ended("self-terminated", Some(137));
        session.kernels[0].oom_killed = true;
        session
    }

    #[test]
    fn a_command_that_ended_on_its_own_gives_its_code() {
        for number in [0, 3, 125, 255] {
            let session = ended("self-terminated", Some(number));
            assert_eq!(exit(&session).map(i64::from), Ok(number));
        }
    }

    #[test]
    fn whatever_ended_it_otherwise_gives_125_and_a_sentence() {
        for (session, says) in [
            (ended("user-requested", Some(143)), "Terminated by a user"),
            (ended("force-terminated", Some(137)), "Killed by a user"),
            (ended("idle-timeout", Some(0)), "Network Idle Timeout"),
            (out_of_memory(), "out of memory"),
            (ended("task-timeout", Some(143)), "Timed out"),
            (ended("container-not-found", None), "disappeared"),
        ] {
            let fail = exit(&session).unwrap_err();
            assert_eq!(fail.code, code::ENDED);
            let text = fail.message().unwrap().into_string();
            assert!(text.starts_with("session train: "), "{text}");
            assert!(text.contains(says), "{text}");
        }
    }

    #[test]
    fn of_several_the_first_failure_counts() {
        let of = |code| ended("self-terminated", Some(code));
        assert_eq!(exit_of_all(&[of(0), of(0)]), 0);
        assert_eq!(exit_of_all(&[of(0), of(4), of(3)]), 4);
        let killed = ended("user-requested", None);
        assert_eq!(exit_of_all(&[killed, of(4)]), code::ENDED);
    }
}
