//! What a pane asks in the status line: a name, a text to look for, whether a window is to be ended.

use std::path::PathBuf;

use crate::{app::input::Input, model::text::Clean};

/// A question of the pane with the keys.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub question: Question,
    /// What is typed; empty where only yes or no is asked.
    pub input: Input,
    /// The search has begun.
    pub(super) searched: bool,
    /// What is looked for is not there.
    pub missing: bool,
    /// The pane's tmux session: with another pane on top the question is gone.
    pub(super) pane: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Another name for this window.
    Rename(u32),
    /// What to look for in what was printed.
    Search {
        /// It was in copy mode before, and stays there.
        was_copying: bool,
    },
    /// Whether this window is to be ended, and what runs there.
    Close { index: u32, command: Clean },
    /// Whether this text is to be pasted, each line of it as if typed.
    Paste(String),
    /// Whether a copy that is too long for the clipboard is to be saved in this file.
    SaveCopy { bytes: u64, path: PathBuf },
}

impl Prompt {
    pub(super) fn new(question: Question, input: Input, pane: String) -> Self {
        Self {
            question,
            input,
            searched: false,
            missing: false,
            pane,
        }
    }

    /// A text is typed; else it is a question of yes or no.
    pub fn is_typed(&self) -> bool {
        matches!(self.question, Question::Rename(_) | Question::Search { .. })
    }

    /// It has a dialog of its own, else it stands in the status line.
    pub fn is_dialog(&self) -> bool {
        matches!(
            self.question,
            Question::Paste(_) | Question::SaveCopy { .. }
        )
    }

    /// What stands before the text, or the whole question.
    pub fn label(&self) -> String {
        match &self.question {
            Question::Rename(index) => format!("rename window {index} to"),
            Question::Search { .. } if self.missing => "not found:".to_owned(),
            Question::Search { .. } => "search upwards for".to_owned(),
            Question::Close { index, command } => {
                format!("close window {index} and end its program ({command})?")
            }
            Question::SaveCopy { .. } => "Save the copied text?".to_owned(),
            Question::Paste(text) => match text.lines().count() {
                0 | 1 => "Paste a line and run it?".to_owned(),
                lines => format!("Paste {lines} lines?"),
            },
        }
    }
}
