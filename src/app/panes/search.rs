//! Searches the output of a pane while you type. tmux searches and marks the matches.

use super::{
    Panes,
    control::CommandPurpose,
    prompt::{PanePrompt, PaneQuestion},
};
use crate::{app::step::Step, model::notice::Level, terminal::control::Command};

impl Panes {
    /// Continues the search after a change of the text.
    pub(super) fn search_on(&mut self) -> Vec<Step> {
        let is_search = |it: &&mut PanePrompt| matches!(it.question, PaneQuestion::Search { .. });
        let Some(prompt) = self.prompt.as_mut().filter(is_search) else {
            return Vec::new();
        };
        prompt.searched = true;
        prompt.missing &= !prompt.input.is_empty();
        let text = prompt.input.text().to_owned();
        let mut steps = self.enter_copy_mode(Command::copy_mode);
        steps.extend(self.tmux(|target| Command::search(target, &text)));
        steps.extend(self.ask_whether_found(&text, false));
        steps
    }

    /// `done` means that you have finished typing.
    pub(super) fn ask_whether_found(&mut self, text: &str, done: bool) -> Vec<Step> {
        if text.is_empty() {
            return Vec::new();
        }
        let text = text.to_owned();
        self.tmux_for(Command::found, CommandPurpose::Sought { text, done })
    }

    /// The prompt shows it while you type, a toast shows it afterwards.
    pub(super) fn search_ended(&mut self, text: &str, done: bool, found: bool) -> Option<Step> {
        let open = self.prompt.as_mut().filter(|prompt| {
            matches!(prompt.question, PaneQuestion::Search { .. }) && prompt.input.text() == text
        });
        if let Some(prompt) = open {
            prompt.missing = !found;
        }
        let warning = tr!("{text} not found in the output", text);
        (done && !found).then(|| Step::toast(Level::Info, warning))
    }
}
