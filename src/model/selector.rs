//! Finds the session that a user means by a name, an id or the beginning of an id, with or without a context.

use std::fmt;

use super::{
    id::{ContextName, SessionId},
    kernel::Kernel,
    session::{Session, newest_first},
    short,
    text::Clean,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectError {
    NotFound(Clean),
    /// It isn't in this context, but another context has a match.
    Elsewhere {
        asked: Clean,
        context: ContextName,
        matches: Vec<String>,
    },
    Ambiguous {
        asked: Clean,
        matches: Vec<String>,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::NotFound(asked) => tr!(
                "session '{asked}' not found. `workbay ls --tab all` lists names and ids",
                asked
            ),
            Self::Elsewhere {
                asked,
                context,
                matches,
            } => tr!(
                "session '{asked}' not found in context {context}. Did you mean {matches}?",
                asked,
                context,
                matches = matches.join(", ")
            ),
            Self::Ambiguous { asked, matches } => tr!(
                "'{asked}' matches several sessions: {matches}. Type more of the id",
                asked,
                matches = matches.join(", ")
            ),
        })
    }
}

impl std::error::Error for SelectError {}

/// A session as it is typed: `name`, `6f1c2a9e`, `prod/name`, `prod/6f1c2a9e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedSession<'a> {
    /// The text before the first `/`, which the name of a session can't contain.
    pub context: Option<&'a str>,
    pub session: &'a str,
}

impl<'a> TypedSession<'a> {
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        match text.split_once('/') {
            Some((context, session)) => Self {
                context: Some(context),
                session,
            },
            None => Self {
                context: None,
                session: text,
            },
        }
    }

    /// The full id, if one was typed.
    pub fn id(&self) -> Option<SessionId> {
        self.session.parse().ok()
    }
}

/// Finds the session of `context` that `text` identifies. That is a full id, a name, or the beginning of an
/// id (min 2 characters). Among sessions of the same name, unfinished ones come first, then the newest
/// finished one. A match in another context is only reported in the error, never returned.
pub fn select<'a>(
    sessions: &'a [Session],
    context: ContextName,
    text: &str,
) -> Result<&'a Session, SelectError> {
    let here = || sessions.iter().filter(|s| s.context == context);
    let missing = match among(here(), text) {
        Err(missing @ SelectError::NotFound(_)) => missing,
        found => return found,
    };
    let others: Vec<ContextName> = {
        let mut names: Vec<ContextName> = sessions.iter().map(|s| s.context).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| *name != context);
        names
    };
    let matches: Vec<String> = others
        .into_iter()
        .filter_map(|name| among(sessions.iter().filter(|s| s.context == name), text).ok())
        .map(|session| format!("{}/{}", session.context, session.name))
        .collect();
    if matches.is_empty() {
        return Err(missing);
    }
    Err(SelectError::Elsewhere {
        asked: Clean::new(text),
        context,
        matches,
    })
}

/// How many sessions of its context have its name, if it was requested by name, and whether it is the newest
/// of them.
pub fn namesakes(sessions: &[Session], found: &Session, text: &str) -> (usize, bool) {
    if found.name != TypedSession::read(text).session {
        return (1, true);
    }
    let same = |s: &&Session| s.context == found.context && s.name == found.name;
    let same: Vec<&Session> = sessions.iter().filter(same).collect();
    let is_newest = same.iter().all(|it| it.created_at <= found.created_at);
    (same.len(), is_newest)
}

