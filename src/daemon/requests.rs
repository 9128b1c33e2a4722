//! Requests: to which heart they go.

use super::{
    clock,
    core::Core,
    heart::{Heart, News},
    inbound::ConnectionId,
    looks, translate,
};
use crate::{
    controller::{
        fact::{Ask, Fact, Ticket},
        observe::fact::{Ask as Question, Fact as Observed},
    },
    model::{
        capability::{Capability, EngineState},
        change::{Change, Level},
        id::{ContextName, SessionId, SessionKey},
        notice::Notice,
        status::Tab,
    },
    protocol::message::{DaemonStatus, Failure, FailureKind, Reply, Request, RequestId},
};

/// What a request is for a heart.
enum Way {
    News(Box<News>),
    /// Answered at once.
    Answer(Result<Reply, Failure>),
    /// The store knows.
    Store(SessionId),
}

impl Core {
    pub(super) async fn asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        request: Request,
    ) {
        if let Request::Refresh { context: None } = request {
            return self.refresh_all(connection, id).await;
        }
        let Some(context) = addressee(&request) else {
            let result = self.read(connection, request).await;
            return self.answer(connection, id, result);
        };
        let number = match looks::station(&self.stations, context) {
            Ok(number) => number,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        if self.stations[number].context.read_only && is_deed(&request) {
            let text = format!("context '{context}' is read-only: nothing is changed in it");
            let failure = Failure::new(FailureKind::Refused, text)
                .with_help("`read-only` of that context in contexts.toml says so");
            return self.answer(connection, id, Err(failure));
        }
        if let Request::Figures { session } = request {
            return self.tell_figures(connection, id, number, session).await;
        }
        if let Request::Launch { launch, .. } = request {
            return self.launch(connection, id, number, *launch).await;
        }
        let observing = self.stations[number].heart.is_observing();
        let ticket = match request {
            Request::Again { .. } if observing => self.waiters.ticket_for_again(connection, id),
            _ => self.waiters.ticket(connection, id),
        };
        let way = match &self.stations[number].heart {
            heart @ Heart::Local(_) => local(heart, ticket, request),
            heart @ Heart::Observed(_) => observed(heart, ticket, request),
        };
        let result = match way {
            Way::News(news) => return self.settle(number, *news).await,
            Way::Answer(result) => result,
            Way::Store(session) => self
                .store
                .history(session)
                .await
                .map(|entries| Reply::History { entries })
                .map_err(|error| translate::store_failure(&error)),
        };
        if let Some((connection, id, result)) = self.waiters.answered(ticket, result) {
            self.answer(connection, id, result);
        }
    }

    /// A context that is away holds up nobody: it is only told to try again.
    async fn refresh_all(&mut self, connection: ConnectionId, id: RequestId) {
        let count = self.stations.len();
        let tickets = self.waiters.tickets(connection, id, count);
        for (number, ticket) in tickets.into_iter().enumerate() {
            let news = match &self.stations[number].heart {
                Heart::Local(_) => News::Local(Fact::Asked {
                    ticket,
                    ask: Ask::Refresh,
                }),
                Heart::Observed(_) => News::Observed(Observed::Asked {
                    ticket,
                    ask: Question::Refresh { wait: count == 1 },
                }),
            };
            self.settle(number, news).await;
        }
    }

    /// Requests that go to no engine.
    async fn read(&mut self, connection: ConnectionId, request: Request) -> Result<Reply, Failure> {
        match request {
            Request::Recents => self.recents().await,
            Request::EditRecent { id, edit } => self.edit_recent(id, edit).await,
            Request::Subscribe => Ok(self.subscribe(connection)),
            Request::Snapshot => {
                let seq = self.clients.get(&connection).map_or(0, |c| c.outbox.seq());
                let (snapshot, _) = looks::snapshot(&self.stations, seq);
                Ok(Reply::Snapshot { snapshot })
            }
            Request::Watch { sessions } => {
                self.watch_these(connection, sessions);
                Ok(Reply::Done)
            }
            Request::Notices => Ok(self.told.all()),
            Request::EditNotices { edit } => {
                self.told.edit(edit);
                Ok(Reply::Done)
            }
            Request::Status => Ok(Reply::Status {
                status: self.status(),
            }),
            Request::Stop => {
                tracing::info!("asked to stop");
                self.stop.cancel();
                Ok(Reply::Done)
            }
            _ => Err(unknown()),
        }
    }

    fn watch_these(&mut self, connection: ConnectionId, sessions: Vec<SessionKey>) {
        if let Some(client) = self.clients.get_mut(&connection) {
            client.watched = sessions.into_iter().collect();
            client.shown.clear();
        }
        for station in &mut self.stations {
            station.sampler.hurry();
        }
    }

    /// The snapshot; what does not fit it follows as notices.
    fn subscribe(&mut self, connection: ConnectionId) -> Reply {
        let Some(client) = self.clients.get_mut(&connection) else {
            return Reply::Done;
        };
        client.subscribed = true;
        let seq = client.outbox.subscribe();
        let (snapshot, rest) = looks::snapshot(&self.stations, seq);
        for session in rest {
            let session = Box::new(session.clone());
            client.outbox.notice(&Change::Session { session });
        }
        for text in self.notes.drain(..) {
            let notice = Notice::message(clock::now(), Level::Warning, text);
            client.outbox.notice(&notice.into());
        }
        Reply::Snapshot { snapshot }
    }

    fn status(&self) -> DaemonStatus {
        let sessions = self.stations.iter().map(|s| s.heart.sessions().count());
        DaemonStatus {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            socket: self.identity.socket.display().to_string(),
            started_at: self.identity.started_at,
            instance: self.identity.instance,
            clients: self.clients.len(),
            sessions: sessions.sum(),
        }
    }
}

