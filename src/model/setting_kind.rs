//! What a setting's value looks like to the one who edits it, and when a change of it takes effect.

/// The form of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SettingKind {
    /// On or off.
    Toggle,
    /// One of a few words.
    Choice(Vec<String>),
    /// A number. Its limits are checked when it is saved.
    Number,
    /// A number of bytes: `512m`, `2g`.
    Size,
    /// A time span: `90s`, `5m`.
    Duration,
    /// Any other text of one line.
    #[default]
    Text,
    /// A text, or a number that is written without quotes.
    TextOrNumber,
    /// Any texts.
    List,
    /// Some of a few words.
    Subset(Vec<String>),
    /// `NAME=VALUE`, once for each name.
    Pairs,
}

impl SettingKind {
    /// What to type, for the one who edits the value.
    pub fn example(&self) -> &'static str {
        match self {
            Self::Toggle | Self::Choice(_) => "",
            Self::Subset(_) => tr!("Space to switch a word on or off"),
            Self::Number => tr!("a number"),
            Self::Size => tr!("a size: 512m, 2g"),
            Self::Duration => tr!("a time: 90s, 5m"),
            Self::Text | Self::TextOrNumber => tr!("a text"),
            Self::List => tr!("one text per line"),
            Self::Pairs => tr!("NAME=VALUE, one per line"),
        }
    }
}

/// When a changed value takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TakesEffect {
    #[default]
    AtOnce,
    /// When the TUI starts again.
    NextStart,
    /// When the daemon starts again.
    DaemonStart,
}

impl TakesEffect {
    /// A sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AtOnce => tr!("A change takes effect at once."),
            Self::NextStart => tr!("A change takes effect when you start workbay again."),
            Self::DaemonStart => {
                tr!(
                    "A change takes effect when the daemon starts again: `workbay daemon stop`. Sessions \
                 keep running."
                )
            }
        }
    }
}

/// A value that a user edits, without the syntax of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditedValue {
    /// A word, a number or a text, as typed.
    Text(String),
    /// Also the lines of [`SettingKind::Pairs`].
    List(Vec<String>),
}

impl Default for EditedValue {
    fn default() -> Self {
        Self::Text(String::new())
    }
}
