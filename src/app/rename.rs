//! Another name for a session, typed in one line.

use super::input::Input;
use crate::model::{id::SessionKey, name, text::Clean};

#[derive(Clone, Debug)]
pub struct Rename {
    pub session: SessionKey,
    pub old: Clean,
    pub input: Input,
}

impl Rename {
    #[must_use]
    pub fn new(session: SessionKey, old: &Clean) -> Self {
        Self {
            session,
            old: old.clone(),
            input: Input::with_text(old.as_str()),
        }
    }

    /// Why the text cannot be the name; shown while typing.
    pub fn problem(&self) -> Option<String> {
        name::check(self.input.text())
            .err()
            .map(|error| error.to_string())
    }

    pub fn is_unchanged(&self) -> bool {
        self.old == *self.input.text()
    }
}
