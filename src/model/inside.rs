//! Places and names inside every session's container, known to the engine that makes it and to the
//! runner that lives in it.

/// The home of the session's user.
pub const HOME: &str = "/home/work";

/// The read-only directory with tmux, its libraries and the runner.
pub const TOOLBOX: &str = "/opt/workbay";

/// The host name of the main container, as in Backend.AI.
pub const MAIN_HOST: &str = "main1";

/// The script in the home that runs before everything else.
pub const BOOTSTRAP: &str = "bootstrap.sh";

/// The tmux session every terminal of a session shares.
pub const TMUX_SESSION: &str = "main";

/// Each pane's tmux session is this and the pane's tag.
pub const PANE_PREFIX: &str = "wb-";
