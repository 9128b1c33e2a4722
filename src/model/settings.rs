//! The settings. `config/` fills them from the embedded defaults, the system-wide file and your file. All
//! other modules get them as an argument.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use super::{
    link_schemes::LinkSchemes,
    policy::ResourceRules,
    resources::{Bytes, Cpu},
    secret_rules::SecretRules,
    span::Span,
    wellknown::WellKnown,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub ui: UiSettings,
    pub terminal: TerminalSettings,
    pub notifications: NotificationSettings,
    pub hooks: HookSettings,
    pub launch: LaunchSettings,
    pub engine: EngineSettings,
    pub history: HistorySettings,
    pub disk: DiskSettings,
    pub images: ImageSettings,
    pub apps: AppSettings,
    pub folders: FolderSettings,
    /// Groups, presets, limits and accelerators, from `resources.toml`.
    pub resources: ResourceRules,
    /// Well-known environments, from `environments.toml`.
    pub environments: Vec<WellKnown>,
}

impl Settings {
    /// The settings before any file is read: empty texts, zero amounts, everything off.
    #[must_use]
    pub fn blank() -> Self {
        Self {
            ui: UiSettings {
                language: String::new(),
                theme: String::new(),
                keymap: String::new(),
                mouse: false,
                statistics: false,
                columns: Vec::new(),
                unicode: None,
                charts: ChartStyle::Auto,
                read_only: false,
                open_apps_after_launch: false,
            },
            terminal: TerminalSettings::default(),
            notifications: NotificationSettings::default(),
            hooks: HookSettings::default(),
            launch: LaunchSettings {
                environment: String::new(),
                cpu: Cpu::default(),
                mem: Bytes::default(),
                shmem: Bytes::default(),
                pids: 0,
                env: BTreeMap::new(),
                secrets: SecretRules::default(),
            },
            engine: EngineSettings {
                endpoint: None,
                stop_grace_seconds: 0,
            },
            history: HistorySettings {
                keep_days: 0,
                keep_space: Bytes(0),
            },
            disk: DiskSettings::default(),
            images: ImageSettings::default(),
            apps: AppSettings::default(),
            folders: FolderSettings::default(),
            resources: ResourceRules::default(),
            environments: Vec::new(),
        }
    }
}

/// The columns of the TUI's list.
pub const LIST_COLUMNS: [&str; 17] = [
    "name",
    "context",
    "owner",
    "project",
    "agent",
    "accelerator",
    "status",
    "result",
    "environment",
    "cpu",
    "cpu-history",
    "memory",
    "memory-history",
    "elapsed",
    "reclaim",
    "ended",
    "created",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiSettings {
    /// The code of a language (`ko`), or `auto` (as in the locale).
    pub language: String,
    /// The name of a file in `themes/`, `LIGHT/DARK`, or `auto` (dark or light, after the terminal's background).
    pub theme: String,
    /// The name of a file in `keymaps/`.
    pub keymap: String,
    pub mouse: bool,
    /// Whether the resource bars above the list are visible at the start.
    pub statistics: bool,
    /// The columns of the list in their order, by the names in [`LIST_COLUMNS`]; empty = by the width.
    pub columns: Vec<String>,
    /// Whether to use Unicode drawing characters; `None` = as in the locale.
    pub unicode: Option<bool>,
    pub charts: ChartStyle,
    /// Whether destructive actions are disabled.
    pub read_only: bool,
    /// Whether the app launcher opens when a session that was launched here runs.
    pub open_apps_after_launch: bool,
}

/// Apps of sessions, and the ports of this machine that lead to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppSettings {
    /// The first and the last port that is chosen for a forward.
    pub port_pool: PortRange,
    /// The port that is tried first; `None` = the first free one of the pool.
    pub preferred_port: Option<u16>,
    /// Whether forwards may be opened to other machines.
    pub open_to_public: bool,
    /// Options of `ssh` between your computer and this machine, for printed commands: `-J jump.example.org`.
    pub ssh_arguments: Vec<String>,
    /// A file with your public keys, which may log in to your sessions by SSH.
    pub authorized_keys: Option<PathBuf>,
}

/// Directories of this machine that are folders of every user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderSettings {
    pub host_paths: Vec<HostPath>,
}

/// A directory of this machine that sessions may mount, or all directories in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPath {
    /// The directory; with `each`, the one that contains them.
    pub path: PathBuf,
    /// Whether each directory in `path` is a folder: `/data/*`.
    pub each: bool,
    pub read_only: bool,
}

impl std::str::FromStr for HostPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, read_only) = match text.strip_suffix(":ro") {
            Some(path) => (path, true),
            None => (text.strip_suffix(":rw").unwrap_or(text), false),
        };
        let (path, each) = match path.strip_suffix("/*") {
            Some(path) => (path, true),
            None => (path, false),
        };
        if !path.starts_with('/') || path.contains(['*', ':', '\0']) {
            return Err(tr!("invalid path '{text}'", text));
        }
        let path = PathBuf::from(path);
        let is_plain = |part| {
            use std::path::Component::{Normal, RootDir};
            matches!(part, RootDir | Normal(_))
        };
        if !path.components().all(is_plain) || path.file_name().is_none() {
            return Err(tr!("invalid path '{text}'", text));
        }
        Ok(Self {
            path,
            each,
            read_only,
        })
    }
}

