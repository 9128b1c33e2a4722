//! Finds sessions in what the daemon knows, and refreshes it if an engine keeps the sessions itself.

use std::{collections::BTreeMap, time::Duration};

use futures_util::future::join_all;

use super::{
    choice::Choice,
    connection::{self, Connection},
    fail::{Fail, code},
    output, patterns,
};
use crate::{
    model::{
        capability::EngineState,
        failure::{Failure, FailureKind},
        id::{ContextName, SessionKey},
        nearest::nearest,
        request::{ContextRequest, SessionRequest},
        selector::{self, SelectError, TypedSession},
        session::Session,
        status::Tab,
        text::Clean,
    },
    protocol::message::{ContextState, Reply, Request, Snapshot},
};

/// Maximum number of sessions of a name to read, beyond those that the daemon knows.
const NAMESAKES: u32 = 20;
/// How long to wait for a context that doesn't respond, if there are other contexts.
const BESIDE_OTHERS: Duration = Duration::from_secs(8);

/// What the daemon knows now.
pub struct Picture {
    pub snapshot: Snapshot,
    /// Contexts whose sessions couldn't be refreshed, with the reason.
    pub stale: Vec<(ContextName, Failure)>,
}

impl Picture {
    pub fn why_stale(&self, context: ContextName) -> Option<&Failure> {
        let mut stale = self.stale.iter();
        stale.find(|(name, _)| *name == context).map(|(_, why)| why)
    }
}

/// What to read from an engine that keeps its sessions itself, beyond its newest.
#[derive(Clone, Debug)]
pub struct ListQuery {
    pub tab: Tab,
    /// Only sessions whose name contains this.
    pub text: Option<String>,
    pub count: u32,
}

/// Refreshes these contexts where needed, for the tab of the snapshot. A disconnected engine doesn't delay
/// the others.
pub async fn picture(
    connection: &Connection,
    (snapshot, tab): (Snapshot, Option<Tab>),
    contexts: &[ContextName],
    wanted: &[ListQuery],
) -> Result<Picture, Fail> {
    let refreshed: Vec<ContextName> = contexts
        .iter()
        .copied()
        .filter(|name| is_partial(&snapshot, *name) || is_connecting(&snapshot, *name))
        .collect();
    if refreshed.is_empty() {
        let stale = incomplete(&snapshot, contexts).collect();
        return Ok(Picture { snapshot, stale });
    }
    let alone = contexts.len() == 1;
    let refreshed = refreshed.into_iter().map(|context| {
        // The daemon answers a refresh when its first attempt to connect has ended.
        let refresh = schedules(&snapshot, context) || is_connecting(&snapshot, context);
        let wanted = if is_partial(&snapshot, context) {
            wanted
        } else {
            &[]
        };
        (context, freshen(connection, context, refresh, wanted))
    });
    let refreshed = refreshed.map(|(context, work)| async move {
        let outcome = if alone {
            work.await
        } else {
            let limit = BESIDE_OTHERS.as_secs();
            let late = tr!("no answer within {limit}s", limit);
            let late = Failure::lost(late);
            let done = tokio::time::timeout(BESIDE_OTHERS, work).await;
            done.unwrap_or(Err(late))
        };
        outcome.err().map(|failure| (context, failure))
    });
    let stale: Vec<_> = join_all(refreshed).await.into_iter().flatten().collect();
    let snapshot = connection.snapshot_of(tab).await?;
    let missing = incomplete(&snapshot, contexts);
    let stale = stale.into_iter().chain(missing).collect();
    Ok(Picture { snapshot, stale })
}

async fn freshen(
    connection: &Connection,
    context: ContextName,
    refresh: bool,
    wanted: &[ListQuery],
) -> Result<(), Failure> {
    let ask = |request| connection.client.ask(request);
    if refresh {
        let context = Some(context);
        ask(Request::refresh(context)).await?;
    }
    for ListQuery { tab, text, count } in wanted.iter().cloned() {
        ask(Request::context(
            context,
            ContextRequest::Reach { tab, text, count },
        ))
        .await?;
    }
    Ok(())
}

