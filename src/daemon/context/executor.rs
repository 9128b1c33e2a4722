//! Carries out the scheduler's orders, each in a task of its own, and reports each result as a fact.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use tokio::{
    sync::{Semaphore, watch},
    task::AbortHandle,
    time::timeout,
};

use super::{
    commits,
    driver::{Execute, Reporter},
    health_check::{self, AnswerFuture},
    lazy_engine::LazyEngine,
    pulls,
    running_tasks::RunningTasks,
    stop_hook,
};
use crate::{
    daemon::{
        fault::{self, Moment},
        main_loop::replies,
    },
    engine::api::{Containers, EngineEvent, Listing, Sighting},
    model::{
        failure::{Failure, FailureKind},
        folder::Folder,
        id::SessionId,
        text::Clean,
    },
    scheduler::{
        fact::{Fact, StopHookEnd, Survey},
        order::{ConnectionNumber, Order, OrderKind, StopHookPlan},
    },
};

/// Max container orders at once; more don't make an engine faster.
const AT_ONCE: usize = 16;
/// Max deletions of ended sessions at once. Deletions are slow, so they don't count against `AT_ONCE`.
const FORGETTING: usize = 2;

/// Time limits for the engine's answers, in seconds.
const CONNECT: u64 = 15;
const LOOK: u64 = 30;
const CHANGE: u64 = 120;
const FORGET: u64 = 600;

type OrderResult = Result<Option<Sighting>, Failure>;

/// Cheap to clone.
#[derive(Clone)]
pub(in crate::daemon) struct Executor {
    engine: LazyEngine<dyn Containers>,
    reporter: Reporter<Fact>,
    room: Arc<Semaphore>,
    forgetting: Arc<Semaphore>,
    /// Whether a client is subscribed, so that an engine that doesn't respond must be noticed.
    watched: Arc<watch::Sender<bool>>,
    pulls: RunningTasks,
    commits: RunningTasks,
    /// The task that listens to the engine's events.
    listener: Arc<Mutex<Option<AbortHandle>>>,
}

impl Executor {
    pub fn new(engine: LazyEngine<dyn Containers>, reporter: Reporter<Fact>) -> Self {
        Self {
            engine,
            reporter,
            room: Arc::new(Semaphore::new(AT_ONCE)),
            forgetting: Arc::new(Semaphore::new(FORGETTING)),
            watched: Arc::new(watch::Sender::new(false)),
            pulls: RunningTasks::default(),
            commits: RunningTasks::default(),
            listener: Arc::default(),
        }
    }

    /// Sets whether a client is subscribed.
    pub fn set_watched(&self, watched: bool) {
        self.watched.send_replace(watched);
    }
}

impl Execute<Order> for Executor {
    /// Starts to carry out an order.
    fn begin(&self, order: Order) {
        let pull = match &order {
            Order::Pull { number, .. } => Some(*number),
            Order::CancelPull { number } => return self.pulls.cancel(*number, order.kind()),
            _ => None,
        };
        let commit = match &order {
            Order::Commit { number, .. } => Some(*number),
            Order::CancelCommit { number } => return self.commits.cancel(*number, order.kind()),
            _ => None,
        };
        let this = self.clone();
        let connects = matches!(order, Order::Connect { .. });
        let task = tokio::spawn(async move { this.carry_out(order).await });
        if let Some(number) = pull {
            self.pulls.add(number, task.abort_handle());
        }
        if let Some(number) = commit {
            self.commits.add(number, task.abort_handle());
        }
        if connects {
            let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(old) = listener.replace(task.abort_handle()) {
                old.abort();
            }
        }
    }

    /// Whether no order about a container is in progress.
    fn is_idle(&self) -> bool {
        self.room.available_permits() == AT_ONCE
            && self.forgetting.available_permits() == FORGETTING
    }
}

