//! The prompt for another priority of a waiting session.

use super::{Around, Line, Panel};
use crate::model::{
    id::SessionKey, launch::priority, session::Session, spec::PRIORITY, text::Clean,
};
use crate::{
    action::{Action, Scope},
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    key::Key,
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct PriorityForm {
    pub session: SessionKey,
    pub name: Clean,
    pub input: Input,
    old: i32,
}

impl PriorityForm {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        let old = session.placement.priority.unwrap_or(PRIORITY);
        Self {
            session: session.key(),
            name: session.name.clone(),
            input: Input::with_text(&old.to_string()),
            old,
        }
    }

    /// # Errors
    /// Why the text isn't a valid priority, shown while you type.
    pub fn wanted(&self) -> Result<i32, String> {
        priority::parse(self.input.text())
    }

    fn submit(&self) -> Vec<Step> {
        let Ok(wanted) = self.wanted() else {
            return Vec::new();
        };
        let ask = (wanted != self.old).then(|| ask(self.session, self.name.clone(), wanted));
        [Step::CLOSE].into_iter().chain(ask).collect()
    }
}

/// Requests another priority.
pub fn ask(session: SessionKey, name: Clean, priority: i32) -> Step {
    Step::Ask {
        request: Request::Priority { session, priority },
        purpose: Purpose::Priority { name, priority },
    }
}

impl Panel for PriorityForm {
    fn scope(&self) -> Scope {
        Scope::Input
    }

    fn action(&mut self, action: Action, around: &Around<'_>) -> Vec<Step> {
        match action {
            Action::InputSubmit => self.submit(),
            Action::InputCancel | Action::Back => self.back(around),
            _ => Vec::new(),
        }
    }

    fn key(&mut self, key: Key, _: &Around<'_>) -> Option<Vec<Step>> {
        self.input.key(key).then(Vec::new)
    }

    fn paste(&mut self, text: &str, _: &Around<'_>) {
        self.input.paste(text);
    }

    fn problem(&self) -> Option<String> {
        self.wanted().err()
    }

    fn line(&self) -> Option<Line<'_>> {
        Some(Line {
            label: format!("Priority of {} (0 to 100)", self.name),
            input: &self.input,
            note: "highest first",
        })
    }
}
