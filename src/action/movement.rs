//! Which actions only move the selection or the view.

use super::Action;

impl Action {
    /// Whether it only moves the selection or the view. Lists show these actions after the others.
    pub fn is_movement(self) -> bool {
        const MOVES: &[Action] = &[
            Action::TabNext,
            Action::TabPrevious,
            Action::DetailNextKernel,
            Action::DetailPreviousKernel,
            Action::LauncherNext,
            Action::LauncherPrevious,
            Action::LauncherMore,
            Action::LauncherLess,
            Action::LauncherNextPage,
            Action::LauncherPreviousPage,
            Action::LogsNext,
            Action::LogsPreviousHit,
            Action::LogsNextKernel,
            Action::LogsPreviousKernel,
            Action::LogsLeft,
            Action::LogsRight,
            Action::RoomLeft,
            Action::RoomRight,
            Action::PaneNext,
            Action::PanePrevious,
            Action::PaneLeft,
            Action::PaneDown,
            Action::PaneUp,
            Action::PaneRight,
            Action::WindowNext,
            Action::WindowPrevious,
            Action::ConflictNext,
            Action::ConflictPrevious,
            Action::ConfirmToggle,
        ];
        let numbered = ["window.", "launcher.page-"];
        let name = self.name();
        let is_numbered = name.ends_with(|last: char| last.is_ascii_digit())
            && numbered.iter().any(|prefix| name.starts_with(prefix));
        name.starts_with("list.") || is_numbered || MOVES.contains(&self)
    }
}