/// The context a request is for.
fn addressee(request: &Request) -> Option<ContextName> {
    match request {
        Request::Environments { context }
        | Request::Catalogue { context, .. }
        | Request::Launch { context, .. }
        | Request::Reach { context, .. }
        | Request::CreateFolder { context, .. }
        | Request::FindOwner { context, .. }
        | Request::Refresh {
            context: Some(context),
        } => Some(*context),
        Request::Detail { session }
        | Request::Commit { session, .. }
        | Request::Rename { session, .. }
        | Request::Terminate { session, .. }
        | Request::Again { session }
        | Request::Keep { session, .. }
        | Request::Figures { session }
        | Request::History { session } => Some(session.context),
        Request::Refresh { context: None }
        | Request::Subscribe
        | Request::Snapshot
        | Request::Recents
        | Request::EditRecent { .. }
        | Request::Watch { .. }
        | Request::Notices
        | Request::EditNotices { .. }
        | Request::Status
        | Request::Stop => None,
    }
}

/// Whether it changes a session.
fn is_deed(request: &Request) -> bool {
    matches!(
        request,
        Request::Launch { .. }
            | Request::Rename { .. }
            | Request::Terminate { .. }
            | Request::Commit { .. }
            | Request::CreateFolder { .. }
            | Request::Keep { .. }
    )
}

/// Of an engine that only runs containers everything is known here already.
fn local(heart: &Heart, ticket: Ticket, request: Request) -> Way {
    let ask = match request {
        Request::Rename { session, name } => Ask::Rename {
            session: session.id,
            name,
        },
        Request::Terminate { session, force } => Ask::Terminate {
            session: session.id,
            force,
        },
        Request::Refresh { .. } => Ask::Refresh,
        Request::Environments { .. } => Ask::Environments,
        Request::Catalogue { .. } => Ask::Catalogue,
        Request::CreateFolder { name, .. } => Ask::CreateFolder { name },
        Request::Again { session } => Ask::Again {
            session: session.id,
        },
        Request::Keep { session, keep } => Ask::Keep {
            session: session.id,
            keep,
        },
        Request::History { session } => {
            return match looks::find(heart, session) {
                Ok(_) => Way::Store(session.id),
                Err(failure) => Way::Answer(Err(failure)),
            };
        }
        Request::Detail { session } => {
            return Way::Answer(looks::find(heart, session).map(|session| Reply::Session {
                session: Box::new(session.clone()),
            }));
        }
        Request::Reach { tab, text, .. } => {
            let total = all_told(heart, tab, text.as_deref());
            return Way::Answer(Ok(Reply::Reached { total }));
        }
        Request::Commit { .. } => return Way::Answer(Err(lacks(heart, Capability::Commit))),
        Request::FindOwner { .. } => return Way::Answer(Err(lacks(heart, Capability::Owners))),
        _ => return Way::Answer(Err(unknown())),
    };
    Way::News(Box::new(News::Local(Fact::Asked { ticket, ask })))
}

fn observed(heart: &Heart, ticket: Ticket, request: Request) -> Way {
    let ask = match request {
        Request::Rename { session, name } => Question::Rename {
            session: session.id,
            name,
        },
        Request::Terminate { session, force } => Question::Terminate {
            session: session.id,
            force,
        },
        Request::Refresh { .. } => Question::Refresh { wait: true },
        Request::Environments { .. } => Question::Environments,
        Request::History { session } => Question::History {
            session: session.id,
        },
        Request::Detail { session } | Request::Again { session } => Question::Detail {
            session: session.id,
        },
        Request::Reach {
            tab, text, count, ..
        } => Question::Reach { tab, text, count },
        Request::Commit {
            session,
            image_name,
        } => Question::Commit {
            session: session.id,
            image_name,
        },
        Request::Catalogue { project, anew, .. } => Question::Catalogue { project, anew },
        Request::CreateFolder { name, .. } => Question::CreateFolder { name },
        Request::FindOwner { email, .. } => Question::FindOwner { email },
        Request::Keep { .. } => return Way::Answer(Err(lacks(heart, Capability::Reprieve))),
        _ => return Way::Answer(Err(unknown())),
    };
    Way::News(Box::new(News::Observed(Observed::Asked { ticket, ask })))
}

/// Every session of a local engine was told; how many there are.
fn all_told(heart: &Heart, tab: Tab, text: Option<&str>) -> u64 {
    let wanted = text.unwrap_or_default().to_lowercase();
    let found = heart.sessions().filter(|session| {
        session.tab() == tab && session.name.as_str().to_lowercase().contains(&wanted)
    });
    found.count() as u64
}

fn lacks(heart: &Heart, capability: Capability) -> Failure {
    let why = match heart.engine() {
        EngineState::Connected { info } => info.capabilities.why_not(capability).cloned(),
        _ => None,
    };
    let why = why.unwrap_or_else(|| "this engine does not do that".into());
    Failure::new(FailureKind::Refused, why)
}

fn unknown() -> Failure {
    Failure::new(
        FailureKind::Internal,
        "the daemon does not know this request",
    )
}
