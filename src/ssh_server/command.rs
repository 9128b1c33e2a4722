//! The command lines of shells and commands.

use super::variables::Variables;

/// A client that logs in as `work+tmux` gets the session's tmux instead of a shell of its own.
pub const TMUX_SUFFIX: &str = "+tmux";

/// The longest command in bytes. The system refuses longer arguments.
const LONGEST: usize = 128 * 1024;

/// The longest name of a terminal type.
const LONGEST_TERM: usize = 64;

/// Chooses the user's shell as sshd does: the one of the passwd file, else the first one found. Its arguments are the
/// variables, `--`, and the command if there is one.
const SCRIPT: &str = r#"while [ "$1" != -- ]; do export "$1"; shift; done
shift
me=$(id -u 2>/dev/null) shell=
while IFS=: read -r _ _ uid _ _ _ last; do
  if [ "$uid" = "$me" ]; then shell=$last; break; fi
done </etc/passwd 2>/dev/null
for one in "$shell" "$SHELL" bash sh; do
  case $one in ''|*/nologin|*/false) continue;; esac
  command -v "$one" >/dev/null 2>&1 || continue
  SHELL=$(command -v "$one"); export SHELL
  if [ $# -gt 0 ]; then exec "$SHELL" -c "$1"; else exec "$SHELL" -l; fi
done
exec sh"#;

/// A terminal that a client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terminal {
    /// `TERM`, if it is a valid name.
    pub(super) kind: Option<String>,
    /// Columns and rows.
    pub(super) size: (u16, u16),
}

impl Terminal {
    pub(super) fn new(kind: &str, columns: u32, rows: u32) -> Self {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let valid = !kind.is_empty() && kind.len() <= LONGEST_TERM && kind.chars().all(is_part);
        Self {
            kind: valid.then(|| kind.to_owned()),
            size: size(columns, rows),
        }
    }
}

/// Columns and rows; 80x24 where a client doesn't know them.
pub(super) fn size(columns: u32, rows: u32) -> (u16, u16) {
    let part = |value: u32, default: u16| match u16::try_from(value) {
        Ok(0) => default,
        Ok(value) => value,
        Err(_) => u16::MAX,
    };
    (part(columns, 80), part(rows, 24))
}

/// The login shell (`command` = `None`), or a command in the user's shell.
///
/// # Errors
///
/// The command can't be passed to a program.
pub(super) fn argv(
    command: Option<&[u8]>,
    terminal: Option<&Terminal>,
    mut variables: Variables,
) -> Result<Vec<String>, String> {
    let command = command.map(text).transpose()?;
    if let Some(kind) = terminal.and_then(|terminal| terminal.kind.as_deref()) {
        variables.set("TERM", kind);
    }
    // Programs look for these to know that they are run over SSH. The real address says nothing inside.
    variables.set("SSH_CLIENT", "127.0.0.1 0 22");
    variables.set("SSH_CONNECTION", "127.0.0.1 0 127.0.0.1 22");
    let begin = ["sh", "-c", SCRIPT, "sh"].map(str::to_owned);
    let end = std::iter::once("--".to_owned()).chain(command);
    Ok(begin
        .into_iter()
        .chain(variables.words())
        .chain(end)
        .collect())
}

fn text(command: &[u8]) -> Result<String, String> {
    if command.len() > LONGEST {
        return Err(tr_sent!(
            "the command is longer than {longest} bytes",
            longest = LONGEST
        ));
    }
    match std::str::from_utf8(command) {
        Ok(text) if text.contains('\0') => {
            Err(tr_sent!("the command contains a zero byte").to_owned())
        }
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(tr_sent!("the command isn't UTF-8").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn output(command: &str, variables: Variables) -> String {
        let argv = argv(Some(command.as_bytes()), None, variables).unwrap();
        let mut program = Command::new(&argv[0]);
        let output = program.args(&argv[1..]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn a_command_and_its_variables_arrive_unchanged() {
        let mut variables = Variables::default();
        assert!(variables.accept("LC_TEST", "a 'b' $(c) \"d\""));
        let printed = output(r#"printf '%s|%s' "$LC_TEST" 'x  y'"#, variables);
        assert_eq!(printed, "a 'b' $(c) \"d\"|x  y");
        let printed = output("echo -n $SSH_CONNECTION", Variables::default());
        assert_eq!(printed, "127.0.0.1 0 127.0.0.1 22");
    }

    #[test]
    fn commands_that_no_program_can_get_are_refused() {
        let refused = |command: &[u8]| argv(Some(command), None, Variables::default()).is_err();
        assert!(refused(b"a\0b"));
        assert!(refused(b"\xff"));
        assert!(refused(&vec![b'a'; LONGEST + 1]));
        assert!(!refused(b""));
    }

    #[test]
    fn sizes_and_types_of_terminals_are_bounded() {
        assert_eq!(size(0, 0), (80, 24));
        assert_eq!(size(100_000, 50), (u16::MAX, 50));
        assert_eq!(
            Terminal::new("xterm-256color", 1, 2).kind.unwrap(),
            "xterm-256color"
        );
        assert_eq!(Terminal::new("x;y", 1, 2).kind, None);
    }
}
