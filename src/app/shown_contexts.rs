//! The contexts that the view shows.

use crate::model::id::ContextName;

/// One context, or all of them in one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownContexts {
    #[default]
    All,
    One(ContextName),
}

impl ShownContexts {
    pub fn has(self, context: ContextName) -> bool {
        match self {
            Self::All => true,
            Self::One(name) => name == context,
        }
    }

    /// The only context that is shown.
    pub fn one(self) -> Option<ContextName> {
        match self {
            Self::All => None,
            Self::One(name) => Some(name),
        }
    }
}
