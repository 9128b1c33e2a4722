//! Candidates from a running daemon, if it answers quickly.

use std::time::Duration;

use tokio::time::timeout;

use super::{
    Candidate,
    kind::{Known, Which},
    place::Place,
};
use crate::{
    cli::{
        Start,
        choice::Choice,
        commands::ls::names,
        connection::{self, Connection},
        fail::Fail,
        find,
    },
    model::{
        catalogue::Catalogue,
        environment::EnvironmentSource,
        folder::{Folder, FolderRequest},
        id::ContextName,
        request::ContextRequest,
        selector,
        session::{Session, newest_first},
        status::{Status, Tab},
    },
    protocol::message::{ContextState, Reply, Request, Snapshot},
    rules::ending::ending,
};

pub fn known(start: &Start, known: Known, place: &Place<'_>, patience: Duration) -> Vec<Candidate> {
    let found = connection::block_on(async {
        let work = ask(start, known, place);
        timeout(patience, work).await.unwrap_or(Ok(Vec::new()))
    });
    found.unwrap_or_default()
}

async fn ask(start: &Start, known: Known, place: &Place<'_>) -> Result<Vec<Candidate>, Fail> {
    let connection = Connection::existing(&start.paths).await?;
    let choice = Choice::of(start);
    if let Known::Sessions(which) = known {
        return sessions(&connection, choice, which, place.typed).await;
    }
    if known == Known::Recents {
        return recents(&connection).await;
    }
    let snapshot = connection.snapshot_of(Some(Tab::Running)).await?;
    if known == Known::Kernels {
        return Ok(kernels(&snapshot, choice, place));
    }
    let context = choice.context(&snapshot)?;
    let Some(state) = find::state(&snapshot, context) else {
        return Ok(Vec::new());
    };
    match known {
        Known::Environments | Known::Absent | Known::Images => Ok(environments(state, known)),
        Known::TrashedFolders => trashed(&connection, context).await,
        _ => {
            let project = place.given("project").map(str::to_owned);
            let catalogue = ContextRequest::Catalogue {
                project,
                refresh: false,
            };
            let request = Request::context(context, catalogue);
            match connection.request(request).await? {
                Reply::Catalogue { catalogue } => Ok(offered(&catalogue, known)),
                other => Err(connection::unexpected(&other)),
            }
        }
    }
}

/// Candidates are names, or `CONTEXT/NAME` in another context. If the name means another session and
/// something was typed, they are ids.
async fn sessions(
    connection: &Connection,
    choice: Choice<'_>,
    which: Which,
    typed: &str,
) -> Result<Vec<Candidate>, Fail> {
    let snapshot = match which {
        Which::Running | Which::Waiting => connection.snapshot_of(Some(Tab::Running)).await?,
        Which::NotEnded => {
            let mut snapshot = connection.snapshot_of(Some(Tab::Running)).await?;
            let others = connection.snapshot_of(Some(Tab::Others)).await?;
            snapshot.sessions.extend(others.sessions);
            snapshot
        }
        // Whether a name means an ended session depends on all other sessions.
        Which::Any | Which::Ended => connection.snapshot().await?,
    };
    let (context, _) = choice.session(typed, &snapshot)?;
    let before = match typed.split_once('/') {
        Some((context, _)) => format!("{context}/"),
        None => String::new(),
    };
    let known = &snapshot.sessions;
    let meant = known
        .iter()
        .filter(|it| it.context == context && is_one(which, it));
    let mut meant: Vec<Session> = meant.cloned().collect();
    meant.sort_by(newest_first);
    let words = names::of(&meant, known, Some(context));
    let named = meant.iter().zip(words);
    let shown = named.filter(|(session, word)| session.name == word.as_str() || typed.len() > 1);
    let candidates = shown.map(|(session, word)| {
        let how = match ending(session) {
            Some(ending) => ending.to_string(),
            None => session.status.to_string(),
        };
        let about = format!("{how}, {}", session.environment.label());
        Candidate::new(format!("{before}{word}"), about)
    });
    Ok(candidates.collect())
}

