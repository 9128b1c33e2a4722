//! Another priority for a waiting session, typed in one line.

use super::input::Input;
use crate::model::{
    id::SessionKey, launch::priority, session::Session, spec::PRIORITY, text::Clean,
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
    /// Why the text is no priority; shown while typing.
    pub fn wanted(&self) -> Result<i32, String> {
        priority::parse(self.input.text())
    }

    pub fn problem(&self) -> Option<String> {
        self.wanted().err()
    }

    /// What is to be asked for, where it differs from what it is.
    pub fn changed(&self) -> Option<i32> {
        self.wanted().ok().filter(|wanted| *wanted != self.old)
    }
}
