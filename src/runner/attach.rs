//! A terminal of the session: a tmux client on the terminal this process was started on.

use std::{os::unix::process::CommandExt as _, process::ExitCode};

use super::{WindowSize, complain, exec, tmux::Tmux};
use crate::model::inside;

/// What the face's emulator paints; tmux is told nothing else.
const FEATURES: &str = "256,RGB,bpaste,clipboard,cstyle,mouse,sync,title";

/// The client's own TERM; its description lies in the toolbox.
const CLIENT_TERM: &str = "xterm-256color";

/// Becomes the client. Each pane has a tmux session of its own, grouped with `main`, so that two
/// panes may show two windows; it goes when its client goes.
pub(super) fn run(tag: &str, size: WindowSize) -> ExitCode {
    // Before anything is painted: the engine gives a new terminal no size.
    size.apply();
    let tmux = match Tmux::new() {
        Ok(tmux) => tmux,
        Err(error) => {
            complain(&format!("the session's toolbox cannot be read: {error}"));
            return ExitCode::from(126);
        }
    };
    if let Err(sentence) = tmux.ensure_main(size.columns, size.rows) {
        complain(&sentence);
        return ExitCode::from(127);
    }
    let error = client(&tmux, tag).exec();
    exec::failed("tmux", &error)
}

fn client(tmux: &Tmux, tag: &str) -> std::process::Command {
    let pane = format!("{}{}", inside::PANE_PREFIX, safe(tag));
    let mut command = tmux.command();
    command.env("TERM", CLIENT_TERM).args(["-T", FEATURES]);
    if tmux.has(&pane) {
        // The pane's older client is still there: it goes, its current window stays.
        command.args(["attach-session", "-d", "-t", &format!("={pane}")]);
    } else {
        command.args([
            "new-session",
            "-t",
            &format!("={}", inside::TMUX_SESSION),
            "-s",
            &pane,
        ]);
    }
    for option in [
        ["destroy-unattached", "on"],
        ["status", "off"],
        ["window-size", "latest"],
    ] {
        command.args([";", "set-option"]).args(option);
    }
    command
}

/// tmux reads `:` and `.` in a session's name as parts of a target.
fn safe(tag: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    tag.chars().map(|c| if keep(c) { c } else { '_' }).collect()
}

/// Detaches the clients of every pane; without a tmux server there is nothing to do.
pub(super) fn detach_all() -> ExitCode {
    let Ok(tmux) = Tmux::new() else {
        return ExitCode::SUCCESS;
    };
    let format = "#{session_name}";
    for pane in tmux
        .lines(&["list-clients", "-F", format])
        .unwrap_or_default()
    {
        if pane.starts_with(inside::PANE_PREFIX) {
            tmux.quietly(&["detach-client", "-s", &format!("={pane}")]);
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_never_a_target() {
        assert_eq!(safe("face-1_a"), "face-1_a");
        assert_eq!(safe("a:b.c;d 한"), "a_b_c_d__");
    }
}
