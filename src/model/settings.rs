//! What a person can set. `config/` fills it from the embedded defaults, the site's file and the
//! user's file; everybody else gets it as an argument.

use std::collections::BTreeMap;

use super::{
    launch::secrets::SecretRules,
    link_schemes::LinkSchemes,
    policy::ResourceRules,
    resources::{Bytes, Cpu},
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
    /// Groups, presets, limits and accelerators, of `resources.toml`.
    pub resources: ResourceRules,
    /// Well-known environments, of `environments.toml`.
    pub environments: Vec<WellKnown>,
}

impl Settings {
    /// Before anything is read: no words, no amounts, everything off.
    #[must_use]
    pub fn blank() -> Self {
        Self {
            ui: UiSettings {
                theme: String::new(),
                keymap: String::new(),
                mouse: false,
                statistics: false,
                unicode: None,
                read_only: false,
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
            history: HistorySettings { keep_days: 0 },
            disk: DiskSettings::default(),
            resources: ResourceRules::default(),
            environments: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiSettings {
    /// A file in `themes/`, or `auto` (dark or light by the terminal's background).
    pub theme: String,
    /// A file in `keymaps/`.
    pub keymap: String,
    pub mouse: bool,
    /// The resource bars above the list are shown at the start.
    pub statistics: bool,
    /// Unicode drawing characters; `None` = by the locale.
    pub unicode: Option<bool>,
    /// Nothing destructive is offered.
    pub read_only: bool,
}

/// How terminals of sessions begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalSettings {
    /// The shell that is preferred where a session has it; `None` = the session's own.
    pub shell: Option<String>,
    pub copy_keys: CopyKeys,
    pub clipboard: ClipboardPolicy,
    pub link_schemes: LinkSchemes,
}

/// How loud the full-screen view is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Begins quiet mode on: no bell, toasts only for warnings and errors.
    pub quiet: bool,
    /// The terminal's bell.
    pub bell: bool,
    pub desktop: DesktopNotices,
}

/// Whether the terminal is asked to tell the desktop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DesktopNotices {
    /// Where it is known to do so.
    #[default]
    Auto,
    On,
    Off,
}

impl DesktopNotices {
    pub const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

    /// The word in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// A person's own command that the daemon runs for what they should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSettings {
    /// Program and arguments; empty = none.
    pub command: Vec<String>,
    /// Which kinds of notices it is run for.
    pub events: Vec<String>,
    /// It is ended after this.
    pub timeout: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSettings {
    pub environment: String,
    pub cpu: Cpu,
    pub mem: Bytes,
    pub shmem: Bytes,
    pub pids: i64,
    /// Variables every session gets.
    pub env: BTreeMap<String, String>,
    /// Which variables are secret.
    pub secrets: SecretRules,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// `unix:///…`; `None` = found in the documented order.
    pub endpoint: Option<String>,
    /// Seconds a session has to end by itself before it is killed.
    pub stop_grace_seconds: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// Days that log and scratch of an ended session are kept.
    pub keep_days: u32,
}

/// The file system of the state directory: when you are warned, and what `--save` may take of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSettings {
    /// Below so much free space you are warned; 0 = never.
    pub warn_below: Bytes,
    pub save: SaveLimits,
}

/// Below how much free space of a file system of `whole` bytes you are warned: on a small one less than `warn_below`.
pub fn warning_limit(warn_below: Bytes, whole: Bytes) -> Bytes {
    const PART: u64 = 10;
    warn_below.min(Bytes(whole.0 / PART))
}

/// What the files saved for one session when it ends may take on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveLimits {
    /// All of them together; 0 = as much as there is room for.
    pub most: Bytes,
    /// So much stays free on the file system, on a small one a tenth of it.
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

/// The keys of tmux's copy mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyKeys {
    /// As tmux has it: by EDITOR, or by the person's own `~/.tmux.conf`.
    #[default]
    Auto,
    Vi,
    Emacs,
}

impl CopyKeys {
    pub const ALL: [Self; 3] = [Self::Auto, Self::Vi, Self::Emacs];

    /// The word in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Vi => "vi",
            Self::Emacs => "emacs",
        }
    }

    /// Whether vi's keys are chosen; `None` = nothing is.
    pub fn vi(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::Vi => Some(true),
            Self::Emacs => Some(false),
        }
    }
}

/// What becomes of a program's write to the clipboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipboardPolicy {
    /// It waits until the person has said yes or no.
    #[default]
    Ask,
    Allow,
    Refuse,
}

impl ClipboardPolicy {
    pub const ALL: [Self; 3] = [Self::Ask, Self::Allow, Self::Refuse];

    /// The word in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Refuse => "refuse",
        }
    }
}
