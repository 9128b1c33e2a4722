//! Decides which context a command uses.

use super::{
    Start,
    fail::{Fail, code},
};
use crate::{
    config::contexts::Contexts,
    model::{id::ContextName, nearest::nearest, selector::TypedSession, text::Clean},
    protocol::message::Snapshot,
};

/// What the command line and the configuration say about the context.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    requested: Option<&'a str>,
    contexts: &'a Contexts,
}

impl<'a> Choice<'a> {
    pub fn of(start: &'a Start) -> Self {
        Self {
            requested: start.requested_context.as_deref(),
            contexts: &start.contexts,
        }
    }

    /// The context in force, as far as it is known without the daemon.
    pub fn configured(&self) -> Result<ContextName, Fail> {
        let Some(name) = self.requested else {
            return Ok(self.contexts.default);
        };
        self.contexts.named(name).map_err(not_found)
    }

    /// The context in force. The daemon must know it.
    pub fn context(&self, snapshot: &Snapshot) -> Result<ContextName, Fail> {
        match self.requested {
            Some(name) => self.named(name, snapshot),
            None => self.named(self.contexts.default.as_str(), snapshot),
        }
    }

    /// The context of a session, and the rest of the text.
    pub fn session<'t>(
        &self,
        text: &'t str,
        snapshot: &Snapshot,
    ) -> Result<(ContextName, &'t str), Fail> {
        let selector = TypedSession::read(text);
        let context = match selector.context {
            Some(name) => self.named(name, snapshot)?,
            None => self.context(snapshot)?,
        };
        Ok((context, selector.session))
    }

    fn named(&self, name: &str, snapshot: &Snapshot) -> Result<ContextName, Fail> {
        let known: Vec<ContextName> = snapshot.contexts.iter().map(|s| s.context.name).collect();
        if let Some(found) = known.iter().find(|known| known.as_str() == name) {
            return Ok(*found);
        }
        if self.contexts.named(name).is_ok() {
            let fail = not_found(tr!(
                "the daemon doesn't know context '{name}' yet: the context was added after the \
                 daemon started",
                name
            ));
            return Err(fail.hint(tr!(
                "run `workbay daemon stop` (sessions and shells keep running), then try again"
            )));
        }
        let words: Vec<&str> = known.iter().map(ContextName::as_str).collect();
        let shown = Clean::new(name);
        let fail = not_found(tr!("context '{shown}' not found", shown));
        Err(match nearest(name, &words) {
            Some(near) => fail.hint(tr!("did you mean '{near}'?", near)),
            None => fail.hint(tr!("configured: {words}", words = words.join(", "))),
        })
    }
}

fn not_found(why: String) -> Fail {
    Fail::new(code::NOT_FOUND, why)
}
