//! The one loop: facts in, the store first, then clients, then the engine.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{clock, executor::Executor, looks, outbox::Outbox, translate, usage::Sampler};
use crate::{
    controller::{
        Controller,
        fact::{Ask, Fact, Launch, Ticket},
        order::Order,
        turn::Turn,
    },
    model::{
        change::{Change, Level},
        id::{InstanceId, KernelId, SessionId},
        record::Write,
        text::Clean,
    },
    protocol::message::{
        DaemonStatus, Failure, FailureKind, FromDaemon, Reply, Request, RequestId, StreamOpen,
    },
    store::{Store, StoreError},
};

pub(super) type ConnectionId = u64;

/// What connections say to the loop.
pub(super) enum Inbound {
    Joined {
        connection: ConnectionId,
        outbox: Arc<Outbox>,
    },
    Left {
        connection: ConnectionId,
    },
    Asked {
        connection: ConnectionId,
        id: RequestId,
        request: Request,
    },
    /// May this stream be opened now?
    Look {
        open: StreamOpen,
        answer: oneshot::Sender<Result<(), Failure>>,
    },
}

/// Until writing to the store is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(5);
/// How long orders under way are waited for at the end.
const LAST_ORDERS: Duration = Duration::from_secs(3);

/// Who the daemon is.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub socket: PathBuf,
    pub instance: InstanceId,
    pub started_at: Timestamp,
}

pub(super) struct Core {
    pub(super) controller: Controller,
    store: Store,
    executor: Executor,
    identity: Identity,
    pub(super) clients: HashMap<ConnectionId, ClientSeat>,
    tickets: HashMap<Ticket, (ConnectionId, RequestId)>,
    next_ticket: Ticket,
    /// Streams that wait until their session is settled.
    looks: Vec<(StreamOpen, oneshot::Sender<Result<(), Failure>>)>,
    /// What could not be written yet, and the orders that wait for it.
    owed: Vec<Write>,
    withheld: Vec<Order>,
    write_again: Option<Instant>,
    pub(super) sampler: Sampler,
    stop: CancellationToken,
    /// What the next face that subscribes should tell its person.
    notes: Vec<Clean>,
}

pub(super) struct ClientSeat {
    pub outbox: Arc<Outbox>,
    pub watched: HashSet<SessionId>,
    /// The figures it was last told, as shown.
    pub shown: HashMap<SessionId, super::usage::Shown>,
}

/// What the loop is built of.
pub(super) struct Parts {
    pub controller: Controller,
    pub store: Store,
    pub executor: Executor,
    pub identity: Identity,
    pub sampler: Sampler,
    pub stop: CancellationToken,
    pub notes: Vec<Clean>,
}

impl Core {
    pub fn new(parts: Parts) -> Self {
        Self {
            controller: parts.controller,
            store: parts.store,
            executor: parts.executor,
            identity: parts.identity,
            clients: HashMap::new(),
            tickets: HashMap::new(),
            next_ticket: 0,
            looks: Vec::new(),
            owed: Vec::new(),
            withheld: Vec::new(),
            write_again: None,
            sampler: parts.sampler,
            stop: parts.stop,
            notes: parts.notes,
        }
    }

    /// Runs until it is told to stop. Sessions go on.
    pub async fn run(
        mut self,
        mut inbound: mpsc::Receiver<Inbound>,
        mut facts: mpsc::Receiver<Fact>,
    ) {
        self.settle(Fact::Tick).await;
        let stop = self.stop.clone();
        loop {
            let deadline = self.deadline();
            tokio::select! {
                () = stop.cancelled() => break,
                Some(fact) = facts.recv() => self.settle(fact).await,
                Some(word) = inbound.recv() => self.hear(word).await,
                () = until(deadline) => self.settle(Fact::Tick).await,
                () = until(self.write_again) => self.write_owed().await,
                samples = self.sampler.next() => self.tell_usage(samples),
            }
            self.answer_looks();
            self.watch();
        }
        self.end(&mut facts).await;
    }