fn is_one(which: Which, session: &Session) -> bool {
    let status = &session.status;
    match which {
        Which::Any => true,
        Which::Running => status.is_live(),
        Which::Waiting => *status == Status::Pending,
        Which::NotEnded => !session.has_ended(),
        Which::Ended => session.has_ended(),
    }
}

/// The containers of the session that was named before.
fn kernels(snapshot: &Snapshot, choice: Choice<'_>, place: &Place<'_>) -> Vec<Candidate> {
    let found = place.given("session").and_then(|text| {
        let (context, name) = choice.session(text, snapshot).ok()?;
        selector::select(&snapshot.sessions, context, name).ok()
    });
    let kernels = found.map(|session| session.kernels.as_slice());
    let kernels = kernels.unwrap_or_default().iter();
    kernels
        .map(|kernel| Candidate::new(kernel.hostname.as_str(), kernel.status.to_string()))
        .collect()
}

fn environments(state: &ContextState, known: Known) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut last = "";
    for environment in &state.environments {
        if environment.absent != (known == Known::Absent) && known != Known::Environments {
            continue;
        }
        let about = environment
            .unavailable
            .as_ref()
            .or(environment.facts.about.as_ref());
        let about = about.map_or("", |about| about.as_str());
        if let (Known::Images, EnvironmentSource::Image { reference }) =
            (known, &environment.source)
        {
            found.push(Candidate::new(reference.as_str(), about));
        }
        if known != Known::Images {
            let name = environment.name.as_str();
            if name != last {
                found.push(Candidate::new(name, about));
            }
            found.push(Candidate::new(
                format!("{name}:{}", environment.version),
                about,
            ));
            last = name;
        }
    }
    found
}

fn offered(catalogue: &Catalogue, known: Known) -> Vec<Candidate> {
    fn all<'c, T: 'c>(
        items: impl IntoIterator<Item = &'c T>,
        name: impl Fn(&T) -> String,
        about: impl Fn(&T) -> String,
    ) -> Vec<Candidate> {
        let items = items.into_iter();
        items
            .map(|it| Candidate::new(name(it), about(it)))
            .collect()
    }
    let nothing = String::new;
    match known {
        Known::Groups => all(
            &catalogue.resource_groups,
            |it| it.name.to_string(),
            |_| nothing(),
        ),
        Known::Presets => all(
            &catalogue.presets,
            |it| it.name.to_string(),
            |it| format!("{} CPU, {}", it.slots.cpu, it.slots.mem),
        ),
        Known::Folders => all(
            &catalogue.folders,
            |it| it.name.to_string(),
            |it| it.permission.to_string(),
        ),
        Known::Agents => all(
            &catalogue.agents,
            |it| it.id.to_string(),
            |it| it.status.to_string(),
        ),
        Known::Projects => all(&catalogue.projects, |it| it.name.to_string(), |_| nothing()),
        Known::Accelerators => all(
            &catalogue.accelerators,
            |it| format!("{}=", it.slot),
            |_| nothing(),
        ),
        _ => Vec::new(),
    }
}

/// The folders in the trash: by name, or by id where several have the name.
async fn trashed(connection: &Connection, context: ContextName) -> Result<Vec<Candidate>, Fail> {
    let list = FolderRequest::List {
        trash: true,
        measure: false,
    };
    let folders = match connection
        .request(Request::context(context, list.into()))
        .await?
    {
        Reply::Folders { folders } => folders,
        other => return Err(connection::unexpected(&other)),
    };
    let candidate = |folder: &Folder| {
        let alike = folders.iter().filter(|it| it.name == folder.name);
        if alike.count() == 1 {
            return Candidate::new(folder.name.to_string(), tr!("in the trash").to_owned());
        }
        Candidate::new(folder.id.to_string(), folder.name.to_string())
    };
    Ok(folders.iter().map(candidate).collect())
}

async fn recents(connection: &Connection) -> Result<Vec<Candidate>, Fail> {
    match connection.request(Request::Recents).await? {
        Reply::Recents { entries } => {
            let entries = entries.iter();
            Ok(entries
                .map(|entry| Candidate::new(entry.id.to_string(), entry.title.to_string()))
                .collect())
        }
        other => Err(connection::unexpected(&other)),
    }
}