fn among<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    text: &str,
) -> Result<&'a Session, SelectError> {
    let sessions: Vec<&Session> = sessions.collect();
    if let Some(exact) = sessions.iter().find(|s| s.id.to_string() == text) {
        return Ok(exact);
    }
    let named: Vec<&Session> = sessions
        .iter()
        .copied()
        .filter(|s| s.name == text)
        .collect();
    let unfinished: Vec<&Session> = named.iter().copied().filter(|s| !s.has_ended()).collect();
    if !unfinished.is_empty() {
        return only(unfinished, text);
    }
    // Ended sessions share a name after a relaunch, so the newest one is meant.
    if let Some(newest) = named.into_iter().min_by(|a, b| newest_first(a, b)) {
        return Ok(newest);
    }
    let lower = text.to_ascii_lowercase();
    let bare = lower.replace('-', "");
    let by_id = |s: &&Session| {
        let id = s.id.to_string();
        lower.len() >= 2 && (id.starts_with(&lower) || id.replace('-', "").starts_with(&bare))
    };
    only(sessions.into_iter().filter(by_id).collect(), text)
}

/// Finds a container of a session by its host name or the beginning of its id.
pub fn kernel<'a>(kernels: &'a [Kernel], word: &str) -> Result<&'a Kernel, KernelError> {
    let asked = word.to_ascii_lowercase();
    if let Some(named) = kernels.iter().find(|it| it.hostname == asked.as_str()) {
        return Ok(named);
    }
    let bare = asked.replace('-', "");
    let begins = |kernel: &&Kernel| {
        let id = kernel.id.to_string();
        asked.len() >= 2 && (id.starts_with(&asked) || id.replace('-', "").starts_with(&bare))
    };
    let found: Vec<&Kernel> = kernels.iter().filter(begins).collect();
    let names = |some: &dyn Fn(&Kernel) -> bool| -> Vec<String> {
        let shorts = short::kernels(kernels);
        let named = kernels
            .iter()
            .zip(shorts)
            .filter(|(kernel, _)| some(kernel));
        named
            .map(|(kernel, short)| format!("{} ({short})", kernel.hostname))
            .collect()
    };
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(KernelError::None(names(&|_| true))),
        many => {
            let of = |kernel: &Kernel| many.iter().any(|it| it.id == kernel.id);
            Err(KernelError::Several(names(&of)))
        }
    }
}

/// Why no container matches, with the existing or the matching ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    None(Vec<String>),
    Several(Vec<String>),
}

