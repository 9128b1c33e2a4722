//! A terminal of the session: a tmux client on the terminal that this process was started on.

use std::{
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode, Stdio},
};

use super::{
    WindowSize,
    beginning::{Beginning, Trouble},
    complain, control, end, exec,
    tmux::Tmux,
};
use crate::model::inside;

/// Features that the TUI's terminal emulator supports. tmux stops reading the list at a name that it doesn't
/// know, so features that older versions lack come last (`hyperlinks` needs 3.4).
const FEATURES: &str = "256,RGB,bpaste,clipboard,cstyle,focus,mouse,strikethrough,sync,title,usstyle,extkeys,hyperlinks";

/// How many seconds the tmux session of a pane is kept without a client.
const KEEP_UNWATCHED: u64 = 3600;

/// The client's own TERM. Its description is in the bundled tools.
const CLIENT_TERM: &str = "xterm-256color";

/// Becomes the client. Each pane has its own tmux session, grouped with `main`, so that two panes can show two
/// windows.
///
/// tmux could end such a session with its last client (`destroy-unattached`), but the server of tmux 3.3a crashes
/// when two clients leave at once, and all shells end with it. So the sessions are kept, which also lets a pane
/// return to its window. Sessions without a client for [`KEEP_UNWATCHED`] seconds are removed.
///
/// A new pane starts in its own window if `beginning` asks for one. [`super::end`] finds the client by its key. An
/// older client of the same pane has another key.
pub(super) fn run(
    tag: &str,
    key: Option<&str>,
    size: WindowSize,
    beginning: &Beginning,
) -> ExitCode {
    // The size is set before anything is drawn, because the engine gives a new terminal no size.
    size.apply();
    let tmux = match Tmux::new() {
        Ok(tmux) if beginning.visitor => tmux.of_visitor(),
        Ok(tmux) => tmux,
        Err(error) => {
            complain(&format!(
                "the bundled tools of the session can't be read: {error}"
            ));
            return ExitCode::from(126);
        }
    };
    match prepare(&tmux, tag, size, beginning) {
        Ok(mut client) => {
            end::mark(&mut client, key);
            exec::failed("tmux", &client.exec())
        }
        Err(trouble) => {
            complain(&trouble.sentence);
            ExitCode::from(trouble.code)
        }
    }
}

/// Creates what the client of the pane needs, and returns the command of the client.
fn prepare(
    tmux: &Tmux,
    tag: &str,
    size: WindowSize,
    beginning: &Beginning,
) -> Result<Command, Trouble> {
    let pane = inside::pane_session(tag);
    // The only window of a new session is already the requested one.
    let made = tmux.ensure_main((size.columns, size.rows), beginning)?;
    clear_away(tmux, &pane);
    if !made && beginning.needs_window() && !tmux.has(&pane) {
        begin_apart(tmux, &pane, size, &beginning.window()?)?;
    }
    Ok(client(tmux, &pane))
}

/// Creates the pane's tmux session with its own window before the client starts. Otherwise the client would start
/// in a window that another pane shows, and resize it: a window has the size of its latest client.
fn begin_apart(
    tmux: &Tmux,
    pane: &str,
    size: WindowSize,
    window: &[String],
) -> Result<(), Trouble> {
    let mut command = tmux.command();
    let main = format!("={}", inside::TMUX_SESSION);
    command.args(["new-session", "-d", "-t", &main, "-s", pane]);
    command.args(["-x", &size.columns.to_string()]);
    command.args(["-y", &size.rows.to_string()]);
    command.args([";", "new-window", "-t", &format!("={pane}:")]);
    let made = command.args(window).stdin(Stdio::null()).output();
    let made = made.map_err(|error| Trouble::new(127, format!("tmux can't be run: {error}")))?;
    if made.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&made.stderr);
    let sentence = format!("tmux created no window: {}", said.trim());
    Err(Trouble::new(127, sentence))
}

fn client(tmux: &Tmux, pane: &str) -> Command {
    let mut command = tmux.command();
    command.env("TERM", CLIENT_TERM).args(["-T", FEATURES]);
    // `-A` reuses an existing session of the pane, and `-D` detaches its older client.
    let main = format!("={}", inside::TMUX_SESSION);
    command.args(["new-session", "-A", "-D", "-t", &main, "-s", pane]);
    for option in [["status", "off"], ["window-size", "latest"]] {
        command.args([";", "set-option"]).args(option);
    }
    command
}

/// Ends the sessions of panes that had no client for long, but never `own`.
fn clear_away(tmux: &Tmux, own: &str) {
    let format = "#{session_attached} #{session_last_attached} #{session_name}";
    let sessions = tmux
        .lines(&["list-sessions", "-F", format])
        .unwrap_or_default();
    for pane in left_for_long(&sessions, seconds_now()) {
        if pane != own {
            tmux.quietly(&["kill-session", "-t", &format!("={pane}")]);
        }
    }
}

/// Returns the panes' sessions to end, from tmux's lines `clients last-attached name`.
fn left_for_long(lines: &[String], now: u64) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| {
            let mut words = line.splitn(3, ' ');
            let (clients, last) = (words.next()?, words.next()?.parse::<u64>().ok()?);
            let name = words.next()?;
            let long_ago = now.saturating_sub(last) > KEEP_UNWATCHED;
            (clients == "0" && long_ago && name.starts_with(inside::PANE_PREFIX)).then_some(name)
        })
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the runner is a shell of its own; tmux counts in this time"
)]
fn seconds_now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Detaches the clients of all panes and all control connections. Does nothing without a tmux server.
pub(super) fn detach_all() -> ExitCode {
    let Ok(tmux) = Tmux::new() else {
        return ExitCode::SUCCESS;
    };
    let format = "#{client_flags} #{client_name} #{session_name}";
    let clients = tmux.lines(&["list-clients", "-F", format]);
    for client in ours(&clients.unwrap_or_default()) {
        tmux.quietly(&["detach-client", "-t", client]);
    }
    ExitCode::SUCCESS
}

/// Returns the names of workbay's own clients, from the lines `flags name session`. The user's clients stay.
fn ours(lines: &[String]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| {
            let mut words = line.splitn(3, ' ');
            let (flags, client, session) = (words.next()?, words.next()?, words.next()?);
            let control = control::FLAGS
                .split(',')
                .chain(["control-mode"])
                .all(|wanted| flags.split(',').any(|flag| flag == wanted));
            (control || session.starts_with(inside::PANE_PREFIX)).then_some(client)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_panes_left_for_long_are_removed() {
        let lines: Vec<String> = [
            "0 1000 wb-old",
            "1 1000 wb-watched",
            "0 9000 wb-fresh",
            "0 1000 main",
            "0  wb-never",
            "nonsense",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(left_for_long(&lines, 10_000), ["wb-old"]);
    }

    #[test]
    fn our_clients_are_distinguished_from_a_users() {
        let lines: Vec<String> = [
            "attached,focused,UTF-8 /dev/pts/1 wb-a",
            "attached,UTF-8 /dev/pts/2 main",
            "attached,control-mode,ignore-size,no-output,UTF-8 client-7 main",
            "attached,control-mode,UTF-8 client-8 main",
            "nonsense",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(ours(&lines), ["/dev/pts/1", "client-7"]);
    }
}
