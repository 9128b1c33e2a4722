//! Panels on top of a view: what each of them owns, and the stack of those that are open.

pub mod command;
pub mod commit;
pub mod priority;
pub mod rename;

use std::{fmt::Debug, mem::discriminant};

use jiff::Timestamp;

use self::{command::CommandLine, commit::CommitForm, priority::PriorityForm, rename::Rename};
use super::{detail::Detail, facts::Facts, input::Input, mirror::Mirror, panes::Panes, step::Step};
use crate::{
    action::{Action, Scope},
    key::Key,
    model::{id::SessionKey, session::Session},
};

/// Actions that belong together and their common word, the most important first.
pub type Hint = (Scope, &'static [Action], &'static str);

/// Moving in a list.
pub const MOVE: &[Action] = &[Action::ListUp, Action::ListDown];

/// The hints of a text that Enter accepts.
pub const INPUT_HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], "accept"),
    (Scope::Input, &[Action::InputCancel], "cancel"),
];

/// What a panel can read besides its own state.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    pub mirror: &'a Mirror,
    pub facts: &'a Facts,
    pub panes: &'a Panes,
    pub detail: Option<&'a Detail>,
    pub now: Timestamp,
}

impl Around<'_> {
    /// A session with everything that is known about it.
    pub fn full(&self, id: SessionKey) -> Option<Session> {
        full(self.mirror, self.detail, id)
    }
}

/// A session with everything that is known about it: its row, and what the detail has read.
pub fn full(mirror: &Mirror, detail: Option<&Detail>, id: SessionKey) -> Option<Session> {
    let row = mirror.session(id)?;
    let detail = detail.filter(|it| it.session() == id);
    Some(detail.map_or_else(|| row.clone(), |detail| detail.full(row)))
}

/// The text of a prompt: a panel of one line, above the hints of the sessions view.
#[derive(Debug)]
pub struct Line<'a> {
    pub label: String,
    pub input: &'a Input,
    /// At the right end.
    pub note: &'static str,
}

/// What every panel does. A panel closes with [`Step::CLOSE`].
pub trait Panel: Debug {
    /// The scope where keys are looked up first.
    fn scope(&self) -> Scope;

    /// The scopes for keys that neither the scope nor the text of the panel uses.
    fn outer_scopes(&self) -> &'static [Scope] {
        &[Scope::Global]
    }

    fn action(&mut self, action: Action, around: &Around<'_>) -> Vec<Step>;

    /// Handles a key that the scope doesn't bind. Returns `None` if the key isn't used.
    fn key(&mut self, _key: Key, _around: &Around<'_>) -> Option<Vec<Step>> {
        None
    }

    fn paste(&mut self, _text: &str, _around: &Around<'_>) {}

    /// Handles Esc: goes one step back, and finally closes the panel.
    fn back(&mut self, _around: &Around<'_>) -> Vec<Step> {
        vec![Step::CLOSE]
    }

    /// The keys that the last line shows.
    fn hints(&self) -> &'static [Hint] {
        INPUT_HINTS
    }

    /// The problem with the text, shown in place of the hints.
    fn problem(&self) -> Option<String> {
        None
    }

    /// The text of a prompt, `None` if the panel is a dialog.
    fn line(&self) -> Option<Line<'_>> {
        None
    }
}

/// A type of panel, to find an open one of it.
pub trait Kind: Sized {
    fn of(panel: &AnyPanel) -> Option<&Self>;
    fn of_mut(panel: &mut AnyPanel) -> Option<&mut Self>;
}

