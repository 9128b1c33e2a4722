//! How a terminal starts: its shell, its directory, or a command instead of a shell.

use std::{env, fs, path::PathBuf};

use super::{preload, shell_choice};
use crate::model::inside;

/// The choices for a terminal. The session's defaults apply to the others.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Beginning {
    /// Starts in a new window, unless the pane existed before.
    #[arg(long)]
    pub(super) fresh: bool,
    /// Name or path of the shell.
    #[arg(long)]
    pub(super) shell: Option<String>,
    /// Shell to prefer to all others, if it exists.
    #[arg(long)]
    pub(super) prefer: Option<String>,
    #[arg(long)]
    pub(super) directory: Option<String>,
    /// Starts the shell of the bundled tools.
    #[arg(long)]
    pub(super) toolbox: bool,
    /// Runs as a user other than the session's, with a separate tmux and home directory.
    #[arg(long)]
    pub(super) visitor: bool,
    /// Command to run instead of a shell.
    #[arg(last = true)]
    pub(super) command: Vec<String>,
}

/// Why a terminal can't start, and the runner's exit code then.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) sentence: String,
    pub(super) code: u8,
}

impl Trouble {
    pub(super) fn new(code: u8, sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code,
        }
    }
}

impl Beginning {
    /// Whether the choices need a new window.
    pub(super) fn needs_window(&self) -> bool {
        self.fresh
            || self.toolbox
            || self.shell.is_some()
            || self.directory.is_some()
            || !self.command.is_empty()
    }

    /// Returns the shell of windows without choices.
    pub(super) fn usual_shell(&self) -> Result<PathBuf, Trouble> {
        let uid = rustix::process::getuid().as_raw();
        let path = env::var("PATH").ok();
        let preferred = self
            .prefer
            .as_deref()
            .and_then(|shell| shell_choice::named(shell, path.as_deref()));
        let found = preferred.or_else(|| shell_choice::choose(uid, path.as_deref()));
        match found {
            Some(shell) => Ok(shell),
            // This window runs what was chosen. Windows that the user opens later get the bundled shell.
            None if self.toolbox || !self.command.is_empty() => Ok(inside::TOOLBOX_SH.into()),
            None => Err(no_shell(toolbox_shell().is_some())),
        }
    }

    /// Returns the end of a tmux command that creates the window: its directory and its program.
    pub(super) fn window(&self) -> Result<Vec<String>, Trouble> {
        let mut words = Vec::new();
        if let Some(directory) = &self.directory {
            words.extend(["-c".to_owned(), place(directory)?]);
        }
        if self.toolbox || !self.command.is_empty() {
            words.extend(preload::not_to_window());
        }
        words.extend(self.program()?.iter().map(|word| plain(word)));
        Ok(words)
    }

    /// Returns two or more words, or none, because tmux passes a single word to a shell.
    fn program(&self) -> Result<Vec<String>, Trouble> {
        let path = env::var("PATH").ok();
        if let Some(program) = self.command.first() {
            shell_choice::named(program, path.as_deref())
                .ok_or_else(|| missing("program", program))?;
            let mut words = ourselves();
            words.extend(["exec", "--"].map(str::to_owned));
            words.extend(self.command.iter().cloned());
            return Ok(words);
        }
        if self.toolbox {
            return toolbox_shell().ok_or_else(no_toolbox_shell);
        }
        let Some(chosen) = &self.shell else {
            return Ok(Vec::new());
        };
        let shell =
            shell_choice::named(chosen, path.as_deref()).ok_or_else(|| missing("shell", chosen))?;
        Ok(vec![shell.to_string_lossy().into_owned(), "-l".to_owned()])
    }
}

/// The command of the bundled shell, if the bundled tools have one.
fn toolbox_shell() -> Option<Vec<String>> {
    let text = fs::read_to_string(inside::TOOLBOX_SHELL).ok()?;
    let argv: Vec<String> = text.lines().map(str::to_owned).collect();
    (argv.len() > 1).then_some(argv)
}

fn no_shell(toolbox: bool) -> Trouble {
    if toolbox {
        return Trouble::new(
            inside::NO_SHELL,
            "this environment has no shell (bash, zsh, ash or sh). Use `workbay shell --toolbox`",
        );
    }
    Trouble::new(
        127,
        "this environment has no shell (bash, zsh, ash or sh). Its log and `workbay exec` still \
         work",
    )
}

fn no_toolbox_shell() -> Trouble {
    Trouble::new(
        127,
        "the bundled tools of this session have no shell. Install bash on the machine that runs \
         the session, then relaunch it",
    )
}

fn missing(what: &str, name: &str) -> Trouble {
    let sentence = format!(
        "{what} '{name}' not found in this session. Use an absolute path, or an environment that \
         has the {what}"
    );
    Trouble::new(127, sentence)
}

fn place(directory: &str) -> Result<String, Trouble> {
    match fs::metadata(directory) {
        Ok(meta) if meta.is_dir() => Ok(plain(directory)),
        Ok(_) => Err(Trouble::new(
            126,
            format!("'{directory}' isn't a directory in this session"),
        )),
        Err(error) => Err(Trouble::new(
            126,
            format!("the directory '{directory}' of this session can't be used: {error}"),
        )),
    }
}

/// The command that started this program, without the arguments of the task. It includes the loader, which the
/// program's own arguments lack.
pub(super) fn ourselves() -> Vec<String> {
    let called = fs::read("/proc/self/cmdline").unwrap_or_default();
    let mut words: Vec<String> = called
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    if let Some(at) = words.iter().position(|word| word == "runner") {
        words.truncate(at + 1);
    }
    words
}

/// Escapes a word for tmux, which treats a semicolon at the end of a word as the end of a command.
fn plain(word: &str) -> String {
    match word.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_said_to_tmux_word_by_word() {
        let usual = Beginning::default();
        assert!(!usual.needs_window());
        assert_eq!(usual.window().unwrap(), Vec::<String>::new());
        let there = Beginning {
            directory: Some("/tmp".to_owned()),
            shell: Some("/bin/sh".to_owned()),
            ..Beginning::default()
        };
        assert!(there.needs_window());
        assert_eq!(there.window().unwrap(), ["-c", "/tmp", "/bin/sh", "-l"]);
        let command = Beginning {
            command: ["ls", "a;", ";", "b;c"].map(str::to_owned).to_vec(),
            ..Beginning::default()
        };
        let words = command.window().unwrap();
        assert!(words.ends_with(&["exec", "--", "ls", "a\\;", "\\;", "b;c"].map(str::to_owned)));
    }

    #[test]
    fn what_is_not_there_is_reported_before_anything_begins() {
        let begin = |beginning: Beginning| beginning.window().unwrap_err();
        let shell = begin(Beginning {
            shell: Some("no-such-shell".to_owned()),
            ..Beginning::default()
        });
        assert_eq!(shell.code, 127);
        assert!(
            shell
                .sentence
                .starts_with("shell 'no-such-shell' not found")
        );
        let program = begin(Beginning {
            command: vec!["no-such-program".to_owned()],
            ..Beginning::default()
        });
        assert!(program.sentence.starts_with("program '"));
        for (directory, says) in [
            ("/no/such", "can't be used"),
            ("/etc/passwd", "isn't a directory"),
        ] {
            let place = begin(Beginning {
                directory: Some(directory.to_owned()),
                ..Beginning::default()
            });
            assert!(place.sentence.contains(says), "{place:?}");
        }
        let toolbox = begin(Beginning {
            toolbox: true,
            ..Beginning::default()
        });
        assert!(toolbox.sentence.contains("Install bash"), "{toolbox:?}");
    }
}
