//! Decides which view or panel gets the keys.

use crate::action::Scope;

/// The views of the TUI. One fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Sessions,
    Logs,
    Panes,
}

/// The one place that gets the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Help,
    /// The search line of the help.
    HelpSearch,
    Confirm,
    /// The dialog that extends or exempts a session.
    Keep,
    /// Why a session waits.
    WhyNot,
    /// The progress of an image pull.
    Pull,
    Launcher,
    /// A question of the launcher.
    LauncherQuestion,
    /// A path typed in the launcher.
    LauncherPrompt,
    Recents,
    /// The title of a recent launch.
    RecentTitle,
    /// The scheduling history.
    Scheduling,
    /// The filter of the scheduling history is being typed.
    SchedulingFilter,
    Contexts,
    /// The list of all shells.
    Shells,
    /// The form of a new shell.
    NewShell,
    /// The list of notifications.
    Notices,
    /// The panel on top of the stack.
    Panel,
    Filter,
    Detail,
    Sessions,
    Logs,
    Panes,
}

impl Focus {
    /// The scope where keys are looked up first. `Logs` and `Panes` know their own scope.
    pub fn scope(self) -> Scope {
        match self {
            Self::Help => Scope::Help,
            Self::HelpSearch
            | Self::Panel
            | Self::Filter
            | Self::LauncherPrompt
            | Self::SchedulingFilter
            | Self::NewShell
            | Self::RecentTitle => Scope::Input,
            Self::Confirm | Self::Keep | Self::WhyNot | Self::Pull | Self::LauncherQuestion => {
                Scope::Confirm
            }
            Self::Launcher => Scope::Launcher,
            Self::Recents => Scope::Recents,
            Self::Scheduling => Scope::History,
            Self::Contexts => Scope::Contexts,
            Self::Shells => Scope::Shells,
            Self::Notices => Scope::Notices,
            Self::Detail => Scope::Detail,
            Self::Sessions => Scope::Sessions,
            Self::Logs => Scope::Logs,
            Self::Panes => Scope::Panes,
        }
    }
}
