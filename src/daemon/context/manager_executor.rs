//! Runs the requests of the observer to a manager: one task each, and every answer is sent back as an event.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{
    FutureExt, Stream, StreamExt,
    future::{BoxFuture, Shared},
};
use tokio::{
    sync::Semaphore,
    task::AbortHandle,
    time::{Instant, sleep, timeout, timeout_at},
};

use super::{
    driver::{Execute, Reporter},
    lazy_engine::LazyEngine,
    query::Query,
};
use crate::{
    engine::{
        api::Result as EngineResult,
        manager::{Manager, ManagerEvent, ProgressStream, TaskProgress},
    },
    model::{
        failure::{Failure, FailureKind},
        id::SessionId,
        one_time_code::OneTimeCode,
    },
    observer::{
        fact::{Fact, ManagerReply},
        order::{ConnectionNumber, ManagerRequest, Order, RequestNumber},
    },
    protocol::message::Reply,
};

/// The limit for reading requests that run at the same time.
const READING: usize = 6;
/// The limit for requests that change something. They never wait for reading ones.
const ACTING: usize = 16;

/// Timeouts of the engine in seconds. The engine's own limits are shorter, and their errors explain more.
const CONNECT: u64 = 60;
const READ: u64 = 60;
const ACT: u64 = 120;
/// The longest pause between two progress reports of an image that is being created.
const PROGRESS: u64 = 30 * 60;

/// Events come in bursts. Those that arrive within this time after the first one are reported together.
const BURST: Duration = Duration::from_millis(50);
/// How long the stream isn't read after a report. What arrives meanwhile waits in the kernel, so that a busy manager wakes
/// the daemon once or twice a second and not for each event.
const PAUSE: Duration = Duration::from_millis(500);
/// The same after a report of more than [`FEW`] sessions, whose rows take longer to read.
const LONG_PAUSE: Duration = Duration::from_secs(1);
const FEW: usize = 4;

/// The answer to a query, for all clients that wait for it.
type SharedReply = Shared<BoxFuture<'static, Result<Reply, Failure>>>;

/// The first answer to a request.
enum Begun {
    Done(ManagerReply),
    Changing(ProgressStream),
}

/// Cheap to clone.
#[derive(Clone)]
pub(in crate::daemon) struct ManagerExecutor {
    engine: LazyEngine<dyn Manager>,
    reporter: Reporter<Fact>,
    reading: Arc<Semaphore>,
    acting: Arc<Semaphore>,
    listener: Arc<Mutex<Option<AbortHandle>>>,
    /// The queries in progress.
    queries: Arc<Mutex<HashMap<Query, SharedReply>>>,
}

impl ManagerExecutor {
    pub fn new(engine: LazyEngine<dyn Manager>, reporter: Reporter<Fact>) -> Self {
        Self {
            engine,
            reporter,
            reading: Arc::new(Semaphore::new(READING)),
            acting: Arc::new(Semaphore::new(ACTING)),
            listener: Arc::default(),
            queries: Arc::default(),
        }
    }
}

impl Execute<Order> for ManagerExecutor {
    /// Starts to carry out an order.
    fn begin(&self, order: Order) {
        let this = self.clone();
        match order {
            Order::Connect {
                connection,
                new_login,
                code,
            } => {
                self.rest();
                tokio::spawn(async move { this.connect(connection, new_login, code).await });
            }
            Order::Listen { connection } => {
                self.rest();
                let task = tokio::spawn(async move { this.listen(connection).await });
                *self.listener() = Some(task.abort_handle());
            }
            Order::Rest => self.rest(),
            Order::Run { number, request } => {
                tokio::spawn(async move { this.run(number, request).await });
            }
        }
    }

    /// A manager carries out its requests without the daemon.
    fn is_idle(&self) -> bool {
        true
    }
}

