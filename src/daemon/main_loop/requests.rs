//! Directs each request to the context that handles it.

use super::{core::Core, replies, snapshots};
use crate::{
    daemon::{
        clock,
        connection::inbound::{ConnectionId, Inbound},
        context::{
            query::Query,
            runner::{ContextMachine, ContextRunner, Number},
        },
    },
    model::{
        change::Change,
        failure::Failure,
        id::{ContextName, SessionId, SessionKey},
        notice::{Level, Notice},
        request::{ContextRequest, SessionRequest},
    },
    observer::fact::{Fact as Observed, ObserverRequest},
    protocol::{
        message::{DaemonStatus, Reply, Request, RequestId},
        version::version,
    },
    scheduler::fact::{Fact, SchedulerRequest},
};

impl Core {
    pub(in crate::daemon) async fn asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        request: Request,
    ) {
        let result = match request {
            Request::Session { session, request } => {
                return self.session_asked(connection, id, session, request).await;
            }
            Request::Context { context, request } => {
                return self.context_asked(connection, id, context, request).await;
            }
            Request::Launch { context, launch } => {
                return match self.context_for(context, true) {
                    Ok(number) => self.launch(connection, id, number, *launch).await,
                    Err(failure) => self.answer(connection, id, Err(failure)),
                };
            }
            Request::App { session, request } => {
                return self.app_asked(connection, id, session, request);
            }
            Request::Forward { request } => {
                return self.forward_asked(connection, id, request).await;
            }
            Request::Files { place, request } => {
                return self.files_asked(connection, id, place, request);
            }
            Request::Loss { session, request } => {
                return self.loss_asked(connection, id, session, request);
            }
            Request::SshAccess { session } => {
                return self.ssh_asked(connection, id, session);
            }
            Request::SshClient => return self.ssh_client_asked(connection, id),
            Request::RefreshAll => return self.refresh_all(connection, id).await,
            Request::Snapshot { tab } => {
                if self.wait_for_list(connection, id, tab) {
                    return;
                }
                let seq = self.clients.get(&connection).map_or(0, |c| c.outbox.seq());
                let (mut snapshot, _) = snapshots::snapshot(&self.contexts, seq, tab);
                snapshot.forwards = self.apps.forwards();
                Ok(Reply::Snapshot { snapshot })
            }
            Request::Recents => self.recents().await,
            Request::EditRecent { id, edit } => self.edit_recent(id, edit).await,
            Request::Subscribe => Ok(self.subscribe(connection)),
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
        };
        self.answer(connection, id, result);
    }

    /// The number of a context, if it allows the request.
    pub(in crate::daemon) fn context_for(
        &self,
        context: ContextName,
        is_change: bool,
    ) -> Result<Number, Failure> {
        let number = snapshots::context_number(&self.contexts, context)?;
        if is_change {
            self.contexts[number].require_changes()?;
        }
        Ok(number)
    }

    /// Handles a request about a session: what the state machine doesn't decide comes first.
    async fn session_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        session: SessionKey,
        request: SessionRequest,
    ) {
        self.recall(session).await;
        let number = match self.context_for(session.context, request.is_change()) {
            Ok(number) => number,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        let known = self.contexts[number].known();
        let observing = known.is_observing();
        match request {
            SessionRequest::Figures => {
                return self.send_figures(connection, id, number, session).await;
            }
            SessionRequest::Again if observing => {
                return self
                    .send_relaunch_settings(connection, id, number, session)
                    .await;
            }
            SessionRequest::Detail if !observing => {
                let found = snapshots::find(known, session).cloned().map(Box::new);
                let result = found.map(|session| Reply::Session { session });
                return self.answer(connection, id, result);
            }
            SessionRequest::History if !observing => {
                let result = match snapshots::find(known, session) {
                    Ok(_) => self.history(session.id).await,
                    Err(failure) => Err(failure),
                };
                return self.answer(connection, id, result);
            }
            _ => {}
        }
        if observing && let Some(query) = Query::of_session(session.id, &request) {
            return self.query(connection, id, number, query).await;
        }
        let ticket = self.waiters.ticket(connection, id);
        self.contexts[number]
            .machine
            .ask_about_session(ticket, session.id, request);
        self.settle(number).await;
    }

    /// Handles a request about a context: what the state machine doesn't decide comes first.
    async fn context_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        context: ContextName,
        request: ContextRequest,
    ) {
        let number = match self.context_for(context, request.is_change()) {
            Ok(number) => number,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        if let ContextRequest::Image { request } = request {
            return self.image_asked(connection, id, number, request);
        }
        let observing = self.contexts[number].known().is_observing();
        if observing && let Some(query) = Query::of_context(&request) {
            return self.query(connection, id, number, query).await;
        }
        let request = match request {
            ContextRequest::Folder { request } => {
                return self.folder_asked(connection, id, number, request).await;
            }
            ContextRequest::Reach { tab, text, count } if !observing => {
                let total = self.load_back(number, tab, text, count).await;
                return self.answer(connection, id, total);
            }
            request => request,
        };
        let ticket = self.waiters.ticket(connection, id);
        self.contexts[number]
            .machine
            .ask_about_context(ticket, request);
        self.settle(number).await;
    }

    /// The scheduling history of a session, from the state database.
    async fn history(&self, session: SessionId) -> Result<Reply, Failure> {
        let entries = self.store.history(session).await;
        entries
            .map(|entries| Reply::History { entries })
            .map_err(|error| replies::store_failure(&error))
    }

    /// Refreshes all contexts. One of several that is disconnected only retries, and doesn't delay the answer.
    async fn refresh_all(&mut self, connection: ConnectionId, id: RequestId) {
        let count = self.contexts.len();
        let tickets = self.waiters.tickets(connection, id, count);
        for (number, ticket) in tickets.into_iter().enumerate() {
            match &mut self.contexts[number].machine {
                ContextMachine::Scheduler(driver) => driver.push(Fact::Asked {
                    ticket,
                    ask: SchedulerRequest::Context(ContextRequest::Refresh),
                }),
                ContextMachine::Observer(driver) => driver.push(Observed::Asked {
                    ticket,
                    ask: if count == 1 {
                        ObserverRequest::Context(ContextRequest::Refresh)
                    } else {
                        ObserverRequest::RefreshOrRetry
                    },
                }),
            }
            self.settle(number).await;
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
            runner.sampler.sweep_now();
        }
    }

    /// Returns the snapshot. Sessions that don't fit in it follow as notices.
    fn subscribe(&mut self, connection: ConnectionId) -> Reply {
        let Some(client) = self.clients.get_mut(&connection) else {
            return Reply::Done;
        };
        client.subscribed = true;
        let seq = client.outbox.subscribe();
        let (mut snapshot, rest) = snapshots::snapshot(&self.contexts, seq, None);
        snapshot.forwards = self.apps.forwards();
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
