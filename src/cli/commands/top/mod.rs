//! `workbay top`: what running sessions use, refreshed.

mod keys;
pub mod rows;
mod screen;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, io::IsTerminal, time::Duration};

use clap::{Args, ValueEnum};
use futures_util::future::try_join_all;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::{RunCommand, show::usage},
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find::{self, ListQuery},
        invocation::Invocation,
        now, output, tty,
    },
    model::{
        capability::EngineState,
        figures::Figures,
        id::{ContextName, SessionKey},
        kernel::Kernel,
        session::Session,
        span::Span,
        status::Tab,
    },
    protocol::message::{Request, Snapshot},
};
use keys::Quit;
use rows::{Refresh, Row};
use screen::Screen;

/// What `workbay top` sorts by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TopSort {
    #[default]
    Cpu,
    Mem,
    /// The busiest device
    Accelerator,
    /// Received and sent
    Network,
    /// Read and written
    Disk,
    RunTime,
    Name,
}

#[derive(Args, Debug)]
#[command(after_help = "\
CPU is in cores: 1.50 is one and a half busy cores, which `docker stats` shows as 150%. Network and disk \
are bytes per second. `-`: unknown.

On a terminal the table is refreshed until Ctrl-C or `q`, and columns that don't fit are left out. \
Otherwise it is printed once, and with --json one object a line until Ctrl-C.")]
pub struct Top {
    /// Names, ids or beginnings of ids of running sessions (default: all)
    #[arg(value_name = "S", conflicts_with = "all_contexts")]
    pub sessions: Vec<String>,
    /// Sessions of every context
    #[arg(long, conflicts_with = "context")]
    pub all_contexts: bool,
    /// Print one refresh and exit
    #[arg(long)]
    pub once: bool,
    /// Time between refreshes (2s, 1m; a number is seconds; min: 1s)
    #[arg(long, value_name = "SPAN", default_value = "2s")]
    pub interval: Span,
    /// Sort order, largest first
    #[arg(long, value_enum, value_name = "KEY", default_value_t)]
    pub sort: TopSort,
    /// Also show each container of cluster sessions
    #[arg(long)]
    pub kernels: bool,
    #[command(flatten)]
    pub format: Json,
}

/// Maximum number of running sessions to read from a cluster.
const PAGE: u32 = 1000;
/// How long to watch sessions that aren't watched yet before the first refresh: CPU usage needs two samples.
const PATIENCE: Duration = Duration::from_millis(2500);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl RunCommand for Top {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        if self.interval.seconds() == 0 {
            return Err(Fail::usage(tr!("--interval must be at least 1s")));
        }
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let mut table = Table::choose(&connection, Choice::of(start), &self).await?;
            let on_terminal =
                std::io::stdout().is_terminal() && !self.format.json && !tty::is_plain();
            if self.once || !(on_terminal || self.format.json) {
                let refresh = table.settled(&connection).await?;
                print(&refresh, &self)?;
                return Ok(0);
            }
            let mut quit = Quit::listen(on_terminal)?;
            tokio::select! {
                outcome = follow(&mut table, &connection, &self, on_terminal) => outcome,
                code = quit.pressed() => Ok(code),
            }
        })
    }
}

/// Refreshes until the named sessions have ended. Without named sessions, it never ends.
async fn follow(
    table: &mut Table,
    connection: &Connection,
    arguments: &Top,
    on_terminal: bool,
) -> Outcome {
    let mut screen = Screen::default();
    let mut resized = signal(SignalKind::window_change())?;
    let interval = Duration::from_secs(arguments.interval.seconds());
    let mut refresh = table.settled(connection).await?;
    while !table.is_over(&refresh) {
        let next = Instant::now() + interval;
        if on_terminal {
            screen.show(&refresh, arguments.sort)?;
        } else {
            print(&refresh, arguments)?;
        }
        loop {
            tokio::select! {
                () = sleep_until(next) => break,
                _ = resized.recv(), if on_terminal => {
                    screen.show(&refresh, arguments.sort)?;
                }
            }
        }
        refresh = table.refresh(connection).await?;
    }
    output::remark(tr!("workbay: the sessions have ended"));
    Ok(0)
}

fn print(refresh: &Refresh, arguments: &Top) -> Result<(), Fail> {
    for note in &refresh.notes {
        output::remark(&format!("workbay: {note}"));
    }
    if arguments.format.json {
        return output::json_line(&refresh.json(arguments.sort));
    }
    output::print(&refresh.table(arguments.sort, None))
}

/// The sessions to show.
struct Table {
    contexts: Vec<ContextName>,
    /// `None` = all running sessions.
    named: Option<Vec<SessionKey>>,
    watched: Vec<SessionKey>,
    with_kernels: bool,
    /// Containers of cluster sessions whose rows lack them.
    kernels: HashMap<SessionKey, Vec<Kernel>>,
}

