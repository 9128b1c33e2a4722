//! The filter of the list: the terms of [`crate::rules::filter`], whose words are fuzzy here. Words search the
//! name, the environment, the words for how a session ended, and the beginning of the id. In a list with several
//! owners, they also search owner, project and agents.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::app::{input::Input, shown_contexts::ShownContexts};
use crate::{
    model::{
        id::ContextName,
        session::{Session, placement_words},
        text::Clean,
    },
    rules::{
        ending::{Ending, ending, is_meant},
        filter::{Completion, Filter as Terms, FilterEnv, FilterError, FilterKey, complete},
    },
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
    /// The valid terms of the query.
    terms: Terms,
    /// The words of the terms in the syntax of the matcher.
    words: String,
    /// Why a term of the query isn't valid.
    error: Option<FilterError>,
    /// The list has sessions of several owners, so owner, project and agents are searched too.
    several_owners: bool,
    /// Your account in each context that has accounts.
    accounts: BTreeMap<ContextName, Clean>,
    now: Timestamp,
    zone: TimeZone,
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            editing: None,
            query: Clean::default(),
            terms: Terms::default(),
            words: String::new(),
            error: None,
            several_owners: false,
            accounts: BTreeMap::new(),
            now: Timestamp::UNIX_EPOCH,
            zone: TimeZone::UTC,
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

    /// Why the typed text isn't a valid filter.
    pub fn error(&self) -> Option<&FilterError> {
        self.error.as_ref()
    }

    /// The words of the filter, separated by spaces, in the syntax of the matcher.
    pub fn words(&self) -> &str {
        &self.words
    }

    pub fn has_conditions(&self) -> bool {
        self.terms.has_conditions()
    }

    /// Whether other sessions can match later, without a change.
    pub fn follows_time(&self) -> bool {
        self.terms.follows_time()
    }

    /// Takes the time, for conditions on it.
    pub fn set_time(&mut self, now: Timestamp, zone: &TimeZone) {
        self.now = now;
        if self.zone != *zone {
            self.zone = zone.clone();
        }
    }

    /// The time of conditions on it.
    pub fn time(&self) -> Timestamp {
        self.now
    }

    /// Takes your accounts, for `owner:me`.
    pub fn set_accounts(&mut self, accounts: BTreeMap<ContextName, Clean>) {
        self.accounts = accounts;
    }

    /// What the text before the cursor can become. `values` are the known values of a key.
    pub fn completion(&self, values: impl Fn(FilterKey) -> Vec<String>) -> Completion {
        let input = self.editing.as_ref();
        let at_end = input.filter(|it| it.before_cursor() == it.text());
        at_end.map_or_else(Completion::default, |it| complete(it.text(), values))
    }

    /// Sets the text, without typing.
    pub fn replace(&mut self, query: &str) {
        self.editing = None;
        self.set(query);
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
        let (terms, error) = Terms::read_valid(self.query.as_str(), self.now, &self.zone);
        let words = terms.words().iter();
        let words: Vec<String> = words
            .map(|word| format!("{}{}", if word.not { "!" } else { "" }, word.text))
            .collect();
        self.words = words.join(" ");
        self.pattern = Pattern::parse(&self.words, CaseMatching::Smart, Normalization::Smart);
        self.terms = terms;
        self.error = error;
    }

    pub fn set_several_owners(&mut self, several: bool) {
        self.several_owners = several;
    }

    /// If `shown` is all contexts, the filter also searches the context's name.
    pub fn accepts(&mut self, session: &Session, shown: ShownContexts) -> bool {
        self.meets_conditions(session) && self.has_words(session, shown)
    }

    /// Whether the session meets the conditions, whatever its words.
    pub fn meets_conditions(&self, session: &Session) -> bool {
        let env = FilterEnv {
            now: self.now,
            accounts: &self.accounts,
        };
        self.terms.meets_conditions(session, env)
    }

    fn has_words(&mut self, session: &Session, shown: ShownContexts) -> bool {
        if self.words.is_empty() || self.is_id(session) {
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

    /// The longest plain word or required part of the name, which an engine searches for in names. The filter
    /// can still hide a session that the engine finds.
    pub fn longest_word(&self) -> Option<&str> {
        let plain = self.terms.words().iter().filter(|word| !word.not);
        let trimmed = plain.map(|word| {
            let text = word.text.as_str();
            text.trim_start_matches(['^', '\'']).trim_end_matches('$')
        });
        trimmed
            .chain(self.terms.required_name())
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
        let query = self.words.as_str();
        query.len() >= 2
            && query.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
            && session.id.starts_with(&query.to_ascii_lowercase())
    }
}
