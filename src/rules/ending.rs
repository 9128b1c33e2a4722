//! How a session ended, in one word that lists show, sort by and filter by. [`super::verdict`] describes the
//! same in a sentence.

use std::fmt;

use crate::model::{
    idle::IdleChecker,
    session::{BatchResult, Session},
    status::Status,
};
use crate::rules::verdict::{Tone, ran_out_of_memory};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its main program ended on its own, with this code.
    Exited(i64),
    /// The engine reports that its command succeeded, but not the exit code.
    Succeeded,
    /// Its command failed without a known exit code, or the session broke while it ran.
    Failed,
    OutOfMemory,
    /// It ran longer than its timeout.
    OutOfTime,
    /// It couldn't be started.
    NotStarted,
    /// It was reclaimed by an idle check.
    Reclaimed,
    /// Its engine, agent or container vanished.
    Lost,
    /// It was terminated by a user.
    Terminated,
    /// It was removed from the queue.
    Cancelled,
    /// It ended, but it isn't known how.
    Ended,
}

/// How a session ended; `None` = it hasn't ended.
pub fn ending(session: &Session) -> Option<Ending> {
    if !session.status.is_final() && session.status != Status::Error {
        return None;
    }
    let info = session.status_info.as_ref();
    let info = info.map_or("", |info| info.as_str());
    let ran = session.started_at.is_some();
    Some(match (info, &session.status) {
        ("force-terminated", _) => Ending::Terminated,
        ("user-requested", _) if ran => Ending::Terminated,
        ("user-requested", _) => Ending::Cancelled,
        _ if ran_out_of_memory(session) => Ending::OutOfMemory,
        _ if IdleChecker::of_reason(info).is_some() => Ending::Reclaimed,
        (_, Status::Error) if ran => Ending::Failed,
        (_, Status::Cancelled) if !ran => Ending::Cancelled,
        _ if !ran => Ending::NotStarted,
        ("task-timeout" | "exec-timeout", _) => Ending::OutOfTime,
        (
            "engine-restarted"
            | "agent-termination"
            | "container-not-found"
            | "not-found-in-manager",
            _,
        ) => Ending::Lost,
        _ => by_exit(session),
    })
}

fn by_exit(session: &Session) -> Ending {
    let code = session.main_kernel().and_then(|kernel| kernel.exit_code);
    match (session.result, code) {
        // A container other than the main one may have failed.
        (BatchResult::Failure, None | Some(0)) => Ending::Failed,
        (BatchResult::Success, None) => Ending::Succeeded,
        (_, Some(code)) => Ending::Exited(code),
        (BatchResult::Undefined, None) => Ending::Ended,
    }
}

impl Ending {
    pub fn tone(self) -> Tone {
        match self {
            Self::Exited(0) | Self::Succeeded => Tone::Good,
            Self::Exited(_)
            | Self::Failed
            | Self::OutOfMemory
            | Self::OutOfTime
            | Self::NotStarted => Tone::Bad,
            Self::Reclaimed | Self::Lost => Tone::Warning,
            Self::Terminated | Self::Cancelled | Self::Ended => Tone::Plain,
        }
    }