impl ManagerExecutor {
    fn listener(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rest(&self) {
        if let Some(old) = self.listener().take() {
            old.abort();
        }
    }

    async fn connect(
        &self,
        connection: ConnectionNumber,
        new_login: bool,
        code: Option<OneTimeCode>,
    ) {
        if new_login {
            self.engine.discard();
        }
        let probe = async {
            let engine = self.engine.get().await?;
            if let Some(code) = code {
                engine.use_code(code).await?;
            }
            engine.probe().await
        };
        let fact = match bounded(CONNECT, FailureKind::Unreachable, probe).await {
            Ok(info) => Fact::Connected { connection, info },
            Err(failure) => {
                tracing::warn!(why = %failure.message(), "no connection to the engine");
                Fact::Disconnected {
                    connection,
                    failure,
                }
            }
        };
        self.report(fact).await;
    }

    async fn listen(&self, connection: ConnectionNumber) {
        let failure = match self.events().await {
            Ok(events) => {
                self.report(Fact::Listening { connection }).await;
                Some(self.follow(connection, events).await)
            }
            Err(Some(failure)) => Some(failure),
            Err(None) => None,
        };
        if let Some(failure) = &failure {
            tracing::info!(why = %failure.message(), "the event stream ended");
        }
        self.report(Fact::EventsEnded {
            connection,
            failure,
        })
        .await;
    }

    /// `Err(None)` = this engine has no events.
    async fn events(
        &self,
    ) -> Result<impl Stream<Item = EngineResult<ManagerEvent>> + use<>, Option<Failure>> {
        let opening = async {
            let engine = self.engine.get().await?;
            match engine.events().await {
                Ok(events) => Ok(Some(events)),
                Err(error) if error.kind == FailureKind::Unsupported => Ok(None),
                Err(error) => Err(error),
            }
        };
        match bounded(READ, FailureKind::Failed, opening).await {
            Ok(Some(events)) => Ok(events),
            Ok(None) => Err(None),
            Err(failure) => Err(Some(failure)),
        }
    }

    async fn follow(
        &self,
        connection: ConnectionNumber,
        mut events: impl Stream<Item = EngineResult<ManagerEvent>> + Unpin,
    ) -> Failure {
        loop {
            let (sessions, end) = burst(&mut events).await;
            let pause = if sessions.len() > FEW {
                LONG_PAUSE
            } else {
                PAUSE
            };
            if !sessions.is_empty() {
                let happened = Fact::Events {
                    connection,
                    sessions,
                };
                self.report(happened).await;
            }
            match end {
                None => {}
                Some(Some(error)) => return broken(error),
                Some(None) => return failed(tr_sent!("the engine ended its stream of events")),
            }
            sleep(pause).await;
        }
    }

    async fn run(&self, number: RequestNumber, request: ManagerRequest) {
        let (name, is_change) = (request.name(), request.is_change());
        let room = if is_change {
            &self.acting
        } else {
            &self.reading
        };
        // The semaphores are never closed.
        let _room = room.acquire().await;
        let seconds = if is_change { ACT } else { READ };
        let begun = bounded(seconds, FailureKind::Failed, self.ask(request)).await;
        let result = match begun {
            Ok(Begun::Done(got)) => Ok(got),
            Ok(Begun::Changing(steps)) => self.follow_change(number, steps).await,
            Err(failure) => Err(failure),
        };
        match &result {
            Ok(_) if is_change => tracing::info!(request = name, "done"),
            Ok(_) => tracing::debug!(request = name, "done"),
            Err(failure) => tracing::warn!(request = name, why = %failure.message(), "failed"),
        }
        self.report(Fact::Answered { number, result }).await;
    }

    async fn ask(&self, request: ManagerRequest) -> EngineResult<Begun> {
        let engine = self.engine.get().await?;
        Ok(Begun::Done(match request {
            ManagerRequest::Change { session, change } => {
                return Ok(Begun::Changing(engine.change(session, &change).await?));
            }
            ManagerRequest::Page(query) => ManagerReply::Page(engine.page(&query).await?),
            ManagerRequest::Totals => ManagerReply::Totals(engine.totals().await?),
            ManagerRequest::Rows(sessions) => ManagerReply::Rows(engine.rows(&sessions).await?),
            ManagerRequest::Detail(session) => {
                let found = engine.session(session).await?;
                ManagerReply::Session(found.map(Box::new))
            }
            ManagerRequest::Launch(request) => {
                ManagerReply::Launched(engine.launch(&request).await?)
            }
            ManagerRequest::Environments => {
                ManagerReply::Environments(engine.environments().await?)
            }
            ManagerRequest::Statistics => {
                ManagerReply::Statistics(Box::new(engine.statistics().await?))
            }
            ManagerRequest::Catalogue { project } => {
                let catalogue = engine.catalogue(project.as_deref()).await?;
                ManagerReply::Catalogue(Box::new(catalogue))
            }
        }))
    }

    /// Reports the progress of a change until it is done.
    async fn follow_change(
        &self,
        number: RequestNumber,
        mut steps: ProgressStream,
    ) -> Result<ManagerReply, Failure> {
        loop {
            let next = timeout(Duration::from_secs(PROGRESS), steps.next());
            let progress: TaskProgress = match next.await {
                Ok(Some(Ok(progress))) => progress,
                Ok(Some(Err(error))) => return Err(broken(error)),
                Ok(None) => return Ok(ManagerReply::Done),
                Err(_) => {
                    return Err(failed(tr_sent!(
                        "the engine reports no more progress of the image"
                    )));
                }
            };
            self.report(Fact::Progressed { number, progress }).await;
        }
    }

    /// Asks the manager. Equal queries at the same time share one request.
    pub fn query(&self, connection: ConnectionNumber, query: Query) -> SharedReply {
        let mut queries = self.queries();
        if let Some(running) = queries.get(&query) {
            return running.clone();
        }
        let reply = self.clone().ask_query(connection, query.clone());
        let reply = reply.boxed().shared();
        queries.insert(query, reply.clone());
        reply
    }

    fn queries(&self) -> MutexGuard<'_, HashMap<Query, SharedReply>> {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask_query(self, connection: ConnectionNumber, query: Query) -> Result<Reply, Failure> {
        // The semaphore is never closed.
        let _room = self.reading.acquire().await;
        let asked = async {
            let engine = self.engine.get().await?;
            query.ask(&*engine).await
        };
        let result = bounded(READ, FailureKind::Failed, asked).await;
        self.queries().remove(&query);
        match &result {
            Ok(_) => tracing::debug!(query = query.name(), "done"),
            Err(failure) => {
                tracing::warn!(query = query.name(), why = %failure.message(), "failed");
                let failure = failure.clone();
                self.report(Fact::QueryFailed {
                    connection,
                    failure,
                })
                .await;
            }
        }
        result.map_err(|failure| query.locate(failure))
    }

