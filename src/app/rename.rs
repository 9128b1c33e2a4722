//! Another name for a session, typed in one line.

use super::input::Input;
use crate::model::{id::SessionKey, name, text::Clean};

#[derive(Clone, Debug)]
pub struct Rename {
    pub session: SessionKey,
    pub old: Clean,
    pub input: Input,
    /// Why the engine did not take the name that stands there.
    pub refused: Option<Refused>,
}

/// A name and why it was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    name: String,
    why: Clean,
}

impl Rename {
    #[must_use]
    pub fn new(session: SessionKey, old: &Clean) -> Self {
        Self {
            session,
            old: old.clone(),
            input: Input::with_text(old.as_str()),
            refused: None,
        }
    }

    /// The prompt once more, as it was, with why the name was not taken.
    #[must_use]
    pub fn again(session: SessionKey, old: &Clean, name: &str, why: Clean) -> Self {
        let name = name.to_owned();
        Self {
            input: Input::with_text(&name),
            refused: Some(Refused { name, why }),
            ..Self::new(session, old)
        }
    }

    /// Why the text cannot be the name; shown while typing.
    pub fn problem(&self) -> Option<String> {
        let refused = self.refused.as_ref();
        let refused = refused.filter(|it| it.name == self.input.text());
        name::check(self.input.text())
            .err()
            .map(|error| error.to_string())
            .or_else(|| refused.map(|it| it.why.to_string()))
    }

    pub fn is_unchanged(&self) -> bool {
        self.old == *self.input.text()
    }
}
