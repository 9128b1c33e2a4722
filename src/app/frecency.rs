//! How often and how recently the entries of the command palette were used.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The number of entries whose use is kept.
const KEPT: usize = 200;
/// What one use adds, and the largest score.
const ONE: u32 = 1_000;
const MOST: u32 = 20 * ONE;
/// After this many seconds, a use counts half.
const HALF_LIFE: i64 = 7 * 24 * 3600;

/// The use of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryUse {
    /// The id of the entry: `action:session.shell`.
    pub id: String,
    /// When it was used last.
    pub at: Timestamp,
    /// The score at that time.
    pub score: u32,
}

impl EntryUse {
    fn score(&self, now: Timestamp) -> u32 {
        let age = (now.as_second() - self.at.as_second()).max(0);
        let halves = age / HALF_LIFE;
        let Ok(halves) = u32::try_from(halves).map(|it| it.min(31)) else {
            return 0;
        };
        // Linear between two halvings.
        let whole = i64::from(self.score >> halves);
        let rest = whole * (age % HALF_LIFE) / HALF_LIFE / 2;
        u32::try_from(whole - rest).unwrap_or(0)
    }
}

/// The uses of all entries, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Frecency {
    uses: Vec<EntryUse>,
}

impl Frecency {
    /// The score of an entry: 1000 for one use now, half of it after a week. 0 if it was never used.
    pub fn score(&self, id: &str, now: Timestamp) -> u32 {
        let used = self.uses.iter().find(|it| it.id == id);
        used.map_or(0, |it| it.score(now))
    }

    /// The scores of all used entries.
    pub fn scores(&self, now: Timestamp) -> impl Iterator<Item = (&str, u32)> {
        self.uses
            .iter()
            .map(move |it| (it.id.as_str(), it.score(now)))
    }

    /// Counts a use. The entry that wasn't used for the longest time is forgotten.
    pub fn used(&mut self, id: &str, now: Timestamp) {
        let score = (self.score(id, now) + ONE).min(MOST);
        self.uses.retain(|it| it.id != id);
        let excess = (self.uses.len() + 1).saturating_sub(KEPT);
        self.uses.drain(..excess);
        self.uses.push(EntryUse {
            id: id.to_owned(),
            at: now,
            score,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: i64) -> Timestamp {
        Timestamp::from_second(days * 24 * 3600).unwrap()
    }

    #[test]
    fn a_use_counts_half_after_a_week() {
        let mut frecency = Frecency::default();
        frecency.used("a", at(0));
        assert_eq!(frecency.score("a", at(0)), 1000);
        assert_eq!(frecency.score("a", at(7)), 500);
        assert_eq!(frecency.score("a", at(14)), 250);
        let between = frecency.score("a", at(3));
        assert!(between < 1000 && between > 500, "{between}");
        assert_eq!(frecency.score("b", at(0)), 0);
        assert_eq!(frecency.score("a", at(10_000)), 0);
    }

    #[test]
    fn frequent_and_recent_use_both_count() {
        let mut frecency = Frecency::default();
        for _ in 0..3 {
            frecency.used("often", at(0));
        }
        frecency.used("recent", at(6));
        assert!(frecency.score("often", at(6)) > frecency.score("recent", at(6)));
        assert!(frecency.score("often", at(28)) < 1000);
        for _ in 0..100 {
            frecency.used("recent", at(6));
        }
        assert_eq!(frecency.score("recent", at(6)), MOST);
    }

    #[test]
    fn the_oldest_use_is_forgotten_first() {
        let mut frecency = Frecency::default();
        for n in 0..KEPT + 5 {
            frecency.used(&format!("e{n}"), at(0));
        }
        assert_eq!(frecency.scores(at(0)).count(), KEPT);
        assert_eq!(frecency.score("e4", at(0)), 0);
        assert_eq!(frecency.score("e5", at(0)), ONE);
    }
}