macro_rules! panels {
    ($($name:ident($state:ty),)*) => {
        /// A panel of any type. `view::panels` draws it.
        #[derive(Debug)]
        pub enum AnyPanel {
            $($name(Box<$state>),)*
        }

        impl AnyPanel {
            pub fn panel(&self) -> &dyn Panel {
                match self {
                    $(Self::$name(it) => &**it,)*
                }
            }

            pub fn panel_mut(&mut self) -> &mut dyn Panel {
                match self {
                    $(Self::$name(it) => &mut **it,)*
                }
            }
        }

        $(
            impl From<$state> for AnyPanel {
                fn from(it: $state) -> Self {
                    Self::$name(Box::new(it))
                }
            }

            impl Kind for $state {
                fn of(panel: &AnyPanel) -> Option<&Self> {
                    match panel {
                        AnyPanel::$name(it) => Some(it),
                        #[allow(unreachable_patterns, reason = "there may be one type of panel")]
                        _ => None,
                    }
                }

                fn of_mut(panel: &mut AnyPanel) -> Option<&mut Self> {
                    match panel {
                        AnyPanel::$name(it) => Some(it),
                        #[allow(unreachable_patterns, reason = "there may be one type of panel")]
                        _ => None,
                    }
                }
            }
        )*
    };
}

panels! {
    Rename(Rename),
    Priority(PriorityForm),
    Commit(CommitForm),
    Command(CommandLine),
}

impl AnyPanel {
    /// The panel that an action on a session opens, and its requests.
    pub fn opened_by(
        action: Action,
        row: &Session,
        around: &Around<'_>,
    ) -> Option<(Self, Vec<Step>)> {
        let full = || around.full(row.key()).unwrap_or_else(|| row.clone());
        let panel = match action {
            Action::SessionRename => Rename::new(row.key(), &row.name).into(),
            Action::SessionPriority => PriorityForm::new(&full()).into(),
            Action::SessionCommit => CommitForm::new(row.key(), &row.name).into(),
            _ => return None,
        };
        Some((panel, Vec::new()))
    }
}

/// The open panels, the top one last.
#[derive(Debug, Default)]
pub struct Panels {
    open: Vec<AnyPanel>,
}

impl Panels {
    /// Opens a panel on top. Another one of its type closes.
    pub fn push(&mut self, panel: AnyPanel) {
        self.remove_like(&panel);
        self.open.push(panel);
    }

    /// Opens a panel below the others, which keep the keys.
    pub fn push_below(&mut self, panel: AnyPanel) {
        self.remove_like(&panel);
        self.open.insert(0, panel);
    }

    fn remove_like(&mut self, panel: &AnyPanel) {
        self.open
            .retain(|it| discriminant(it) != discriminant(panel));
    }

    /// The panel that gets the keys: a dialog first, then a prompt where prompts are shown.
    fn at(&self, with_prompts: bool) -> Option<usize> {
        let is_dialog = |it: &AnyPanel| it.panel().line().is_none();
        let last = self.open.len().checked_sub(1);
        let dialog = self.open.iter().rposition(is_dialog);
        dialog.or_else(|| last.filter(|_| with_prompts))
    }

    pub fn top(&self, with_prompts: bool) -> Option<&AnyPanel> {
        self.open.get(self.at(with_prompts)?)
    }

    pub fn top_mut(&mut self, with_prompts: bool) -> Option<&mut dyn Panel> {
        let at = self.at(with_prompts)?;
        Some(self.open.get_mut(at)?.panel_mut())
    }

    /// The top prompt, even with other panels above it.
    pub fn top_prompt(&self) -> Option<&AnyPanel> {
        let mut prompts = self.open.iter().rev();
        prompts.find(|it| it.panel().line().is_some())
    }

    /// Closes the panel on top. Returns `false` if none was open.
    pub fn pop(&mut self, with_prompts: bool) -> bool {
        let at = self.at(with_prompts);
        at.map(|at| self.open.remove(at)).is_some()
    }

    pub fn get<P: Kind>(&self) -> Option<&P> {
        self.open.iter().find_map(P::of)
    }

    pub fn get_mut<P: Kind>(&mut self) -> Option<&mut P> {
        self.open.iter_mut().find_map(P::of_mut)
    }

    /// Closes the panel of a type. Returns `false` if none was open.
    pub fn close<P: Kind>(&mut self) -> bool {
        let before = self.open.len();
        self.open.retain(|it| P::of(it).is_none());
        self.open.len() < before
    }
}
