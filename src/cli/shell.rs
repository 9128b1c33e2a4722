//! `workbay shell`: opens a session's terminal in this one.

use super::{
    args,
    choice::Choice,
    doors::{Doors, Start},
    fail::{Fail, Outcome},
    find, kernels,
    line::{self, Line},
    tty,
};
use crate::model::{id::KernelId, shell_start::ShellStart};

pub fn shell(doors: &Doors, start: Start, arguments: args::Shell) -> Outcome {
    let session = &arguments.one.session;
    if !tty::is_interactive() {
        let fail = Fail::usage("`shell` needs a terminal on stdin and stdout");
        return Err(fail.hint(format!("`workbay exec {session} -- CMD` works without one")));
    }
    if let Some(directory) = arguments.dir.as_deref().filter(|dir| !dir.starts_with('/')) {
        let fail = Fail::usage(format!("--dir {directory} isn't an absolute path"));
        return Err(
            fail.hint("write it from the root of the session, for example --dir /home/work")
        );
    }
    let (session, kernel) = line::block_on(async {
        let line = Line::connect(&start.paths).await?;
        let session = find::live_session(&line, Choice::of(&start), session).await?;
        let kernel = kernels::chosen(&line, &session, arguments.kernel.as_deref()).await?;
        Ok::<_, Fail>((session.key(), kernel))
    })?;
    Ok((doors.shell)(start, session, begin(arguments, kernel))?)
}

fn begin(arguments: args::Shell, kernel: Option<KernelId>) -> ShellStart {
    ShellStart {
        kernel,
        shell: arguments.shell,
        user: arguments.user,
        directory: arguments.dir,
        command: arguments.argv,
        toolbox: arguments.toolbox,
        fresh: false,
    }
}
