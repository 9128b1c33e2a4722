//! `workbay relaunch`, and other commands that launch with the settings of an earlier launch.

use std::collections::HashSet;

use clap::Args;

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::{
            RunCommand,
            launch::{
                LaunchMode, check, dry_run, fields::Fields, option, print_result, request,
                request_launch, wait,
            },
        },
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
    },
    model::{
        id::{ContextName, SessionKey},
        launch_field::LaunchField,
        request::SessionRequest,
        secret_rules::SecretRules,
        session::Session,
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request, Snapshot},
    rules::launch::{check::names, free_name, relaunch::Missing},
};

/// The arguments of `workbay relaunch`.
#[derive(Args, Debug)]
pub struct Relaunch {
    #[command(flatten)]
    pub one: One,
    /// Use the home directory of the ended session instead of a new one
    #[arg(long, conflicts_with = "dry_run")]
    pub same_home: bool,
    /// Launch even if the cluster doesn't report all settings
    #[arg(long)]
    pub incomplete: bool,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub mode: LaunchMode,
}

/// How many more names to try: a cluster may have sessions that the daemon doesn't report.
const TRIES: usize = 10;

impl Relaunch {
    /// A check of the options changes nothing.
    pub fn is_change(&self) -> bool {
        !self.mode.dry_run
    }
}

impl RunCommand for Relaunch {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let Relaunch {
            one,
            same_home,
            incomplete,
            fields,
            mode,
        } = self;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let session = find::session(&connection, Choice::of(start), &one.session).await?;
            let (mut base, missing) = settings(&connection, session.key()).await?;
            if !incomplete {
                check_missing(&session, missing, &fields)?;
            }
            if base.name.is_none() && !session.has_ended() {
                base.name = Some(session.name.to_string());
            }
            base.home_of = same_home.then_some(session.id);
            let rules = &start.loaded.settings.launch.secrets;
            launch(&mut connection, rules, session.context, base, fields, &mode).await
        })
    }
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
    connection: &Connection,
    session: SessionKey,
) -> Result<(LaunchRequest, Vec<Missing>), Fail> {
    match connection
        .request(Request::session(session, SessionRequest::Again))
        .await?
    {
        Reply::Again { launch, missing } => Ok((*launch, missing)),
        other => Err(connection::unexpected(&other)),
    }
}

/// Launches `base` with the given fields, under a new name if its own is taken.
pub async fn launch(
    connection: &mut Connection,
    rules: &SecretRules,
    context: ContextName,
    base: LaunchRequest,
    fields: Fields,
    mode: &LaunchMode,
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
        taken = live_names(&connection.snapshot().await?, context);
        request.name = Some(free_name(wanted, request.copies(), |it| taken.contains(it)));
    }
    check(&request, mode, &option::Sources::default())?;
    if mode.dry_run {
        return dry_run(&request, Some(context.as_str()));
    }
    let mut answer = request_launch(connection, context, request.clone(), false).await?;
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
        answer = request_launch(connection, context, request.clone(), false).await?;
    }
    let (made, failure) = answer?;
    let made: Vec<Session> = wait::out(connection, made, mode).await?;
    print_result(&made, failure, &request, mode)
}

/// The names of sessions that have not ended.
fn live_names(snapshot: &Snapshot, context: ContextName) -> HashSet<String> {
    let sessions = snapshot.sessions.iter();
    let live = sessions.filter(|it| it.context == context && !it.has_ended());
    live.map(|it| it.name.to_string()).collect()
}
