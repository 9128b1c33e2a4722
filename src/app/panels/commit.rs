//! The prompt for the name of an image that is created from a running session.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    key::{Key, KeyCode},
    model::{
        id::SessionKey, notice::Level, own_image, request::SessionRequest, session::Session,
        text::Clean,
    },
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct CommitForm {
    pub session: SessionKey,
    pub name: Clean,
    pub input: Input,
    /// Whether the session's programs wait meanwhile; `None` = the engine doesn't let users choose.
    pub pause: Option<bool>,
}

impl CommitForm {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        // Only sessions on this machine's engines tell where their home directory is.
        let chooses = session.home.is_some();
        Self {
            session: session.key(),
            name: session.name.clone(),
            input: Input::default(),
            pause: chooses.then_some(false),
        }
    }

    /// Why the text can't be the image's name. An empty text isn't a problem before Enter.
    fn wrong(&self) -> Option<String> {
        own_image::check_name(self.input.text()).err()
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
                    pause: self.pause == Some(true),
                },
            ),
            purpose: Purpose::toast(
                Level::Info,
                format!("creating the image {image} from {}", self.name),
            ),
        };
        vec![Step::CLOSE, ask]
    }

    /// Tab chooses between a running and a paused session.
    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        match &mut self.pause {
            Some(pause) if key == Key::plain(KeyCode::Tab) => {
                *pause = !*pause;
                Some(Vec::new())
            }
            _ => self.input.key(key).then(Vec::new),
        }
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
    use crate::app::testing::{TestEnv, session};

    /// What Enter requests: the name and whether to pause.
    fn asked(form: &mut CommitForm) -> Option<(String, bool)> {
        let steps = form.submit(&TestEnv::default().env());
        steps.into_iter().find_map(|it| match it {
            Step::Ask {
                request:
                    Request::Session {
                        request: SessionRequest::Commit { image_name, pause },
                        ..
                    },
                ..
            } => Some((image_name, pause)),
            _ => None,
        })
    }

    #[test]
    fn only_a_good_name_is_requested_and_tab_pauses() {
        let mut it = session(1, "train");
        it.home = Some("/scratch/x".to_owned());
        let mut form = CommitForm::new(&it);
        form.input.set("abc");
        assert_eq!(asked(&mut form), None);
        assert!(form.problem().unwrap().contains("4 to 32"));
        form.input.set("my-image_1.0");
        assert_eq!(asked(&mut form), Some(("my-image_1.0".to_owned(), false)));
        let (tab, env) = (Key::plain(KeyCode::Tab), TestEnv::default());
        form.key(tab, &env.env());
        assert_eq!(asked(&mut form), Some(("my-image_1.0".to_owned(), true)));
        // A manager doesn't let users choose.
        it.home = None;
        let mut form = CommitForm::new(&it);
        form.input.set("my-image");
        form.key(tab, &env.env());
        assert_eq!(asked(&mut form), Some(("my-image".to_owned(), false)));
    }
}
