//! Names of sessions with `*`, which means any text: `workbay terminate 'jobs-*'`.

use super::{
    choice::Choice,
    connection::Connection,
    fail::{Fail, code},
    find::{self, ListQuery},
};
use crate::{
    locale,
    model::{
        id::ContextName,
        natural,
        session::{Session, newest_first},
        status::Tab,
        text::Clean,
    },
    rules::filter::is_like,
};

/// How many sessions of a tab a cluster is asked for. It finds them by a part of the name.
const MOST: u32 = 1000;

/// The sessions that a pattern can mean, for a command.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Which sessions.
    pub of: fn(&Session) -> bool,
    /// What they are called in an error: "running session of yours".
    pub what: &'static str,
    /// Whether only the newest session of each name is meant.
    pub newest: bool,
}

pub const OPEN: Candidates = Candidates {
    of: |session| !session.has_ended(),
    what: tr_later!("session of yours that hasn't ended"),
    newest: false,
};
pub const RUNNING: Candidates = Candidates {
    of: |session| session.status.is_live(),
    what: tr_later!("running session of yours"),
    newest: false,
};
pub const PENDING: Candidates = Candidates {
    of: |session| session.status.is_waiting(),
    what: tr_later!("pending session of yours"),
    newest: false,
};
pub const ENDED: Candidates = Candidates {
    of: Session::has_ended,
    what: tr_later!("ended session of yours"),
    newest: false,
};
pub const NEWEST: Candidates = Candidates {
    of: |_| true,
    what: tr_later!("session of yours"),
    newest: true,
};

/// Whether a word is a pattern. Names of sessions contain no `*`.
fn is_pattern(word: &str) -> bool {
    word.contains('*')
}

/// Fails for a pattern, in a command that takes one session.
pub fn refuse(word: &str) -> Result<(), Fail> {
    if !is_pattern(word) {
        return Ok(());
    }
    let shown = Clean::new(word);
    let fail = Fail::usage(tr!(
        "'{shown}' is a pattern, and this command takes one session",
        shown
    ));
    Err(fail.hint(tr!(
        "run `workbay ls --tab all --filter 'name={shown}'` for the names",
        shown
    )))
}

/// Finds the sessions that these words name, each once: names, ids and patterns. A pattern means only `candidates`
/// of yours.
pub async fn sessions(
    connection: &Connection,
    choice: Choice<'_>,
    words: &[&str],
    candidates: Candidates,
) -> Result<Vec<Session>, Fail> {
    let mut chosen: Vec<Session> = Vec::new();
    let plain: Vec<&str> = words.iter().copied().filter(|it| !is_pattern(it)).collect();
    if !plain.is_empty() {
        chosen.extend(find::sessions(connection, choice, &plain).await?);
    }
    for pattern in words.iter().filter(|it| is_pattern(it)) {
        chosen.extend(matching(connection, choice, pattern, candidates).await?);
    }
    let mut known = Vec::new();
    chosen.retain(|session| {
        let is_new = !known.contains(&session.key());
        known.push(session.key());
        is_new
    });
    Ok(chosen)
}

async fn matching(
    connection: &Connection,
    choice: Choice<'_>,
    word: &str,
    candidates: Candidates,
) -> Result<Vec<Session>, Fail> {
    let snapshot = connection.snapshot().await?;
    let (context, pattern) = choice.session(word, &snapshot)?;
    let part = pattern.split('*').max_by_key(|part| part.len());
    let part = part.filter(|part| !part.is_empty()).map(str::to_owned);
    let wanted = Tab::ALL.map(|tab| ListQuery {
        tab,
        text: part.clone(),
        count: MOST,
    });
    let picture = find::picture(connection, (snapshot, None), &[context], &wanted).await?;
    if let Some(failure) = picture.why_stale(context) {
        return Err(failure.clone().into());
    }
    let accounts = find::accounts(&picture.snapshot);
    let is_yours = |it: &Session| accounts.get(&context).is_none_or(|me| *me == it.owner);
    let found = select(
        picture.snapshot.sessions.into_iter().filter(is_yours),
        (context, pattern),
        candidates,
    );
    if found.is_empty() {
        let (shown, what) = (Clean::new(word), locale::text(candidates.what));
        let why = tr!("no {what} matches '{shown}'", what, shown);
        let help = tr!(
            "`workbay ls --tab all` lists names. Write the pattern in quotes, so that the \
                    shell doesn't replace it by names of files"
        );
        return Err(Fail::new(code::NOT_FOUND, why).hint(help));
    }
    Ok(found)
}

/// The candidates of the context that match, by name.
fn select(
    sessions: impl Iterator<Item = Session>,
    (context, pattern): (ContextName, &str),
    candidates: Candidates,
) -> Vec<Session> {
    let is_meant = |it: &Session| {
        it.context == context && (candidates.of)(it) && is_like(it.name.as_str(), pattern)
    };
    let mut found: Vec<Session> = sessions.filter(is_meant).collect();
    found.sort_by(|a, b| {
        natural::compare(a.name.as_str(), b.name.as_str()).then_with(|| newest_first(a, b))
    });
    if candidates.newest {
        found.dedup_by(|later, first| later.name == first.name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{status::Status, testing};

    fn session(number: u128, name: &str, status: Status) -> Session {
        let ended = status == Status::Terminated;
        let mut it = Session {
            status,
            ..testing::session(number << 96, name)
        };
        it.terminated_at = ended.then_some(it.created_at);
        it
    }

    #[test]
    fn a_pattern_means_the_candidates_of_the_command_in_natural_order() {
        let all = [
            session(1, "jobs-10", Status::Running),
            session(2, "jobs-2", Status::Pending),
            session(3, "jobs-2", Status::Terminated),
            session(4, "other", Status::Running),
        ];
        let names = |pattern: &str, candidates| -> Vec<String> {
            let context = all[0].context;
            let found = select(all.iter().cloned(), (context, pattern), candidates);
            found.iter().map(|it| it.name.to_string()).collect()
        };
        assert_eq!(names("jobs-*", OPEN), ["jobs-2", "jobs-10"]);
        assert_eq!(names("*-2", PENDING), ["jobs-2"]);
        assert_eq!(names("*", RUNNING), ["jobs-10", "other"]);
        assert_eq!(names("j*2", ENDED), ["jobs-2"]);
        assert_eq!(names("jobs-*", NEWEST), ["jobs-2", "jobs-10"]);
        assert!(names("Jobs-*", OPEN).is_empty());
    }
}
