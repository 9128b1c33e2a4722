//! A launch done again: the settings of before, a fresh name, straight to the review.

use jiff::Timestamp;

use super::{Launcher, Page};
use crate::{
    app::{facts::Facts, mirror::Mirror, shown::Shown},
    model::{id::ContextName, spec::LaunchRequest},
};

const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
/// The longest name there can be.
const LONGEST: usize = 64;

impl Launcher {
    /// Filled with what was launched before. `name` is what that was called, when somebody named it.
    #[must_use]
    pub fn again(
        facts: &Facts,
        mirror: &Mirror,
        context: ContextName,
        (launch, name): (&LaunchRequest, Option<&str>),
        now: Timestamp,
    ) -> Self {
        let mut launcher = Self::new(facts, mirror, Shown::One(context), now);
        launcher.refill(launch, name);
        launcher.begun = launcher.request.clone();
        launcher.edited = false;
        launcher
    }

    /// Everything is filled in from `launch`, and reviewed.
    pub fn refill(&mut self, launch: &LaunchRequest, name: Option<&str>) {
        let mut launch = launch.clone();
        let taken = |name: &str| self.offer.taken.contains(name);
        let base = name.or(launch.name.as_deref());
        launch.name = base.map(|base| fresh(base, self.offer.now, taken));
        self.fill(&launch);
        self.edited = true;
        self.seen = [true; Page::ALL.len()];
        self.focus = [None; Page::ALL.len()];
        self.open(Page::Review);
        // It went without a folder before: that is not asked again.
        self.warned = self.request.mounts.is_empty();
    }
}

/// A name of its own for a session that is made like `base`: an ending of digits and letters in
/// turn, instead of one it has from here already.
fn fresh(base: &str, now: Timestamp, taken: impl Fn(&str) -> bool) -> String {
    let base = base
        .rsplit_once('-')
        .filter(|(_, end)| is_ours(end))
        .map_or(base, |(rest, _)| rest);
    let most = base.char_indices().nth(LONGEST - 5);
    let base = most.map_or(base, |(at, _)| &base[..at]);
    let seed = now.as_microsecond().unsigned_abs();
    let names = (0..1_000).map(|n| format!("{base}-{}", ending(seed.wrapping_add(n))));
    let mut names = names.skip_while(|name| taken(name));
    names.next().unwrap_or_else(|| base.to_owned())
}

fn ending(number: u64) -> String {
    // Neighbours in time look nothing alike.
    let mut rest = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    let mut text = String::new();
    for at in 0..4 {
        if at % 2 == 0 {
            text.push(char::from(b'0' + (rest % 10) as u8));
            rest /= 10;
        } else {
            text.push(char::from(LETTERS[(rest % 26) as usize]));
            rest /= 26;
        }
    }
    text
}

fn is_ours(end: &str) -> bool {
    let digit = |at: usize, c: char| {
        if at.is_multiple_of(2) {
            c.is_ascii_digit()
        } else {
            c.is_ascii_lowercase()
        }
    };
    end.chars().count() == 4 && end.chars().enumerate().all(|(at, c)| digit(at, c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::name;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_microsecond(micros).unwrap()
    }

    #[test]
    fn a_fresh_name_is_a_good_one() {
        let long = "x".repeat(64);
        for base in ["train", "my-data", "a1b2c3d4-session", "train-2024", &long] {
            let first = fresh(base, at(1_000_000), |_| false);
            assert_eq!(name::check(&first), Ok(()), "{first}");
            let kept = base.chars().take(59).collect::<String>();
            assert!(first.starts_with(&kept), "{first}");
            let second = fresh(&first, at(2_000_000), |_| false);
            assert_eq!(second.len(), first.len(), "endings pile up: {second}");
            assert_ne!(second, first);
        }
    }

    #[test]
    fn a_taken_one_is_not_given() {
        let first = fresh("train", at(7), |_| false);
        assert_ne!(fresh("train", at(7), |name| name == first), first);
    }
}
