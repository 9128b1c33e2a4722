//! Paths and names inside the container of every session. The engine that creates the container and the
//! runner inside it share them.

/// The home directory of the session's user.
pub const HOME: &str = "/home/work";

/// The read-only directory with tmux, its libraries and the runner.
pub const TOOLBOX: &str = "/opt/workbay";

/// The directory that the main container shares with the engine, if it has one: the socket for connections to ports, and
/// the files of apps.
pub const SHARED: &str = "/run/workbay";

/// The name of the socket in [`SHARED`]. A client sends a port and gets a connected socket.
pub const CONNECT_SOCKET: &str = "connect.sock";

/// What a client of [`CONNECT_SOCKET`] sends in the place of a port to get a connection to a new SFTP server.
pub const SFTP_PORT: u16 = 0;

/// The most connections that are made at the same time by way of [`CONNECT_SOCKET`].
pub const CONNECTING: usize = 64;

/// The host name of the main container, as in Backend.AI.
pub const MAIN_HOST: &str = "main1";

/// How the runner's own lines in a log begin.
pub const OWN_LINE: &str = "workbay: ";

/// The script in the home directory that runs before everything else.
pub const BOOTSTRAP: &str = "bootstrap.sh";

/// The tmux session that all terminals of a session share.
pub const TMUX_SESSION: &str = "main";

/// The prefix of a pane's tmux session, followed by the tag of the pane.
pub const PANE_PREFIX: &str = "wb-";

/// The command of the bundled shell, one word per line. The file exists if the bundled tools include a shell.
pub const TOOLBOX_SHELL: &str = "/opt/workbay/etc/shell.argv";

/// The variable with the original PATH of the session.
pub const SESSION_PATH: &str = "WORKBAY_PATH";

/// A shell in a single file, if the bundled tools include it.
pub const TOOLBOX_SH: &str = "/opt/workbay/shell/sh";

/// The exit code of a terminal if the session has no shell, but the bundled tools have one.
pub const NO_SHELL: u8 = 69;

/// The name of the tmux session of the pane with this tag. tmux parses `:` and `.` in a session's name as
/// parts of a target, so the name has neither.
#[must_use]
pub fn pane_session(tag: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let safe = tag.chars().map(|c| if keep(c) { c } else { '_' });
    PANE_PREFIX.chars().chain(safe).collect()
}

/// Variables that load an image's libraries into every program, and the variables that keep their values in a
/// container. The bundled tools don't work with these libraries.
pub const PRELOADS: [(&str, &str); 2] = [
    ("LD_PRELOAD", "WORKBAY_LD_PRELOAD"),
    ("LD_AUDIT", "WORKBAY_LD_AUDIT"),
];

/// The first word of the line in which the runner reports how many files and bytes it packs.
pub const TOTAL: &str = "total";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_never_a_target() {
        assert_eq!(pane_session("face-1_a"), "wb-face-1_a");
        assert_eq!(pane_session("a:b.c;d 한"), "wb-a_b_c_d__");
    }
}
