//! The windows of a pane's tmux, and the actions on them. All actions are commands to that tmux, so that its
//! own keys and those of workbay always agree.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{
    Pane, PaneState, Panes, ShellPlace,
    control::{Brought, CommandPurpose},
    prompt::{PanePrompt, PaneQuestion},
};
use crate::{
    action::Action,
    app::{
        file_name::file_name,
        input::Input,
        step::{Ids, Step},
    },
    key::Key,
    model::{notice::Level, text::Clean},
    terminal::control::{Command, Group, Target, Window},
};

impl Panes {
    /// The windows of a pane, as far as they are known.
    pub fn windows(&self, pane: &Pane) -> Option<&Group> {
        if pane.state != PaneState::Live {
            return None;
        }
        self.lines
            .listing(pane.place)?
            .seen_by(&pane.tmux_session())
    }

    /// The window a pane shows.
    pub fn window(&self, pane: &Pane) -> Option<&Window> {
        self.windows(pane)?.active()
    }

    /// The prompt in the status line.
    pub fn prompt(&self) -> Option<&PanePrompt> {
        let pane = self.active()?;
        self.prompt
            .as_ref()
            .filter(|prompt| prompt.pane == pane.tmux_session())
    }

    /// Cancels the prompt or quick select. Returns `None` if there is none.
    pub fn cancel_prompt(&mut self) -> Option<Vec<Step>> {
        if self.end_quick_select() {
            return Some(Vec::new());
        }
        let question = self.prompt().map(|prompt| prompt.question.clone());
        let searched = self.prompt.take().is_some_and(|it| it.searched);
        Some(match question? {
            PaneQuestion::Search { was_copying: false } if searched => {
                self.leave_copy_mode(Command::leave_copy_mode)
            }
            _ => Vec::new(),
        })
    }

    /// Keeps one control connection to each container with a live pane that has printed something. The server
    /// of tmux 3.3a crashes, with every shell, if a session is created (that of the pane) while a control
    /// client is half connected.
    pub(super) fn keep_connections(&mut self, ids: &mut Ids) -> Vec<Step> {
        let mut wanted: Vec<ShellPlace> = Vec::new();
        let begun = |pane: &&Pane| pane.state == PaneState::Live && pane.has_begun;
        for pane in self.list.iter().filter(begun) {
            if pane.place != ShellPlace::Host && !wanted.contains(&pane.place) {
                wanted.push(pane.place);
            }
        }
        let watched = self.watched_places();
        wanted.extend(
            watched
                .iter()
                .filter(|it| !wanted.contains(it))
                .copied()
                .collect::<Vec<_>>(),
        );
        let ids = self.daemon_is_up.then_some(ids);
        let mut steps = self.lines.keep_only(&wanted, ids);
        steps.extend(self.lines.watch(&watched));
        steps
    }

    /// Turns the results of control connections into steps.
    pub(super) fn take_brought(&mut self, brought: Vec<Brought>, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for one in brought {
            match one {
                Brought::Refused(why) => steps.push(Step::toast(Level::Warning, why.as_str())),
                Brought::History { file, printed } => steps.push(Step::Save {
                    path: PathBuf::from(file),
                    contents: printed,
                }),
                Brought::Sought { text, done, found } => {
                    steps.extend(self.search_ended(&text, done, found));
                }
                Brought::ScreenChanged(place, size) => {
                    steps.extend(self.screen_changed(place, size));
                }
                Brought::Screen(screen) => self.screen_came(&screen, now),
                Brought::Listed(place) => {
                    self.note_copy_modes(place);
                    steps.extend(self.part_windows(place));
                }
            }
        }
        steps
    }

    /// Handles an action on windows or their output. Returns `None` for other actions.
    pub(super) fn window_action(&mut self, action: Action) -> Option<Vec<Step>> {
        Some(match action {
            Action::WindowNew => self.leave_copy_mode(Command::new_window),
            Action::WindowNext => self.turn_window(true),
            Action::WindowPrevious => self.turn_window(false),
            Action::PaneScroll => self.enter_copy_mode(Command::scroll),
            Action::PaneCopyMode => self.enter_copy_mode(Command::copy_mode),
            Action::PaneSearch => self.ask_person(|window| {
                let was_copying = window.copy_mode.is_some();
                (PaneQuestion::Search { was_copying }, Input::default())
            }),
            Action::PaneSaveHistory => self.save_history(),
            Action::WindowRename => self.ask_person(|window| {
                let input = Input::with_marked(window.name.as_str());
                (PaneQuestion::Rename(window.index), input)
            }),
            Action::WindowClose => self.ask_person(|window| {
                let command = window.command.clone();
                let index = window.index;
                (PaneQuestion::Close { index, command }, Input::default())
            }),
            // As in tmux, Enter alone doesn't close a window.
            Action::ConfirmPress if self.is_closing() => Vec::new(),
            Action::InputSubmit | Action::ConfirmYes | Action::ConfirmPress => self.answer(),
            Action::InputCancel | Action::ConfirmNo => self.cancel_prompt().unwrap_or_default(),
            _ => match number(action) {
                Some(index) => self.select_window(index),
                None => return self.clipboard_action(action),
            },
        })
    }

    /// Sends a command to the tmux of the focused pane.
    pub(super) fn tmux(&mut self, make: impl FnOnce(&Target) -> Command) -> Vec<Step> {
        self.tmux_for(make, CommandPurpose::Act)
    }