fn only<'a>(found: Vec<&'a Session>, text: &str) -> Result<&'a Session, SelectError> {
    match found.as_slice() {
        [] => Err(SelectError::NotFound(Clean::new(text))),
        [one] => Ok(one),
        many => Err(SelectError::Ambiguous {
            asked: Clean::new(text),
            matches: many
                .iter()
                .zip(short::all(
                    &many.iter().map(|s| s.id.to_string()).collect::<Vec<_>>(),
                ))
                .map(|(s, short)| format!("{short} ({}, {})", s.name, s.status))
                .collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        environment::{EnvironmentRef, EnvironmentSource},
        id::{KernelId, SessionKey},
        status::Status,
    };

    fn session(context: &str, bits: u128, name: &str, status: Status) -> Session {
        let image = EnvironmentSource::Host;
        Session {
            status,
            owner: "ada".into(),
            ..Session::new(
                SessionKey::new(
                    ContextName::new(context).unwrap(),
                    SessionId::from_u128(bits),
                ),
                name.into(),
                EnvironmentRef {
                    name: "host".into(),
                    version: "1".into(),
                    source: image,
                },
                jiff::Timestamp::UNIX_EPOCH,
            )
        }
    }

    const WORK: u128 = 0xabcd_1234 << 96;

    fn some() -> Vec<Session> {
        vec![
            session("local", WORK, "work", Status::Terminated),
            session("local", WORK + 1, "work", Status::Running),
            session("prod", WORK, "work", Status::Running),
            session("prod", 7 << 96, "train", Status::Running),
        ]
    }

    fn ask(context: &str, text: &str) -> Result<(String, SessionId), SelectError> {
        let sessions = some();
        let context = ContextName::new(context).unwrap();
        select(&sessions, context, text).map(|s| (s.context.to_string(), s.id))
    }

    #[test]
    fn a_name_belongs_to_the_context_that_is_meant_and_to_the_living() {
        let living = SessionId::from_u128(WORK + 1);
        assert_eq!(ask("local", "work"), Ok(("local".into(), living)));
        let other = SessionId::from_u128(WORK);
        assert_eq!(ask("prod", "work"), Ok(("prod".into(), other)));
        assert_eq!(ask("prod", "abcd"), Ok(("prod".into(), other)));
        // The same id can exist in two contexts that use one cluster.
        let whole = other.to_string();
        assert_eq!(ask("prod", &whole), Ok(("prod".into(), other)));
        assert_eq!(ask("local", &whole), Ok(("local".into(), other)));
    }

    #[test]
    fn of_those_that_have_ended_the_newest_is_meant() {
        let mut all = vec![
            session("local", 1 << 96, "job", Status::Terminated),
            session("local", 2 << 96, "job", Status::Terminated),
            session("local", 3 << 96, "job", Status::Cancelled),
        ];
        all[1].created_at = jiff::Timestamp::from_second(60).unwrap();
        let local = ContextName::new("local").unwrap();
        let found = select(&all, local, "job").unwrap();
        assert_eq!(found.id, all[1].id);
        assert_eq!(namesakes(&all, found, "local/job"), (3, true));
        assert_eq!(namesakes(&all, &all[0], "job"), (3, false));
        assert_eq!(namesakes(&all, found, &found.id.to_string()), (1, true));
        all.push(session("local", 4 << 96, "job", Status::Pending));
        assert_eq!(select(&all, local, "job").unwrap().id, all[3].id);
    }

    #[test]
    fn a_kernel_is_meant_by_its_host_name_or_as_much_of_its_id_as_identifies_it() {
        let kernel = |bits: u128, name: &str| {
            Kernel::new(KernelId::from_u128(bits), name.into(), Status::Running)
        };
        // Ids as managers create them: all in the same moment.
        let base = 0x01a2_072e_1d0d_7000_91a2_15a6_4c67_99e7;
        let kernels = [kernel(base, "main1"), kernel(base + (1 << 66), "sub1")];
        let shorts = short::kernels(&kernels);
        assert_ne!(shorts[0], shorts[1]);
        for (kernel, short) in kernels.iter().zip(&shorts) {
            let meant = |word: &str| super::kernel(&kernels, word).map(|it| it.id);
            for word in [kernel.hostname.as_str(), short, &short.replace('-', "")] {
                assert_eq!(meant(word), Ok(kernel.id), "{word}");
            }
            assert_eq!(meant(&kernel.id.to_string().to_uppercase()), Ok(kernel.id));
        }
        let names = vec![
            format!("main1 ({})", shorts[0]),
            format!("sub1 ({})", shorts[1]),
        ];
        let several = super::kernel(&kernels, "01a2072e");
        assert_eq!(several, Err(KernelError::Several(names.clone())));
        assert_eq!(
            super::kernel(&kernels, "main2"),
            Err(KernelError::None(names))
        );
    }

    #[test]
    fn what_is_elsewhere_is_reported_and_not_taken() {
        assert_eq!(
            ask("local", "train").unwrap_err().to_string(),
            "session 'train' not found in context local. Did you mean prod/train?"
        );
        assert_eq!(
            ask("prod", "none").unwrap_err().to_string(),
            "session 'none' not found. `workbay ls --tab all` lists names and ids"
        );
        let many = ask("local", "abcd").unwrap_err().to_string();
        assert!(
            many.starts_with(
                "'abcd' matches several sessions: abcd1234-0000-0000-0000-000000000000 (work, "
            ),
            "{many}"
        );
    }

    #[test]
    fn a_context_comes_before_the_first_slash() {
        let asked = TypedSession::read("prod/work");
        assert_eq!((asked.context, asked.session), (Some("prod"), "work"));
        assert_eq!(TypedSession::read("work").context, None);
        assert_eq!(TypedSession::read("/work").context, Some(""));
    }
}