impl Executor {
    async fn carry_out(self, order: Order) {
        let kind = order.kind();
        tracing::debug!(order = kind.name(), about = ?order.about(), "begins");
        match order {
            Order::Connect { connection } => self.connect(connection).await,
            Order::Survey {
                survey,
                environments,
            } => {
                fault::point(Moment::Before, kind);
                let result = self.survey(environments).await;
                fault::point(Moment::After, kind);
                self.report(Fact::Surveyed { survey, result }).await;
            }
            Order::StopHook {
                session,
                epoch,
                stop_hook,
            } => {
                fault::point(Moment::Before, kind);
                let end = self.stop_hook(session, &stop_hook).await;
                fault::point(Moment::After, kind);
                self.report(Fact::WillDone {
                    session,
                    epoch,
                    end,
                })
                .await;
            }
            Order::Pull { number, reference } => {
                let engine = self.engine().await;
                pulls::carry_out(engine, &self.reporter, number, &reference).await;
            }
            Order::Commit { number, plan } => {
                let engine = self.engine().await;
                commits::carry_out(engine, &self.reporter, number, &plan).await;
            }
            order => self.change(order).await,
        }
    }

    /// Runs a stop hook. A hook may take long, so it doesn't count against `AT_ONCE`.
    async fn stop_hook(&self, session: SessionId, hook: &StopHookPlan) -> StopHookEnd {
        match self.engine().await {
            Ok(engine) => stop_hook::carry_out(&engine, session, hook).await,
            Err(failure) => stop_hook::failed(failure.message()),
        }
    }

    async fn change(&self, order: Order) {
        let Some((session, epoch)) = order.about() else {
            return;
        };
        let kind = order.kind();
        let room = match kind {
            OrderKind::Forget => &self.forgetting,
            _ => &self.room,
        };
        // The semaphore is never closed.
        let _room = room.acquire().await;
        fault::point(Moment::Before, kind);
        let result = self.ask_engine(order).await;
        fault::point(Moment::After, kind);
        if let Err(failure) = &result {
            tracing::warn!(order = kind.name(), %session, why = %failure.message(), "failed");
        }
        self.report(Fact::Done {
            session,
            epoch,
            order: kind,
            result,
        })
        .await;
    }

    /// Returns the engine. The first attempt to connect creates it.
    async fn engine(&self) -> Result<Arc<dyn Containers>, Failure> {
        self.engine.get().await
    }

    async fn ask_engine(&self, order: Order) -> OrderResult {
        let engine = self.engine().await?;
        match order {
            Order::Connect { .. }
            | Order::Survey { .. }
            | Order::Pull { .. }
            | Order::CancelPull { .. }
            | Order::Commit { .. }
            | Order::CancelCommit { .. }
            | Order::StopHook { .. } => Ok(None),
            Order::Create { plan, .. } => {
                let sighting = bounded(&engine, CHANGE, engine.create(&plan)).await?;
                Ok(Some(with_home(&engine, sighting)))
            }
            Order::Start { session, .. } => nothing(&engine, CHANGE, engine.start(session)).await,
            Order::Stop {
                session,
                grace_seconds,
                ..
            } => {
                let patience = u64::from(grace_seconds) + CHANGE;
                nothing(&engine, patience, engine.stop(session, grace_seconds)).await
            }
            Order::Remove { session, .. } => nothing(&engine, CHANGE, engine.remove(session)).await,
            Order::Rename { session, name, .. } => {
                nothing(&engine, LOOK, engine.rename(session, &name)).await
            }
            Order::Forget { session, .. } => nothing(&engine, FORGET, engine.forget(session)).await,
            Order::DetachAll { session, .. } => {
                nothing(&engine, LOOK, engine.detach_all(session)).await
            }
            Order::Inspect { session, .. } => {
                let found = bounded(&engine, LOOK, engine.inspect(session)).await?;
                Ok(found.map(|sighting| with_home(&engine, sighting)))
            }
        }
    }

    /// Connects, reports the containers of the engine, then listens for events until the connection breaks.
    async fn connect(&self, connection: ConnectionNumber) {
        let kind = crate::scheduler::order::OrderKind::Connect;
        fault::point(Moment::Before, kind);
        let failure = match self.subscribe_and_survey(connection).await {
            Ok((engine, up, events)) => {
                fault::point(Moment::After, kind);
                self.report(up).await;
                self.listen(&engine, events).await
            }
            Err(failure) => failure,
        };
        tracing::warn!(why = %failure.message(), "no connection to the engine");
        self.report(Fact::EngineDown {
            connection,
            failure,
        })
        .await;
    }