    /// Lets orders under way come to an end, so that their answers are in the store.
    async fn end(mut self, facts: &mut mpsc::Receiver<Fact>) {
        let deadline = clock::instant() + LAST_ORDERS;
        while !self.executor.is_idle() {
            tokio::select! {
                Some(fact) = facts.recv() => self.settle_last(fact).await,
                () = sleep_until(deadline) => break,
            }
        }
        while let Ok(fact) = facts.try_recv() {
            self.settle_last(fact).await;
        }
        for client in self.clients.values() {
            client.outbox.close();
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let due = self.controller.next_deadline()?;
        let left = due.duration_since(clock::now());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        Some(clock::instant() + left)
    }

    /// A fact and all that follows from it.
    async fn settle(&mut self, fact: Fact) {
        for order in self.take_in(fact).await {
            self.executor.begin(order);
        }
    }

    /// At the end nothing new is begun: it is in the store and begins at the next start.
    async fn settle_last(&mut self, fact: Fact) {
        self.take_in(fact).await;
    }

    /// Handles a fact, writes, tells; the orders that may be carried out now.
    async fn take_in(&mut self, fact: Fact) -> Vec<Order> {
        let mut orders = Vec::new();
        let mut queue = VecDeque::from([fact]);
        while let Some(fact) = queue.pop_front() {
            let mut turn = self.controller.handle(clock::now(), fact);
            queue.extend(std::mem::take(&mut turn.follow));
            match self.write(&mut turn).await {
                Ok(()) => orders.append(&mut turn.orders),
                Err(error) if turn.refusable => self.refuse(&mut turn, &error),
                Err(error) => self.owe(&mut turn, &error),
            }
            self.publish(turn);
        }
        orders
    }

    /// Everything owed is written with it: nothing is told out of order.
    async fn write(&mut self, turn: &mut Turn) -> Result<(), StoreError> {
        if turn.writes.is_empty() && (self.owed.is_empty() || turn.orders.is_empty()) {
            return Ok(());
        }
        let mut writes = self.owed.clone();
        writes.extend(turn.writes.iter().cloned());
        self.store.write(writes).await?;
        self.pay();
        Ok(())
    }

    fn pay(&mut self) {
        self.owed.clear();
        self.write_again = None;
        for order in std::mem::take(&mut self.withheld) {
            self.executor.begin(order);
        }
    }

    /// The request is not granted, as if it had never been asked.
    fn refuse(&mut self, turn: &mut Turn, error: &StoreError) {
        tracing::error!(%error, "a request could not be recorded");
        self.controller.take_back(turn);
        turn.changes.clear();
        turn.orders.clear();
        for (ticket, answer) in std::mem::take(&mut turn.answers) {
            let result = match answer {
                Ok(_) => Err(translate::store_failure(error)),
                Err(refusal) => Err(translate::refusal(refusal)),
            };
            self.reply(ticket, result);
        }
    }

    /// What happened has happened: it is told, and written as soon as that is possible. Orders wait.
    fn owe(&mut self, turn: &mut Turn, error: &StoreError) {
        tracing::error!(%error, "what happened could not be recorded");
        self.owed.append(&mut turn.writes);
        self.withheld.append(&mut turn.orders);
        if self.write_again.is_none() {
            turn.changes.push(Change::Message {
                level: Level::Error,
                text: Clean::new(&error.to_string()),
                session: None,
            });
        }
        self.write_again = Some(clock::instant() + WRITE_AGAIN);
    }

    async fn write_owed(&mut self) {
        match self.store.write(self.owed.clone()).await {
            Ok(()) => self.pay(),
            Err(_) => self.write_again = Some(clock::instant() + WRITE_AGAIN),
        }
    }

    fn publish(&mut self, turn: Turn) {
        for change in &turn.changes {
            for client in self.clients.values() {
                client.outbox.notice(change);
            }
        }
        for (ticket, answer) in turn.answers {
            let result = answer.map(translate::answer).map_err(translate::refusal);
            self.reply(ticket, result);
        }
    }

    fn reply(&mut self, ticket: Ticket, result: Result<Reply, Failure>) {
        if let Some((connection, id)) = self.tickets.remove(&ticket) {
            self.answer(connection, id, result);
        }
    }

    fn answer(&self, connection: ConnectionId, id: RequestId, result: Result<Reply, Failure>) {
        if let Some(client) = self.clients.get(&connection) {
            client.outbox.answer(FromDaemon::Answer { id, result });
        }
    }

    async fn hear(&mut self, word: Inbound) {
        match word {
            Inbound::Joined { connection, outbox } => {
                let seat = ClientSeat {
                    outbox,
                    watched: HashSet::new(),
                    shown: HashMap::new(),
                };
                self.clients.insert(connection, seat);
            }
            Inbound::Left { connection } => {
                self.clients.remove(&connection);
                self.tickets.retain(|_, (waits, _)| *waits != connection);
            }
            Inbound::Asked {
                connection,
                id,
                request,
            } => self.asked(connection, id, request).await,
            Inbound::Look { open, answer } => self.looks.push((open, answer)),
        }
    }

    async fn asked(&mut self, connection: ConnectionId, id: RequestId, request: Request) {
        let ask = match request {
            Request::Launch { launch, .. } => Ask::Launch(Box::new(Launch {
                request: *launch,
                session: SessionId::random(),
                kernel: KernelId::random(),
            })),
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
            other => {
                let result = self.read(connection, other).await;
                return self.answer(connection, id, result);
            }
        };
        self.next_ticket += 1;
        let ticket = self.next_ticket;
        self.tickets.insert(ticket, (connection, id));
        self.settle(Fact::Asked { ticket, ask }).await;
    }

    /// Requests that change no session.
    async fn read(&mut self, connection: ConnectionId, request: Request) -> Result<Reply, Failure> {
        match request {
            Request::Subscribe => Ok(self.subscribe(connection)),
            Request::Snapshot => {
                let seq = self.clients.get(&connection).map_or(0, |c| c.outbox.seq());
                let (snapshot, _) = looks::snapshot(&self.controller, seq);
                Ok(Reply::Snapshot { snapshot })
            }
            Request::Watch { sessions } => {
                if let Some(client) = self.clients.get_mut(&connection) {
                    client.watched = sessions.into_iter().map(|key| key.id).collect();
                    client.shown.clear();
                    self.sampler.hurry();
                }
                Ok(Reply::Done)
            }
            Request::History { session } => {
                looks::find(&self.controller, session.id)?;
                let entries = self.store.history(session.id).await;
                let entries = entries.map_err(|error| translate::store_failure(&error))?;
                Ok(Reply::History { entries })
            }
            Request::Status => Ok(Reply::Status {
                status: self.status(),
            }),
            Request::Stop => {
                tracing::info!("asked to stop");
                self.stop.cancel();
                Ok(Reply::Done)
            }
            _ => Err(Failure::new(
                FailureKind::Internal,
                "the daemon does not know this request",
            )),
        }
    }

    /// The snapshot; what does not fit it follows as notices.
    fn subscribe(&mut self, connection: ConnectionId) -> Reply {
        let Some(client) = self.clients.get(&connection) else {
            return Reply::Done;
        };
        let seq = client.outbox.subscribe();
        let (snapshot, rest) = looks::snapshot(&self.controller, seq);
        for session in rest {
            let session = Box::new(session.clone());
            client.outbox.notice(&Change::Session { session });
        }
        for text in self.notes.drain(..) {
            client.outbox.notice(&Change::Message {
                level: Level::Warning,
                text,
                session: None,
            });
        }
        Reply::Snapshot { snapshot }
    }

    fn status(&self) -> DaemonStatus {
        DaemonStatus {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            socket: self.identity.socket.display().to_string(),
            started_at: self.identity.started_at,
            instance: self.identity.instance,
            clients: self.clients.len(),
            sessions: self.controller.sessions().count(),
        }
    }

    /// Streams whose session is settled by now may be opened or are refused.
    fn answer_looks(&mut self) {
        for (open, answer) in std::mem::take(&mut self.looks) {
            match looks::may_open(&self.controller, &open) {
                Some(result) => drop(answer.send(result)),
                None => self.looks.push((open, answer)),
            }
        }
    }
}

/// Never, when there is no such time.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
