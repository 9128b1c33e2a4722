//! `workbay relaunch`, and other commands that launch with the settings of an earlier launch.

use std::{
    collections::HashSet,
    io::{self, Write},
};

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
        invocation::Invocation,
        output, patterns,
        several::{self, Results},
        tty,
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
    /// Don't ask for confirmation if a pattern means several sessions
    #[arg(short, long)]
    pub yes: bool,
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
            yes,
            fields,
            mode,
        } = self;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let words = [one.session.as_str()];
            let choice = Choice::of(start);
            let sessions =
                patterns::sessions(&connection, choice, &words, patterns::NEWEST).await?;
            if sessions.len() > 1 && !mode.dry_run {
                tty::require_for_confirmation("relaunch", yes)?;
                if !yes && !agreed(&sessions)? {
                    output::remark(tr!("Nothing was launched."));
                    return Ok(code::FAILED);
                }
            }
            let rules = &start.loaded.settings.launch.secrets;
            let mut results = Vec::new();
            // One after another, because each takes a free name.
            for session in sessions {
                let options = (same_home, incomplete);
                let fields = fields.clone();
                let result = again(&mut connection, rules, &session, options, fields, &mode).await;
                results.push((session, result));
            }
            conclude(results)
        })
    }
}

/// Launches with the settings of a session. `same_home` = with its home directory, `incomplete` = without unknown
/// settings.
async fn again(
    connection: &mut Connection,
    rules: &SecretRules,
    session: &Session,
    (same_home, incomplete): (bool, bool),
    fields: Fields,
    mode: &LaunchMode,
) -> Outcome {
    let (mut base, missing) = settings(connection, session.key()).await?;
    if !incomplete {
        check_missing(session, missing, &fields)?;
    }
    if base.name.is_none() && !session.has_ended() {
        base.name = Some(session.name.to_string());
    }
    base.home_of = same_home.then_some(session.id);
    launch(connection, rules, session.context, base, fields, mode).await
}

/// The exit code of a single session, otherwise the first that isn't 0.
fn conclude(results: Results<u8>) -> Outcome {
    let codes = results
        .iter()
        .filter_map(|(_, result)| result.as_ref().ok());
    let failed = codes.copied().find(|code| *code != 0).unwrap_or(0);
    let exit = several::conclude(results, tr!("relaunched"), |_, _| None)?;
    Ok(if exit == 0 { failed } else { exit })
}

fn agreed(sessions: &[Session]) -> Result<bool, Fail> {
    let mut err = io::stderr().lock();
    for session in sessions {
        let environment = session.environment.label();
        writeln!(err, "  {}  {}  {environment}", session.name, session.status)?;
    }
    write!(
        err,
        "{}",
        tr!(
            "Relaunch these {sessions} sessions? [y/N] ",
            sessions = sessions.len()
        )
    )?;
    err.flush()?;
    tty::is_agreed()
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
    let why = tr!(
        "the cluster doesn't report how {name} was launched: {words}",
        name,
        words = words(&left)
    );
    let options: Vec<&str> = left.iter().map(|it| option::of(it.field)).collect();
    let help = tr!(
        "set {options} again, or add --incomplete to launch without",
        options = options.join(", ")
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
    request.starts_at = request.starts_at.filter(|at| at.is_after(around.now));
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
