//! The letters that choose a match.

/// In the order in which they are used: the home row first.
const LETTERS: &[u8; 26] = b"asdfghjklqwertyuiopzxcvbnm";

/// The most labels of one or two letters.
pub const MOST: usize = LETTERS.len() * LETTERS.len();

/// Returns up to [`MOST`] labels, the shortest first. No label begins with another one, so the last letter of a label
/// always chooses.
#[must_use]
pub fn labels(count: usize) -> Vec<String> {
    let count = count.min(MOST);
    let all = LETTERS.len();
    // As few letters as possible begin a label of two letters.
    let pairs = (count.saturating_sub(all)).div_ceil(all - 1);
    let letter = |at: usize| char::from(LETTERS[at]);
    let single = (0..all - pairs).map(|at| letter(at).to_string());
    let double = (all - pairs..all).flat_map(|first| {
        (0..all).map(move |second| format!("{}{}", letter(first), letter(second)))
    });
    single.chain(double).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_for_each_and_the_short_ones_come_first() {
        assert_eq!(labels(3), ["a", "s", "d"]);
        assert_eq!(labels(26).last().map(String::as_str), Some("m"));
        let more = labels(27);
        assert_eq!(more[24..], ["n", "ma", "ms"]);
        assert_eq!(labels(10_000).len(), MOST);
    }

    proptest::proptest! {
        #[test]
        fn they_are_unique_and_none_begins_with_another(count in 0usize..800) {
            let labels = labels(count);
            proptest::prop_assert_eq!(labels.len(), count.min(MOST));
            for (at, label) in labels.iter().enumerate() {
                for other in &labels[at + 1..] {
                    proptest::prop_assert!(!other.starts_with(label.as_str()));
                    proptest::prop_assert!(!label.starts_with(other.as_str()));
                }
            }
        }
    }
}