impl fmt::Display for HostPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = if self.each { "/*" } else { "" };
        let mode = if self.read_only { ":ro" } else { "" };
        write!(f, "{}{each}{mode}", self.path.display())
    }
}

/// Ports from `first` to `last`, which may be equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortRange {
    pub first: u16,
    pub last: u16,
}

impl PortRange {
    pub fn contains(self, port: u16) -> bool {
        (self.first..=self.last).contains(&port)
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// How terminals of sessions start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalSettings {
    /// The preferred shell, where a session has it; `None` = the session's own.
    pub shell: Option<String>,
    pub copy_keys: CopyKeys,
    pub clipboard: ClipboardPolicy,
    pub link_schemes: LinkSchemes,
    /// The size at which a recording ends.
    pub record_limit: Bytes,
}

/// How the TUI notifies you.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Whether the TUI starts in quiet mode: no bell, and toasts only for warnings and errors.
    pub quiet: bool,
    /// Whether to ring the terminal's bell.
    pub bell: bool,
    pub desktop: DesktopNotices,
}

/// Whether the terminal is asked to show desktop notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DesktopNotices {
    /// Where the terminal is known to support it.
    #[default]
    Auto,
    On,
    Off,
}

impl DesktopNotices {
    pub const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

    /// The value in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// Your own command that the daemon runs for notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSettings {
    /// The program and its arguments; empty = none.
    pub command: Vec<String>,
    /// The kinds of notifications that it runs for.
    pub events: Vec<String>,
    /// The command is stopped after this time.
    pub timeout: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSettings {
    pub environment: String,
    pub cpu: Cpu,
    pub mem: Bytes,
    pub shmem: Bytes,
    pub pids: i64,
    /// Variables that every session gets.
    pub env: BTreeMap<String, String>,
    /// The rules for secret variables.
    pub secrets: SecretRules,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// `unix:///…`; `None` = the first one found in the documented order.
    pub endpoint: Option<String>,
    /// Seconds that a session has to stop on its own before it is killed.
    pub stop_grace_seconds: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// Days that the log and the home directory of an ended session are kept.
    pub keep_days: u32,
    /// The most space that home directories of ended sessions use together; 0 = any.
    pub keep_space: Bytes,
}

/// The file system of the state directory: when you are warned, and how much of it `--save` may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSettings {
    /// You are warned below this amount of free space; 0 = never.
    pub warn_below: Bytes,
    /// A launch is refused while less space than this is free; 0 = never.
    pub launch_reserve: Bytes,
    pub save: SaveLimits,
}

/// Images that are created from sessions on engines of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageSettings {
    /// How many of them you may have; 0 = any number.
    pub limit: u32,
}

/// The free space below which you are warned, on a file system of `whole` bytes. On a small one, it is less
/// than `warn_below`.
pub fn warning_limit(warn_below: Bytes, whole: Bytes) -> Bytes {
    const PART: u64 = 10;
    warn_below.min(Bytes(whole.0 / PART))
}

/// How much space on this machine the files that one session saves at its end may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveLimits {
    /// The total size; 0 = limited by the free space only.
    pub most: Bytes,
    /// The space that stays free on the file system, or a tenth of a small one.
    pub keep_free: Bytes,
}

impl Default for SaveLimits {
    fn default() -> Self {
        Self {
            most: Bytes(10 * Bytes::GIB),
            keep_free: Bytes(Bytes::GIB),
        }
    }
}

/// What bars over time are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartStyle {
    /// Dots, or half blocks on a terminal whose font has no dots.
    #[default]
    Auto,
    Braille,
    Blocks,
    Ascii,
}

impl ChartStyle {
    pub const ALL: [Self; 4] = [Self::Auto, Self::Braille, Self::Blocks, Self::Ascii];

    /// The value in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Braille => "braille",
            Self::Blocks => "blocks",
            Self::Ascii => "ascii",
        }
    }
}

/// The keys of tmux's copy mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyKeys {
    /// As in tmux: chosen by EDITOR, or by your own `~/.tmux.conf`.
    #[default]
    Auto,
    Vi,
    Emacs,
}

impl CopyKeys {
    pub const ALL: [Self; 3] = [Self::Auto, Self::Vi, Self::Emacs];

    /// The value in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Vi => "vi",
            Self::Emacs => "emacs",
        }
    }

    /// Whether the keys of vi are chosen; `None` = neither is chosen.
    pub fn vi(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::Vi => Some(true),
            Self::Emacs => Some(false),
        }
    }
}

/// What happens when a program writes to the clipboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipboardPolicy {
    /// It waits for your confirmation.
    #[default]
    Ask,
    Allow,
    Refuse,
}

impl ClipboardPolicy {
    pub const ALL: [Self; 3] = [Self::Ask, Self::Allow, Self::Refuse];

    /// The value in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Refuse => "refuse",
        }
    }
}