impl Table {
    async fn choose(
        connection: &Connection,
        choice: Choice<'_>,
        arguments: &Top,
    ) -> Result<Self, Fail> {
        let tab = Some(Tab::Running);
        let snapshot = connection.snapshot_of(tab).await?;
        if !arguments.sessions.is_empty() {
            let mut named = Vec::new();
            for name in &arguments.sessions {
                named.push(find::live_session(connection, choice, name).await?.key());
            }
            return Ok(Self {
                contexts: named.iter().map(|key| key.context).collect(),
                named: Some(named),
                watched: Vec::new(),
                with_kernels: arguments.kernels,
                kernels: HashMap::new(),
            });
        }
        let contexts = if arguments.all_contexts {
            snapshot.contexts.iter().map(|it| it.context.name).collect()
        } else {
            vec![choice.context(&snapshot)?]
        };
        let wanted = ListQuery {
            tab: Tab::Running,
            text: None,
            count: PAGE,
        };
        let picture = find::picture(connection, (snapshot, tab), &contexts, &[wanted]).await?;
        if let ([context], [_, ..]) = (contexts.as_slice(), picture.stale.as_slice())
            && let Some(failure) = picture.why_stale(*context)
            && picture
                .snapshot
                .sessions
                .iter()
                .all(|it| it.context != *context)
        {
            return Err(failure.clone().into());
        }
        Ok(Self {
            contexts,
            named: None,
            watched: Vec::new(),
            with_kernels: arguments.kernels,
            kernels: HashMap::new(),
        })
    }

    fn is_shown(&self, session: &Session) -> bool {
        session.status.is_live()
            && self.contexts.contains(&session.context)
            && self
                .named
                .as_ref()
                .is_none_or(|named| named.contains(&session.key()))
    }

    /// Whether none of the named sessions runs anymore.
    fn is_over(&self, refresh: &Refresh) -> bool {
        self.named.is_some() && refresh.rows.is_empty()
    }

    /// Returns when every session has a current sample, or at the deadline.
    async fn settled(&mut self, connection: &Connection) -> Result<Refresh, Fail> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let refresh = self.refresh(connection).await?;
            if refresh.is_fresh() || Instant::now() >= deadline {
                return Ok(refresh);
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    async fn refresh(&mut self, connection: &Connection) -> Result<Refresh, Fail> {
        let snapshot = connection.snapshot_of(Some(Tab::Running)).await?;
        let shown = snapshot.sessions.iter().filter(|it| self.is_shown(it));
        let sessions: Vec<Session> = shown.cloned().collect();
        let keys: Vec<SessionKey> = sessions.iter().map(Session::key).collect();
        if keys != self.watched {
            let sessions = keys.clone();
            connection.request_done(Request::Watch { sessions }).await?;
            self.watched = keys;
        }
        let figures = sessions.iter().map(|session| figures(connection, session));
        let figures = try_join_all(figures).await?;
        let rows = sessions.into_iter().zip(figures);
        let mut rows: Vec<Row> = rows
            .map(|(session, figures)| Row { session, figures })
            .collect();
        for row in &mut rows {
            self.name_kernels(connection, row).await;
        }
        Ok(Refresh {
            at: now(),
            several: self.contexts.len() > 1,
            kernels: self.with_kernels,
            notes: notes(&snapshot, &self.contexts),
            rows,
        })
    }

    /// A row of a manager's list lacks its containers.
    async fn name_kernels(&mut self, connection: &Connection, row: &mut Row) {
        let key = row.session.key();
        if row.figures.kernels.is_empty() || !row.session.kernels.is_empty() {
            return;
        }
        if !self.kernels.contains_key(&key)
            && let Ok(Some(session)) = find::detail(connection, key).await
        {
            self.kernels.insert(key, session.kernels);
        }
        row.session.kernels = self.kernels.get(&key).cloned().unwrap_or_default();
    }
}

/// Returns no figures if the session was deleted in the meantime.
async fn figures(connection: &Connection, session: &Session) -> Result<Figures, Fail> {
    match usage::figures(connection, session).await {
        Err(fail) if fail.code == code::NOT_FOUND => Ok(Figures::default()),
        found => found,
    }
}

/// Why values are missing.
fn notes(snapshot: &Snapshot, contexts: &[ContextName]) -> Vec<String> {
    let states = snapshot.contexts.iter();
    let lost = states.filter_map(|state| match &state.engine {
        EngineState::Lost { why, .. } if contexts.contains(&state.context.name) => Some(tr!(
            "engine {name} isn't responding: {why}. Values older than 30s are not shown",
            name = state.context.name,
            why
        )),
        _ => None,
    });
    lost.collect()
}
