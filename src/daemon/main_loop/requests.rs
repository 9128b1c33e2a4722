//! Directs each request to the context that handles it.

use super::{core::Core, replies, snapshots};
use crate::{
    daemon::{
        clock,
        connection::inbound::{ConnectionId, Inbound},
        context::{
            driver::Driver,
            executor::Executor,
            manager_executor::ManagerExecutor,
            query::Query,
            runner::{ContextMachine, ContextRunner},
        },
    },
    model::{
        capability::{Capability, EngineState},
        change::Change,
        failure::Failure,
        id::{ContextName, SessionId, SessionKey},
        notice::{Level, Notice},
    },
    observer::{
        Observer,
        fact::{Ask as Question, Fact as Observed},
    },
    protocol::{
        message::{DaemonStatus, Reply, Request, RequestId},
        version::version,
    },
    scheduler::{
        Controller,
        fact::{Ask, Fact},
    },
    state_machine::{MachineState, Ticket},
};

/// How a request is handled.
enum Handling {
    /// The state machine has the request.
    Queued,
    /// It is answered immediately.
    Answer(Result<Reply, Failure>),
    /// The state database has the answer.
    Store(SessionId),
}

impl Core {
    pub(in crate::daemon) async fn asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        request: Request,
    ) {
        if let Request::Snapshot { tab } = request
            && self.wait_for_list(connection, id, tab)
        {
            return;
        }
        if let Request::Refresh { context: None } = request {
            return self.refresh_all(connection, id).await;
        }
        let context = match about(&request) {
            About::Session(session) => {
                self.recall(session).await;
                session.context
            }
            About::Context(context) => context,
            About::Daemon => {
                let result = self.read(connection, request).await;
                return self.answer(connection, id, result);
            }
        };
        let number = match snapshots::context_number(&self.contexts, context) {
            Ok(number) => number,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        if self.contexts[number].context.read_only && is_change(&request) {
            let text = format!("context '{context}' is read-only");
            let failure = Failure::refused(text).hint(
                "to allow changes, remove `read-only` of the context in contexts.toml, then \
                     run `workbay daemon stop`",
            );
            return self.answer(connection, id, Err(failure));
        }
        if let Request::Figures { session } = request {
            return self.send_figures(connection, id, number, session).await;
        }
        let observing = self.contexts[number].known().is_observing();
        if !observing
            && let Request::Reach {
                tab, text, count, ..
            } = request
        {
            let total = self.reach_back(number, tab, text, count).await;
            return self.answer(connection, id, total);
        }
        if let Request::Launch { launch, .. } = request {
            return self.launch(connection, id, number, *launch).await;
        }
        if let Request::Again { session } = request
            && observing
        {
            return self
                .send_relaunch_settings(connection, id, number, session)
                .await;
        }
        if observing && let Some(query) = Query::of(&request) {
            return self.query(connection, id, number, query).await;
        }
        let ticket = self.waiters.ticket(connection, id);
        let handling = match &mut self.contexts[number].machine {
            ContextMachine::Scheduler(driver) => scheduled(driver, ticket, request),
            ContextMachine::Observer(driver) => observed(driver, ticket, request),
        };
        let result = match handling {
            Handling::Queued => return self.settle(number).await,
            Handling::Answer(result) => result,
            Handling::Store(session) => self
                .store
                .history(session)
                .await
                .map(|entries| Reply::History { entries })
                .map_err(|error| replies::store_failure(&error)),
        };
        if let Some((connection, id, result)) = self.waiters.answered(ticket, result) {
            self.answer(connection, id, result);
        }
    }

    /// Refreshes all contexts. One of several that is disconnected only retries, and doesn't delay the answer.
    async fn refresh_all(&mut self, connection: ConnectionId, id: RequestId) {
        let count = self.contexts.len();
        let tickets = self.waiters.tickets(connection, id, count);
        for (number, ticket) in tickets.into_iter().enumerate() {
            match &mut self.contexts[number].machine {
                ContextMachine::Scheduler(driver) => driver.push(Fact::Asked {
                    ticket,
                    ask: Ask::Refresh,
                }),
                ContextMachine::Observer(driver) => driver.push(Observed::Asked {
                    ticket,
                    ask: Question::Refresh { wait: count == 1 },
                }),
            }
            self.settle(number).await;
        }
    }

    /// Answers requests that need no engine.
    async fn read(&mut self, connection: ConnectionId, request: Request) -> Result<Reply, Failure> {
        match request {
            Request::Recents => self.recents().await,
            Request::EditRecent { id, edit } => self.edit_recent(id, edit).await,
            Request::Subscribe => Ok(self.subscribe(connection)),
            Request::Snapshot { tab } => {
                let seq = self.clients.get(&connection).map_or(0, |c| c.outbox.seq());
                let (snapshot, _) = snapshots::snapshot(&self.contexts, seq, tab);
                Ok(Reply::Snapshot { snapshot })
            }
            Request::Watch { sessions } => {
                self.watch_these(connection, sessions);
                Ok(Reply::Done)
            }
            Request::Notices => Ok(self.notifications.all()),
            Request::EditNotices { edit } => {
                self.notifications.edit(edit);
                Ok(Reply::Done)
            }
            Request::Status => Ok(Reply::Status {
                status: self.status(),
            }),
            Request::Stop => {
                tracing::info!("asked to stop");
                self.controls.end();
                Ok(Reply::Done)
            }
            _ => Err(unknown()),
        }
    }

    /// While the daemon ends, only a stop request is still accepted: it prevents an upgrade.
    pub(in crate::daemon) fn handle_last_message(&mut self, word: Inbound) {
        match word {
            Inbound::Joined {
                connection,
                outbox,
                older,
            } => self.joined(connection, outbox, older),
            Inbound::Asked {
                connection,
                id,
                request: Request::Stop,
            } => {
                tracing::info!("asked to stop");
                self.controls.end();
                self.answer(connection, id, Ok(Reply::Done));
            }
            _ => {}
        }
    }

    fn watch_these(&mut self, connection: ConnectionId, sessions: Vec<SessionKey>) {
        if let Some(client) = self.clients.get_mut(&connection) {
            client.watched = sessions.into_iter().collect();
            client.shown.clear();
        }
        for runner in &mut self.contexts {
            runner.sampler.hurry();
        }
    }

    /// Returns the snapshot. Sessions that don't fit in it follow as notices.
    fn subscribe(&mut self, connection: ConnectionId) -> Reply {
        let Some(client) = self.clients.get_mut(&connection) else {
            return Reply::Done;
        };
        client.subscribed = true;
        let seq = client.outbox.subscribe();
        let (snapshot, rest) = snapshots::snapshot(&self.contexts, seq, None);
        for session in rest {
            let session = Box::new(session.clone());
            client.outbox.notice(&Change::Session { session });
        }
        let older = client.older.take();
        let older = older.map(|text| Notice::message(clock::now(), Level::Warning, text));
        for notice in self.notes.drain(..).chain(older) {
            client.outbox.notice(&notice.into());
        }
        Reply::Snapshot { snapshot }
    }

    fn status(&self) -> DaemonStatus {
        let known =
            |it: &ContextRunner| it.known().sessions().count() + it.unloaded.left() as usize;
        let sessions = self.contexts.iter().map(known);
        DaemonStatus {
            pid: std::process::id(),
            version: version().to_owned(),
            socket: self.identity.socket.display().to_string(),
            started_at: self.identity.started_at,
            instance: self.identity.instance,
            clients: self.clients.len(),
            sessions: sessions.sum(),
        }
    }
}

