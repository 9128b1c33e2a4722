//! `workbay ls`: lists sessions.

mod cells;
pub mod column;
pub mod names;
pub mod order;
mod table;
#[cfg(test)]
mod tests;

use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use crate::{
    cli::{
        Start,
        args::number,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find::{self, ListQuery, Picture},
        invocation::Invocation,
        listed, now, output,
        parts::Found,
    },
    config::user,
    model::{
        capability::EngineState,
        id::ContextName,
        session::{Session, has_several_owners, newest_first},
        status::Tab,
    },
    rules::{
        filter::{Filter, FilterEnv},
        grouping::Grouping,
    },
    theme::{ColorDepth, Theme},
};
use column::Column;
use order::Sort;

/// The tabs of the list of sessions, or all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TabChoice {
    #[default]
    Running,
    Finished,
    Others,
    All,
}

impl TabChoice {
    /// `None` = every tab.
    pub fn tab(self) -> Option<Tab> {
        match self {
            Self::Running => Some(Tab::Running),
            Self::Finished => Some(Tab::Finished),
            Self::Others => Some(Tab::Others),
            Self::All => None,
        }
    }
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The columns that differ between these sessions
    #[default]
    Table,
    /// Every column, with whole ids
    Wide,
    /// A list of objects
    Json,
    /// Names only, one a line
    Name,
}

#[derive(Args, Debug, Default)]
#[command(after_help = "\
A filter is one or more terms. All of them must hold:
  train            a part of the name, id, environment, status or result
  env:python       a part of the value; with `*` (any text), all of it
  status=running   all of the value, != for another
  cpu>=2 mem>1g    amounts, times and numbers also with > >= < <=
  age>2h idle<10m  the time since the launch and since the last use
  created>2h       in the last 2 hours; also 10:30 and 2026-11-22T10:30
  !train -gpu>0    not: a sign before a term (write --filter=-TERM)
  owner:me         your own sessions
  tag:\"a b\"        quotes keep spaces
Keys are columns, and age, idle, gpu, tag. The TUI has the same filter (press /).

Examples:
  workbay ls --tab all --filter 'status:failed age<1d'
  workbay ls --tab finished --filter 'exit-code!=0 ended>1d' --sort ended
  workbay ls --columns name,status,run-time
  workbay ls --group owner --tree
  workbay rm --yes $(workbay ls -q --tab finished --filter 'name=test-*')

Sessions without a value match neither = nor !=.")]
pub struct Ls {
    /// Sessions to list
    #[arg(long, value_enum, default_value_t)]
    pub tab: TabChoice,
    /// Only sessions that meet every term: train, !train, status:failed, 'mem>1g' (see below)
    #[arg(long, value_name = "EXPR")]
    pub filter: Vec<String>,
    /// Sort by a column, ascending or descending (default: created, newest first)
    #[arg(long, value_name = "COLUMN[:asc|:desc]")]
    pub sort: Option<Sort>,
    /// Reverse the order
    #[arg(long)]
    pub reverse: bool,
    /// Group by a column, with a heading for each group
    #[arg(long, value_enum, value_name = "KEY", conflicts_with_all = ["quiet", "json"])]
    pub group: Option<Grouping>,
    /// List the containers of cluster sessions below them
    #[arg(long, conflicts_with_all = ["quiet", "json"])]
    pub tree: bool,
    /// Sessions of every context
    #[arg(long, conflicts_with = "context")]
    pub all_contexts: bool,
    /// Only the newest N (max: 4000; by default, a cluster is asked for 100 of each tab)
    #[arg(long, value_name = "N", value_parser = limit)]
    pub limit: Option<u32>,
    /// Columns to print, in this order
    #[arg(long, value_enum, value_name = "COLUMN,…", value_delimiter = ',',
        conflicts_with_all = ["output", "quiet", "json"])]
    pub columns: Vec<Column>,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<Format>,
    /// Print names only, as `-o name`
    #[arg(short, long, conflicts_with_all = ["output", "json"])]
    pub quiet: bool,
    /// Print JSON, as `-o json`
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
}

impl Ls {
    pub fn format(&self) -> Format {
        match (self.quiet, self.json) {
            (true, _) => Format::Name,
            (_, true) => Format::Json,
            _ => self.output.unwrap_or_default(),
        }
    }
}

fn limit(text: &str) -> Result<u32, String> {
    let limit = number(text)?;
    if (1..=MOST).contains(&limit) {
        return Ok(limit);
    }
    Err(tr!("use 1 to {most}", most = MOST))
}

impl RunCommand for Ls {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        ls(&invocation.load()?, &self)
    }
}

/// Maximum of `--limit`, as its help says.
const MOST: u32 = 4000;
/// Default number of sessions to request from a cluster, for each tab.
const PAGE: u32 = 100;

