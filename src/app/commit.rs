//! An image made of a running session: its name, typed in one line.

use super::input::Input;
use crate::model::{id::SessionKey, text::Clean};

#[derive(Clone, Debug)]
pub struct CommitForm {
    pub session: SessionKey,
    pub name: Clean,
    pub input: Input,
}

impl CommitForm {
    #[must_use]
    pub fn new(session: SessionKey, name: &Clean) -> Self {
        Self {
            session,
            name: name.clone(),
            input: Input::default(),
        }
    }

    /// Why the text cannot be the image's name; nothing is said of an empty one before Enter.
    pub fn problem(&self) -> Option<String> {
        let text = self.input.text();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if let Some(bad) = text.chars().find(|c| !fits(*c)) {
            return Some(format!(
                "'{bad}' isn't allowed in the image name. Use letters, digits, '.', '-' and '_'"
            ));
        }
        match text.chars().count() {
            4..=32 => None,
            0..4 => Some("the image name must have 4 to 32 characters".to_owned()),
            n => Some(format!(
                "the image name has {n} characters (4 to 32 allowed)"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::SessionId;

    #[test]
    fn the_rule_of_an_images_name() {
        let with = |text: &str| {
            let key = SessionKey::local(SessionId::from_u128(1));
            let mut form = CommitForm::new(key, &Clean::new("train"));
            form.input.set(text);
            form.problem()
        };
        for good in ["abcd", "my-image_1.0", &"x".repeat(32)] {
            assert_eq!(with(good), None, "{good}");
        }
        for bad in ["", "abc", "a b c", "이미지-이름", &"x".repeat(33)] {
            assert!(with(bad).is_some(), "{bad} was taken");
        }
    }
}
