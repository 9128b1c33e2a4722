//! What the client knows about itself and its surroundings from the start. `run` finds it out.

use std::path::PathBuf;

use jiff::tz::TimeZone;

use crate::{
    model::settings::{AppSettings, LaunchSettings, NotificationSettings, TerminalSettings},
    rules::ssh_tunnel::SshRoute,
};

/// Constant for the lifetime of a client.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Your login name.
    pub user: String,
    /// Name of this machine.
    pub host: String,
    /// `0.1.0`.
    pub version: String,
    pub time_zone: TimeZone,
    /// Whether drawing characters beyond ASCII may be used.
    pub unicode: bool,
    /// Destructive actions aren't available.
    pub read_only: bool,
    /// Whether the bars above the list are shown at the start.
    pub statistics: bool,
    /// Whether the TUI uses the mouse at the start.
    pub mouse: bool,
    /// Whether the TUI itself runs inside tmux, which then has the prefix key.
    pub inside_tmux: bool,
    /// The prefix of this TUI's terminal tags. It is unique for each process, so that two TUIs in one session
    /// are two tmux clients.
    pub tag: String,
    /// The settings of the launcher.
    pub launch: LaunchSettings,
    /// The settings of toasts and the bell.
    pub notifications: NotificationSettings,
    /// The directory where the client was started.
    pub directory: PathBuf,
    /// The directory for copies that are too long for the clipboard.
    pub copies: PathBuf,
    /// The directory for recordings of terminals.
    pub recordings: PathBuf,
    /// Copying in terminals.
    pub terminal: TerminalSettings,
    /// How many days the log and the home directory of an ended session are kept.
    pub keep_days: u32,
    /// How many images you may create from sessions of this machine's engines; 0 = any number.
    pub image_limit: u32,
    /// The settings of apps and forwards.
    pub apps: AppSettings,
    /// Whether the app launcher opens when a session that was launched in this TUI runs.
    pub open_apps_after_launch: bool,
    /// The variable `SSH_CONNECTION`, if the TUI runs in an SSH login.
    pub ssh_connection: Option<String>,
    /// All settings, for the command palette.
    pub settings: Vec<ShownSetting>,
    /// Your configuration file, which may not exist.
    pub settings_file: PathBuf,
}

/// A setting and its value when the client started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownSetting {
    /// `ui.theme`.
    pub key: String,
    /// The value as TOML.
    pub value: String,
    /// Where the value comes from: `default`, `site`, `user`, `environment`, `flag`.
    pub origin: String,
    /// What the setting means, in one line.
    pub meaning: String,
    /// The line of your configuration file that sets it.
    pub line: Option<usize>,
}

impl Facts {
    /// How your computer reaches this machine by SSH.
    pub fn ssh_route(&self) -> SshRoute {
        let arguments = &self.apps.ssh_arguments;
        let connection = self.ssh_connection.as_deref();
        SshRoute::new(connection, &self.user, &self.host, arguments)
    }
}
