//! `workbay launch`.

pub mod again;
mod follow;
mod option;
mod own_lines;
mod request;
pub mod run;
#[cfg(test)]
mod tests;
mod wait;

use std::path::Path;

use super::{
    Start,
    args::{Launch, Manner},
    choice::Choice,
    ended,
    fail::{Fail, Outcome, code},
    line::{self, Line},
    listed, now, output,
    watch::{has_begun, not_running},
};
use crate::{
    client::launch::{unknown, with_key},
    config::recipe,
    model::{
        id::ContextName,
        launch::{check::short_of_shmem, check_words, command},
        resources::Bytes,
        session::Session,
        spec::LaunchRequest,
    },
    protocol::message::{Failure, Reply, Snapshot},
};

pub fn launch(start: &Start, arguments: Launch) -> Outcome {
    let Launch {
        from,
        fields,
        manner,
        idempotency_key,
    } = arguments;
    let around = request::Around::here();
    let base = base(from.as_deref(), &around)?;
    let mut request = request::over(base, fields, &around)?;
    start.loaded.settings.launch.secrets.mark(&mut request);
    request.idempotency_key = idempotency_key;
    check(&request, &manner)?;
    if manner.dry_run {
        if let (Some(mem), Some(shmem)) = (request.mem, request.shmem)
            && let Some(why) = short_of_shmem(mem, shmem)
        {
            output::remark(&format!("workbay: --shm: {why}"));
        }
        return dry_run(&request, start.asked_context.as_deref());
    }
    let (made, failure) = line::block_on(async {
        let mut line = Line::connect(&start.paths).await?;
        let snapshot = line.snapshot().await?;
        let context = Choice::of(start).context(&snapshot)?;
        let known = knows_keys(&snapshot, context);
        if !known && request.idempotency_key.is_some() {
            return Err(no_keys(context));
        }
        let (made, failure) = ask(&mut line, context, request.clone(), known).await??;
        Ok((wait::out(&mut line, made, &manner).await?, failure))
    })?;
    tell(&made, failure, &request, &manner)
}

/// What a recipe says, or nothing.
fn base(from: Option<&Path>, around: &request::Around<'_>) -> Result<LaunchRequest, Fail> {
    let Some(file) = from else {
        return Ok(LaunchRequest::default());
    };
    recipe::read(file, around.now, &around.zone).map_err(|problems| broken(&problems))
}

/// Each fault of a recipe; nothing else is left to say then.
fn broken(problems: &[crate::config::Problem]) -> Fail {
    for problem in problems {
        output::remark(&format!("workbay: {problem}"));
    }
    Fail::silent(code::USAGE)
}

/// What can be seen without asking anybody.
fn check(request: &LaunchRequest, manner: &Manner) -> Result<(), Fail> {
    let problems = check_words(request, now());
    let Some((last, others)) = problems.split_last() else {
        return Ok(());
    };
    for problem in others {
        output::remark(&format!("workbay: {}", option::named(problem)));
    }
    let fail = Fail::usage(option::named(last));
    Err(match option::help(last, request, manner) {
        Some(help) => fail.help(help),
        None => fail,
    })
}

/// The whole command, for a shell. Values of secrets are not printed.
fn dry_run(request: &LaunchRequest, context: Option<&str>) -> Outcome {
    output::foreign(&format!("{}\n", command::line(request, context)))?;
    Ok(0)
}

/// Whether a launch can be repeated with its key there.
fn knows_keys(snapshot: &Snapshot, context: ContextName) -> bool {
    let mut contexts = snapshot.contexts.iter().map(|state| &state.context);
    contexts.any(|it| it.name == context && !it.kind.schedules())
}

fn no_keys(context: ContextName) -> Fail {
    let why = "a Backend.AI manager can't detect a repeated launch";
    Fail::usage(format!(
        "--idempotency-key isn't available in context {context}: {why}"
    ))
    .help("leave the option out, and use a unique --name")
}

/// The sessions that were made, with why not all were; the inner error is the daemon's refusal.
/// `repeats`: whether the command takes a key, so that it can be repeated.
async fn ask(
    line: &mut Line,
    context: ContextName,
    launch: LaunchRequest,
    repeats: bool,
) -> Result<Result<(Vec<Session>, Option<Failure>), Refused>, Fail> {
    let launch = with_key(launch);
    let client = line.client.clone();
    let renewed = async {
        line.renew().await.ok()?;
        Some(line.client.clone())
    };
    match client.launch(context, &launch, renewed).await {
        Some(Ok(Reply::Launched { sessions, failure })) => Ok(Ok((sessions, failure))),
        Some(Ok(other)) => Err(line::unexpected(&other)),
        Some(Err(failure)) => Ok(Err(Refused(failure))),
        None => {
            let key = launch.idempotency_key.as_deref();
            let key = key.filter(|_| repeats);
            Err(unknown(key).into())
        }
    }
}

/// The daemon would not launch it.
pub struct Refused(Failure);

impl From<Refused> for Fail {
    /// With the option it is about.
    fn from(refused: Refused) -> Self {
        let failure = refused.0;
        let option = failure.field.map(option::of);
        let mut fail = Self::from(failure);
        if let (Some(option), Some(message)) = (option, &fail.message) {
            fail.message = Some(format!("{option}: {message}").into());
        }
        fail
    }
}

/// The launcher's warning; what was not asked for is the engine's choice.
fn remark_on_shmem(made: &[Session], request: &LaunchRequest) {
    let (Some(session), Some(shmem)) = (made.first(), request.shmem) else {
        return;
    };
    let mem = session.requested_slots.mem.0 / u64::from(request.containers().max(1));
    if let Some(why) = short_of_shmem(Bytes(mem), shmem) {
        output::remark(&format!("workbay: --shm: {why}"));
    }
}

/// Prints what was made, then why not all of it was, or why one will not run.
fn tell(
    made: &[Session],
    failure: Option<Failure>,
    request: &LaunchRequest,
    manner: &Manner,
) -> Outcome {
    remark_on_shmem(made, request);
    match made {
        [one] if manner.format.json && request.copies() == 1 => listed::print_one(one)?,
        many if manner.format.json => listed::print_all(many)?,
        // Then they were printed before.
        _ if manner.wait_end => {}
        many => wait::print(many)?,
    }
    if let Some(failure) = failure {
        let mut fail = Fail::from(Refused(failure));
        fail.code = code::FAILED;
        return Err(fail);
    }
    if manner.wait_end {
        return Ok(ended::exit_of_all(made));
    }
    match made.iter().find(|session| !has_begun(session)) {
        Some(session) if manner.wait => Err(not_running(session)),
        _ => Ok(0),
    }
}
