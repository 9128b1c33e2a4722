//! What the client knows about itself and its surroundings from the start. `run` finds it out.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::custom_commands::CustomCommands;
use super::settings::{SettingsProblem, ShownSetting};
use crate::{
    model::settings::{
        AppSettings, ChartStyle, LaunchSettings, NotificationSettings, TerminalSettings,
    },
    rules::ssh_tunnel::SshRoute,
};

/// Constant for the lifetime of a client, except for settings that take effect at once (`app/app/settings.rs`).
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
    /// What bars over time are drawn with. It is never `Auto`.
    pub charts: ChartStyle,
    /// Destructive actions aren't available.
    pub read_only: bool,
    /// Whether the bars above the list are shown at the start.
    pub statistics: bool,
    /// The columns of the list, empty = by its width.
    pub columns: Vec<String>,
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
    /// Your home directory on this machine, if it is known.
    pub home: Option<PathBuf>,
    /// The directory for recordings of terminals.
    pub recordings: PathBuf,
    /// The directory of saved layouts.
    pub layouts: PathBuf,
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
    /// All settings, as they are now.
    pub settings: Vec<ShownSetting>,
    /// The mistake in a configuration file that is shown on the settings page.
    pub settings_problem: Option<SettingsProblem>,
    /// Your own commands.
    pub commands: CustomCommands,
    /// Your configuration file, which may not exist.
    pub settings_file: PathBuf,
}

impl Facts {
    /// A path of this machine, with `~` for your home directory.
    pub fn short_path(&self, path: &str) -> String {
        let home = self.home.as_deref().filter(|it| it.parent().is_some());
        let rest = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
        match rest {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.to_owned(),
        }
    }

    /// How your computer reaches this machine by SSH.
    pub fn ssh_route(&self) -> SshRoute {
        let arguments = &self.apps.ssh_arguments;
        let connection = self.ssh_connection.as_deref();
        SshRoute::new(connection, &self.user, &self.host, arguments)
    }
}

#[cfg(test)]
mod tests {
    use crate::app::testing::facts;

    #[test]
    fn the_home_directory_is_short_and_only_at_the_beginning() {
        let mut facts = facts();
        assert_eq!(facts.short_path("/home/kim/.local/work"), "~/.local/work");
        assert_eq!(facts.short_path("/home/kim"), "~");
        assert_eq!(facts.short_path("/home/kimono/work"), "/home/kimono/work");
        assert_eq!(facts.short_path("/data/home/kim/x"), "/data/home/kim/x");
        facts.home = Some("/".into());
        assert_eq!(facts.short_path("/data"), "/data");
        facts.home = None;
        assert_eq!(facts.short_path("/home/kim"), "/home/kim");
    }
}
