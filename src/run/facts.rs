//! What the TUI finds out about itself and its environment.

use uuid::Uuid;

use super::settings::outlines;
use crate::{
    app::{custom_commands::CustomCommands, facts::Facts},
    config::{layer::Loaded, paths::Paths, user},
    locale,
    model::settings::{ChartStyle, Settings},
    protocol::version::version,
};

/// The facts, which don't change while the TUI runs.
pub fn facts(loaded: &Loaded, paths: &Paths) -> Facts {
    let settings = &loaded.settings;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    Facts {
        user: user::user_name(),
        host: rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned(),
        version: version().to_owned(),
        time_zone: user::time_zone(),
        unicode: is_unicode(settings),
        charts: charts(settings),
        read_only: settings.ui.read_only,
        mouse: settings.ui.mouse,
        statistics: settings.ui.statistics,
        inside_tmux: variable("TMUX").is_some(),
        tag: tag(),
        launch: settings.launch.clone(),
        notifications: settings.notifications,
        directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
        copies: paths.copies_dir(),
        home: variable("HOME").map(Into::into),
        recordings: paths.recordings_dir(),
        layouts: paths.layouts_dir(),
        terminal: settings.terminal.clone(),
        keep_days: settings.history.keep_days,
        image_limit: settings.images.limit,
        apps: settings.apps.clone(),
        open_apps_after_launch: settings.ui.open_apps_after_launch,
        ssh_connection: variable("SSH_CONNECTION"),
        settings: outlines(loaded),
        settings_problem: None,
        columns: settings.ui.columns.clone(),
        commands: CustomCommands::default(),
        settings_file: paths.config_file(),
    }
}

/// Whether drawing characters beyond ASCII may be used.
pub fn is_unicode(settings: &Settings) -> bool {
    settings
        .ui
        .unicode
        .unwrap_or_else(|| locale::is_utf8(|name| std::env::var(name).ok()))
}

/// The style of charts, chosen by the terminal if the setting is `Auto`: the fonts of the Linux console have no dots.
pub fn charts(settings: &Settings) -> ChartStyle {
    let is_console = std::env::var("TERM").is_ok_and(|term| term == "linux");
    match settings.ui.charts {
        ChartStyle::Auto if is_console => ChartStyle::Blocks,
        ChartStyle::Auto => ChartStyle::Braille,
        style => style,
    }
}

/// A name for this TUI's terminals in the engine. It differs from every other TUI's, also after a restart.
pub fn tag() -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("f{}", &random[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ() {
        assert_ne!(tag(), tag());
    }
}