    async fn report(&self, fact: Fact) {
        self.reporter.report(fact).await;
    }
}

/// Limits the time of a hanging engine. The engine's own limits are shorter.
async fn bounded<T>(
    seconds: u64,
    kind: FailureKind,
    asked: impl Future<Output = EngineResult<T>>,
) -> Result<T, Failure> {
    match timeout(Duration::from_secs(seconds), asked).await {
        Ok(result) => result,
        Err(_) => Err(super::executor::no_answer(seconds, kind)),
    }
}

/// Waits for an event, then takes those that follow it soon. Also returns whether the stream has ended, with the
/// error if there is one.
async fn burst(
    events: &mut (impl Stream<Item = EngineResult<ManagerEvent>> + Unpin),
) -> (BTreeSet<SessionId>, Option<Option<Failure>>) {
    let mut sessions = BTreeSet::new();
    let mut next = events.next().await;
    let end = Instant::now() + BURST;
    loop {
        match next {
            Some(Ok(event)) => sessions.insert(event.session),
            Some(Err(error)) => return (sessions, Some(Some(error))),
            None => return (sessions, Some(None)),
        };
        match timeout_at(end, events.next()).await {
            Ok(event) => next = event,
            Err(_) => return (sessions, None),
        }
    }
}

/// A broken stream doesn't mean that the whole connection is broken.
fn broken(mut failure: Failure) -> Failure {
    if failure.is_lost() {
        failure.kind = FailureKind::Failed;
    }
    failure
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureKind::Failed, why)
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;
    use crate::model::text::Clean;

    const A: SessionId = SessionId::from_u128(1);
    const B: SessionId = SessionId::from_u128(2);

    fn event(session: SessionId) -> ManagerEvent {
        ManagerEvent {
            session,
            event: Clean::new("session_started"),
            reason: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn events_that_follow_soon_are_one_report() {
        let times = [(0, A), (20, B), (40, A), (500, B)];
        let events = stream::iter(times).then(|(at, session)| async move {
            sleep(Duration::from_millis(at)).await;
            Ok(event(session))
        });
        // Each waits after the one before: they come after 0, 20, 60 and 560 ms.
        let mut events = std::pin::pin!(events);
        let mut reports = Vec::new();
        for _ in 0..3 {
            reports.push(burst(&mut events).await);
        }
        let expected = [
            (BTreeSet::from([A, B]), None),
            (BTreeSet::from([A]), None),
            (BTreeSet::from([B]), Some(None)),
        ];
        assert_eq!(reports, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_before_an_error_is_reported() {
        let error = Failure::lost("gone");
        let mut events = stream::iter([Ok(event(A)), Err(error.clone())]);
        let expected = (BTreeSet::from([A]), Some(Some(error)));
        assert_eq!(burst(&mut events).await, expected);
    }
}