/// What a request refers to.
enum About {
    Session(SessionKey),
    Context(ContextName),
    /// The daemon itself, or all contexts.
    Daemon,
}

fn about(request: &Request) -> About {
    match request {
        Request::Environments { context }
        | Request::Pull { context, .. }
        | Request::Catalogue { context, .. }
        | Request::Launch { context, .. }
        | Request::Reach { context, .. }
        | Request::CreateFolder { context, .. }
        | Request::FindOwner { context, .. }
        | Request::Refresh {
            context: Some(context),
        } => About::Context(*context),
        Request::Detail { session }
        | Request::Commit { session, .. }
        | Request::Rename { session, .. }
        | Request::Priority { session, .. }
        | Request::Terminate { session, .. }
        | Request::Delete { session }
        | Request::Again { session }
        | Request::Keep { session, .. }
        | Request::Figures { session }
        | Request::History { session } => About::Session(*session),
        Request::Refresh { context: None }
        | Request::Subscribe
        | Request::Snapshot { .. }
        | Request::Recents
        | Request::EditRecent { .. }
        | Request::Watch { .. }
        | Request::Notices
        | Request::EditNotices { .. }
        | Request::Status
        | Request::Stop => About::Daemon,
    }
}

/// Whether the request changes a session.
fn is_change(request: &Request) -> bool {
    matches!(
        request,
        Request::Launch { .. }
            | Request::Pull { .. }
            | Request::Rename { .. }
            | Request::Priority { .. }
            | Request::Terminate { .. }
            | Request::Delete { .. }
            | Request::Commit { .. }
            | Request::CreateFolder { .. }
            | Request::Keep { .. }
    )
}

