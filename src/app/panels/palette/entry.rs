//! The entries of the command palette: what each shows, and what it leads to.

use nucleo_matcher::Utf32String;

use crate::{
    action::{Action, Scope},
    app::{launcher::EarlierLaunch, shown_contexts::ShownContexts},
    model::{
        forward::ForwardId,
        id::{ContextName, SessionKey},
        text::Clean,
    },
};

/// The kinds of entries, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    Action,
    Session,
    Environment,
    Folder,
    Port,
    Recent,
    Context,
    Setting,
}

impl EntryKind {
    pub const ALL: [Self; 8] = [
        Self::Action,
        Self::Session,
        Self::Environment,
        Self::Folder,
        Self::Port,
        Self::Recent,
        Self::Context,
        Self::Setting,
    ];

    /// The first character of a text that restricts the list to this kind.
    pub fn prefix(self) -> char {
        match self {
            Self::Action => '>',
            Self::Session => '@',
            Self::Environment => '+',
            Self::Folder => '/',
            Self::Port => '%',
            Self::Recent => '.',
            Self::Context => '&',
            Self::Setting => '=',
        }
    }

    /// The kind that a prefix restricts the list to.
    pub fn of_prefix(prefix: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.prefix() == prefix)
    }

    /// The word before each entry.
    pub fn word(self) -> &'static str {
        match self {
            Self::Action => tr!("action"),
            Self::Session => tr!("session"),
            Self::Environment => tr!("launch"),
            Self::Folder => tr!("folder"),
            Self::Port => tr!("port"),
            Self::Recent => tr!("recent"),
            Self::Context => tr!("context"),
            Self::Setting => tr!("setting"),
        }
    }

    /// The word for all entries of the kind.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Action => tr!("actions"),
            Self::Session => tr!("sessions"),
            Self::Environment => tr!("environments"),
            Self::Folder => tr!("folders"),
            Self::Port => tr!("ports"),
            Self::Recent => tr!("recent launches"),
            Self::Context => tr!("contexts"),
            Self::Setting => tr!("settings"),
        }
    }
}

/// What an entry leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Invokes an action in a scope of the view below.
    Action(Scope, Action),
    Session(SessionKey),
    /// Opens the launcher.
    Launch(Box<EarlierLaunch>),
    /// Shows the files of a folder.
    Folder(ContextName, String),
    /// Opens a URL in the browser, or copies it.
    Browse(ForwardId),
    CopyUrl(ForwardId),
    Context(ShownContexts),
    /// The position of a setting in `Facts::settings`.
    Setting(usize),
    /// The position of one of your own commands in `Facts::commands`.
    Command(usize),
    /// Shows the panes of a layout.
    Layout(Clean),
}

/// One entry of the palette.
#[derive(Clone, Debug)]
pub struct PaletteEntry {
    pub kind: EntryKind,
    /// The same in each TUI, to remember its use: `session:local/3f2a…`.
    pub id: String,
    pub title: String,
    /// More words, which are searched, too.
    pub detail: String,
    /// At the right end. The key of an action isn't part of it, because the keymap has it.
    pub note: String,
    pub choice: Choice,
    /// Title and detail, for the search.
    text: Utf32String,
}

impl PaletteEntry {
    pub fn new(
        kind: EntryKind,
        id: impl AsRef<str>,
        (title, detail): (impl Into<String>, impl Into<String>),
        choice: Choice,
    ) -> Self {
        let (title, detail) = (title.into(), detail.into());
        let text = Utf32String::from(format!("{title} {detail}"));
        Self {
            kind,
            id: format!("{}:{}", kind.word(), id.as_ref()),
            title,
            detail,
            note: String::new(),
            choice,
            text,
        }
    }

    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    pub fn text(&self) -> &Utf32String {
        &self.text
    }

    /// The action, and the scope that invokes it.
    pub fn action(&self) -> Option<(Scope, Action)> {
        match self.choice {
            Choice::Action(scope, action) => Some((scope, action)),
            _ => None,
        }
    }
}
