//! Searching a log: which lines hold the text, and where in a line.

use std::ops::Range;

use super::store::Store;

/// A search in force. Small letters find both cases, as in less and vim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    text: String,
    any_case: bool,
    /// Numbers of the lines that hold it, ascending.
    hits: Vec<usize>,
    /// Lines before this number were looked at.
    seen: usize,
    /// The line gone to last.
    pub current: Option<usize>,
}

impl Search {
    /// Searches all lines held.
    pub fn new(text: &str, store: &Store) -> Self {
        let mut search = Self {
            any_case: !text.chars().any(char::is_uppercase),
            text: text.to_owned(),
            ..Self::default()
        };
        search.catch_up(store);
        search
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Looks at lines that came, forgets lines that went.
    pub fn catch_up(&mut self, store: &Store) {
        let gone = self.hits.partition_point(|hit| *hit < store.first());
        self.hits.drain(..gone);
        for number in self.seen.max(store.first())..store.ended() {
            let Some(entry) = store.get(number) else {
                break;
            };
            if self.find(entry.line.text.as_str(), 0).is_some() {
                self.hits.push(number);
            }
        }
        self.seen = store.ended();
    }

    /// How many lines hold it.
    pub fn count(&self) -> usize {
        self.hits.len()
    }

    /// Which of them is the current one, from 1.
    pub fn position(&self) -> Option<usize> {
        let at = self.hits.binary_search(&self.current?).ok()?;
        Some(at + 1)
    }

    /// The next hit at or after a line, from the top again after the last.
    pub fn at_or_after(&self, number: usize) -> Option<usize> {
        let at = self.hits.partition_point(|hit| *hit < number);
        self.hits.get(at).or_else(|| self.hits.first()).copied()
    }

    /// The last hit before a line, from the bottom again before the first.
    pub fn before(&self, number: usize) -> Option<usize> {
        let at = self.hits.partition_point(|hit| *hit < number);
        at.checked_sub(1)
            .and_then(|at| self.hits.get(at))
            .or_else(|| self.hits.last())
            .copied()
    }

    /// Every place in a line, by byte.
    pub fn places(&self, line: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(at) = self.find(line, from) {
            from = at + self.text.len();
            places.push(at..from);
        }
        places
    }

    /// The first place at or after a byte. Only ASCII has its case folded, so bytes can be compared.
    fn find(&self, line: &str, from: usize) -> Option<usize> {
        let wanted = self.text.as_bytes();
        if wanted.is_empty() {
            return None;
        }
        let found = |window: &[u8]| {
            if self.any_case {
                window.eq_ignore_ascii_case(wanted)
            } else {
                window == wanted
            }
        };
        line.as_bytes()
            .get(from..)?
            .windows(wanted.len())
            .position(found)
            .map(|at| at + from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::log::LogSource;

    fn store(text: &str) -> Store {
        let mut store = Store::default();
        store.read(LogSource::Stdout, text.as_bytes());
        store
    }

    #[test]
    fn small_letters_find_both_cases_and_capitals_only_themselves() {
        let store = store("Error one\nno\nerror 오류\n");
        assert_eq!(Search::new("error", &store).count(), 2);
        assert_eq!(Search::new("Error", &store).count(), 1);
        assert_eq!(Search::new("오류", &store).count(), 1);
        assert_eq!(Search::new("", &store).count(), 0);
        let places = Search::new("o", &store).places("one Oone");
        assert_eq!(places, [0..1, 4..5, 5..6]);
    }

    #[test]
    fn it_goes_round_and_catches_up() {
        let mut store = store("a\nb\na\nb\n");
        let mut search = Search::new("a", &store);
        assert_eq!(search.at_or_after(1), Some(2));
        assert_eq!(search.at_or_after(3), Some(0));
        assert_eq!(search.before(2), Some(0));
        assert_eq!(search.before(0), Some(2));
        store.read(LogSource::Stdout, b"a\na");
        search.catch_up(&store);
        assert_eq!(search.count(), 3, "the unfinished line is not counted yet");
        search.current = Some(4);
        assert_eq!(search.position(), Some(3));
    }
}
