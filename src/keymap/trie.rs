//! The key sequences of one scope as a tree.

use super::Lookup;
use crate::{action::Action, key::Key};

/// The keys that may follow. A scope has about a dozen, so searching a list is fast enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trie {
    next: Vec<(Key, Node)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Whole(Vec<Action>),
    Prefix(Trie),
}

impl Trie {
    /// Adds a binding. Clashes were refused earlier, so an existing shorter binding stays.
    pub fn insert(&mut self, keys: &[Key], actions: &[Action]) {
        let Some((first, rest)) = keys.split_first() else {
            return;
        };
        let at = self.next.iter().position(|(key, _)| key == first);
        match (rest.is_empty(), at) {
            (true, None) => self.next.push((*first, Node::Whole(actions.to_vec()))),
            (true, Some(_)) => {}
            (false, None) => {
                let mut below = Self::default();
                below.insert(rest, actions);
                self.next.push((*first, Node::Prefix(below)));
            }
            (false, Some(at)) => {
                if let Node::Prefix(below) = &mut self.next[at].1 {
                    below.insert(rest, actions);
                }
            }
        }
    }

    pub fn lookup(&self, keys: &[Key]) -> Lookup {
        let Some((first, rest)) = keys.split_first() else {
            return Lookup::NotFound;
        };
        match self.next.iter().find(|(key, _)| key == first) {
            Some((_, Node::Whole(actions))) if rest.is_empty() => Lookup::Matched(actions.clone()),
            Some((_, Node::Prefix(below))) if rest.is_empty() => Lookup::Pending(below.choices()),
            Some((_, Node::Prefix(below))) => below.lookup(rest),
            _ => Lookup::NotFound,
        }
    }

    pub fn choices(&self) -> Vec<(Key, Option<Action>)> {
        let choice = |(key, node): &(Key, Node)| match node {
            Node::Whole(actions) => (*key, actions.first().copied()),
            Node::Prefix(_) => (*key, None),
        };
        self.next.iter().map(choice).collect()
    }
}
