//! The line of the explorer in which a name or a path is typed.

use std::{ffi::OsStr, path::PathBuf};

use crate::{
    app::{input::Input, msg::PathCompletion, msg::Ticket},
    model::{
        files::{FileName, FilePath},
        text::Clean,
    },
};

/// What is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptKind {
    NewDirectory,
    NewFile,
    /// Another name for this entry.
    Rename(FileName),
    /// The path of this machine to upload.
    Upload,
    /// Where on this machine these are stored.
    Download(Vec<FilePath>),
}

#[derive(Clone, Debug)]
pub struct ExplorerPrompt {
    pub kind: PromptKind,
    pub input: Input,
    /// Why the text wasn't accepted.
    pub problem: Option<String>,
    /// The paths that begin like the typed one.
    pub candidates: Vec<Clean>,
    /// The completion that is under way.
    pub completing: Option<Ticket>,
}

impl ExplorerPrompt {
    #[must_use]
    pub fn new(kind: PromptKind, text: &str) -> Self {
        let input = match &kind {
            PromptKind::Rename(_) => Input::with_text(text),
            PromptKind::Upload | PromptKind::Download(_) => Input::with_text(text),
            PromptKind::NewDirectory | PromptKind::NewFile => Input::default(),
        };
        Self {
            kind,
            input,
            problem: None,
            candidates: Vec::new(),
            completing: None,
        }
    }

    /// Whether a path of this machine is typed.
    pub fn is_local(&self) -> bool {
        matches!(self.kind, PromptKind::Upload | PromptKind::Download(_))
    }

    pub fn label(&self) -> String {
        match &self.kind {
            PromptKind::NewDirectory => tr!("New directory:").to_owned(),
            PromptKind::NewFile => tr!("New file:").to_owned(),
            PromptKind::Rename(name) => tr!("Rename {shown} to:", shown = name.shown()),
            PromptKind::Upload => tr!("Upload from this machine:").to_owned(),
            PromptKind::Download(_) => tr!("Download to this machine:").to_owned(),
        }
    }

    /// The typed name, if it can be one.
    pub fn name(&self) -> Result<&OsStr, String> {
        check_name(self.input.text())
    }

    /// The typed path.
    pub fn path(&self) -> Result<PathBuf, String> {
        let text = self.input.text();
        if text.trim().is_empty() {
            return Err(tr!("Enter a path").to_owned());
        }
        Ok(PathBuf::from(text))
    }

    /// Takes a completed path.
    pub fn completed(&mut self, ticket: Ticket, completion: PathCompletion) {
        if self.completing != Some(ticket) {
            return;
        }
        self.completing = None;
        if self.input.text() == completion.typed {
            self.input.set(&completion.text);
        }
        self.candidates = completion.candidates;
    }

    /// The text was changed.
    pub fn typed(&mut self) {
        self.problem = None;
        self.candidates.clear();
        self.completing = None;
    }
}

/// Why a text can't be the name of an entry.
fn check_name(text: &str) -> Result<&OsStr, String> {
    if text.is_empty() {
        return Err(tr!("Enter a name").to_owned());
    }
    if matches!(text, "." | "..") || text.contains('/') || text.contains('\0') {
        return Err(tr!("Invalid name '{text}'. Use a name without '/'", text));
    }
    if text.len() > 255 {
        let bytes = text.len();
        return Err(tr!("The name has {bytes} bytes. Use 255 or fewer", bytes));
    }
    Ok(OsStr::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_directory() {
        for name in ["a", "...", "데이터 1", ".hidden", &"x".repeat(255)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "a/b", "/", &"가".repeat(86)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_completion_that_comes_late_changes_nothing() {
        let mut prompt = ExplorerPrompt::new(PromptKind::Upload, "/ho");
        prompt.completing = Some(3);
        let completion = |text: &str| PathCompletion {
            typed: "/ho".to_owned(),
            text: text.to_owned(),
            candidates: vec![Clean::new("home/")],
        };
        prompt.completed(2, completion("/old"));
        assert_eq!(prompt.input.text(), "/ho");
        prompt.input.set("/hom");
        prompt.completed(3, completion("/home/"));
        assert_eq!(prompt.input.text(), "/hom");
        prompt.completing = Some(4);
        prompt.input.set("/ho");
        prompt.completed(4, completion("/home/"));
        assert_eq!(prompt.input.text(), "/home/");
        assert_eq!(prompt.candidates.len(), 1);
    }
}