/// Contexts whose list is incomplete, with the reason: the state database was lost or damaged, and their
/// engine hasn't been read since.
pub fn incomplete<'a>(
    snapshot: &'a Snapshot,
    contexts: &'a [ContextName],
) -> impl Iterator<Item = (ContextName, Failure)> + 'a {
    let states = snapshot.contexts.iter();
    let missing = states.filter(|it| it.incomplete && contexts.contains(&it.context.name));
    missing.map(|state| {
        let name = state.context.name;
        let why = match &state.engine {
            EngineState::Lost { why, .. } => why.to_string(),
            _ => tr!("it hasn't answered yet").to_owned(),
        };
        let text = tr!(
            "the list of context {name} is incomplete: the state database was lost or damaged, \
             and the engine hasn't answered since ({why})",
            name,
            why
        );
        let help = tr!(
            "running sessions are listed again when the engine answers. Run `workbay \
                    doctor` for the cause"
        );
        let failure = Failure::lost(text).hint(help);
        (name, failure)
    })
}

/// The state of a context in the snapshot.
pub fn state(snapshot: &Snapshot, context: ContextName) -> Option<&ContextState> {
    let mut states = snapshot.contexts.iter();
    states.find(|state| state.context.name == context)
}

/// Your account in each context that has accounts.
pub fn accounts(snapshot: &Snapshot) -> BTreeMap<ContextName, Clean> {
    let states = snapshot.contexts.iter();
    let account = |state: &ContextState| match &state.engine {
        EngineState::Connected { info } => {
            let user = info.user.as_ref()?;
            Some((state.context.name, user.email.clone()))
        }
        _ => None,
    };
    states.filter_map(account).collect()
}

pub fn schedules(snapshot: &Snapshot, context: ContextName) -> bool {
    state(snapshot, context).is_some_and(|state| state.context.kind.schedules())
}

/// Whether the context may have more sessions than the daemon reported.
fn is_partial(snapshot: &Snapshot, context: ContextName) -> bool {
    let counts = |state: &ContextState| state.totals.is_some();
    schedules(snapshot, context) || state(snapshot, context).is_some_and(counts)
}

/// Whether the daemon has just started, so that the list may be an old one.
fn is_connecting(snapshot: &Snapshot, context: ContextName) -> bool {
    state(snapshot, context).is_some_and(|state| state.engine == EngineState::Connecting)
}

/// Finds the session that `text` names.
pub async fn session(
    connection: &Connection,
    choice: Choice<'_>,
    text: &str,
) -> Result<Session, Fail> {
    patterns::refuse(text)?;
    let mut found = sessions(connection, choice, std::slice::from_ref(&text)).await?;
    found.pop().ok_or_else(|| {
        let shown = Clean::new(text);
        SelectError::NotFound(shown).into()
    })
}

/// Like [`session()`], for commands that only read. If several sessions have the name, prints which one is
/// used.
pub async fn newest(
    connection: &Connection,
    choice: Choice<'_>,
    text: &str,
) -> Result<Session, Fail> {
    let session = session(connection, choice, text).await?;
    let known = connection.snapshot().await?.sessions;
    let (count, is_newest) = selector::namesakes(&known, &session, text);
    if count > 1 {
        let (name, id) = (&session.name, session.id.short());
        output::remark(&if is_newest {
            tr!(
                "workbay: {count} sessions are named {name}. This is the newest, {id}",
                count,
                name,
                id
            )
        } else {
            tr!(
                "workbay: {count} sessions are named {name}. This is the one that hasn't ended, {id}",
                count,
                name,
                id
            )
        });
    }
    Ok(session)
}

/// Like [`session()`]. The session must be running.
pub async fn live_session(
    connection: &Connection,
    choice: Choice<'_>,
    text: &str,
) -> Result<Session, Fail> {
    let session = session(connection, choice, text).await?;
    if session.status.is_live() {
        return Ok(session);
    }
    let (name, status) = (&session.name, &session.status);
    let fail = Fail::new(
        code::FAILED,
        tr!("session {name} is {status}, not RUNNING", name, status),
    );
    Err(match &session.status_message {
        Some(why) => fail.hint(why.clone()),
        None => fail,
    })
}

