//! What lies on top of the wizard: a question, what a field means, a path to type.

use super::{Row, help::Topic};
use crate::{
    action::Action,
    app::{confirm::Button, input::Input},
};

#[derive(Clone, Debug)]
pub enum Overlay {
    Question(Question),
    /// What something means.
    Explain(Topic),
    Prompt(Box<Prompt>),
}

/// A question; the harmless button is marked at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub text: String,
    /// What a yes does, in a word.
    pub yes: &'static str,
    pub about: About,
    pub button: Button,
}

/// What a yes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Reset,
    Close,
    /// The form of the page asked, of this row.
    Form(Row),
}

impl Question {
    pub fn new(about: About, text: impl Into<String>) -> Self {
        let yes = match about {
            About::Reset => "Reset",
            About::Close => "Close",
            About::Form(_) => "Yes",
        };
        Self {
            text: text.into(),
            yes,
            about,
            button: Button::No,
        }
    }

    /// `Some` when it is answered.
    pub fn action(&mut self, action: Action) -> Option<bool> {
        match action {
            Action::ConfirmYes => return Some(true),
            Action::ConfirmNo => return Some(false),
            Action::ConfirmPress => return Some(self.button == Button::Yes),
            Action::ConfirmToggle => {
                self.button = match self.button {
                    Button::No => Button::Yes,
                    Button::Yes => Button::No,
                };
            }
            _ => {}
        }
        None
    }
}

/// What a typed path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    OpenRecipe,
    SaveRecipe,
}

/// A path being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub what: For,
    pub input: Input,
    /// Why it did not go.
    pub problem: Option<String>,
}

impl Prompt {
    pub fn open() -> Self {
        Self {
            what: For::OpenRecipe,
            input: Input::default(),
            problem: None,
        }
    }

    /// `name`: the session's, for the file's.
    pub fn save(name: Option<&str>) -> Self {
        let path = format!("{}.toml", name.unwrap_or("session"));
        Self {
            what: For::SaveRecipe,
            input: Input::with_marked(&path),
            problem: None,
        }
    }

    pub fn label(&self) -> &'static str {
        match self.what {
            For::OpenRecipe => "Open the recipe",
            For::SaveRecipe => "Save as a recipe",
        }
    }
}