    /// Subscribes to events before it lists containers, so that no change is missed.
    async fn subscribe_and_survey(
        &self,
        connection: ConnectionNumber,
    ) -> Result<
        (
            Arc<dyn Containers>,
            Fact,
            impl Stream<Item = crate::engine::api::Result<EngineEvent>> + use<>,
        ),
        Failure,
    > {
        let engine = self.engine().await?;
        let info = lasting(CONNECT, engine.probe()).await?;
        let events = lasting(CONNECT, engine.events()).await?;
        let survey = self.survey(true).await?;
        Ok((
            engine,
            Fact::EngineUp {
                connection,
                info,
                survey,
            },
            events,
        ))
    }

    async fn listen(
        &self,
        engine: &Arc<dyn Containers>,
        mut events: impl Stream<Item = crate::engine::api::Result<EngineEvent>> + Unpin,
    ) -> Failure {
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                silence = health_check::wait_for_silence(|| engine.ping(), self.watched.subscribe()) => {
                    return silence;
                }
            };
            match event {
                Some(Ok(event)) => {
                    let happened = Fact::Happened {
                        session: event.session,
                        event: replies::container_event(&event.kind),
                    };
                    self.report(happened).await;
                }
                Some(Err(error)) => return lost(error.message()),
                None => return lost(tr_sent!("the engine ended its stream of events")),
            }
        }
    }

    async fn survey(&self, environments: bool) -> Result<Survey, Failure> {
        let engine = self.engine().await?;
        let listing: Listing = lasting(
            LOOK,
            health_check::unless_silent(|| engine.ping(), engine.list()),
        )
        .await?;
        let (environments, folders) = if environments {
            let read = lasting(
                LOOK,
                health_check::unless_silent(|| engine.ping(), engine.environments()),
            )
            .await?;
            (Some(read), folders(&engine).await?)
        } else {
            (None, None)
        };
        let seen = listing
            .ours
            .into_iter()
            .map(|found| with_home(&engine, found));
        Ok(Survey {
            seen: seen.collect(),
            others: listing.others,
            environments,
            folders,
            lacks: listing.lacks,
        })
    }

    async fn report(&self, fact: Fact) {
        self.reporter.report(fact).await;
    }
}

/// The engine's folders, or `None` for an engine without folders.
async fn folders(engine: &Arc<dyn Containers>) -> Result<Option<Vec<Folder>>, Failure> {
    match engine.folders().await {
        Ok(folders) => Ok(Some(folders)),
        Err(error) if error.kind == FailureKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}

/// Adds the path of the home directory to a sighting.
fn with_home(engine: &Arc<dyn Containers>, sighting: Sighting) -> Sighting {
    let home = engine.home(sighting.session);
    Sighting {
        home: home.map(|path| path.display().to_string()),
        ..sighting
    }
}

async fn nothing(
    engine: &Arc<dyn Containers>,
    seconds: u64,
    asked: AnswerFuture<'_, ()>,
) -> OrderResult {
    bounded(engine, seconds, asked).await.map(|()| None)
}

/// Limits the time of a request about one container, which may be stuck while the engine works. A timeout
/// fails only that request.
async fn bounded<T>(
    engine: &Arc<dyn Containers>,
    seconds: u64,
    asked: AnswerFuture<'_, T>,
) -> Result<T, Failure> {
    let asked = health_check::unless_silent(|| engine.ping(), asked);
    match timeout(Duration::from_secs(seconds), asked).await {
        Ok(result) => result,
        Err(_) => Err(no_answer(seconds, FailureKind::Failed)),
    }
}

/// Limits the time of a request about the whole engine. A timeout counts as a lost connection.
async fn lasting<T>(
    seconds: u64,
    asked: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match timeout(Duration::from_secs(seconds), asked).await {
        Ok(result) => result,
        Err(_) => Err(no_answer(seconds, FailureKind::Unreachable)),
    }
}

pub(in crate::daemon) fn no_answer(seconds: u64, kind: FailureKind) -> Failure {
    Failure::new(
        kind,
        tr_sent!("the engine didn't answer within {seconds}s", seconds),
    )
}

fn lost(why: impl Into<Clean>) -> Failure {
    Failure::lost(why)
}
