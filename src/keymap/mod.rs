//! Maps keys to actions: one trie per scope, read from `keymaps/*.toml`.

pub mod builtin;
pub mod check;
pub mod commands;
pub(crate) mod read;
mod trie;

use std::path::Path;

use crate::{
    action::{Action, Scope},
    config::{Problem, library::Library},
    key::Key,
};
use trie::Trie;

/// The meaning of the keys pressed so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// No binding starts with these keys.
    NotFound,
    /// The beginning of one or more bindings: (next key, action or `None` for a further prefix).
    Pending(Vec<(Key, Option<Action>)>),
    /// A complete binding.
    Matched(Vec<Action>),
}

/// All effective bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// Indexed by scope.
    tries: Vec<Trie>,
    /// (scope, keys as text, first action), with the user's own bindings before inherited ones.
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
    /// The built-in keymap of this name, or `None` if it doesn't exist.
    pub fn builtin(name: &str) -> Option<Self> {
        let known = builtin::KEYMAPS.iter().any(|keymap| keymap.name == name);
        known.then(|| Self::load(name, None).0)
    }

    /// The keymap of this name, from the user's own directory first. With any problem, returns the built-in
    /// default instead.
    pub fn load(name: &str, dir: Option<&Path>) -> (Self, Vec<Problem>) {
        match read_chain(name, dir) {
            Ok(bindings) => (Self::build(&bindings), Vec::new()),
            Err(problems) => (Self::default(), problems),
        }
    }

    fn build(bindings: &read::Bindings) -> Self {
        let mut tries = vec![Trie::default(); Scope::ALL.len()];
        for binding in bindings.iter() {
            tries[binding.scope as usize].insert(&binding.keys, &binding.actions);
        }
        let mut order: Vec<&read::Binding> = bindings.iter().collect();
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

    /// Looks up `keys` in one scope. The caller goes through its scopes, innermost first.
    pub fn lookup(&self, scope: Scope, keys: &[Key]) -> Lookup {
        self.tries
            .get(scope as usize)
            .map_or(Lookup::NotFound, |trie| trie.lookup(keys))
    }

    /// The keys that can follow `keys` in a scope, each with its action or `None` for a further prefix.
    pub fn next_keys(&self, scope: Scope, keys: &[Key]) -> Vec<(Key, Option<Action>)> {
        let trie = self.tries.get(scope as usize);
        match (keys, self.lookup(scope, keys)) {
            ([], _) => trie.map_or_else(Vec::new, Trie::choices),
            (_, Lookup::Pending(next)) => next,
            _ => Vec::new(),
        }
    }

    /// The keys bound to an action in a scope, as text, the most convenient first: in the order of the file,
    /// with the user's own keys before inherited ones.
    pub fn keys_for(&self, scope: Scope, action: Action) -> Vec<String> {
        self.shown
            .iter()
            .filter(|(s, _, a)| *s == scope && *a == action)
            .map(|(_, keys, _)| keys.clone())
            .collect()
    }

    /// All bindings of a scope in the order of `Action::ALL`: (keys as text, action). A list of actions
    /// counts as its first action.
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

/// All keymaps, and whether each is the user's own.
pub fn names(dir: Option<&Path>) -> Vec<(String, bool)> {
    library(dir).names()
}

fn library(dir: Option<&Path>) -> Library<'_> {
    Library {
        kind: tr_later!("keymap"),
        dir,
        builtin: builtin::KEYMAPS,
    }
}

fn read_chain(name: &str, dir: Option<&Path>) -> Result<read::Bindings, Vec<Problem>> {
    let chain = library(dir).chain(name).map_err(|problem| vec![problem])?;
    let (bindings, faults) = read::of_chain(&chain);
    if faults.is_empty() {
        return Ok(bindings);
    }
    let problem =
        |(number, it): (usize, read::KeyFault)| Some(chain.get(number)?.problem(it.fault));
    Err(faults.into_iter().filter_map(problem).collect())
}

#[cfg(test)]
mod tests;
