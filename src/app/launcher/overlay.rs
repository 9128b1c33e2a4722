//! What lies on top of the wizard: a question, what a field means, a path to type.

use super::{Row, Way, help::Topic, page::Undone};
use crate::{
    action::Action,
    app::{confirm::Button, input::Input},
    model::recent::Recent,
};

#[derive(Clone, Debug)]
pub enum Overlay {
    Question(Question),
    /// What something means.
    Explain(Topic),
    Prompt(Box<Prompt>),
}

/// A question with two buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub text: String,
    /// What a no and a yes do, in a word.
    pub no: &'static str,
    pub yes: &'static str,
    pub about: About,
    /// The button that is marked; at the start the harmless one.
    pub button: Button,
}

/// What an answer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    Reset,
    Close,
    /// A launch of before takes the place of this one.
    Replace(Box<Recent>),
    /// The form of the page asked, of this row.
    Form(Row),
    /// On yes this row goes, and its person where they wanted to; on no they stay in it.
    Leave {
        row: Row,
        way: Way,
    },
}

impl Question {
    pub fn reset() -> Self {
        let text = "All fields are reset. What you typed is lost.";
        Self::new(About::Reset, text.to_owned(), "Reset")
    }

    pub fn close() -> Self {
        let text = "What you typed is lost.";
        Self::new(About::Close, text.to_owned(), "Close")
    }

    pub fn replace(by: Box<Recent>) -> Self {
        let text = "The chosen launch replaces this one. What you typed is lost.";
        Self::new(About::Replace(by), text.to_owned(), "Replace")
    }

    /// What the form asked of a row; `yes` is what a yes does.
    pub fn of_form(row: Row, text: String, yes: &'static str) -> Self {
        Self::new(About::Form(row), text, yes)
    }

    /// Before something half done is left behind. Enter loses nothing.
    pub fn leave(undone: Undone, way: Way) -> Self {
        let Undone { row, text } = undone;
        Self {
            no: "Keep editing",
            ..Self::new(About::Leave { row, way }, text, "Remove the row")
        }
    }

    fn new(about: About, text: String, yes: &'static str) -> Self {
        Self {
            text,
            no: "No",
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
