//! The fuzzy search in the entries of the palette.

use std::collections::HashMap;

use jiff::Timestamp;
use nucleo_matcher::{
    Config, Matcher,
    pattern::{CaseMatching, Normalization, Pattern},
};

use super::entry::{EntryKind, PaletteEntry};
use crate::app::frecency::Frecency;

/// The most that frequent use adds to the score of a match. A letter at the beginning of a word scores about 26.
const MOST_BY_USE: u32 = 60;

/// The entries that match a typed text, the best first.
pub struct Search {
    matcher: Matcher,
    pattern: Pattern,
    kind: Option<EntryKind>,
    typed: String,
    /// Positions in the list of all entries.
    found: Vec<u32>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            matcher: Matcher::new(Config::DEFAULT),
            pattern: Pattern::default(),
            kind: None,
            typed: String::new(),
            found: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search")
            .field("typed", &self.typed)
            .finish_non_exhaustive()
    }
}

/// The kind that a text is restricted to, and the text without its prefix.
pub fn split(typed: &str) -> (Option<EntryKind>, &str) {
    let first = typed.chars().next().and_then(EntryKind::of_prefix);
    match first {
        Some(kind) => (Some(kind), typed[kind.prefix().len_utf8()..].trim_start()),
        None => (None, typed),
    }
}

impl Search {
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    /// The kind that the list is restricted to.
    pub fn kind(&self) -> Option<EntryKind> {
        self.kind
    }

    /// Searches again. With `narrows`, entries that didn't match before aren't looked at.
    pub fn search(
        &mut self,
        typed: &str,
        entries: &[PaletteEntry],
        uses: &Frecency,
        (now, narrows): (Timestamp, bool),
    ) {
        let (kind, words) = split(typed);
        let narrows = narrows && kind == self.kind && narrower(&self.typed, words);
        let before = std::mem::take(&mut self.found);
        self.kind = kind;
        words.clone_into(&mut self.typed);
        self.pattern = Pattern::parse(words, CaseMatching::Smart, Normalization::Smart);
        let used: HashMap<&str, u32> = uses.scores(now).collect();
        let of_use = |entry: &PaletteEntry| used.get(entry.id.as_str()).copied().unwrap_or(0);
        let all = 0..u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let looked_at = if narrows { before } else { all.collect() };
        let scored = looked_at.into_iter().filter_map(|at| {
            let entry = entries.get(at as usize)?;
            if kind.is_some_and(|kind| kind != entry.kind) {
                return None;
            }
            let by_use = of_use(entry);
            if words.is_empty() {
                return Some((by_use, at));
            }
            let score = self
                .pattern
                .score(entry.text().slice(..), &mut self.matcher)?;
            Some((score + (by_use / 100).min(MOST_BY_USE), at))
        });
        let mut scored: Vec<(u32, u32)> = scored.collect();
        // Equal ones stay in the order of the list.
        scored.sort_unstable_by(|(one, at), (other, other_at)| {
            other.cmp(one).then_with(|| at.cmp(other_at))
        });
        self.found = scored.into_iter().map(|(_, at)| at).collect();
    }

    /// The characters of title and detail that match, as positions in `TITLE DETAIL`.
    pub fn hits(&self, entry: &PaletteEntry) -> Vec<usize> {
        let mut found = Vec::new();
        let mut matcher = Matcher::new(Config::DEFAULT);
        self.pattern
            .indices(entry.text().slice(..), &mut matcher, &mut found);
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| at as usize).collect()
    }
}

/// Whether each entry that matches `typed` also matched `before`. Marks with a meaning (`!`, `^`, `'`, `$`, `\`) can
/// make a longer text match more.
fn narrower(before: &str, typed: &str) -> bool {
    let plain = |text: &str| !text.contains(['!', '^', '\'', '$', '\\']);
    typed.starts_with(before) && plain(typed)
}
