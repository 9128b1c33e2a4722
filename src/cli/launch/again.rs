//! `workbay relaunch`, and other commands that launch with the settings of an earlier launch.

use std::collections::HashSet;

use super::{
    super::{
        Start,
        args::{Fields, Manner, Relaunch},
        choice::Choice,
        fail::{Fail, Outcome, code},
        find,
        line::{self, Line},
    },
    ask, check, dry_run, option, request, tell, wait,
};
use crate::{
    model::{
        id::{ContextName, SessionKey},
        launch_field::LaunchField,
        secret_rules::SecretRules,
        session::Session,
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request, Snapshot},
    rules::launch::{check::names, free_name, relaunch::Missing},
};

/// How many more names to try: a cluster may have sessions that the daemon doesn't report.
const TRIES: usize = 10;

pub fn relaunch(start: &Start, arguments: Relaunch) -> Outcome {
    let Relaunch {
        one,
        same_home,
        incomplete,
        fields,
        manner,
    } = arguments;
    line::block_on(async {
        let mut line = Line::connect(&start.paths).await?;
        let session = find::session(&line, Choice::of(start), &one.session).await?;
        let (mut base, missing) = settings(&line, session.key()).await?;
        if !incomplete {
            check_missing(&session, missing, &fields)?;
        }
        if base.name.is_none() && !session.status.is_final() {
            base.name = Some(session.name.to_string());
        }
        base.home_of = same_home.then_some(session.id);
        let rules = &start.loaded.settings.launch.secrets;
        launch(&mut line, rules, session.context, base, fields, &manner).await
    })
}

/// Fails if a setting of the session is unknown and wasn't given again.
fn check_missing(session: &Session, missing: Vec<Missing>, fields: &Fields) -> Result<(), Fail> {
    let given = |it: &Missing| match it.field {
        LaunchField::Folders => !fields.own.mounts.is_empty(),
        LaunchField::Variables => !fields.own.variables.is_empty(),
        field => fields.has(field),
    };
    let left: Vec<Missing> = missing.into_iter().filter(|it| !given(it)).collect();
    if left.is_empty() {
        return Ok(());
    }
    let name = &session.name;
    let why = format!(
        "the cluster doesn't report how {name} was launched: {}",
        words(&left)
    );
    let options: Vec<&str> = left.iter().map(|it| option::of(it.field)).collect();
    let help = format!(
        "set {} again, or add --incomplete to launch without",
        options.join(", ")
    );
    Err(Fail::new(code::FAILED, why).hint(help))
}

/// Lists the missing settings.
pub fn words(missing: &[Missing]) -> String {
    let what: Vec<&str> = missing.iter().map(|it| it.what.as_str()).collect();
    what.join("; ")
}

/// The settings of a session without secrets, and those that are unknown.
pub async fn settings(
    line: &Line,
    session: SessionKey,
) -> Result<(LaunchRequest, Vec<Missing>), Fail> {
    match line.ask(Request::Again { session }).await? {
        Reply::Again { launch, missing } => Ok((*launch, missing)),
        other => Err(line::unexpected(&other)),
    }
}

/// Launches `base` with the given fields, under a new name if its own is taken.
pub async fn launch(
    line: &mut Line,
    rules: &SecretRules,
    context: ContextName,
    base: LaunchRequest,
    fields: Fields,
    manner: &Manner,
) -> Outcome {
    let named = fields.has(LaunchField::Name);
    let around = request::Around::here();
    let mut request = request::over(base, fields, &around)?;
    rules.mark(&mut request);
    // A start time in the past would be refused.
    request.starts_at = request.starts_at.filter(|at| at.lies_ahead(around.now));
    let mut taken = HashSet::new();
    let wanted = request.name.clone().filter(|_| !named);
    if let Some(wanted) = &wanted {
        taken = live_names(&line.snapshot().await?, context);
        request.name = Some(free_name(wanted, request.copies(), |it| taken.contains(it)));
    }
    check(&request, manner)?;
    if manner.dry_run {
        return dry_run(&request, Some(context.as_str()));
    }
    let mut answer = ask(line, context, request.clone(), false).await?;
    for _ in 0..TRIES {
        let (Err(refused), Some(wanted)) = (&answer, &wanted) else {
            break;
        };
        if refused.0.field != Some(LaunchField::Name) {
            break;
        }
        taken.extend(names(
            request.name.as_deref().unwrap_or(wanted),
            request.copies(),
        ));
        request.name = Some(free_name(wanted, request.copies(), |it| taken.contains(it)));
        answer = ask(line, context, request.clone(), false).await?;
    }
    let (made, failure) = answer?;
    let made: Vec<Session> = wait::out(line, made, manner).await?;
    tell(&made, failure, &request, manner)
}

/// The names of sessions that have not ended.
fn live_names(snapshot: &Snapshot, context: ContextName) -> HashSet<String> {
    let sessions = snapshot.sessions.iter();
    let live = sessions.filter(|it| it.context == context && !it.status.is_final());
    live.map(|it| it.name.to_string()).collect()
}
