//! The overlays of the launcher: a question, an explanation, a prompt for a path.

use super::{Destination, EarlierLaunch, FormRow, help::Topic, page::Unfinished};
use crate::{
    action::Action,
    app::{input::Input, panels::DialogButton},
};

#[derive(Clone, Debug)]
pub enum Overlay {
    Question(Confirmation),
    /// An explanation.
    Explain(Topic),
    Prompt(Box<PathPrompt>),
}

/// A question with two buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    pub title: String,
    /// Empty if the title says it all.
    pub text: String,
    /// The labels of the two buttons.
    pub no: &'static str,
    pub yes: &'static str,
    pub subject: QuestionSubject,
    /// The marked button, which is the harmless one at first.
    pub button: DialogButton,
}

/// What the answer decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionSubject {
    Reset,
    Close,
    /// An earlier launch replaces this one.
    Replace(Box<EarlierLaunch>),
    /// The form of the page asked about this row.
    Form(FormRow),
    /// Yes discards this row and goes to the destination. No returns the focus to the row.
    Leave {
        row: FormRow,
        destination: Destination,
    },
}

impl Confirmation {
    pub fn reset() -> Self {
        let text = tr!("All fields are reset. What you typed is lost.");
        Self::new(QuestionSubject::Reset, text.to_owned(), tr!("Reset"))
    }

    pub fn close() -> Self {
        Self {
            title: tr!("Discard what you typed?").to_owned(),
            no: tr!("Keep editing"),
            ..Self::new(QuestionSubject::Close, String::new(), tr!("Discard"))
        }
    }

    pub fn replace(by: Box<EarlierLaunch>) -> Self {
        let text = tr!("The chosen launch replaces this one. What you typed is lost.");
        Self::new(
            QuestionSubject::Replace(by),
            text.to_owned(),
            tr!("Replace"),
        )
    }

    /// A question of the form about a row. `yes` is the label of the button Yes.
    pub fn of_form(row: FormRow, text: String, yes: &'static str) -> Self {
        Self::new(QuestionSubject::Form(row), text, yes)
    }

    /// A question before something unfinished is left. Enter loses nothing.
    pub fn leave(unfinished: Unfinished, destination: Destination) -> Self {
        let Unfinished { row, text } = unfinished;
        Self {
            no: tr!("Keep editing"),
            ..Self::new(
                QuestionSubject::Leave { row, destination },
                text,
                tr!("Remove the row"),
            )
        }
    }

    fn new(subject: QuestionSubject, text: String, yes: &'static str) -> Self {
        Self {
            title: format!("{yes}?"),
            text,
            no: tr!("No"),
            yes,
            subject,
            button: DialogButton::No,
        }
    }

    /// Returns `Some` when it is answered.
    pub fn action(&mut self, action: Action) -> Option<bool> {
        match action {
            Action::ConfirmYes => return Some(true),
            Action::ConfirmNo => return Some(false),
            Action::ConfirmPress => return Some(self.button == DialogButton::Yes),
            Action::ConfirmToggle => self.button = self.button.other(),
            _ => {}
        }
        None
    }
}

/// The purpose of a typed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPurpose {
    OpenRecipe,
    SaveRecipe,
}

/// A prompt for a path.
#[derive(Clone, Debug)]
pub struct PathPrompt {
    pub what: PathPurpose,
    pub input: Input,
    /// Why the path didn't work.
    pub problem: Option<String>,
}

impl PathPrompt {
    pub fn open() -> Self {
        Self {
            what: PathPurpose::OpenRecipe,
            input: Input::default(),
            problem: None,
        }
    }

    /// `name` is the session's name, used for the file name.
    pub fn save(name: Option<&str>) -> Self {
        let path = format!("{}.toml", name.unwrap_or("session"));
        Self {
            what: PathPurpose::SaveRecipe,
            input: Input::with_marked(&path),
            problem: None,
        }
    }

    pub fn label(&self) -> &'static str {
        match self.what {
            PathPurpose::OpenRecipe => tr!("Open the recipe"),
            PathPurpose::SaveRecipe => tr!("Save as a recipe"),
        }
    }
}
