//! Decides which view or panel gets the keys.

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
    /// The panel on top of the stack.
    Panel,
    Filter,
    Detail,
    Sessions,
    Logs,
    Panes,
}
