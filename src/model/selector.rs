//! Which session a person means by a name, an id or the beginning of an id.

use thiserror::Error;

use super::{session::Session, text::Clean};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    #[error("no session '{0}': `workbay ls --tab all` lists names and ids")]
    NotFound(Clean),
    #[error("'{asked}' may be any of: {}; give more of the id", .matches.join(", "))]
    Ambiguous { asked: Clean, matches: Vec<String> },
}

/// Finds the one session meant by `text`: a full id, a name (an unfinished session before finished
/// ones of the same name) or at least two characters of the beginning of an id.
pub fn select<'a>(sessions: &'a [Session], text: &str) -> Result<&'a Session, SelectError> {
    if let Some(exact) = sessions.iter().find(|s| s.id.to_string() == text) {
        return Ok(exact);
    }
    let named: Vec<&Session> = sessions.iter().filter(|s| s.name == text).collect();
    let unfinished: Vec<&Session> = named
        .iter()
        .copied()
        .filter(|s| !s.status.is_final())
        .collect();
    for group in [unfinished, named] {
        if !group.is_empty() {
            return only(group, text);
        }
    }
    let lower = text.to_ascii_lowercase();
    let by_id = |s: &&Session| {
        lower.len() >= 2
            && (s.id.to_string().starts_with(&lower) || s.id.short().starts_with(&lower))
    };
    only(sessions.iter().filter(by_id).collect(), text)
}

fn only<'a>(found: Vec<&'a Session>, text: &str) -> Result<&'a Session, SelectError> {
    match found.as_slice() {
        [] => Err(SelectError::NotFound(Clean::new(text))),
        [one] => Ok(one),
        many => Err(SelectError::Ambiguous {
            asked: Clean::new(text),
            matches: many
                .iter()
                .map(|s| format!("{} ({}, {})", s.id.short(), s.name, s.status))
                .collect(),
        }),
    }
}
