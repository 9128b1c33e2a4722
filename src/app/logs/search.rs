//! Searches a log: what matches, where in a line, and the progress of the search.

use std::ops::Range;

use super::{errors, feed::Searched};

/// What a search looks for in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Lowercase letters match both cases, as in less and vim.
    Text { text: String, any_case: bool },
    /// Lines that look like an error.
    Errors,
}

impl Matcher {
    pub fn text(text: &str) -> Self {
        Self::Text {
            text: text.to_owned(),
            any_case: !text.chars().any(char::is_uppercase),
        }
    }

    pub fn matches(&self, line: &str) -> bool {
        self.find(line, 0).is_some()
    }

    /// All matches in a line, by byte.
    pub fn places(&self, line: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(place) = self.find(line, from) {
            from = place.end;
            places.push(place);
        }
        places
    }

    /// The first match at or after a byte. Ignores only the case of ASCII, so that bytes can be compared.
    fn find(&self, line: &str, from: usize) -> Option<Range<usize>> {
        let (text, any_case) = match self {
            Self::Text { text, any_case } => (text.as_bytes(), *any_case),
            Self::Errors => return (from == 0).then(|| errors::find(line)).flatten(),
        };
        let first = *text.first()?;
        let both = if any_case {
            [first.to_ascii_lowercase(), first.to_ascii_uppercase()]
        } else {
            [first, first]
        };
        let line = line.as_bytes();
        let last = line.len().checked_sub(text.len())?;
        let mut from = from;
        while from <= last {
            let at = from + line[from..=last].iter().position(|it| both.contains(it))?;
            let there = &line[at..at + text.len()];
            if there == text || any_case && there.eq_ignore_ascii_case(text) {
                return Some(at..at + text.len());
            }
            from = at + 1;
        }
        None
    }
}

/// An active search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    pub matcher: Matcher,
    pub(super) id: u64,
    pub state: Searched,
    /// The line of the last match that the view went to.
    pub current: Option<u64>,
    /// The next match has been requested.
    pub(super) seeks: bool,
}

impl Search {
    pub(super) fn new(id: u64, matcher: Matcher) -> Self {
        Self {
            matcher,
            id,
            state: Searched::default(),
            current: None,
            seeks: true,
        }
    }

    /// The name of the search in the status line.
    pub fn name(&self) -> String {
        match &self.matcher {
            Matcher::Text { text, .. } => format!("/{text}"),
            Matcher::Errors => tr!("errors").to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_find_both_cases_and_capitals_only_themselves() {
        let lines = ["Error one", "no", "error 오류"];
        let count = |text: &str| {
            let matcher = Matcher::text(text);
            lines.iter().filter(|line| matcher.matches(line)).count()
        };
        assert_eq!(count("error"), 2);
        assert_eq!(count("Error"), 1);
        assert_eq!(count("오류"), 1);
        assert_eq!(count(""), 0);
        assert_eq!(count("longer than each of the lines"), 0);
        let places = Matcher::text("o").places("one Oone");
        assert_eq!(places, [0..1, 4..5, 5..6]);
        assert_eq!(Matcher::text("aab").places("aaab aab"), [1..4, 5..8]);
    }

    #[test]
    fn a_line_about_no_errors_is_none() {
        let places = |line: &str| Matcher::Errors.places(line);
        assert!(places("epoch 1: 0 errors, error_rate 0.1").is_empty());
        assert_eq!(places("ValueError: no").first(), Some(&(5..11)));
    }
}
