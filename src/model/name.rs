//! The rule for a session's name (Backend.AI's own: 4 to 64 characters, first and last a letter,
//! digit or underscore, in between also `.` and `-`, ASCII only).

use thiserror::Error;

/// Why a name cannot be taken. Each message names the rule and the offending part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("the name '{0}' is too short: 4 to 64 characters")]
    Short(String),
    #[error("the name is too long ({0} characters): 4 to 64 characters")]
    Long(usize),
    #[error("the name must begin with a letter, a digit or _, not '{0}'")]
    Start(char),
    #[error("the name must end with a letter, a digit or _, not '{0}'")]
    End(char),
    #[error("the name must not hold '{0}': Latin letters, digits, '_', '-' and '.' only")]
    Middle(char),
}

/// Checks a session's name against the rule.
pub fn check(name: &str) -> Result<(), NameError> {
    let count = name.chars().count();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some(c) = name.chars().find(|c| !(word(*c) || matches!(c, '-' | '.'))) {
        return Err(NameError::Middle(
            super::text::Clean::new(&c.to_string())
                .as_str()
                .chars()
                .next()
                .unwrap_or('?'),
        ));
    }
    if count < 4 {
        return Err(NameError::Short(name.to_owned()));
    }
    if count > 64 {
        return Err(NameError::Long(count));
    }
    match (name.chars().next(), name.chars().next_back()) {
        (Some(c), _) if !word(c) => Err(NameError::Start(c)),
        (_, Some(c)) if !word(c) => Err(NameError::End(c)),
        _ => Ok(()),
    }
}

/// The name given when none was: eight random letters and digits and `-session`.
#[must_use]
pub fn generated() -> String {
    of(super::id::SessionId::random())
}

/// The name given when none was, to a session or sessions with this id.
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
        assert_eq!(check("세션세션"), Err(NameError::Middle('세')));
        assert_eq!(check(&generated()), Ok(()));
    }
}
