//! `workbay recent`: lists recent launches.

use clap::{Args, Subcommand};

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::{
            RunCommand,
            launch::{LaunchMode, fields::Fields},
            relaunch,
            resources::accelerators,
        },
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        output::{self, Cell},
        times::moment,
    },
    model::{
        recent::{Recent, RecentEdit, RecentId},
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

#[derive(Debug, Subcommand)]
pub enum RecentCommand {
    /// List recent launches: pinned, then the five newest
    Ls(Json),
    /// Relaunch (options override the saved settings)
    Launch(Box<RecentLaunch>),
    /// Pin a recent launch, so that it stays in the list
    Pin(RecentOne),
    /// Unpin a recent launch
    Unpin(RecentOne),
    /// Change the title of a recent launch
    Rename {
        #[command(flatten)]
        one: RecentOne,
        /// The new title
        title: String,
    },
    /// Remove a recent launch from the list
    Rm(RecentOne),
}

#[derive(Args, Clone, Copy, Debug)]
pub struct RecentOne {
    /// Number, as printed by `workbay recent ls`
    #[arg(value_name = "N", value_parser = recent_id)]
    pub id: RecentId,
}

#[derive(Args, Debug)]
pub struct RecentLaunch {
    #[command(flatten)]
    pub one: RecentOne,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub mode: LaunchMode,
}

impl RecentCommand {
    /// The list of recent launches isn't a session: only a launch counts.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Launch(launch) if !launch.mode.dry_run)
    }
}

impl RunCommand for RecentCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls(format) => ls(start, format.json),
            Self::Launch(arguments) => launch(start, *arguments),
            Self::Pin(one) => edit(start, one, RecentEdit::Pin { pinned: true }),
            Self::Unpin(one) => edit(start, one, RecentEdit::Pin { pinned: false }),
            Self::Rename { one, title } if title.trim().is_empty() => {
                let why = tr!("{id}: the title is empty", id = one.id);
                Err(Fail::usage(why).hint(tr!("type the new title after the id")))
            }
            Self::Rename { one, title } => edit(start, one, RecentEdit::Rename { title }),
            Self::Rm(one) => edit(start, one, RecentEdit::Remove),
        }
    }
}

fn recent_id(text: &str) -> Result<RecentId, String> {
    let number = text.parse();
    number.map_err(|_| tr!("must be a number that `workbay recent ls` prints").to_owned())
}

fn ls(start: &Start, json: bool) -> Outcome {
    let entries = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        all(&connection).await
    })?;
    if json {
        output::json(&entries)?;
    } else {
        let rows: Vec<Vec<Cell>> = entries.iter().map(row).collect();
        let head = [
            "N",
            tr_later!("PINNED"),
            tr_later!("TITLE"),
            tr_later!("CONTEXT"),
            tr_later!("ENVIRONMENT"),
            tr_later!("RESOURCES"),
            tr_later!("AT"),
        ];
        output::print(&output::table(&head, &rows, false))?;
    }
    Ok(0)
}

fn launch(start: &Start, arguments: RecentLaunch) -> Outcome {
    let RecentLaunch { one, fields, mode } = arguments;
    connection::block_on(async {
        let mut connection = Connection::connect(&start.paths).await?;
        let entry = find(all(&connection).await?, one.id)?;
        let context = match &start.requested_context {
            Some(_) => Choice::of(start).context(&connection.snapshot().await?)?,
            None => entry.context,
        };
        let rules = &start.loaded.settings.launch.secrets;
        relaunch::launch(&mut connection, rules, context, entry.launch, fields, &mode).await
    })
}

fn edit(start: &Start, one: RecentOne, edit: RecentEdit) -> Outcome {
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let id = find(all(&connection).await?, one.id)?.id;
        match connection.request(Request::EditRecent { id, edit }).await? {
            Reply::Recents { .. } => Ok(0),
            other => Err(connection::unexpected(&other)),
        }
    })
}

async fn all(connection: &Connection) -> Result<Vec<Recent>, Fail> {
    match connection.request(Request::Recents).await? {
        Reply::Recents { entries } => Ok(entries),
        other => Err(connection::unexpected(&other)),
    }
}

fn find(entries: Vec<Recent>, id: RecentId) -> Result<Recent, Fail> {
    let found = entries.into_iter().find(|entry| entry.id == id);
    found.ok_or_else(|| {
        let why = tr!("recent launch {id} not found", id);
        Fail::new(code::NOT_FOUND, why).hint(tr!("`workbay recent ls` lists them"))
    })
}

fn row(entry: &Recent) -> Vec<Cell> {
    let pinned = if entry.pinned { tr!("yes") } else { "" };
    vec![
        entry.id.to_string().into(),
        pinned.into(),
        entry.title.as_str().into(),
        entry.context.as_str().into(),
        environment(&entry.launch).into(),
        amounts(&entry.launch).into(),
        moment(entry.at).into(),
    ]
}

fn environment(launch: &LaunchRequest) -> String {
    let named = launch.environment.as_ref().or(launch.image.as_ref());
    named.map_or_else(
        || tr!("the default").to_owned(),
        |name| Clean::new(name).into_string(),
    )
}

/// The preset, and the resources requested besides it.
fn amounts(launch: &LaunchRequest) -> String {
    let mut words: Vec<String> = launch.preset.clone().into_iter().collect();
    words.extend(launch.cpu.map(|cpu| format!("{cpu} CPU")));
    words.extend(launch.mem.map(|mem| mem.to_string()));
    words.extend(accelerators(&launch.accelerators));
    if launch.copies() > 1 {
        words.push(tr!("{copies} sessions", copies = launch.copies()));
    }
    if launch.containers() > 1 {
        words.push(tr!(
            "{containers} containers",
            containers = launch.containers()
        ));
    }
    if words.is_empty() {
        return tr!("the default").to_owned();
    }
    Clean::new(&words.join(", ")).into_string()
}
