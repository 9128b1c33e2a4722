//! The version of this program, and the comparison of two versions.

use std::{cmp::Ordering, sync::OnceLock};

/// This program's version.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| pretended().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()))
}

/// Tests don't have two releases: a copy of a debug build reports the version in the file `NAME.version` next
/// to it.
fn pretended() -> Option<String> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let beside = std::env::current_exe().ok()?.with_extension("version");
    let text = std::fs::read_to_string(beside).ok()?;
    Some(text.trim().to_owned())
}

/// Compares two versions by the rules of semantic versioning: a version with a suffix after `-` is older than
/// the same one without it, and a suffix after `+` is ignored.
pub fn compare(one: &str, other: &str) -> Ordering {
    let parts = |text: &str| {
        let text = text.split('+').next().unwrap_or_default();
        let (numbers, word) = match text.split_once('-') {
            Some((numbers, word)) => (numbers, Some(word.to_owned())),
            None => (text, None),
        };
        let numbers: Vec<u64> = numbers
            .split('.')
            .map(|number| number.parse().unwrap_or(0))
            .collect();
        (numbers, word)
    };
    let ((one, one_word), (other, other_word)) = (parts(one), parts(other));
    one.cmp(&other).then_with(|| match (one_word, other_word) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => one.cmp(&other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (older, newer) in [
            ("0.1.0", "0.1.1"),
            ("0.9.0", "0.10.0"),
            ("0.2.0-rc1", "0.2.0"),
            ("0.2.0-rc1", "0.2.0-rc2"),
            ("0.1.9", "0.2.0-rc1"),
        ] {
            assert_eq!(compare(older, newer), Ordering::Less, "{older} {newer}");
            assert_eq!(compare(newer, older), Ordering::Greater, "{newer} {older}");
        }
        assert_eq!(compare("1.0.0+a", "1.0.0+b"), Ordering::Equal);
    }
}
