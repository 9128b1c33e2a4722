//! The rule for the name of a session: 4 to 64 characters. The first and the last one are a letter, digit or
//! underscore, and the others may also be `.` and `-`. Letters of any script are allowed, but a Backend.AI
//! manager accepts only Latin ones ([`foreign`]).

use std::fmt;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::text::is_hidden;

/// Why a name isn't valid. Each message names the rule and the offending part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    Short(String),
    Long(usize),
    Start(char),
    End(char),
    Middle(char),
    Foreign(char),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Short(name) => {
                tr!("the name '{name}' is too short. Use 4 to 64 characters", name)
            }
            Self::Long(count) => tr!("the name has {count} characters. Use 4 to 64", count),
            Self::Start(c) => tr!(
                "the name begins with '{c}'. Begin it with a letter, a digit or _",
                c
            ),
            Self::End(c) => tr!(
                "the name ends with '{c}'. End it with a letter, a digit or _",
                c
            ),
            Self::Middle(c) => tr!(
                "'{c}' isn't allowed in a name. Use letters, digits, '_', '-' and '.'",
                c
            ),
            Self::Foreign(c) => tr!(
                "'{c}' isn't allowed in a name on a cluster. Use Latin letters, digits, '_', '-' and '.'",
                c
            ),
        })
    }
}

impl std::error::Error for NameError {}

/// Checks a session's name against the rule.
pub fn check(name: &str) -> Result<(), NameError> {
    let count = name.chars().count();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let fine = |c: char| word(c) || matches!(c, '-' | '.') || is_mark(c);
    if let Some(c) = name.chars().find(|c| !fine(*c) || is_hidden(*c)) {
        return Err(NameError::Middle(shown(c)));
    }
    // A syllable or an ideograph counts as two letters, like its width.
    if name.width() < 4 {
        return Err(NameError::Short(name.to_owned()));
    }
    if count > 64 {
        return Err(NameError::Long(count));
    }
    match (name.chars().next(), name.chars().next_back()) {
        (Some(c), _) if !word(c) => Err(NameError::Start(c)),
        (_, Some(c)) if !word(c) && !is_mark(c) => Err(NameError::End(c)),
        _ => Ok(()),
    }
}

/// The first character that a Backend.AI manager doesn't accept.
pub fn foreign(name: &str) -> Option<char> {
    name.chars().find(|c| !c.is_ascii()).map(shown)
}

/// Checks a name for a Backend.AI manager.
pub fn check_latin(name: &str) -> Result<(), NameError> {
    match foreign(name) {
        Some(c) => Err(NameError::Foreign(c)),
        None => check(name),
    }
}

/// Whether it is a mark that combines with the letter before it, as in decomposed Korean or Indic scripts.
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.width() == Some(0) && !is_hidden(c)
}

fn shown(c: char) -> char {
    let clean = super::text::Clean::new(&c.to_string());
    clean.as_str().chars().next().unwrap_or('?')
}

/// A default name: eight random letters and digits and `-session`.
#[must_use]
pub fn generated() -> String {
    of(super::id::SessionId::random())
}

/// The default name of a session, or of sessions launched together, with this id.
#[must_use]
pub fn of(id: super::id::SessionId) -> String {
    let mut name = id.short();
    name.push_str("-session");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        for good in ["abcd", "my-session.1", "_ab_", &"x".repeat(64)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("abc"), Err(NameError::Short("abc".into())));
        assert_eq!(check(""), Err(NameError::Short(String::new())));
        assert_eq!(check(&"x".repeat(65)), Err(NameError::Long(65)));
        assert_eq!(check("-abc"), Err(NameError::Start('-')));
        assert_eq!(check("abc."), Err(NameError::End('.')));
        assert_eq!(check("ab cd"), Err(NameError::Middle(' ')));
        for good in ["학습", "데이터-전처리.2", "naïve", "e\u{301}tudes"] {
            assert_eq!(check(good), Ok(()), "{good}");
            assert!(check_latin(good).is_err(), "{good}");
        }
        assert_eq!(check("학"), Err(NameError::Short("학".into())));
        assert_eq!(check_latin("학습"), Err(NameError::Foreign('학')));
        assert_eq!(check("ab\u{202e}cd"), Err(NameError::Middle('?')));
        assert_eq!(check("학습/1"), Err(NameError::Middle('/')));
        assert_eq!(check_latin("abcd"), Ok(()));
        assert_eq!(check(&generated()), Ok(()));
    }
}
