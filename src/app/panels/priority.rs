//! The prompt for another priority of a waiting session.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    model::{
        id::SessionKey, notice::Level, priority, request::SessionRequest, session::Session,
        spec::PRIORITY, text::Clean,
    },
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct PriorityForm {
    pub session: SessionKey,
    pub name: Clean,
    pub input: Input,
    old: i32,
}

impl PriorityForm {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        let old = session.placement.priority.unwrap_or(PRIORITY);
        Self {
            session: session.key(),
            name: session.name.clone(),
            input: Input::with_marked(&old.to_string()),
            old,
        }
    }

    /// # Errors
    /// Why the text isn't a valid priority, shown while you type.
    pub fn wanted(&self) -> Result<i32, String> {
        priority::parse(self.input.text())
    }
}

/// Requests another priority.
pub fn ask(session: SessionKey, name: &Clean, priority: i32) -> Step {
    let done = tr!("{name} has priority {priority}", name, priority);
    Step::Ask {
        request: Request::session(session, SessionRequest::Priority { priority }),
        purpose: Purpose::toast(Level::Info, done),
    }
}

impl Panel for PriorityForm {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let Ok(wanted) = self.wanted() else {
            return Vec::new();
        };
        let ask = (wanted != self.old).then(|| ask(self.session, &self.name, wanted));
        [Step::CLOSE].into_iter().chain(ask).collect()
    }

    fn problem(&self) -> Option<String> {
        self.wanted().err()
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!("Priority of {name} (0 to 100):", name = self.name),
            input: &self.input,
            note: tr!("highest first"),
        })
    }
}
