//! Suggestions for misspelled words.

/// The known word nearest to a misspelled one, if one is near enough to suggest.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let allowed = |name: &str| (name.chars().count() / 3).max(1);
    known
        .iter()
        // Each letter more or less is one step, so these are too far away whatever their letters are.
        .filter(|name| name.chars().count().abs_diff(length) <= allowed(name))
        .map(|name| {
            let distance = strsim::damerau_levenshtein(&word, &name.to_lowercase());
            (distance, *name)
        })
        .filter(|(distance, name)| *distance <= allowed(name))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_offered() {
        assert_eq!(nearest("them", &["theme", "keymap"]), Some("theme"));
        assert_eq!(
            nearest("sesions.refesh", &["sessions.refresh"]),
            Some("sessions.refresh")
        );
        assert_eq!(nearest("colour", &["theme", "keymap"]), None);
    }
}
