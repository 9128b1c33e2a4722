//! Who gets the keys: the page, and what lies on top of it.

use crate::action::Scope;

/// The pages of the face; one fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Sessions,
    Logs,
    Panes,
}

/// The one place the keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Help,
    /// The search line of the help.
    HelpSearch,
    Confirm,
    /// What can be done against idle checks.
    Keep,
    /// Why a session waits.
    WhyNot,
    /// The image of a launch on its way.
    Pull,
    Launcher,
    /// A question of the launcher.
    LauncherQuestion,
    /// A path typed in the launcher.
    LauncherPrompt,
    Recents,
    /// The title of a launch of before.
    RecentTitle,
    /// The scheduling history.
    Scheduling,
    /// Its filter is typed.
    SchedulingFilter,
    Contexts,
    /// The list of all shells.
    Shells,
    /// The form of a new shell.
    NewShell,
    /// The list of notices.
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
    /// Where keys are looked up first; `Logs` and `Panes` know their own scope.
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
