//! The prompt for the name of an image that is created from a running session.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    model::{id::SessionKey, notice::Level, request::SessionRequest, text::Clean},
    protocol::message::Request,
};

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

    /// Why the text can't be the image's name. An empty text isn't a problem before Enter.
    fn wrong(&self) -> Option<String> {
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

impl Panel for CommitForm {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.wrong().is_some() {
            return Vec::new();
        }
        let image = self.input.text().to_owned();
        let ask = Step::Ask {
            request: Request::session(
                self.session,
                SessionRequest::Commit {
                    image_name: image.clone(),
                    pause: false,
                },
            ),
            purpose: Purpose::toast(
                Level::Info,
                format!("creating the image {image} from {}", self.name),
            ),
        };
        vec![Step::CLOSE, ask]
    }

    fn problem(&self) -> Option<String> {
        self.wrong().filter(|_| !self.input.is_empty())
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: format!("Image name for {}", self.name),
            input: &self.input,
            note: "",
        })
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
            form.wrong()
        };
        for good in ["abcd", "my-image_1.0", &"x".repeat(32)] {
            assert_eq!(with(good), None, "{good}");
        }
        for bad in ["", "abc", "a b c", "이미지-이름", &"x".repeat(33)] {
            assert!(with(bad).is_some(), "{bad} was taken");
        }
    }
}