    pub(super) fn tmux_for(
        &mut self,
        make: impl FnOnce(&Target) -> Command,
        why: CommandPurpose,
    ) -> Vec<Step> {
        let Some((place, target)) = self.target() else {
            return vec![Step::toast(Level::Info, self.why_no_windows())];
        };
        match self.lines.ask(place, make(&target), why) {
            Ok(step) => step.into_iter().collect(),
            Err(why) => vec![no_windows(&why)],
        }
    }

    /// The place and tmux session of the focused pane.
    fn target(&self) -> Option<(ShellPlace, Target)> {
        let pane = self
            .active()
            .filter(|pane| pane.place != ShellPlace::Host)?;
        let own = pane.tmux_session();
        let target = match self.windows(pane) {
            Some(group) => Target::session(&group.session),
            None => Target::session(&own),
        };
        (pane.state == PaneState::Live).then_some((pane.place, target))
    }

    fn why_no_windows(&self) -> &'static str {
        match self.active().map(|pane| pane.place) {
            Some(ShellPlace::Host) => {
                tr!("only sessions have windows, search and saving, not a shell of this machine")
            }
            _ => tr!("the shell isn't open"),
        }
    }

    /// Opens a prompt in the status line. Its content depends on the shown window.
    fn ask_person(&mut self, ask: impl FnOnce(&Window) -> (PaneQuestion, Input)) -> Vec<Step> {
        if self.target().is_none() {
            return vec![Step::toast(Level::Info, self.why_no_windows())];
        }
        let asked = self.active().and_then(|pane| {
            let (question, input) = ask(self.window(pane)?);
            Some(PanePrompt::new(question, input, pane.tmux_session()))
        });
        if asked.is_none() {
            // The answer to a command shows whether the connection works.
            return self.tmux_for(|_| Command::list(), CommandPurpose::List);
        }
        self.prompt = asked;
        Vec::new()
    }

    /// Handles a key in the prompt's text.
    pub(super) fn type_answer(&mut self, key: Key) -> Option<Vec<Step>> {
        let prompt = self.prompt.as_mut()?;
        let before = prompt.input.text().to_owned();
        let taken = !prompt.is_typed() || prompt.input.key(key);
        let changed = prompt.input.text() != before;
        taken.then(|| {
            if changed {
                self.search_on()
            } else {
                Vec::new()
            }
        })
    }

    pub(super) fn paste_answer(&mut self, text: &str) -> Vec<Step> {
        if let Some(prompt) = self.prompt.as_mut().filter(|it| it.is_typed()) {
            prompt.input.paste(text);
        }
        self.search_on()
    }

    fn is_closing(&self) -> bool {
        let question = self.prompt().map(|prompt| &prompt.question);
        matches!(question, Some(PaneQuestion::Close { .. }))
    }

    /// Asks for confirmation before it pastes a text with line breaks into a program that treats each line as
    /// typed.
    pub(super) fn asks_before_paste(&mut self, text: &str) -> bool {
        let open = |pane: &&Pane| matches!(pane.state, PaneState::Live | PaneState::Opening);
        let Some(pane) = self.active().filter(open) else {
            return false;
        };
        let breaks = text.contains(['\n', '\r']);
        let into = self.typed_into();
        let mut panes = self.list.iter().filter(|it| into.contains(&it.id));
        if !breaks || panes.all(|it| it.modes().bracketed_paste) {
            return false;
        }
        // Terminals send a line break in one of three forms.
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        let question = PaneQuestion::Paste(lines);
        self.prompt = Some(PanePrompt::new(
            question,
            Input::default(),
            pane.tmux_session(),
        ));
        true
    }

    /// Carries out the answer to the prompt.
    fn answer(&mut self) -> Vec<Step> {
        if self.prompt().is_none() {
            return Vec::new();
        }
        let Some(prompt) = self.prompt.take() else {
            return Vec::new();
        };
        let text = prompt.input.text();
        match prompt.question {
            PaneQuestion::Close { index, .. } => {
                self.tmux(|target| Command::close_window(target, index))
            }
            PaneQuestion::Paste(text) => self.paste_now(&text),
            PaneQuestion::SaveCopy { .. } => self.save_copy(),
            _ if text.is_empty() => Vec::new(),
            PaneQuestion::Rename(index) => {
                self.tmux(|target| Command::rename_window(target, index, text))
            }
            PaneQuestion::Search { .. } => self.ask_whether_found(text, true),
        }
    }

    fn save_history(&mut self) -> Vec<Step> {
        let file = self.active().map(|pane| {
            let window = self.window(pane).map_or(1, |window| window.index);
            format!("{}-{window}-history.txt", file_name(pane.name.as_str()))
        });
        let file = file.unwrap_or_default();
        self.tmux_for(Command::history, CommandPurpose::History(file))
    }
}

fn no_windows(why: &Clean) -> Step {
    Step::toast(
        Level::Warning,
        tr!("this needs the session's tmux: {why}", why),
    )
}

/// The window number of an action like `window.3`.
fn number(action: Action) -> Option<u32> {
    let numbered = [
        Action::WindowOne,
        Action::WindowTwo,
        Action::WindowThree,
        Action::WindowFour,
        Action::WindowFive,
        Action::WindowSix,
        Action::WindowSeven,
        Action::WindowEight,
        Action::WindowNine,
    ];
    let at = numbered.iter().position(|it| *it == action)?;
    u32::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests;
