//! From keys to actions: one trie a scope, read from `keymaps/*.toml`.

pub mod builtin;
mod read;
mod trie;

use std::path::Path;

use crate::{
    action::{Action, Scope},
    config::{
        Problem,
        library::{Library, Shelf},
    },
    key::Key,
};
use trie::Trie;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// By the scope's number.
    tries: Vec<Trie>,
    /// (scope, keys as text, the first action), a person's own lines before inherited ones.
    shown: Vec<(Scope, String, Action)>,
}

impl Default for Keymap {
    /// The built-in keymap `default`.
    fn default() -> Self {
        let bindings = read_chain("default", None).unwrap_or_default();
        Self::build(&bindings)
    }
}

impl Keymap {
    /// A keymap that came with workbay; `None` when there is none of that name.
    pub fn builtin(name: &str) -> Option<Self> {
        let known = builtin::KEYMAPS.iter().any(|keymap| keymap.name == name);
        known.then(|| Self::load(name, None).0)
    }

    /// The keymap of this name, the person's own directory first. With any problem, the keymap is
    /// the built-in default in its place.
    pub fn load(name: &str, dir: Option<&Path>) -> (Self, Vec<Problem>) {
        match read_chain(name, dir) {
            Ok(bindings) => (Self::build(&bindings), Vec::new()),
            Err(problems) => (Self::default(), problems),
        }
    }

    fn build(bindings: &read::Bindings) -> Self {
        let mut tries = vec![Trie::default(); Scope::ALL.len()];
        for binding in &bindings.list {
            tries[binding.scope as usize].insert(&binding.keys, &binding.actions);
        }
        let mut order: Vec<&read::Binding> = bindings.list.iter().collect();
        order.sort_by_key(|binding| (std::cmp::Reverse(binding.file), binding.at));
        let shown = order
            .into_iter()
            .filter_map(|binding| {
                let action = binding.actions.first()?;
                Some((binding.scope, read::text(&binding.keys), *action))
            })
            .collect();
        Self { tries, shown }
    }

    /// Looks `keys` up in one scope only; the caller walks its scope chain, innermost first.
    pub fn lookup(&self, scope: Scope, keys: &[Key]) -> Lookup {
        self.tries
            .get(scope as usize)
            .map_or(Lookup::NotFound, |trie| trie.lookup(keys))
    }

    /// The keys bound to an action in a scope, as text, the most convenient first: the order of the
    /// file, a person's own keys before inherited ones.
    pub fn keys_for(&self, scope: Scope, action: Action) -> Vec<String> {
        self.shown
            .iter()
            .filter(|(s, _, a)| *s == scope && *a == action)
            .map(|(_, keys, _)| keys.clone())
            .collect()
    }

    /// Every binding of a scope in the order of `Action::ALL`: (keys as text, action). A list of
    /// actions counts as its first.
    pub fn bindings(&self, scope: Scope) -> Vec<(String, Action)> {
        let mut bindings: Vec<(String, Action)> = self
            .shown
            .iter()
            .filter(|(s, _, _)| *s == scope)
            .map(|(_, keys, action)| (keys.clone(), *action))
            .collect();
        bindings.sort_by_key(|(_, action)| *action);
        bindings
    }
}

/// Every keymap there is, and whether it is the person's own.
pub fn names(dir: Option<&Path>) -> Vec<(String, bool)> {
    let names = library(dir).names().into_iter();
    names
        .map(|(name, shelf)| (name, shelf == Shelf::Person))
        .collect()
}

fn library(dir: Option<&Path>) -> Library<'_> {
    Library {
        kind: "keymap",
        dir,
        builtin: builtin::KEYMAPS,
    }
}

fn read_chain(name: &str, dir: Option<&Path>) -> Result<read::Bindings, Vec<Problem>> {
    let chain = library(dir).chain(name).map_err(|problem| vec![problem])?;
    let mut bindings = read::Bindings::default();
    let mut problems = Vec::new();
    for (number, document) in chain.iter().enumerate() {
        let faults = bindings.add(number, document);
        problems.extend(faults.into_iter().map(|fault| document.problem(fault)));
    }
    for (number, fault) in bindings.clashes() {
        problems.extend(chain.get(number).map(|document| document.problem(fault)));
    }
    if problems.is_empty() {
        Ok(bindings)
    } else {
        Err(problems)
    }
}

#[cfg(test)]
mod tests;