pub fn ls(start: &Start, arguments: &Ls) -> Outcome {
    let now = now();
    let is_table = matches!(arguments.format(), Format::Table | Format::Wide);
    if !is_table && (arguments.group.is_some() || arguments.tree) {
        let why = tr!("--group and --tree need the output format table or wide");
        return Err(Fail::usage(why).hint(tr!("leave out `-o`, or the option")));
    }
    let filter =
        Filter::read(&arguments.filter.join(" "), now, &user::time_zone()).map_err(|error| {
            Fail::usage(tr!("--filter: {message}", message = error.message))
                .hint(tr!("run `workbay ls --help` for the terms of filters"))
        })?;
    let (picture, contexts) = connection::block_on(read(start, arguments, &filter))?;
    let mut sessions = chosen(&picture, &contexts, arguments, &filter, now);
    if let ([context], true) = (contexts.as_slice(), sessions.is_empty())
        && let Some(failure) = picture.why_stale(*context)
    {
        // Nothing is known about the context, so an empty list would be wrong.
        return Err(failure.clone().into());
    }
    remark_stale(&picture, &contexts);
    // The newest are first.
    sessions.truncate(arguments.limit.map_or(usize::MAX, |limit| limit as usize));
    remark_more(&picture, &contexts, &sessions, arguments);
    let sort = arguments.sort.unwrap_or_default();
    sort.sort(&mut sessions, arguments.reverse, now);
    match arguments.format() {
        Format::Json => listed::print_all(&sessions)?,
        Format::Name => {
            let context = (contexts.len() == 1).then(|| contexts[0]);
            let names = names::of(&sessions, &picture.snapshot.sessions, context);
            names.iter().try_for_each(|name| output::line(name))?;
        }
        Format::Table | Format::Wide if sessions.is_empty() && std::io::stdout().is_terminal() => {
            output::line(nothing(arguments))?;
        }
        Format::Table | Format::Wide => {
            table::print(&sessions, &picture, &contexts, arguments, now)?;
        }
    }
    match find::incomplete(&picture.snapshot, &contexts).next() {
        Some((_, failure)) => Err(failure.into()),
        None => Ok(0),
    }
}

/// Finds sessions, with the words that name them.
pub fn found(start: &Start, arguments: &Ls) -> Result<Found, Fail> {
    let now = now();
    let filter =
        Filter::read(&arguments.filter.join(" "), now, &user::time_zone()).map_err(|error| {
            Fail::usage(error.message).hint(tr!("`help ls` explains the terms of filters"))
        })?;
    let (picture, contexts) = connection::block_on(read(start, arguments, &filter))?;
    let sessions = chosen(&picture, &contexts, arguments, &filter, now);
    let context = contexts.first().copied();
    if let (Some(context), true) = (context, sessions.is_empty())
        && let Some(failure) = picture.why_stale(context)
    {
        return Err(failure.clone().into());
    }
    let words = names::of(&sessions, &picture.snapshot.sessions, context);
    let states = picture.snapshot.contexts.iter();
    let totals = states
        .filter(|state| contexts.contains(&state.context.name))
        .find_map(|state| state.totals);
    let total = totals.filter(|_| arguments.filter.is_empty());
    let total = total.map(|totals| match arguments.tab.tab() {
        Some(tab) => totals[tab as usize],
        None => totals.iter().sum(),
    });
    let remarks = stale(&picture, &contexts).chain(
        find::incomplete(&picture.snapshot, &contexts).map(|(_, why)| why.message().into_string()),
    );
    Ok(Found {
        total: total.filter(|total| *total > sessions.len() as u64),
        remarks: remarks.collect(),
        sessions: words.into_iter().zip(sessions).collect(),
    })
}

/// The requested sessions, the newest first.
fn chosen(
    picture: &Picture,
    contexts: &[ContextName],
    arguments: &Ls,
    filter: &Filter,
    now: Timestamp,
) -> Vec<Session> {
    let all = &picture.snapshot.sessions;
    let several = has_several_owners(all);
    let tab = arguments.tab.tab();
    let accounts = find::accounts(&picture.snapshot);
    let env = FilterEnv {
        now,
        accounts: &accounts,
    };
    let is_chosen = |session: &&Session| {
        contexts.contains(&session.context)
            && tab.is_none_or(|tab| session.tab() == tab)
            && filter.holds(session, several, env)
    };
    let mut sessions: Vec<Session> = all.iter().filter(is_chosen).cloned().collect();
    sessions.sort_by(newest_first);
    sessions
}

