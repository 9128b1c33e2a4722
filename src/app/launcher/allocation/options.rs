//! One of a few options, changed with the left and right keys.

/// One of a few options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectOption {
    pub title: String,
    /// A note about the option.
    pub note: String,
    /// Why the option isn't possible.
    pub why_not: Option<String>,
}

impl SelectOption {
    #[must_use]
    pub fn new(title: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            note: note.into(),
            why_not: None,
        }
    }

    #[must_use]
    pub fn unless(self, why_not: Option<String>) -> Self {
        Self { why_not, ..self }
    }
}

/// The next possible option in a ring. Returns `at` if there is no other.
pub fn turned(options: &[SelectOption], at: usize, forward: bool) -> usize {
    let count = options.len();
    let by = if forward { 1 } else { count.saturating_sub(1) };
    let mut next = at;
    for _ in 0..count {
        next = (next + by) % count;
        if options[next].why_not.is_none() {
            return next;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_chosen_is_passed_over() {
        let why = |no: bool| no.then(|| "no".to_owned());
        let options: Vec<SelectOption> = [false, true, false]
            .map(|no| SelectOption::new("", "").unless(why(no)))
            .into();
        assert_eq!(turned(&options, 0, true), 2);
        assert_eq!(turned(&options, 2, true), 0);
        assert_eq!(turned(&options, 0, false), 2);
        assert_eq!(turned(&options[1..2], 0, true), 0);
        assert_eq!(turned(&[], 0, true), 0);
    }
}
