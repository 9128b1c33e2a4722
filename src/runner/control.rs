//! The control connection: a tmux client that shows nothing, reports windows and takes commands.

use std::{os::unix::process::CommandExt as _, process::ExitCode};

use super::{beginning::Beginning, complain, exec, tmux::Tmux};
use crate::model::inside;

/// The client gets no output of shells, and windows ignore its size.
pub(super) const FLAGS: &str = "no-output,ignore-size";

/// The size of a session that hasn't been shown yet.
const UNSEEN: (u16, u16) = (80, 24);

/// Replaces this process with the tmux client.
pub(super) fn run(beginning: &Beginning) -> ExitCode {
    let tmux = match Tmux::new() {
        Ok(tmux) => tmux,
        Err(error) => {
            complain(&format!(
                "the bundled tools of the session can't be read: {error}"
            ));
            return ExitCode::from(126);
        }
    };
    if let Err(trouble) = tmux.ensure_main(UNSEEN, beginning) {
        complain(&trouble.sentence);
        return ExitCode::from(trouble.code);
    }
    let main = format!("={}", inside::TMUX_SESSION);
    let mut command = tmux.command();
    command.args(["-C", "attach-session", "-f", FLAGS, "-t", &main]);
    let error = command.exec();
    exec::failed("tmux", &error)
}
