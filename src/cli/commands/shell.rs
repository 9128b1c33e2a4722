//! `workbay shell`: opens a session's terminal in this one.

use clap::Args;

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
        kernels, tty,
    },
    model::{id::KernelId, shell_start::ShellStart},
};

#[derive(Args, Debug)]
pub struct Shell {
    #[command(flatten)]
    pub one: One,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Shell, by name or full path, in a new window
    #[arg(long, value_name = "SHELL")]
    pub shell: Option<String>,
    /// User in the session, by name or number, with separate windows
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Working directory in the session
    #[arg(long, value_name = "DIRECTORY")]
    pub dir: Option<String>,
    /// Use workbay's bundled shell, for an environment without a shell
    #[arg(long, conflicts_with = "shell")]
    pub toolbox: bool,
    /// Command and arguments to run instead of a shell, after `--` (no shell expands them)
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["shell", "toolbox"])]
    pub argv: Vec<String>,
}

impl RunCommand for Shell {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = invocation.load()?;
        let session = &self.one.session;
        if !tty::is_interactive() {
            let fail = Fail::usage(tr!("`shell` needs a terminal on stdin and stdout"));
            return Err(fail.hint(tr!(
                "`workbay exec {session} -- CMD` works without one",
                session
            )));
        }
        if let Some(directory) = self.dir.as_deref().filter(|dir| !dir.starts_with('/')) {
            let fail = Fail::usage(tr!("--dir {directory} isn't an absolute path", directory));
            return Err(fail.hint(tr!(
                "write it from the root of the session, for example --dir /home/work"
            )));
        }
        let (session, kernel) = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::live_session(&connection, Choice::of(&start), session).await?;
            let kernel = kernels::chosen(&connection, &session, self.kernel.as_deref()).await?;
            Ok::<_, Fail>((session.key(), kernel))
        })?;
        Ok((invocation.handlers.shell)(
            start,
            session,
            begin(self, kernel),
        )?)
    }
}

fn begin(arguments: Shell, kernel: Option<KernelId>) -> ShellStart {
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
