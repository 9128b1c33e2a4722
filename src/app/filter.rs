//! The fuzzy filter of the list: over name and environment, the words of how a session ended, the
//! beginning of the id and, in a list of several owners, owner, project and agents.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use super::{input::Input, shown::Shown};
use crate::model::{
    ending::{Ending, ending, is_meant, joined},
    session::{Session, placement_words},
    text::Clean,
};

/// Which characters of a row a filter met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Character positions in the name.
    pub name: Vec<usize>,
    /// Character positions in the environment's label.
    pub environment: Vec<usize>,
}

pub struct Filter {
    /// The line being typed; `None` = the keys go elsewhere.
    editing: Option<Input>,
    query: Clean,
    /// The list has sessions of several owners: owner, project and agents are searched too.
    several_owners: bool,
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            editing: None,
            query: Clean::default(),
            several_owners: false,
            pattern: Pattern::default(),
            matcher: Matcher::new(Config::DEFAULT),
            buffer: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("query", &self.query)
            .finish_non_exhaustive()
    }
}

impl Filter {
    pub fn query(&self) -> &Clean {
        &self.query
    }

    /// Something is filtered away.
    pub fn is_on(&self) -> bool {
        !self.query.is_empty()
    }

    pub fn editing(&self) -> Option<&Input> {
        self.editing.as_ref()
    }

    /// Begins or goes on typing.
    pub fn edit(&mut self) {
        self.editing = Some(Input::with_text(self.query.as_str()));
    }

    /// Keeps the filter and gives the keys back.
    pub fn submit(&mut self) {
        self.editing = None;
    }

    /// Takes the filter away; `false` = there was none.
    pub fn clear(&mut self) -> bool {
        let was = self.is_on() || self.editing.is_some();
        self.editing = None;
        self.set("");
        was
    }

    /// Changes the typed line; `None` = nothing is being typed, `Some(changed)` otherwise.
    pub fn type_into<T>(&mut self, change: impl FnOnce(&mut Input) -> T) -> Option<T> {
        let input = self.editing.as_mut()?;
        let result = change(input);
        let text = input.text().to_owned();
        self.set(&text);
        Some(result)
    }

    fn set(&mut self, query: &str) {
        self.query = Clean::new(query);
        self.pattern = Pattern::parse(
            &joined(self.query.as_str()),
            CaseMatching::Smart,
            Normalization::Smart,
        );
    }

    pub fn set_several_owners(&mut self, several: bool) {
        self.several_owners = several;
    }

    /// `shown`: among the sessions of all contexts a context's name is found too.
    pub fn accepts(&mut self, session: &Session, shown: Shown) -> bool {
        if !self.is_on() || self.is_id(session) {
            return true;
        }
        let environment = session.environment.label();
        let context = match shown {
            Shown::All => session.context.as_str(),
            Shown::One(_) => "",
        };
        let texts = [session.name.as_str(), &environment, context];
        let ending = ending(session).map_or_else(String::new, Ending::words);
        let placement = if self.several_owners {
            placement_words(session).to_lowercase()
        } else {
            String::new()
        };
        self.pattern.atoms.iter().all(|atom| {
            let mut meets = |text: &str| {
                let text = Utf32Str::new(text, &mut self.buffer);
                atom.score(text, &mut self.matcher).is_some()
            };
            let by = atom.needle_text().to_string().to_lowercase();
            // Fuzzy matching would find most words in an agent's long name.
            let whole = is_meant(&ending, &by) || placement.contains(&by);
            // A word with `!` must be in none.
            if atom.negative {
                !whole && texts.into_iter().all(&mut meets)
            } else {
                whole || texts.into_iter().any(&mut meets)
            }
        })
    }

    /// What an engine is to look for in names: the longest plain word. Every session it finds may
    /// still be filtered away here.
    pub fn longest_word(&self) -> Option<&str> {
        self.query
            .as_str()
            .split_whitespace()
            .filter(|word| !word.starts_with('!'))
            .map(|word| word.trim_start_matches(['^', '\'']).trim_end_matches('$'))
            .max_by_key(|word| word.chars().count())
            .filter(|word| !word.is_empty())
    }

    /// What to highlight in an accepted row.
    pub fn hits(&mut self, session: &Session) -> Hits {
        Hits {
            name: self.hits_in(session.name.as_str()),
            environment: self.hits_in(&session.environment.label()),
        }
    }

    fn hits_in(&mut self, text: &str) -> Vec<usize> {
        let text = Utf32Str::new(text, &mut self.buffer);
        let mut found = Vec::new();
        for atom in self.pattern.atoms.iter().filter(|atom| !atom.negative) {
            // A word that does not meet this text adds nothing.
            let _ = atom.indices(text, &mut self.matcher, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| at as usize).collect()
    }

    fn is_id(&self, session: &Session) -> bool {
        let query = self.query.as_str();
        query.len() >= 2
            && query.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
            && session.id.starts_with(&query.to_ascii_lowercase())
    }
}
