//! The themes to choose from. `run` reads them, because themes are files.

use crate::model::text::Clean;

/// The value of the setting that follows the terminal's background.
pub const AUTO: &str = "auto";

/// All themes, and the one in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Themes {
    /// In the order of their names.
    pub rows: Vec<ThemeRow>,
    /// The value of the setting `ui.theme`: a name, `auto` or `LIGHT/DARK`.
    pub setting: Clean,
}

impl Themes {
    /// The values for the setting that need no typing: `auto`, then each name.
    #[must_use]
    pub fn names(&self) -> Vec<Clean> {
        let names = self.rows.iter().map(|row| row.name.clone());
        [Clean::new(AUTO)].into_iter().chain(names).collect()
    }

    #[must_use]
    pub fn row(&self, name: &str) -> Option<&ThemeRow> {
        self.rows.iter().find(|row| row.name.as_str() == name)
    }
}

/// One theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeRow {
    pub name: Clean,
    /// It is a file of the user.
    pub own: bool,
    pub kind: ThemeKind,
}

/// The terminals that a theme is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeKind {
    Dark,
    Light,
    /// It uses the terminal's own colors.
    Any,
    /// The file has problems.
    Broken,
}

/// What the picker wants of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThemeOrder {
    /// Reads the list of themes. `Msg::Themes` has it.
    List,
    /// Shows a theme, without saving it.
    Preview(String),
    /// Shows the theme of the setting again.
    Restore,
    /// Shows a theme and saves it as the setting. `Msg::Done` reports the result.
    Keep {
        ticket: super::msg::Ticket,
        name: String,
    },
}
