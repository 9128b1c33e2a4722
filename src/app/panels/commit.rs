//! The prompt for the name of an image that is created from a running session.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    key::{Key, KeyCode},
    model::{
        environment::Environment, id::SessionKey, notice::Level, own_image,
        request::SessionRequest, session::Session, text::Clean,
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
    /// The names of your images of this context.
    pub own: Vec<Clean>,
    /// How many of them you may have; `None` = any number, or the engine doesn't report it.
    pub limit: Option<usize>,
}

impl CommitForm {
    /// `environments` are those of the session's context, `limit` is that of this machine's engines (0 = any number).
    #[must_use]
    pub fn new(session: &Session, environments: &[Environment], limit: u32) -> Self {
        let all = environments.iter();
        let own = all.filter_map(|it| it.facts.customized.as_ref());
        let own = own.filter(|it| it.owner.is_none());
        // Only sessions on this machine's engines tell where their home directory is.
        let chooses = session.home.is_some();
        Self {
            session: session.key(),
            name: session.name.clone(),
            input: Input::default(),
            pause: chooses.then_some(false),
            own: own.map(|it| it.name.clone()).collect(),
            limit: (chooses && limit > 0).then_some(limit as usize),
        }
    }

    /// Whether you have as many images as you may have.
    pub fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.own.len() >= limit)
    }

    /// `2 of 3 used`.
    pub fn used(&self) -> String {
        match (self.own.len(), self.limit) {
            (count, Some(limit)) => tr!("{count} of {limit} used", count, limit),
            (0, None) => tr!("none yet").to_owned(),
            (count, None) => count.to_string(),
        }
    }

    /// Why no image of this name can be created. An empty text isn't a problem before Enter.
    fn wrong(&self) -> Option<String> {
        if self.is_full() {
            return Some(tr!(
                "{used}. Remove one in the launcher, or with `workbay image rm NAME`",
                used = self.used()
            ));
        }
        if self.own.iter().any(|it| it.as_str() == self.input.text()) {
            return Some(tr!(
                "you have an image '{input}'",
                input = self.input.text()
            ));
        }
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
                tr!(
                    "creating the image {image} from {name}",
                    image,
                    name = self.name
                ),
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
        self.wrong()
            .filter(|_| self.is_full() || !self.input.is_empty())
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!("Image name for {name}", name = self.name),
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
        let mut form = CommitForm::new(&it, &[], 3);
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
        let mut form = CommitForm::new(&it, &[], 3);
        form.input.set("my-image");
        form.key(tab, &env.env());
        assert_eq!(asked(&mut form), Some(("my-image".to_owned(), false)));
    }

    #[test]
    fn at_the_limit_nothing_is_requested_and_the_reason_is_shown() {
        let mut it = session(1, "train");
        it.home = Some("/scratch/x".to_owned());
        let mut form = CommitForm::new(&it, &[], 2);
        form.own = vec!["first".into()];
        assert_eq!(form.used(), "1 of 2 used");
        form.input.set("first");
        assert_eq!(asked(&mut form), None);
        assert!(form.problem().unwrap().contains("you have an image"));
        form.input.set("second");
        assert_eq!(asked(&mut form), Some(("second".to_owned(), false)));
        form.own.push("second".into());
        form.input.set("");
        assert!(
            form.problem()
                .unwrap()
                .starts_with("2 of 2 used. Remove one")
        );
        form.input.set("third");
        assert_eq!(asked(&mut form), None);
        // A manager has a limit of its own, which it reports only when it refuses.
        it.home = None;
        assert!(!CommitForm::new(&it, &[], 0).is_full());
        assert_eq!(CommitForm::new(&it, &[], 2).used(), "none yet");
    }
}
