//! `workbay exec`: runs a command in a session, connects its streams to ours and returns its exit code.

use std::io;

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        kernels,
        passing::{Filters, put},
        stdin, tty,
    },
    client::{Stream, StreamItem, StreamSender},
    model::{
        id::{KernelId, SessionKey},
        log::LogSource,
        settings::TerminalSettings,
    },
    protocol::message::{StreamEnd, StreamOpen},
    terminal::{fatal, raw::Raw},
};

#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    pub one: One,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// The command and its arguments (no shell expands them)
    #[arg(trailing_var_arg = true, required = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

impl RunCommand for Exec {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let session = find::live_session(&connection, Choice::of(start), name).await?;
            let kernel = kernels::chosen(&connection, &session, self.kernel.as_deref()).await?;
            let command = RemoteCommand {
                session: session.key(),
                kernel,
                argv: self.argv,
            };
            connection
                .watched(run(&connection, command, &start.loaded.settings.terminal))
                .await?
        })
    }
}

/// The command and where to run it.
struct RemoteCommand {
    session: SessionKey,
    kernel: Option<KernelId>,
    argv: Vec<String>,
}

async fn run(
    connection: &Connection,
    command: RemoteCommand,
    settings: &TerminalSettings,
) -> Outcome {
    let interactive = tty::is_interactive();
    let mut filters = if interactive {
        Filters::drawing(settings)
    } else {
        Filters::of_lines()
    };
    let tty = interactive.then(|| tty::size().unwrap_or((80, 24)));
    let open = StreamOpen::Exec {
        session: command.session,
        argv: command.argv,
        tty,
        kernel: command.kernel,
    };
    let mut stream = connection.stream(open);
    // Raw mode starts only when the command runs, so that earlier errors are printed normally.
    let mut raw = None;
    let mut input = None;
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {
                if interactive {
                    raw = Some(Raw::enter(&ending_signals())?);
                    tokio::spawn(follow_size(stream.sender()));
                }
                input = Some(tokio::spawn(stdin::forward(stream.sender())));
            }
            StreamItem::Data { source, bytes } => {
                let bytes = filters.pass(source, bytes);
                match (&mut raw, source) {
                    (None, _) => put(source, &bytes)?,
                    (Some(raw), LogSource::Stdout) => raw.put(io::stdout(), &bytes)?,
                    (Some(raw), LogSource::Stderr) => raw.put(io::stderr(), &bytes)?,
                }
            }
            StreamItem::Ended(end) => {
                if raw.take().is_none() {
                    filters.finish()?;
                }
                return ended(end);
            }
        }
    }
    drop((raw, input));
    closed(stream)
}

/// Every signal that ends this process. The terminal is restored first.
fn ending_signals() -> Vec<i32> {
    [fatal::UNEXPECTED, &[SIGINT, SIGTERM, SIGHUP]].concat()
}

fn closed(stream: Stream) -> Outcome {
    drop(stream);
    let fail = Fail::new(
        code::UNREACHABLE,
        tr!("the connection to the command was closed"),
    );
    Err(fail.hint(tr!("the command was ended with it. Run it again")))
}

fn ended(end: StreamEnd) -> Outcome {
    match end {
        StreamEnd::Exited {
            exit_code: Some(number),
        } => Ok(u8::try_from(number).unwrap_or(code::FAILED)),
        StreamEnd::Exited { exit_code: None } => Err(Fail::new(
            code::FAILED,
            tr!("the command ended, but the engine didn't report its exit code"),
        )),
        StreamEnd::Failed { failure } => Err(failure.into()),
        StreamEnd::Lost { why } => Err(Fail::new(code::UNREACHABLE, why)),
    }
}

async fn follow_size(sender: StreamSender) {
    let Ok(mut changes) = signal(SignalKind::window_change()) else {
        return;
    };
    while changes.recv().await.is_some() {
        if let Some((columns, rows)) = tty::size()
            && sender.resize(columns, rows).await.is_err()
        {
            return;
        }
    }
}
