//! The tmux that all terminals of a container share: the commands for its control connection and
//! for a terminal.

/// Attaches as a client that doesn't print the shells' output and doesn't affect the size of
/// windows.
///
/// The session's ttyd runs `tmux attach` with the session's own configuration, which creates the
/// tmux session if necessary. This command does the same. A tmux before 3.2 has no client flags, so
/// it prints output, too. In images whose only shell is ash, terminals run without tmux.
const ATTACH: &str = r#"
if [ ! -e /bin/zsh ] && [ ! -e /bin/bash ] && [ -e /bin/ash ]; then
    echo 'the terminals of this image run without tmux' >&2
    exit 69
fi
tmux=/opt/kernel/tmux
[ -x "$tmux" ] || tmux=tmux
case $("$tmux" -V) in
*' '[012].* | *' '3.[01] | *' '3.[01][a-z]) exec "$tmux" -u -C attach-session ;;
*) exec "$tmux" -u -C attach-session -f no-output,ignore-size ;;
esac"#;

/// Runs what ttyd runs for a terminal, with the shell that ttyd would choose.
const TERMINAL: &str = r#"
shell=sh
for one in zsh bash ash; do
    [ -e "/bin/$one" ] && shell=$one && break
done
export SHELL="/bin/$shell"
tmux=/opt/kernel/tmux
[ -x "$tmux" ] || tmux=tmux
if [ "$shell" = ash ] || ! "$tmux" -V >/dev/null 2>&1; then
    exec "$SHELL"
fi
exec "$tmux" -2 -u attach-session"#;

/// The words of the terminal command.
pub(super) fn terminal() -> Vec<String> {
    ["sh", "-c", TERMINAL].map(str::to_owned).to_vec()
}

/// The words of the control command.
pub(super) fn control() -> Vec<String> {
    ["sh", "-c", ATTACH].map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

    use super::*;

    /// The arguments that a tmux of this version gets.
    fn called(version: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let (draft, tmux) = (dir.path().join("draft"), dir.path().join("tmux"));
        let script =
            format!("#!/bin/sh\n[ \"$1\" = -V ] && echo 'tmux {version}' && exit\necho \"$@\"\n");
        fs::write(&draft, script).unwrap();
        fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
        // A file that another test's child process has open for writing can't be run, so the test
        // runs a copy.
        let copied = Command::new("cp").arg("-p").args([&draft, &tmux]).status();
        assert!(copied.unwrap().success());
        let argv = control();
        let path = format!("{}:/usr/bin:/bin", dir.path().display());
        let ran = Command::new(&argv[0])
            .args(&argv[1..])
            .env("PATH", path)
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    }

    #[test]
    fn an_old_tmux_gets_no_flags() {
        let plain = "-u -C attach-session\n";
        let flags = "-u -C attach-session -f no-output,ignore-size\n";
        for (version, wanted) in [
            ("2.9a", plain),
            ("3.0a", plain),
            ("3.1c", plain),
            ("3.1", plain),
            ("3.2", flags),
            ("3.3a", flags),
            ("3.4", flags),
            ("3.10", flags),
            ("next-3.6", flags),
            ("master", flags),
        ] {
            assert_eq!(called(version), wanted, "{version}");
        }
    }
}
