//! The settings on the settings page. `run` reads and writes them, because they are in files.

use super::msg::Ticket;
use crate::{
    keymap::Keymap,
    model::{
        custom_command::CustomCommand,
        problem::Problem,
        setting_kind::{EditedValue, SettingKind, TakesEffect},
        settings::{AppSettings, ChartStyle, NotificationSettings},
    },
};

/// A setting, its value and how it is edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownSetting {
    /// `ui.theme`.
    pub key: String,
    /// The value as TOML, without parts that may be secret.
    pub value: String,
    /// Where the value comes from: `default`, `site`, `user`, `environment`, `flag`.
    pub origin: String,
    /// The same in words, with file and line.
    pub from: String,
    /// What the setting means, in one line.
    pub meaning: String,
    /// The line of your configuration file that sets it.
    pub line: Option<usize>,
    pub kind: SettingKind,
    pub effect: TakesEffect,
    /// The value to begin editing with.
    pub current: EditedValue,
    /// Why the setting can't be changed, as sentences.
    pub fixed: Option<String>,
}

impl ShownSetting {
    /// The table and the name.
    pub fn parts(&self) -> (&str, &str) {
        self.key.split_once('.').unwrap_or(("", &self.key))
    }

    /// Whether your configuration file sets it.
    pub fn is_own(&self) -> bool {
        self.origin == "user"
    }
}

/// What the settings page wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsOrder {
    /// Reads the files again. `Msg::Settings` has the result.
    Read,
    /// Checks a value and writes it to your file. `Msg::SettingSaved` reports the result.
    Save {
        ticket: Ticket,
        key: String,
        value: EditedValue,
    },
    /// Removes a setting from your file. `Msg::SettingSaved` reports the result.
    Reset { ticket: Ticket, key: String },
}

/// A mistake in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    pub problem: Problem,
    /// Your whole file is ignored, not only a setting.
    pub whole: bool,
    /// The number of further problems.
    pub more: usize,
}

/// All settings, read again.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsRead {
    pub rows: Vec<ShownSetting>,
    pub problem: Option<SettingsProblem>,
    /// Your own commands, `None` if a file has a problem.
    pub commands: Option<Vec<CustomCommand>>,
    /// What takes effect at once, `None` if a file has a problem: then nothing changes.
    pub live: Option<Box<LiveSettings>>,
}

/// The settings that take effect while the TUI runs. The task for themes follows the theme.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSettings {
    pub mouse: bool,
    pub statistics: bool,
    pub columns: Vec<String>,
    pub unicode: bool,
    pub charts: ChartStyle,
    pub read_only: bool,
    pub open_apps_after_launch: bool,
    pub notifications: NotificationSettings,
    pub apps: AppSettings,
    /// The keymap if the setting names another one than before.
    pub keymap: Option<Keymap>,
}
