//! Session names that `workbay ls -q` prints and other commands accept.

use std::collections::HashMap;

use crate::model::{id::ContextName, selector, session::Session};

/// The name if it means this session among all the `known` ones, otherwise the id. Includes the context
/// unless all sessions are of `context`.
pub fn of(sessions: &[Session], known: &[Session], context: Option<ContextName>) -> Vec<String> {
    let mut namesakes: HashMap<(ContextName, &str), Vec<Session>> = HashMap::new();
    for session in known {
        let name = (session.context, session.name.as_str());
        namesakes.entry(name).or_default().push(session.clone());
    }
    let word = |session: &Session| {
        let name = session.name.as_str();
        let same = namesakes.get(&(session.context, name));
        let same = same.map(Vec::as_slice).unwrap_or_default();
        let meant = selector::select(same, session.context, name);
        if meant.is_ok_and(|meant| meant.id == session.id) {
            name.to_owned()
        } else {
            session.id.to_string()
        }
    };
    let prefixed = |session: &Session| match context {
        Some(_) => word(session),
        None => format!("{}/{}", session.context, word(session)),
    };
    sessions.iter().map(prefixed).collect()
}
