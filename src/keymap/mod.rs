//! From keys to actions: one trie a scope, read from `keymaps/*.toml`.

use crate::{
    action::{Action, Scope},
    key::Key,
};

/// What the keys pressed so far mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing; the keys are free.
    NotFound,
    /// The beginning of one or more bindings: (next key, action or `None` for a further prefix).
    Pending(Vec<(Key, Option<Action>)>),
    /// A whole binding.
    Matched(Vec<Action>),
}

/// All bindings in force.
#[derive(Clone, Debug, Default)]
pub struct Keymap {}

impl Keymap {
    /// Looks `keys` up in one scope only; the caller walks its scope chain, innermost first.
    pub fn lookup(&self, _scope: Scope, _keys: &[Key]) -> Lookup {
        Lookup::NotFound
    }

    /// The keys bound to an action in a scope, as text, the most convenient first.
    pub fn keys_for(&self, _scope: Scope, _action: Action) -> Vec<String> {
        Vec::new()
    }

    /// Every binding of a scope in the order of `Action::ALL`: (keys as text, action).
    pub fn bindings(&self, _scope: Scope) -> Vec<(String, Action)> {
        Vec::new()
    }
}
