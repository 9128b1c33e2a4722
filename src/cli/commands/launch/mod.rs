//! `workbay launch`.

pub mod fields;
pub mod follow;
pub mod option;
mod own_lines;
pub mod request;
#[cfg(test)]
mod tests;
pub mod wait;

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        ended,
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        listed, now, output,
        watch::{has_begun, not_running},
    },
    client::launch::{unknown, with_key},
    config::recipe,
    model::{
        failure::Failure, id::ContextName, launch_field::LaunchField, resources::Bytes,
        session::Session, span::Span, spec::LaunchRequest, status::Status,
    },
    protocol::message::{Reply, Snapshot},
    rules::launch::{
        check::{names, short_of_shmem},
        check_words, command, key,
    },
};
use fields::Fields;
use option::Sources;

#[derive(Args, Debug, Default)]
#[command(after_help = "Examples:
  workbay launch --wait
  workbay launch --name build-1 --cpu 0.5 --mem 256m -e STAGE=test
  workbay launch --batch --command 'sleep 60; date' --timeout 2h
  workbay launch --env python:3.12 --mount src:code:ro --preopen 8080
  workbay launch --name worker --count 4 --preset small --group gpu
  workbay launch --from train.toml --start-at +2h -e API_TOKEN

A session starts with an empty home directory. `workbay folder create src` creates a folder for your \
files, and `--mount src` mounts it.

`workbay resources` lists the available groups, presets, accelerators, folders and limits.")]
pub struct Launch {
    /// Recipe with launch settings (options override it)
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub mode: LaunchMode,
    /// Launch only once with this key, then print the same sessions (1 to 64 letters, digits, . _ -)
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    pub idempotency_key: Option<String>,
}

/// What a launch waits for and prints.
#[derive(Args, Debug, Default)]
#[group(skip)]
#[command(group = ArgGroup::new("waits").args(["wait", "wait_end"]))]
pub struct LaunchMode {
    /// Wait until the session runs (batch: until it has started)
    #[arg(long)]
    pub wait: bool,
    /// Wait until the session has ended, and exit with its exit code (125: ended for another reason)
    #[arg(long, conflicts_with = "wait")]
    pub wait_end: bool,
    /// Stop waiting after this time, with exit code 124 (90s, 10m; a number is seconds)
    #[arg(long, value_name = "SPAN", requires = "waits")]
    pub wait_timeout: Option<Span>,
    /// Check the options and print the whole command, but don't launch
    #[arg(long, conflicts_with_all = ["wait", "wait_end", "json"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: Json,
}

impl Launch {
    /// A check of the options changes nothing.
    pub fn is_change(&self) -> bool {
        !self.mode.dry_run
    }
}

impl RunCommand for Launch {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let Launch {
            from,
            fields,
            mode,
            idempotency_key,
        } = self;
        let around = request::Around::here();
        let base = base(from.as_deref(), &around)?;
        let sources = Sources::new(from.as_deref(), &fields);
        let mut request = request::over(base, fields, &around)?;
        start.loaded.settings.launch.secrets.mark(&mut request);
        request.idempotency_key = idempotency_key;
        check(&request, &mode, &sources)?;
        if mode.dry_run {
            if let (Some(mem), Some(shmem)) = (request.mem, request.shmem)
                && let Some(why) = short_of_shmem(mem, shmem)
            {
                output::remark(&tr!("workbay: --shm: {why}", why));
            }
            return dry_run(&request, start.requested_context.as_deref());
        }
        let (made, failure) = connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let snapshot = connection.snapshot().await?;
            let context = Choice::of(start).context(&snapshot)?;
            let known = knows_keys(&snapshot, context);
            if !known && request.idempotency_key.is_some() {
                return Err(no_keys(context));
            }
            let (made, failure) =
                request_launch(&mut connection, context, request.clone(), known).await??;
            Ok((wait::out(&mut connection, made, &mode).await?, failure))
        })?;
        print_result(&made, failure, &request, &mode)
    }
}

fn idempotency_key(text: &str) -> Result<String, String> {
    key::check(text).map(|()| text.to_owned())
}

/// The request of the recipe, or an empty one.
pub fn base(from: Option<&Path>, around: &request::Around<'_>) -> Result<LaunchRequest, Fail> {
    let Some(file) = from else {
        return Ok(LaunchRequest::default());
    };
    recipe::read(file, around.now, &around.zone).map_err(|problems| broken(&problems))
}

/// Reports each problem of a recipe. The returned error has no message of its own.
fn broken(problems: &[crate::config::Problem]) -> Fail {
    for problem in problems {
        output::remark(&format!("workbay: {problem}"));
    }
    Fail::silent(code::USAGE)
}

/// Checks what can be checked without the daemon.
pub fn check(request: &LaunchRequest, mode: &LaunchMode, sources: &Sources) -> Result<(), Fail> {
    let problems = check_words(request, now());
    let Some((last, others)) = problems.split_last() else {
        return Ok(());
    };
    for problem in others {
        output::remark(&format!("workbay: {}", sources.named(problem)));
    }
    let fail = Fail::usage(sources.named(last));
    Err(match sources.help(last, request, mode) {
        Some(help) => fail.hint(help),
        None => fail,
    })
}

