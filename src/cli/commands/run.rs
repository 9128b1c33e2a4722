//! `workbay run`: runs a command in its own session, and passes on its output and exit code.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::{
            RunCommand,
            launch::{
                self, LaunchMode, base, check, dry_run,
                fields::Fields,
                follow::{CaughtSignal, Followed, Printer, Signals, follow},
                knows_keys,
                option::Sources,
                print_result, request, request_launch,
            },
            rm,
        },
        connection::{self, Connection},
        ended,
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        output,
        passing::Filters,
        report,
    },
    model::{id::ContextName, launch_field::LaunchField, session::Session, spec::LaunchRequest},
};

/// A command in a session of its own.
#[derive(Args, Debug)]
#[command(
    mut_arg("batch", |arg| arg.hide(true)),
    mut_arg("command", |arg| arg.hide(true).conflicts_with("argv")),
    mut_arg("count", |arg| arg.hide(true)),
    mut_arg("json", |arg| arg.requires("detach")),
    after_help = "Examples:
  workbay run uname -a
  workbay run --rm --cpu 0.5 sh -c 'date | tee out.txt'
  workbay run --env python:3.12 --mem 1g python -c 'print(6 * 7)'
  workbay run --detach --name nightly sleep 60

A session starts with an empty home directory. To use your files, put them into a folder:
  workbay folder create src
  cp -r . ~/.local/share/workbay/folders/src
  workbay run --mount src ls src

Ctrl-C ends the session, Ctrl-C again kills it. stdin is not passed on: `workbay exec` does that.

Exit codes: that of CMD. 125 if the session ended otherwise: terminated, reclaimed by an idle check, out \
of memory, timed out, lost, not started. 130 after Ctrl-C, 143 after SIGTERM, 141 if the output is \
closed. workbay's own errors: see `workbay --help`."
)]
pub struct Run {
    /// Recipe with launch settings (options override it)
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    /// Print the name and id of the session and exit
    #[arg(short, long)]
    pub detach: bool,
    /// Delete the session when it has ended, with its log and home directory
    #[arg(long, conflicts_with = "detach")]
    pub rm: bool,
    /// Check the options and print the whole `launch` command, but don't launch
    #[arg(long, conflicts_with_all = ["detach", "rm", "json"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: Json,
    /// The command and its arguments (no shell expands them)
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

impl Run {
    /// A check of the options changes nothing.
    pub fn is_change(&self) -> bool {
        !self.dry_run
    }
}

impl RunCommand for Run {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let request = launch_request(start, &self)?;
        if self.dry_run {
            return dry_run(&request, start.requested_context.as_deref());
        }
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let snapshot = connection.snapshot().await?;
            let context = Choice::of(start).context(&snapshot)?;
            if self.rm && find::schedules(&snapshot, context) {
                let why = tr!(
                    "--rm isn't available in Backend.AI contexts: the manager keeps ended sessions"
                );
                return Err(Fail::usage(why).hint(tr!("leave the option out")));
            }
            let repeats = knows_keys(&snapshot, context);
            if self.detach {
                let (made, failure) =
                    request_launch(&mut connection, context, request.clone(), repeats).await??;
                let mode = LaunchMode {
                    format: self.format,
                    ..LaunchMode::default()
                };
                return print_result(&made, failure, &request, &mode);
            }
            let mut signals = Signals::listen()?;
            let session =
                launched(&mut connection, context, request, repeats, &mut signals).await?;
            let mut printer = Printer::new(Filters::of_lines());
            let followed = follow(&mut connection, session, &mut printer, &mut signals).await?;
            let deletes = self.rm;
            end(&connection, followed, deletes).await
        })
    }
}

/// The launch request.
fn launch_request(start: &Start, arguments: &Run) -> Result<LaunchRequest, Fail> {
    let around = request::Around::here();
    let base = base(arguments.from.as_deref(), &around)?;
    let mut fields = arguments.fields.clone();
    fields.own.batch = true;
    if !arguments.argv.is_empty() {
        fields.set(LaunchField::StartupCommand, in_words(&arguments.argv)?);
    }
    let sources = Sources::new(arguments.from.as_deref(), &fields);
    let mut request = request::over(base, fields, &around)?;
    if request.startup_command.is_none() {
        let help = tr!("write it after the options, for example `workbay run make test`");
        return Err(Fail::usage(tr!("the command is missing")).hint(help));
    }
    if request.copies() > 1 {
        let help = tr!("use `workbay launch --batch --count N --wait-end` for several sessions");
        return Err(Fail::usage(tr!("`run` launches one session")).hint(help));
    }
    start.loaded.settings.launch.secrets.mark(&mut request);
    check(&request, &LaunchMode::default(), &sources)?;
    Ok(request)
}

/// Quotes each argument, so that the shell that runs the command expands nothing.
fn in_words(argv: &[String]) -> Result<String, Fail> {
    shlex::try_join(argv.iter().map(String::as_str))
        .map_err(|error| Fail::usage(tr!("this command can't be run: {error}", error)))
}

/// Ctrl-C before the answer ends the session as soon as its name is known; once more, the command is left.
async fn launched(
    connection: &mut Connection,
    context: ContextName,
    request: LaunchRequest,
    repeats: bool,
    signals: &mut Signals,
) -> Result<Session, Fail> {
    let work = request_launch(connection, context, request, repeats);
    tokio::pin!(work);
    let answer = loop {
        tokio::select! {
            answer = &mut work => break answer,
            signal = signals.next() => {
                if signals.caught() > 1 {
                    let why = tr!("interrupted before the daemon answered: the session may have been launched");
                    return Err(Fail::new(signal.code(), why).hint(tr!("run `workbay ls` to check")));
                }
                output::remark(tr!("workbay: the session will be terminated as soon as it is launched"));
            }
        }
    };
    let (made, failure) = answer??;
    match (made.into_iter().next(), failure) {
        (Some(session), _) => Ok(session),
        (None, Some(failure)) => Err(launch::Refused(failure).into()),
        (None, None) => Err(Fail::new(code::FAILED, tr!("no session was launched"))),
    }
}

/// Returns the exit code. Deletes the session if `deletes` is set.
async fn end(connection: &Connection, followed: Followed, deletes: bool) -> Outcome {
    let Followed { session, signal } = followed;
    let session = ended::whole(connection, vec![session]).await?.pop();
    let Some(session) = session else {
        return Err(Fail::new(code::NOT_FOUND, tr!("the session was not found")));
    };
    let exit = match ended::exit(&session) {
        Ok(number) => number,
        Err(fail) => {
            let help = tr!(
                "`workbay show {name}` shows its history",
                name = session.name
            );
            let fail = if deletes { fail } else { fail.hint(help) };
            let number = report(&fail);
            signal.map_or(number, CaughtSignal::code)
        }
    };
    if deletes && let Err(fail) = rm::delete(connection, session.key()).await {
        report(&fail);
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_reach_the_command_as_they_are() {
        let argv = ["sh", "-c", "echo \"$1\" | wc", "it's", "", "*"];
        let argv = argv.map(str::to_owned);
        let command = in_words(&argv).unwrap();
        assert_eq!(shlex::split(&command).unwrap(), argv);
        assert!(!command.contains(" * "), "{command}");
    }
}
