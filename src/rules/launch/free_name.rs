//! Finds a name for a session that is launched again.

use crate::rules::launch::check::names;

/// The max length of a name.
const LONGEST: usize = 64;
/// The length of `-100`, the suffix of the last of many copies.
const LONGEST_NUMBER: usize = 4;

/// `name` if it is free for that many copies, else with the next free number: `train-2`, `train-3`.
#[must_use]
pub fn free_name(name: &str, copies: u32, taken: impl Fn(&str) -> bool) -> String {
    let free = |name: &String| !names(name, copies).iter().any(|it| taken(it));
    let own = name.to_owned();
    if free(&own) {
        return own;
    }
    let stem = stem(name, &taken);
    let mut numbered = (2..=u32::MAX).map(|number| with_number(stem, number, copies));
    numbered.find(free).unwrap_or(own)
}

/// The name without a number that this module added, which is the case if the name without it is also taken.
fn stem(name: &str, taken: impl Fn(&str) -> bool) -> &str {
    let number = |end: &str| end.parse::<u32>().is_ok_and(|number| number > 1);
    name.rsplit_once('-')
        .filter(|(rest, end)| number(end) && taken(rest))
        .map_or(name, |(rest, _)| rest)
}

/// Adds the number, and shortens the stem if the name would be too long.
fn with_number(stem: &str, number: u32, copies: u32) -> String {
    let ending = format!("-{number}");
    let further = if copies > 1 { LONGEST_NUMBER } else { 0 };
    let kept = LONGEST - ending.len() - further;
    let mut name: String = stem.chars().take(kept).collect();
    name.push_str(&ending);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::name;

    fn free_among(taken: &[&str], name: &str, copies: u32) -> String {
        free_name(name, copies, |it| taken.contains(&it))
    }

    #[test]
    fn a_free_name_is_kept() {
        assert_eq!(free_among(&[], "train", 1), "train");
        assert_eq!(free_among(&["train"], "train-2", 1), "train-2");
        // A name that is taken for a single session is free for copies, and vice versa.
        assert_eq!(free_among(&["train"], "train", 2), "train");
        assert_eq!(free_among(&["train-1"], "train", 1), "train");
    }

    #[test]
    fn a_taken_one_gets_the_next_free_number() {
        assert_eq!(free_among(&["train"], "train", 1), "train-2");
        assert_eq!(free_among(&["train", "train-2"], "train", 1), "train-3");
        assert_eq!(free_among(&["train-1"], "train", 2), "train-2");
        // Numbers don't accumulate, and a number that the user chose stays.
        assert_eq!(free_among(&["train", "train-2"], "train-2", 1), "train-3");
        assert_eq!(free_among(&["resnet-50"], "resnet-50", 1), "resnet-50-2");
    }

    #[test]
    fn it_keeps_the_rule_for_names() {
        let long = "x".repeat(64);
        for name in [free_among(&[&long], &long, 1), free_among(&[], &long, 1)] {
            assert_eq!(name::check(&name), Ok(()));
        }
        let first = format!("{long}-1");
        let name = free_among(&[&first], &long, 100);
        for name in names(&name, 100) {
            assert_eq!(name::check(&name), Ok(()));
        }
        assert_ne!(name, long);
    }
}