/// Prints the whole command for a shell, without the values of secrets.
pub fn dry_run(request: &LaunchRequest, context: Option<&str>) -> Outcome {
    output::foreign(&format!("{}\n", command::line(request, context)))?;
    Ok(0)
}

/// Whether the context supports launches with a key, which can be repeated safely.
pub fn knows_keys(snapshot: &Snapshot, context: ContextName) -> bool {
    let mut contexts = snapshot.contexts.iter().map(|state| &state.context);
    contexts.any(|it| it.name == context && !it.kind.schedules())
}

fn no_keys(context: ContextName) -> Fail {
    let why = tr!("a Backend.AI manager can't detect a repeated launch");
    Fail::usage(tr!(
        "--idempotency-key isn't available in context {context}: {why}",
        context,
        why
    ))
    .hint(tr!("leave the option out, and use a unique --name"))
}

/// Returns the created sessions, and why not all were created. The inner error is the daemon's refusal.
/// `repeats`: whether the command takes a key, so that it can be repeated.
pub async fn request_launch(
    connection: &mut Connection,
    context: ContextName,
    launch: LaunchRequest,
    repeats: bool,
) -> Result<Result<(Vec<Session>, Option<Failure>), Refused>, Fail> {
    let launch = with_key(launch);
    let client = connection.client.clone();
    let renewed = async {
        connection.renew().await.ok()?;
        Some(connection.client.clone())
    };
    match client.launch(context, &launch, renewed).await {
        Some(Ok(Reply::Launched { sessions, failure })) => Ok(Ok((sessions, failure))),
        Some(Ok(other)) => Err(connection::unexpected(&other)),
        Some(Err(failure)) => {
            let failure = with_name_hint(connection, context, &launch, failure).await;
            Ok(Err(Refused(failure)))
        }
        None => {
            let key = launch.idempotency_key.as_deref();
            let key = key.filter(|_| repeats);
            Err(unknown(key).into())
        }
    }
}

/// Says what to do if the name is taken only until its session has ended.
async fn with_name_hint(
    connection: &Connection,
    context: ContextName,
    launch: &LaunchRequest,
    failure: Failure,
) -> Failure {
    let (Some(LaunchField::Name), Some(name)) = (failure.field, &launch.name) else {
        return failure;
    };
    // If the sessions aren't available, the refusal is shown as it is.
    let Ok(snapshot) = connection.snapshot().await else {
        return failure;
    };
    let wanted = names(name, launch.copies());
    let mut ending = snapshot.sessions.iter().filter(|session| {
        session.context == context
            && session.status == Status::Terminating
            && wanted.iter().any(|it| session.name == it.as_str())
    });
    match ending.next() {
        Some(Session { name, .. }) => failure.hint(tr!("{name} is TERMINATING. Run `workbay terminate --yes --wait {name}` to wait for its end", name)),
        None => failure,
    }
}

/// The daemon refused the launch.
pub struct Refused(pub Failure);

impl From<Refused> for Fail {
    /// Adds the option that the refusal is about.
    fn from(refused: Refused) -> Self {
        let failure = refused.0;
        let Some(field) = failure.field else {
            return failure.into();
        };
        Self::from(Failure {
            what: format!("{}: {}", option::of(field), failure.what).into(),
            ..failure
        })
    }
}

/// Prints the launcher's warning. An amount that wasn't requested is the engine's choice.
fn remark_on_shmem(made: &[Session], request: &LaunchRequest) {
    let (Some(session), Some(shmem)) = (made.first(), request.shmem) else {
        return;
    };
    let mem = session.requested_slots.mem.0 / u64::from(request.containers().max(1));
    if let Some(why) = short_of_shmem(Bytes(mem), shmem) {
        output::remark(&tr!("workbay: --shm: {why}", why));
    }
}

/// Prints the created sessions, then why some weren't created or won't run.
pub fn print_result(
    made: &[Session],
    failure: Option<Failure>,
    request: &LaunchRequest,
    mode: &LaunchMode,
) -> Outcome {
    remark_on_shmem(made, request);
    match made {
        [one] if mode.format.json && request.copies() == 1 => listed::print_one(one)?,
        many if mode.format.json => listed::print_all(many)?,
        // They were already printed.
        _ if mode.wait_end => {}
        many => wait::print(many)?,
    }
    if let Some(failure) = failure {
        let mut fail = Fail::from(Refused(failure));
        fail.code = code::FAILED;
        return Err(fail);
    }
    if mode.wait_end {
        return Ok(ended::exit_of_all(made));
    }
    match made.iter().find(|session| !has_begun(session)) {
        Some(session) if mode.wait => Err(not_running(session)),
        _ => Ok(0),
    }
}
