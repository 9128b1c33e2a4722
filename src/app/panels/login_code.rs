//! The prompt for the one-time password that the login of a context needs.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    locale,
    model::{id::ContextName, notice::Level, one_time_code::OneTimeCode, request::ContextRequest},
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct LoginCode {
    context: ContextName,
    input: Input,
}

impl LoginCode {
    /// A prompt for the first shown context that needs a code, `None` if there is none.
    #[must_use]
    pub fn new(env: &PanelEnv<'_>) -> Option<Self> {
        let mut shown = env.mirror.shown(env.shown);
        let state = shown.find(|state| state.engine.needs_code())?;
        Some(Self {
            context: state.context.name,
            input: Input::default(),
        })
    }
}

impl Panel for LoginCode {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let Ok(code) = OneTimeCode::parse(self.input.text()) else {
            return Vec::new();
        };
        let login = Step::Ask {
            request: Request::context(self.context, ContextRequest::LogIn { code }),
            purpose: Purpose::toast(
                Level::Success,
                tr!("logged in to {context}", context = self.context),
            ),
        };
        vec![Step::CLOSE, login]
    }

    fn problem(&self) -> Option<String> {
        let wrong = OneTimeCode::parse(self.input.text()).err();
        wrong
            .filter(|_| !self.input.is_empty())
            .map(|why| locale::text(why).to_owned())
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!("One-time password for {context}:", context = self.context),
            input: &self.input,
            note: tr!("6 digits of your authenticator"),
        })
    }
}