    /// The word for users.
    fn shown(self) -> &'static str {
        match self {
            Self::Exited(_) => tr!("exit"),
            Self::Succeeded => tr!("succeeded"),
            Self::Failed => tr!("failed"),
            Self::OutOfMemory => tr!("out of memory"),
            Self::OutOfTime => tr!("timed out"),
            Self::NotStarted => tr!("not started"),
            Self::Reclaimed => tr!("reclaimed"),
            Self::Lost => tr_in!("ending", "lost"),
            Self::Terminated => tr!("terminated"),
            Self::Cancelled => tr!("cancelled"),
            Self::Ended => tr_in!("ending", "ended"),
        }
    }

    /// The word without the code, for programs and filters.
    fn word(self) -> &'static str {
        match self {
            Self::Exited(_) => "exit",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::OutOfMemory => "out of memory",
            Self::OutOfTime => "timed out",
            Self::NotStarted => "not started",
            Self::Reclaimed => "reclaimed",
            Self::Lost => "lost",
            Self::Terminated => "terminated",
            Self::Cancelled => "cancelled",
            Self::Ended => "ended",
        }
    }

    /// The word in the form for programs: `exited`, `out-of-memory`.
    pub fn reason(self) -> String {
        match self {
            Self::Exited(_) => "exited".to_owned(),
            other => other.word().replace(' ', "-"),
        }
    }

    /// The exit code of its main program, if that ended the session.
    pub fn exit_code(self) -> Option<i64> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Succeeded => Some(0),
            _ => None,
        }
    }

    /// The sort key. Failures come first.
    pub fn rank(self) -> (u8, &'static str, i64) {
        let tone = match self.tone() {
            Tone::Bad => 0,
            Tone::Warning => 1,
            Tone::Plain => 2,
            Tone::Good => 3,
        };
        (tone, self.word(), self.exit_code().unwrap_or_default())
    }

    /// All words by which a filter finds it, separated by spaces: `exit exit3`, `out of memory oom`.
    pub fn words(self) -> String {
        match self {
            Self::Exited(code) => format!("exit exit{code}"),
            Self::OutOfMemory => "out of memory oom".to_owned(),
            other => other.word().to_owned(),
        }
    }
}

/// Joins `exit 3` of a filter into one word. Otherwise it would match every session with a 3 in its name.
pub fn joined(query: &str) -> String {
    let mut joined = String::with_capacity(query.len());
    for word in query.split_inclusive(' ') {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        if number && joined.to_ascii_lowercase().trim_end().ends_with("exit") {
            joined.truncate(joined.trim_end().len());
        }
        joined.push_str(word);
    }
    joined
}

/// Whether a lowercase word of a filter matches one of the [`Ending::words`]: by its beginning, or completely
/// if it has a code.
pub fn is_meant(words: &str, by: &str) -> bool {
    let coded = by.ends_with(|c: char| c.is_ascii_digit());
    let mut words = words.split(' ').filter(|word| !word.is_empty());
    words.any(|word| {
        if coded {
            word == by
        } else {
            word.starts_with(by)
        }
    })
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => f.pad(&tr!("exit {code}", code)),
            other => f.pad(other.shown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_all_of_it_and_a_word_by_its_beginning() {
        let three = Ending::Exited(3).words();
        assert!(is_meant(&three, "exit") && is_meant(&three, "exit3"));
        assert!(!is_meant(&three, "exit13") && !is_meant(&three, "3"));
        assert!(!is_meant(&Ending::Exited(37).words(), "exit3"));
        let memory = Ending::OutOfMemory.words();
        for word in ["out", "mem", "oom", "memory"] {
            assert!(is_meant(&memory, word), "{word}");
        }
        assert!(!is_meant(&memory, "emory") && !is_meant("", "out"));
    }

    #[test]
    fn programs_read_a_reason_in_one_word_and_a_code() {
        let read = |ending: Ending| (ending.reason(), ending.exit_code());
        assert_eq!(read(Ending::Exited(3)), ("exited".into(), Some(3)));
        assert_eq!(read(Ending::Succeeded), ("succeeded".into(), Some(0)));
        assert_eq!(read(Ending::OutOfMemory), ("out-of-memory".into(), None));
        assert_eq!(read(Ending::Terminated), ("terminated".into(), None));
    }

    #[test]
    fn an_exit_and_its_code_are_one_word_of_a_filter() {
        assert_eq!(joined("exit 3"), "exit3");
        assert_eq!(joined("train Exit 137 x"), "train Exit137 x");
        assert_eq!(joined("!exit 0"), "!exit0");
        assert_eq!(joined("train 3 exit "), "train 3 exit ");
    }
}