/// Reads the state of the requested contexts, as far as each is available.
async fn read(
    start: &Start,
    arguments: &Ls,
    filter: &Filter,
) -> Result<(Picture, Vec<ContextName>), Fail> {
    let connection = Connection::connect(&start.paths).await?;
    let tab = match arguments.format() {
        // Whether a name identifies a session depends on all other sessions.
        Format::Name => None,
        _ => arguments.tab.tab(),
    };
    let snapshot = connection.snapshot_of(tab).await?;
    let contexts = if arguments.all_contexts {
        snapshot.contexts.iter().map(|s| s.context.name).collect()
    } else {
        vec![Choice::of(start).context(&snapshot)?]
    };
    let mut picture = find::picture(
        &connection,
        (snapshot, tab),
        &contexts,
        &queries(arguments, filter),
    )
    .await?;
    if arguments.tree {
        read_containers(&connection, &mut picture, &contexts).await?;
    }
    Ok((picture, contexts))
}

/// Reads the containers that the rows of a manager's list lack. A session that is gone meanwhile stays as it is.
async fn read_containers(
    connection: &Connection,
    picture: &mut Picture,
    contexts: &[ContextName],
) -> Result<(), Fail> {
    let listed = picture.snapshot.sessions.iter_mut();
    let lacking = listed.filter(|session| {
        contexts.contains(&session.context) && session.kernels.len() < session.containers()
    });
    for session in lacking {
        if let Some(full) = find::detail(connection, session.key()).await? {
            session.kernels = full.kernels;
        }
    }
    Ok(())
}

/// The newest of each tab, and the names that the filter searches for.
fn queries(arguments: &Ls, filter: &Filter) -> Vec<ListQuery> {
    let count = arguments.limit.unwrap_or(PAGE);
    let tabs = Tab::ALL.into_iter().filter(|tab| {
        let wanted = arguments.tab.tab();
        wanted.is_none_or(|wanted| wanted == *tab)
    });
    let word = filter.in_name();
    tabs.flat_map(|tab| {
        let newest = ListQuery {
            tab,
            text: None,
            count,
        };
        let named = word.map(|word| ListQuery {
            tab,
            text: Some(word.to_owned()),
            count,
        });
        std::iter::once(newest).chain(named)
    })
    .collect()
}

fn remark_stale(picture: &Picture, contexts: &[ContextName]) {
    stale(picture, contexts).for_each(|text| output::remark(&format!("workbay: {text}")));
}

/// A sentence for each context whose list may be old.
fn stale(picture: &Picture, contexts: &[ContextName]) -> impl Iterator<Item = String> {
    let states = picture.snapshot.contexts.iter();
    states.filter_map(|state| {
        let context = state.context.name;
        let why = match (&state.engine, picture.why_stale(context)) {
            _ if !contexts.contains(&context) => return None,
            (EngineState::Lost { why, .. }, _) => why.clone(),
            (_, Some(failure)) => failure.message(),
            _ => return None,
        };
        Some(tr!(
            "engine {context} is disconnected: {why}. The list shows the last known state",
            context,
            why
        ))
    })
}

/// Prints that a cluster has more sessions than are shown.
fn remark_more(picture: &Picture, contexts: &[ContextName], sessions: &[Session], arguments: &Ls) {
    if !arguments.filter.is_empty() {
        return;
    }
    for state in &picture.snapshot.contexts {
        let (name, Some(totals)) = (state.context.name, state.totals) else {
            continue;
        };
        if !contexts.contains(&name) {
            continue;
        }
        for (tab, total) in Tab::ALL.into_iter().zip(totals) {
            if arguments.tab.tab().is_some_and(|wanted| wanted != tab) {
                continue;
            }
            let shown = sessions
                .iter()
                .filter(|s| s.context == name && s.tab() == tab);
            let shown = shown.count() as u64;
            if shown < total {
                let title = tab.title().to_lowercase();
                output::remark(&tr!(
                    "workbay: {name}: {shown} of {total} sessions under {title} are shown. --limit N shows more (max: 4000)",
                    name,
                    shown,
                    total,
                    title
                ));
            }
        }
    }
}

fn nothing(arguments: &Ls) -> &'static str {
    match (arguments.filter.is_empty(), arguments.tab) {
        (false, TabChoice::All) => tr!("No session matches the filter."),
        (false, _) => tr!("No session under this --tab matches the filter."),
        (_, TabChoice::Running) => tr!("No session is running. `workbay launch` starts one."),
        (_, TabChoice::Finished) => tr!("No session has finished."),
        (_, TabChoice::Others) => tr!("No session with problems."),
        (_, TabChoice::All) => tr!("No sessions. `workbay launch` starts one."),
    }
}

/// The terminal's own colors, if stdout supports any.
pub fn colors() -> Option<Theme> {
    output::is_colorful()
        .then(|| Theme::builtin("ansi16", ColorDepth::Ansi16))
        .flatten()
}
