//! The prompts of a pane: a name, a search text, or the confirmation before a window is closed.

use std::path::PathBuf;

use crate::{app::input::Input, model::text::Clean};

/// A prompt of the focused pane.
#[derive(Clone, Debug)]
pub struct PanePrompt {
    pub question: PaneQuestion,
    /// The typed text, empty for a question with yes or no.
    pub input: Input,
    /// The search has begun.
    pub(super) searched: bool,
    /// The searched text wasn't found.
    pub missing: bool,
    /// The pane's tmux session. The prompt is shown only while this pane has the focus.
    pub(super) pane: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaneQuestion {
    /// The new name of this window.
    Rename(u32),
    /// The text to search for in the output.
    Search {
        /// The pane was in copy mode before, and stays in it.
        was_copying: bool,
    },
    /// Asks for confirmation before this window is closed, and shows its program.
    Close { index: u32, command: Clean },
    /// Asks for confirmation before this text is pasted, each line as if it was typed.
    Paste(String),
    /// Asks for confirmation before a copy that is too long for the clipboard is saved in this file.
    SaveCopy { bytes: u64, path: PathBuf },
}

impl PanePrompt {
    pub(super) fn new(question: PaneQuestion, input: Input, pane: String) -> Self {
        Self {
            question,
            input,
            searched: false,
            missing: false,
            pane,
        }
    }

    /// Whether the prompt needs a text. Otherwise it is a question with yes or no.
    pub fn is_typed(&self) -> bool {
        matches!(
            self.question,
            PaneQuestion::Rename(_) | PaneQuestion::Search { .. }
        )
    }

    /// Whether the prompt has a dialog of its own. Otherwise it is in the status line.
    pub fn is_dialog(&self) -> bool {
        matches!(
            self.question,
            PaneQuestion::Paste(_) | PaneQuestion::SaveCopy { .. }
        )
    }

    /// The label before the text, or the whole question.
    pub fn label(&self) -> String {
        match &self.question {
            PaneQuestion::Rename(index) => tr!("Rename window {index} to:", index),
            PaneQuestion::Search { .. } if self.missing => tr!("Not found:").to_owned(),
            PaneQuestion::Search { .. } => tr!("Search upwards for:").to_owned(),
            PaneQuestion::Close { index, command } => {
                tr!(
                    "Close window {index} and end its program ({command})?",
                    index,
                    command
                )
            }
            PaneQuestion::SaveCopy { .. } => tr!("Save the copied text?").to_owned(),
            PaneQuestion::Paste(text) => match text.lines().count() {
                0 | 1 => tr!("Paste a line and run it?").to_owned(),
                lines => tr!("Paste {lines} lines?", lines),
            },
        }
    }
}