/// Handles a request for a controller, which already knows everything about its engine.
fn scheduled(
    driver: &mut Driver<Controller, Executor>,
    ticket: Ticket,
    request: Request,
) -> Handling {
    let known = &driver.machine;
    let ask = match request {
        Request::Rename { session, name } => Ask::Rename {
            session: session.id,
            name,
        },
        Request::Priority { session, priority } => Ask::Priority {
            session: session.id,
            priority,
        },
        Request::Terminate { session, force } => Ask::Terminate {
            session: session.id,
            force,
        },
        Request::Delete { session } => Ask::Delete {
            session: session.id,
        },
        Request::Refresh { .. } => Ask::Refresh,
        Request::Environments { .. } => Ask::Environments,
        Request::Catalogue { .. } => Ask::Catalogue,
        Request::Pull { image, .. } => Ask::Pull { image },
        Request::CreateFolder { name, .. } => Ask::CreateFolder { name },
        Request::Again { session } => Ask::Again {
            session: session.id,
        },
        Request::Keep { session, keep } => Ask::Keep {
            session: session.id,
            keep,
        },
        Request::History { session } => {
            return match snapshots::find(known, session) {
                Ok(_) => Handling::Store(session.id),
                Err(failure) => Handling::Answer(Err(failure)),
            };
        }
        Request::Detail { session } => {
            return Handling::Answer(snapshots::find(known, session).map(|session| {
                Reply::Session {
                    session: Box::new(session.clone()),
                }
            }));
        }
        Request::Commit { .. } => return Handling::Answer(Err(lacks(known, Capability::Commit))),
        Request::FindOwner { .. } => {
            return Handling::Answer(Err(lacks(known, Capability::Owners)));
        }
        _ => return Handling::Answer(Err(unknown())),
    };
    driver.push(Fact::Asked { ticket, ask });
    Handling::Queued
}

fn observed(
    driver: &mut Driver<Observer, ManagerExecutor>,
    ticket: Ticket,
    request: Request,
) -> Handling {
    let known = &driver.machine;
    let ask = match request {
        Request::Rename { session, name } => Question::Rename {
            session: session.id,
            name,
        },
        Request::Priority { session, priority } => Question::Priority {
            session: session.id,
            priority,
        },
        Request::Terminate { session, force } => Question::Terminate {
            session: session.id,
            force,
        },
        Request::Refresh { .. } => Question::Refresh { wait: true },
        Request::Environments { .. } => Question::Environments,
        Request::Detail { session } => Question::Detail {
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
        Request::Keep { .. } => return Handling::Answer(Err(lacks(known, Capability::Reprieve))),
        Request::Pull { .. } => return Handling::Answer(Err(pulls_itself())),
        Request::Delete { .. } => return Handling::Answer(Err(keeps_ended())),
        _ => return Handling::Answer(Err(unknown())),
    };
    driver.push(Observed::Asked { ticket, ask });
    Handling::Queued
}

fn lacks(known: &dyn MachineState, capability: Capability) -> Failure {
    let why = match known.engine() {
        EngineState::Connected { info } => info.capabilities.why_not(capability).cloned(),
        _ => None,
    };
    let why = why.unwrap_or_else(|| "this engine doesn't support the request".into());
    Failure::refused(why)
}

fn pulls_itself() -> Failure {
    let text = "the manager of this context pulls images automatically when a session starts";
    Failure::refused(text)
}

fn keeps_ended() -> Failure {
    let text = "ended sessions of a Backend.AI context can't be deleted: the manager keeps them";
    Failure::refused(text)
}

fn unknown() -> Failure {
    Failure::internal(
        "the daemon doesn't know this request. Run `workbay daemon stop`, then try again",
    )
}
