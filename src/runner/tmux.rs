//! Calls the bundled tmux.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{
    beginning::{Beginning, Trouble},
    preload, shell_choice, terminfo,
};
use crate::model::inside;

/// Where images keep the locales of the C library, including UTF-8.
const LOCALES: &str = "/usr/lib/locale";

/// Variables that tmux itself needs. Shells get the container's own values, or tmux's values where the image lacks
/// locales or terminal descriptions.
const PRIVATE: [&str; 3] = ["LC_ALL", "LOCPATH", "TERMINFO_DIRS"];

/// How to call the bundled tmux in this container.
pub(super) struct Tmux {
    /// The loader and its options, then the program.
    argv: Vec<String>,
    /// A directory for the socket, if the image has no writable /tmp.
    socket_dir: Option<PathBuf>,
    /// The home directory of a user other than the session's.
    home: Option<PathBuf>,
}

impl Tmux {
    /// Reads how to call tmux from the bundled tools.
    pub(super) fn new() -> io::Result<Self> {
        let file = Path::new(inside::TOOLBOX).join("etc/tmux.argv");
        let argv: Vec<String> = fs::read_to_string(file)?
            .lines()
            .map(str::to_owned)
            .collect();
        if argv.is_empty() {
            return Err(io::Error::other("the bundled tools have no entry for tmux"));
        }
        let taken = env::var_os("TMUX_TMPDIR").is_some() || can_write(Path::new("/tmp"));
        let socket_dir = (!taken).then(|| PathBuf::from(inside::HOME));
        Ok(Self {
            argv,
            socket_dir,
            home: None,
        })
    }

    /// Uses the home directory of the user that this process runs as, for a user other than the session's.
    #[must_use]
    pub(super) fn of_visitor(mut self) -> Self {
        let home = shell_choice::home(rustix::process::getuid().as_raw());
        self.home = Some(home.unwrap_or_else(|| PathBuf::from("/")));
        self
    }

    /// Returns a tmux command with a private environment.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]).arg("-u");
        command.env("LC_ALL", "C.UTF-8");
        command.env("LOCPATH", locales());
        command.env("TERMINFO_DIRS", terminfo::ours());
        // tmux refuses to run inside itself, but a terminal inside a terminal of the same session is intended here.
        command.env_remove("TMUX");
        if let Some(dir) = &self.socket_dir {
            command.env("TMUX_TMPDIR", dir);
        }
        if let Some(home) = &self.home {
            command.env("HOME", home).current_dir(home);
        }
        command
    }

    /// Whether tmux session `name` exists.
    pub(super) fn has(&self, name: &str) -> bool {
        let target = format!("={name}");
        self.quietly(&["has-session", "-t", &target])
    }

    /// Runs one command without output, and returns whether it succeeded.
    pub(super) fn quietly(&self, arguments: &[&str]) -> bool {
        let mut command = self.command();
        command.args(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Runs one command and returns the lines that it prints.
    pub(super) fn lines(&self, arguments: &[&str]) -> io::Result<Vec<String>> {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Creates the session `main`, and with it the server, which reads our configuration, unless the session exists.
    /// Returns whether it was created. If two callers do this at once, the slower one finds the session.
    pub(super) fn ensure_main(
        &self,
        (columns, rows): (u16, u16),
        beginning: &Beginning,
    ) -> Result<bool, Trouble> {
        if self.has(inside::TMUX_SESSION) {
            return Ok(false);
        }
        let window = beginning.window()?;
        let mut command = self.server_command(&beginning.usual_shell()?);
        command.args(["new-session", "-d", "-s", inside::TMUX_SESSION]);
        command.args(["-x", &columns.to_string(), "-y", &rows.to_string()]);
        command.args(window);
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Trouble::new(127, format!("tmux can't be run: {error}")))?;
        if output.status.success() {
            return Ok(true);
        }
        if self.has(inside::TMUX_SESSION) {
            return Ok(false);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let sentence = format!("tmux didn't start: {}", said.trim());
        Err(Trouble::new(127, sentence))
    }

    /// Returns a command that passes our configuration to the server if it starts one, and removes the variables that
    /// only tmux needs from the environment of shells.
    fn server_command(&self, shell: &Path) -> Command {
        let home = match &self.home {
            Some(home) => Some(home.to_string_lossy().into_owned()),
            None => env::var("HOME").ok(),
        };
        let info = env::var("TERMINFO").ok();
        let term = terminfo::choose(&terminfo::places(info.as_deref(), home.as_deref()));
        let mut command = self.command();
        command
            .arg("-f")
            .arg(Path::new(inside::TOOLBOX).join("etc/tmux.conf"));
        command
            .env("WORKBAY_SHELL", shell)
            .env("WORKBAY_TERM", term.name);
        command.env("SHELL", shell);
        for name in PRIVATE {
            match env::var(name) {
                Ok(own) => command.args(["set-environment", "-g", name, &own, ";"]),
                Err(_) if name == "TERMINFO_DIRS" && term.ours => command
                    .args(["set-environment", "-g", name])
                    .arg(terminfo::ours())
                    .arg(";"),
                Err(_) if name == "LOCPATH" && !has_locales() => command
                    .args(["set-environment", "-g", name])
                    .arg(locales())
                    .arg(";"),
                Err(_) => command.args(["set-environment", "-gu", name, ";"]),
            };
        }
        command.args(preload::to_windows());
        for name in ["WORKBAY_SHELL", "WORKBAY_TERM"] {
            command.args(["set-environment", "-gu", name, ";"]);
        }
        command
    }
}

/// The UTF-8 locale of the bundled tools.
fn locales() -> PathBuf {
    Path::new(inside::TOOLBOX).join("share/locale")
}

/// Whether the image has its own locales. Without any, programs would treat Hangul as single bytes.
fn has_locales() -> bool {
    fs::read_dir(LOCALES).is_ok_and(|mut entries| entries.next().is_some())
}

fn can_write(dir: &Path) -> bool {
    rustix::fs::access(
        dir,
        rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
    )
    .is_ok()
}
