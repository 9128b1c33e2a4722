//! What every panel does, and what it can read.

use std::fmt::Debug;

use jiff::Timestamp;
use ratatui::layout::Rect;

use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        command_log::CommandLog,
        detail::{Detail, fill},
        extension_rules::ExtensionRules,
        facts::Facts,
        frecency::Frecency,
        input::Input,
        layouts::LayoutRow,
        mirror::Mirror,
        notices::Notices,
        panes::Panes,
        sessions::{Sessions, columns::SavedView},
        shown_contexts::ShownContexts,
        step::Step,
        themes::Themes,
        transfers::Transfers,
    },
    key::Key,
    keymap::Keymap,
    model::{id::SessionKey, session::Session},
};

/// Actions that belong together and their common word, the most important first.
pub type Hint = (Scope, &'static [Action], &'static str);

/// Moving in a list.
pub const MOVE: &[Action] = &[Action::ListUp, Action::ListDown];

/// The hints of a text that Enter accepts.
pub const INPUT_HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], tr_later!("accept")),
    (Scope::Input, &[Action::InputCancel], tr_later!("cancel")),
];

/// The hints of a text that filters a list.
pub const FILTER_HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], tr_later!("apply")),
    (Scope::Input, &[Action::InputCancel], tr_later!("clear")),
];

/// The hints of the filter of the list, which completes keys and values.
pub const TERM_HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], tr_later!("apply")),
    (Scope::Global, &[Action::TabNext], tr_later!("complete")),
    (Scope::Input, &[Action::InputCancel], tr_later!("clear")),
];

/// What a panel can read besides its own state.
#[derive(Clone, Copy, Debug)]
pub struct PanelEnv<'a> {
    pub mirror: &'a Mirror,
    pub facts: &'a Facts,
    pub keymap: &'a Keymap,
    pub panes: &'a Panes,
    pub detail: Option<&'a Detail>,
    pub sessions: &'a Sessions,
    pub notices: &'a Notices,
    pub extension_rules: &'a ExtensionRules,
    pub transfers: &'a Transfers,
    pub views: &'a [SavedView],
    pub themes: &'a Themes,
    /// The saved layouts of panes, `None` until they are read.
    pub layouts: Option<&'a [LayoutRow]>,
    /// How often entries of the palette were used.
    pub frecency: &'a Frecency,
    /// The commands that do what was done in this TUI.
    pub commands: &'a CommandLog,
    pub screen: Rect,
    /// The contexts whose sessions are listed.
    pub shown: ShownContexts,
    pub now: Timestamp,
}

impl PanelEnv<'_> {
    /// A session with everything that is known about it.
    pub fn full(&self, id: SessionKey) -> Option<Session> {
        full(self.mirror, self.detail, self.sessions, id)
    }

    /// The position of the container that keys apply to.
    pub fn selected_kernel(&self, session: &Session) -> usize {
        selected_kernel(self.detail, self.sessions, session)
    }
}

/// A session with everything that is known about it: its row, and what the detail and the list have read.
pub fn full(
    mirror: &Mirror,
    detail: Option<&Detail>,
    sessions: &Sessions,
    id: SessionKey,
) -> Option<Session> {
    let row = mirror.session(id)?;
    let detail = detail.filter(|it| it.session() == id);
    let mut session = detail.map_or_else(|| row.clone(), |detail| detail.full(row));
    if let Some(read) = sessions.tree().full(id) {
        fill(&mut session, read);
    }
    Some(session)
}

/// The position of the container that keys apply to: the selected one of the focused detail or of the list,
/// otherwise the main one.
pub fn selected_kernel(detail: Option<&Detail>, sessions: &Sessions, session: &Session) -> usize {
    let open = detail.filter(|it| it.session() == session.key());
    let listed = sessions.selected_container();
    let listed = listed.filter(|(key, _)| *key == session.key());
    let last = session.kernels.len().saturating_sub(1);
    match (open, listed) {
        (Some(detail), listed) if detail.focused || listed.is_none() => {
            detail.kernel(session.kernels.len())
        }
        (_, Some((_, at))) => at.min(last),
        _ => 0,
    }
}

/// The text of a prompt: a panel of one line, above the hints of the sessions view.
#[derive(Debug)]
pub struct PromptLine<'a> {
    pub label: String,
    pub input: &'a Input,
    /// At the right end.
    pub note: &'static str,
}

/// The two buttons of a dialog. The harmless one is marked at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DialogButton {
    #[default]
    No,
    Yes,
}

impl DialogButton {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Yes => Self::No,
        }
    }

    /// Handles an action in a dialog where this button is marked: the button that is pressed, if one is. Other
    /// actions mark the other button, or do nothing.
    pub fn pressed_by(&mut self, action: Action) -> Option<Self> {
        match action {
            Action::ConfirmYes => Some(Self::Yes),
            Action::ConfirmNo | Action::Back => Some(Self::No),
            Action::ConfirmPress => Some(*self),
            Action::ConfirmToggle | Action::ListDown | Action::ListUp => {
                *self = self.other();
                None
            }
            _ => None,
        }
    }
}

/// What every panel does. A panel closes with [`Step::CLOSE`].
pub trait Panel: Debug {
    /// The scope where keys are looked up first.
    fn scope(&self) -> Scope {
        Scope::Input
    }

    /// The scopes for keys that neither the scope nor the text of the panel uses.
    fn outer_scopes(&self) -> &'static [Scope] {
        &[Scope::Global]
    }

    /// Whether a plain character goes to the text of the panel first, even if it is bound.
    fn is_form(&self) -> bool {
        false
    }

    /// The text that gets keys and pasted text.
    fn input(&mut self) -> Option<&mut Input> {
        None
    }

    /// Handles an action. `key` is the pressed key.
    fn action(&mut self, action: Action, _key: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::InputSubmit => self.submit(env),
            Action::InputCancel | Action::Back => self.back(env),
            _ => Vec::new(),
        }
    }

    /// Handles Enter in the text.
    fn submit(&mut self, _env: &PanelEnv<'_>) -> Vec<Step> {
        Vec::new()
    }

    /// Handles a key that the scope doesn't bind. Returns `None` if the key isn't used.
    fn key(&mut self, key: Key, _env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        self.input()?.key(key).then(Vec::new)
    }

    fn paste(&mut self, text: &str, _env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(input) = self.input() {
            input.paste(text);
        }
        Vec::new()
    }

    /// Goes one step back, and finally closes the panel.
    fn back(&mut self, _env: &PanelEnv<'_>) -> Vec<Step> {
        vec![Step::CLOSE]
    }

    /// Handles a click on a part of the dialog, or next to it.
    fn click(&mut self, part: DialogPart, _env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Outside => vec![Step::CLOSE],
            _ => Vec::new(),
        }
    }

    /// Handles the wheel, which scrolls by some lines.
    fn wheel(&mut self, _by: isize, _env: &PanelEnv<'_>) {}

    /// Takes the number of visible rows from the layout.
    fn laid_out(&mut self, _height: usize, _env: &PanelEnv<'_>) {}

    /// Takes changes of contexts, engines and environments.
    fn update(&mut self, _env: &PanelEnv<'_>) {}

    /// The keys that the last line shows.
    fn hints(&self) -> Vec<Hint> {
        INPUT_HINTS.to_vec()
    }

    /// The problem with the text, shown in place of the hints.
    fn problem(&self) -> Option<String> {
        None
    }

    /// The text of a prompt, `None` if the panel is a dialog.
    fn prompt(&self) -> Option<PromptLine<'_>> {
        None
    }
}
