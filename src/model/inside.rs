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

/// How the toolbox's own shell is called, a word a line; it is there where the toolbox has one.
pub const TOOLBOX_SHELL: &str = "/opt/workbay/etc/shell.argv";

/// The variable that holds PATH as the session was given it.
pub const SESSION_PATH: &str = "WORKBAY_PATH";

/// A shell that is one file, where the toolbox has it.
pub const TOOLBOX_SH: &str = "/opt/workbay/shell/sh";

/// How a terminal ends in a session that has no shell to run in it, but the toolbox has.
pub const NO_SHELL: u8 = 69;

/// The tmux session of the pane with this tag. tmux reads `:` and `.` in a session's name as parts of a
/// target, so there are none.
#[must_use]
pub fn pane_session(tag: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let safe = tag.chars().map(|c| if keep(c) { c } else { '_' });
    PANE_PREFIX.chars().chain(safe).collect()
}

/// Variables that load an image's libraries into every program, and under what name a container holds their
/// values: the toolbox's programs are not made for these libraries.
pub const PRELOADS: [(&str, &str); 2] = [
    ("LD_PRELOAD", "WORKBAY_LD_PRELOAD"),
    ("LD_AUDIT", "WORKBAY_LD_AUDIT"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_never_a_target() {
        assert_eq!(pane_session("face-1_a"), "wb-face-1_a");
        assert_eq!(pane_session("a:b.c;d 한"), "wb-a_b_c_d__");
    }
}
