//! Changes as sentences: which ones are announced to the user, and in which words.

use std::collections::HashMap;

use crate::{
    model::{
        capability::EngineState,
        change::Change,
        id::{ContextName, SessionKey},
        notice::NoticeKind,
        session::Session,
        status::Status,
    },
    protocol::message::Snapshot,
    rules::ending::ending,
};

/// What was announced last.
#[derive(Debug, Default)]
pub struct Announcer {
    sessions: HashMap<SessionKey, Status>,
    engines: HashMap<ContextName, EngineWord>,
    /// Your account in each context with accounts: sessions of others aren't announced.
    accounts: HashMap<ContextName, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineWord {
    Connecting,
    Connected,
    Disconnected,
}

impl From<&EngineState> for EngineWord {
    fn from(state: &EngineState) -> Self {
        match state {
            EngineState::Connecting => Self::Connecting,
            EngineState::Connected { .. } => Self::Connected,
            EngineState::Lost { .. } => Self::Disconnected,
        }
    }
}

impl Announcer {
    /// Takes over the state. Returns a sentence for each change since the state before.
    pub fn start_from(&mut self, snapshot: &Snapshot) -> Vec<String> {
        let is_first = self.engines.is_empty();
        let mut said = Vec::new();
        for state in &snapshot.contexts {
            said.extend(self.engine(state.context.name, &state.engine));
        }
        for session in &snapshot.sessions {
            said.extend(self.session(session));
        }
        // At the beginning, the list itself says this.
        if is_first { Vec::new() } else { said }
    }

    /// The sentence about a change. `None` = the change isn't worth an interruption.
    pub fn sentence(&mut self, change: &Change) -> Option<String> {
        match change {
            Change::Session { session } => self.session(session),
            Change::Gone { session } => {
                self.sessions.remove(session);
                None
            }
            Change::Engine { context, engine } => self.engine(*context, engine),
            Change::Notice { notice } => match notice.kind {
                // The state of the session says the same.
                NoticeKind::Launched
                | NoticeKind::Running
                | NoticeKind::BatchEnded { .. }
                | NoticeKind::Failed
                | NoticeKind::Reclaimed { .. }
                | NoticeKind::Ended => None,
                NoticeKind::IdleWarning { .. }
                | NoticeKind::AppEnded { .. }
                | NoticeKind::Message => Some(tr!("Notification: {notice}", notice = notice.text)),
            },
            _ => None,
        }
    }

    fn engine(&mut self, context: ContextName, engine: &EngineState) -> Option<String> {
        if let EngineState::Connected { info } = engine
            && let Some(user) = &info.user
        {
            self.accounts.insert(context, user.email.to_string());
        }
        let word = EngineWord::from(engine);
        let before = self.engines.insert(context, word);
        if before == Some(word) {
            return None;
        }
        match engine {
            EngineState::Connecting => None,
            EngineState::Connected { .. } => Some(tr!(
                "The engine of context {context} is connected.",
                context
            )),
            EngineState::Lost { why, .. } => Some(tr!(
                "The engine of context {context} is disconnected: {why}. Retrying.",
                context,
                why
            )),
        }
    }

    fn session(&mut self, session: &Session) -> Option<String> {
        let status = session.status.clone();
        let before = self.sessions.insert(session.key(), status);
        let is_yours = self
            .accounts
            .get(&session.context)
            .is_none_or(|me| *me == session.owner.as_str());
        if before.as_ref() == Some(&session.status) || !is_yours || !is_announced(session, before) {
            return None;
        }
        let (name, status) = (&session.name, &session.status);
        let mut text = tr!("{name} is now {status}", name, status);
        match ending(session) {
            Some(ending) => {
                let ending = ending.to_string();
                if !is_same(&ending, status) {
                    text.push_str(", ");
                    text.push_str(&ending);
                }
            }
            None => {
                if let Some(why) = &session.status_message {
                    text.push_str(", ");
                    text.push_str(why.as_str());
                }
            }
        }
        let text = text.trim_end_matches('.');
        Some(format!("{text}."))
    }
}

/// Whether the end is no more than the status: TERMINATED, terminated.
pub fn is_same(ending: &str, status: &Status) -> bool {
    status.word().eq_ignore_ascii_case(ending)
}

/// Whether a state is worth a sentence. The steps between the queue and RUNNING aren't.
fn is_announced(session: &Session, before: Option<Status>) -> bool {
    match session.status {
        Status::Running
        | Status::RunningDegraded
        | Status::Pulling
        | Status::Restarting
        | Status::Preempted
        | Status::Terminating
        | Status::Unknown(_) => true,
        // A cluster's old sessions arrive when a list is read.
        Status::Terminated | Status::Cancelled | Status::Error => before.is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    fn changed(name: &str, status: Status) -> Change {
        let session = Session {
            status,
            ..testing::session(1 << 96, name)
        };
        Change::Session {
            session: Box::new(session),
        }
    }

    #[test]
    fn each_state_is_announced_once_and_the_steps_between_are_not() {
        let mut announcer = Announcer::default();
        let mut says = |status| announcer.sentence(&changed("train-1", status));
        assert_eq!(says(Status::Pending), None);
        assert_eq!(says(Status::Creating), None);
        assert_eq!(
            says(Status::Running).as_deref(),
            Some("train-1 is now RUNNING.")
        );
        assert_eq!(says(Status::Running), None);
        assert_eq!(
            says(Status::Terminating).as_deref(),
            Some("train-1 is now TERMINATING.")
        );
        let ended = says(Status::Terminated).unwrap();
        assert!(ended.starts_with("train-1 is now TERMINATED"), "{ended}");
        assert!(is_same("terminated", &Status::Terminated));
        assert!(!is_same("exit 1", &Status::Terminated));
    }

    #[test]
    fn an_old_session_that_a_list_brings_is_not_news() {
        let mut announcer = Announcer::default();
        assert_eq!(
            announcer.sentence(&changed("old", Status::Terminated)),
            None
        );
    }
}