/// Finds the sessions that these words name, in their order. An error names the first word that names no
/// session.
pub async fn sessions(
    connection: &Connection,
    choice: Choice<'_>,
    texts: &[&str],
) -> Result<Vec<Session>, Fail> {
    let snapshot = connection.snapshot().await?;
    let mut meant: Vec<(ContextName, &str)> = Vec::new();
    for text in texts {
        meant.push(choice.session(text, &snapshot)?);
    }
    let mut contexts: Vec<ContextName> = meant.iter().map(|(context, _)| *context).collect();
    contexts.sort_unstable();
    contexts.dedup();
    let picture = picture(connection, (snapshot, None), &contexts, &[]).await?;
    let mut found = Vec::new();
    for (context, text) in meant {
        found.push(one(connection, &picture, context, text).await?);
    }
    Ok(found)
}

async fn one(
    connection: &Connection,
    picture: &Picture,
    context: ContextName,
    text: &str,
) -> Result<Session, Fail> {
    let missing = match selector::select(&picture.snapshot.sessions, context, text) {
        Ok(session) => return Ok(session.clone()),
        Err(missing @ (SelectError::NotFound(_) | SelectError::Elsewhere { .. })) => missing,
        Err(other) => return Err(other.into()),
    };
    if let Some(failure) = picture.why_stale(context) {
        return Err(failure.clone().into());
    }
    let found = if is_partial(&picture.snapshot, context) {
        deeper(connection, context, text).await?
    } else {
        None
    };
    found.ok_or_else(|| not_found(missing, &picture.snapshot.sessions, context, text))
}

/// The error for a word that names no session, with what was probably meant.
fn not_found(missing: SelectError, known: &[Session], context: ContextName, text: &str) -> Fail {
    if !matches!(missing, SelectError::NotFound(_)) {
        return missing.into();
    }
    let shown = Clean::new(text);
    if text.len() == 1 && text.chars().all(|c| c.is_ascii_hexdigit()) {
        let why = tr!(
            "session '{shown}' not found. Use at least 2 characters of an id",
            shown
        );
        return Fail::new(code::NOT_FOUND, why);
    }
    let known = known.iter().filter(|session| session.context == context);
    let names: Vec<&str> = known.map(|session| session.name.as_str()).collect();
    match nearest(text, &names) {
        Some(near) => {
            let why = tr!(
                "session '{shown}' not found. Did you mean '{near}'?",
                shown,
                near
            );
            Fail::new(code::NOT_FOUND, why)
        }
        None => missing.into(),
    }
}

/// Finds a session of a cluster that the daemon doesn't keep, by its full id or by its name.
async fn deeper(
    connection: &Connection,
    context: ContextName,
    text: &str,
) -> Result<Option<Session>, Fail> {
    if let Some(id) = TypedSession::read(text).id() {
        return detail(connection, SessionKey::new(context, id)).await;
    }
    for tab in Tab::ALL {
        connection
            .request(Request::context(
                context,
                ContextRequest::Reach {
                    tab,
                    text: Some(text.to_owned()),
                    count: NAMESAKES,
                },
            ))
            .await?;
    }
    let snapshot = connection.snapshot().await?;
    match selector::select(&snapshot.sessions, context, text) {
        Ok(session) => Ok(Some(session.clone())),
        Err(SelectError::NotFound(_) | SelectError::Elsewhere { .. }) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// Reads the details of a session from the engine. `None` = not found.
pub async fn detail(connection: &Connection, session: SessionKey) -> Result<Option<Session>, Fail> {
    match connection
        .client
        .ask(Request::session(session, SessionRequest::Detail))
        .await
    {
        Ok(Reply::Session { session }) => Ok(Some(*session)),
        Ok(other) => Err(connection::unexpected(&other)),
        Err(failure) if failure.kind == FailureKind::NotFound => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    #[test]
    fn a_word_that_names_no_session_leads_to_the_nearest_name() {
        let known = [testing::session(1, "work"), testing::session(2, "train")];
        let says = |text: &str| {
            let missing = SelectError::NotFound(Clean::new(text));
            let fail = not_found(missing, &known, known[0].context, text);
            assert_eq!(fail.code, code::NOT_FOUND);
            fail.message().unwrap().into_string()
        };
        assert_eq!(says("wrk"), "session 'wrk' not found. Did you mean 'work'?");
        assert_eq!(
            says("8"),
            "session '8' not found. Use at least 2 characters of an id"
        );
        assert!(says("nothing").contains("`workbay ls --tab all` lists names"));
    }
}
