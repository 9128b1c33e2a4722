//! What the setting `ui.theme` chooses: a theme, a pair for light and dark terminals, or the default pair.

use std::borrow::Cow;

use super::{BASIC, ColorDepth};

/// The value of `ui.theme`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The default themes, after the terminal's background.
    Auto,
    /// `LIGHT/DARK`: a theme for each kind of background.
    Pair {
        light: String,
        dark: String,
    },
    One(String),
}

impl ThemeChoice {
    /// Reads the value of the setting.
    #[must_use]
    pub fn read(setting: &str) -> Self {
        match setting.split_once('/') {
            _ if setting == "auto" => Self::Auto,
            Some((light, dark)) => Self::Pair {
                light: light.trim().to_owned(),
                dark: dark.trim().to_owned(),
            },
            None => Self::One(setting.to_owned()),
        }
    }

    /// The name of the theme. `is_dark` is whether the terminal's background is dark, if known.
    #[must_use]
    pub fn name(&self, is_dark: Option<bool>, depth: ColorDepth) -> Cow<'_, str> {
        match (self, is_dark) {
            (Self::Auto, _) if depth <= ColorDepth::Ansi16 => BASIC.into(),
            (Self::Auto, Some(true)) => "default-dark".into(),
            (Self::Auto, Some(false)) => "default-light".into(),
            // On an unknown background only the terminal's own palette is readable.
            (Self::Auto, None) => BASIC.into(),
            (Self::Pair { light, .. }, Some(false)) => light.into(),
            (Self::Pair { dark, .. }, _) => dark.into(),
            (Self::One(name), _) => name.into(),
        }
    }

    /// Every theme that it can choose.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Auto => vec!["default-dark", "default-light", BASIC],
            Self::Pair { light, dark } => vec![light, dark],
            Self::One(name) => vec![name],
        }
    }
}
