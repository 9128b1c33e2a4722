//! The scopes: sets of key bindings.

use crate::locale;

/// A set of key bindings. Keys are looked up in the innermost scope first and in `Global` last. `Terminal`
/// passes keys that it doesn't bind to the child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Global,
    Sessions,
    Detail,
    Launcher,
    Contexts,
    /// The list of all shells.
    Shells,
    /// The list of themes.
    Themes,
    /// The settings page.
    Settings,
    /// Recent launches.
    Recents,
    /// The app launcher.
    Apps,
    /// An app or port that was opened, and the commands for SSH.
    Opened,
    /// The control room.
    Room,
    /// The saved layouts of panes.
    Layouts,
    /// The data page.
    Folders,
    /// The port board.
    Ports,
    /// The dashboard.
    Dashboard,
    /// The file explorer.
    Explorer,
    /// The list of transfers.
    Transfers,
    /// The question about a name that is taken.
    Conflict,
    /// The columns of the list.
    Columns,
    /// Notifications.
    Notices,
    /// The scheduling history.
    History,
    Logs,
    Panes,
    Terminal,
    /// After the leader key in a terminal pane.
    Leader,
    Confirm,
    Help,
    /// The command palette.
    Palette,
    /// The commands that do what was done in the TUI.
    Commands,
    /// A one-line input: filter, search, rename.
    Input,
    /// The tour, whose keys come before all others while it runs.
    Tour,
}

impl Scope {
    pub const ALL: [Self; 32] = [
        Self::Global,
        Self::Sessions,
        Self::Detail,
        Self::Launcher,
        Self::Contexts,
        Self::Shells,
        Self::Themes,
        Self::Settings,
        Self::Recents,
        Self::Apps,
        Self::Opened,
        Self::Room,
        Self::Layouts,
        Self::Folders,
        Self::Ports,
        Self::Dashboard,
        Self::Explorer,
        Self::Transfers,
        Self::Conflict,
        Self::Columns,
        Self::Notices,
        Self::History,
        Self::Logs,
        Self::Panes,
        Self::Terminal,
        Self::Leader,
        Self::Confirm,
        Self::Help,
        Self::Palette,
        Self::Commands,
        Self::Input,
        Self::Tour,
    ];

    /// The name of the scope's table in keymap files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Sessions => "sessions",
            Self::Detail => "detail",
            Self::Launcher => "launcher",
            Self::Contexts => "contexts",
            Self::Shells => "shells",
            Self::Themes => "themes",
            Self::Settings => "settings",
            Self::Recents => "recents",
            Self::Apps => "apps",
            Self::Opened => "opened",
            Self::Room => "room",
            Self::Layouts => "layouts",
            Self::Folders => "folders",
            Self::Ports => "ports",
            Self::Dashboard => "dashboard",
            Self::Explorer => "explorer",
            Self::Transfers => "transfers",
            Self::Conflict => "conflict",
            Self::Columns => "columns",
            Self::Notices => "notices",
            Self::History => "history",
            Self::Logs => "logs",
            Self::Panes => "panes",
            Self::Terminal => "terminal",
            Self::Leader => "leader",
            Self::Confirm => "confirm",
            Self::Help => "help",
            Self::Palette => "palette",
            Self::Commands => "commands",
            Self::Input => "input",
            Self::Tour => "tour",
        }
    }

    /// The title on the screen.
    pub fn title(self) -> &'static str {
        locale::text(self.title_in_english())
    }

    /// The title in the source's language.
    pub fn title_in_english(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Sessions => "Sessions",
            Self::Detail => "Detail",
            Self::Launcher => "Launcher",
            Self::Contexts => "Contexts",
            Self::Shells => "Shells",
            Self::Themes => "Themes",
            Self::Settings => "Settings",
            Self::Recents => "Recent launches",
            Self::Apps => "Apps of a session",
            Self::Opened => "Opened app or port",
            Self::Room => "Control room",
            Self::Layouts => "Layouts of panes",
            Self::Folders => "Data page",
            Self::Ports => "Port board",
            Self::Dashboard => "Dashboard",
            Self::Explorer => "Files",
            Self::Transfers => "Transfers",
            Self::Conflict => "Name is taken",
            Self::Columns => "Columns of the list",
            Self::Notices => "Notifications",
            Self::History => "Scheduling history",
            Self::Logs => "Log",
            Self::Panes => "Terminals",
            Self::Terminal => "In a terminal",
            Self::Leader => "After the leader key",
            Self::Confirm => "Dialog",
            Self::Help => "Help",
            Self::Palette => "Command palette",
            Self::Commands => "Equivalent commands",
            Self::Input => "Text input",
            Self::Tour => "In the tour (`workbay tour`)",
        }
    }
}
