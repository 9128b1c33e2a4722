//! The fuzzy filter of the list. It searches the name, the environment, the words for how a session ended,
//! and the beginning of the id. In a list with several owners, it also searches owner, project and agents.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::app::{input::Input, shown_contexts::ShownContexts};
use crate::{
    model::{
        session::{Session, placement_words},
        text::Clean,
    },
    rules::ending::{Ending, ending, is_meant, joined},
};

/// The characters of a row that match a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Character positions in the name.
    pub name: Vec<usize>,
    /// Character positions in the environment's label.
    pub environment: Vec<usize>,
}

pub struct Filter {
    /// The typed text, `None` if the keys go elsewhere.
    editing: Option<Input>,
    query: Clean,
    /// The list has sessions of several owners, so owner, project and agents are searched too.
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

    /// A filter is active.
    pub fn is_on(&self) -> bool {
        !self.query.is_empty()
    }

    pub fn editing(&self) -> Option<&Input> {
        self.editing.as_ref()
    }

    /// Starts or continues typing.
    pub fn edit(&mut self) {
        self.editing = Some(Input::with_text(self.query.as_str()));
    }

    /// Keeps the filter and ends typing.
    pub fn submit(&mut self) {
        self.editing = None;
    }

    /// Removes the filter. Returns `false` if there was none.
    pub fn clear(&mut self) -> bool {
        let was = self.is_on() || self.editing.is_some();
        self.editing = None;
        self.set("");
        was
    }

    /// Changes the typed text. Returns `None` if nothing is being typed, otherwise `Some(changed)`.
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

    /// If `shown` is all contexts, the filter also searches the context's name.
    pub fn accepts(&mut self, session: &Session, shown: ShownContexts) -> bool {
        if !self.is_on() || self.is_id(session) {
            return true;
        }
        let environment = session.environment.label();
        let context = match shown {
            ShownContexts::All => session.context.as_str(),
            ShownContexts::One(_) => "",
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
            // No field may contain a word with `!`.
            if atom.negative {
                !whole && texts.into_iter().all(&mut meets)
            } else {
                whole || texts.into_iter().any(&mut meets)
            }
        })
    }

    /// The longest plain word, which an engine searches for in names. The filter can still hide a session
    /// that the engine finds.
    pub fn longest_word(&self) -> Option<&str> {
        self.query
            .as_str()
            .split_whitespace()
            .filter(|word| !word.starts_with('!'))
            .map(|word| word.trim_start_matches(['^', '\'']).trim_end_matches('$'))
            .max_by_key(|word| word.chars().count())
            .filter(|word| !word.is_empty())
    }

    /// The characters to highlight in a matching row.
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
            // A word that doesn't match this text adds nothing.
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
