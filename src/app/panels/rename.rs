//! The prompt for another name of a session.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        mirror::Mirror,
        step::{Purpose, Step},
    },
    model::{id::SessionKey, name, request::SessionRequest, text::Clean},
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct Rename {
    pub session: SessionKey,
    pub old: Clean,
    pub input: Input,
    /// Why the engine refused the typed name.
    pub refused: Option<Refused>,
}

/// A refused name and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    name: String,
    why: Clean,
}

impl Rename {
    #[must_use]
    pub fn new(session: SessionKey, old: &Clean) -> Self {
        Self {
            session,
            old: old.clone(),
            input: Input::with_marked(old.as_str()),
            refused: None,
        }
    }

    /// Restores the prompt with the refused name and the reason.
    #[must_use]
    pub fn again(session: SessionKey, old: &Clean, name: &str, why: Clean) -> Self {
        let name = name.to_owned();
        Self {
            input: Input::with_text(&name),
            refused: Some(Refused { name, why }),
            ..Self::new(session, old)
        }
    }

    /// Why the text can't be the name, shown while you type.
    fn wrong(&self) -> Option<String> {
        let refused = self.refused.as_ref();
        let refused = refused.filter(|it| it.name == self.input.text());
        name::check(self.input.text())
            .err()
            .map(|error| error.to_string())
            .or_else(|| refused.map(|it| it.why.to_string()))
    }

    fn is_unchanged(&self) -> bool {
        self.old == *self.input.text()
    }

    /// Why the session can't have the name: another one that hasn't ended has it.
    fn taken(&self, mirror: &Mirror) -> Option<Clean> {
        let (session, name) = (self.session, self.input.text());
        let mut sessions = mirror.sessions();
        let taken = sessions.any(|it| {
            let other = it.context == session.context && it.key() != session;
            other && !it.has_ended() && it.name == *name
        });
        taken.then(|| Clean::new(&tr!("the name {name} is already taken", name)))
    }
}

impl Panel for Rename {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.wrong().is_some() {
            return Vec::new();
        }
        let name = self.input.text().to_owned();
        if let Some(why) = self.taken(env.mirror) {
            *self = Self::again(self.session, &self.old, &name, why);
            return Vec::new();
        }
        let ask = (!self.is_unchanged()).then(|| Step::Ask {
            request: Request::session(self.session, SessionRequest::Rename { name: name.clone() }),
            purpose: Purpose::Rename {
                session: self.session,
                name: self.old.clone(),
                new: name,
            },
        });
        [Step::CLOSE].into_iter().chain(ask).collect()
    }

    fn problem(&self) -> Option<String> {
        self.wrong()
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!("Rename {old} to:", old = self.old),
            input: &self.input,
            note: "",
        })
    }
}
