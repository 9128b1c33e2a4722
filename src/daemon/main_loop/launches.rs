//! Launches: one request may create several sessions. It gets one answer for all of them and one entry in
//! the recent launches.

use super::{core::Core, replies};
use crate::{
    daemon::{
        clock,
        connection::inbound::ConnectionId,
        context::{
            driver::DriverStep,
            query::Query,
            runner::{ContextMachine, ContextRunner},
        },
        storage::recent_launch::Memory,
    },
    model::{
        capability::EngineState,
        failure::Failure,
        id::{ContextName, InstanceId, KernelId, SessionId, SessionKey},
        name,
        recent::{self, RecentEdit, RecentId},
        secret_rules,
        spec::LaunchRequest,
    },
    observer::fact::{Fact as Observed, ObserverRequest},
    protocol::message::{Reply, RequestId},
    rules::launch::{
        check::{self, Ground},
        key, relaunch,
    },
    scheduler::fact::{Fact, Launch, SchedulerRequest},
    state_machine::{Answer, Ticket},
};

/// Max containers of one session that get ids.
const MOST_CONTAINERS: u32 = 1000;

impl Core {
    pub(in crate::daemon) async fn launch(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: usize,
        mut request: LaunchRequest,
    ) {
        let runner = &self.contexts[number];
        runner.secrets.mark(&mut request);
        let context = runner.context.name;
        if runner.known().is_observing() && request.home_of.is_some() {
            let text = tr_sent!(
                "context {context} doesn't keep home directories, so --same-home isn't available",
                context
            );
            let failure = Failure::refused(text);
            return self.answer(connection, id, Err(failure));
        }
        if let Some(key) = &request.idempotency_key
            && let Err(why) = key::check(key)
        {
            let failure = Failure::usage(why);
            return self.answer(connection, id, Err(failure));
        }
        let ids = Ids::new(self.identity.instance, runner, &request);
        let runner = &self.contexts[number];
        let is_known = ids
            .of_copy(0)
            .is_some_and(|id| runner.known().session(id).is_some());
        // A repeated request finds the session that it launched.
        if !is_known
            && runner.uses_this_disk()
            && let Err(failure) = self.check_reserve()
        {
            return self.answer(connection, id, Err(failure));
        }
        let runner = &self.contexts[number];
        let (title, copies) = match copies(runner, &request, &ids) {
            Ok(copies) => copies,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        let memory = Memory::new(context, title.as_deref(), &request);
        let tickets = self
            .waiters
            .tickets_of_launch(connection, id, copies.len(), memory);
        for (copy, (ticket, request)) in tickets.into_iter().zip(copies).enumerate() {
            let session = ids.of_copy(copy);
            if let Some(session) = session {
                self.recall(SessionKey::new(context, session)).await;
            }
            queue(&mut self.contexts[number].machine, ticket, request, session);
            self.settle(number).await;
        }
    }

    /// Records a successful launch with its sessions, once for the whole request.
    pub(in crate::daemon) fn remember(&self, number: usize, step: &mut DriverStep) {
        let observing = self.contexts[number].known().is_observing();
        for (ticket, answer) in &step.answers {
            if let Ok(Answer::Launched(session)) = answer
                && let Some(memory) = self.waiters.to_be_remembered(*ticket)
            {
                step.writes.push(memory.write(session));
            }
            if let Ok(Answer::Launched(session)) = answer
                && observing
                && let Some(memory) = self.waiters.memory_of(*ticket)
            {
                step.writes.push(memory.record(session));
            }
        }
    }

    /// Answers with the settings that relaunch a session of an engine that schedules: from workbay's own
    /// record of the launch, otherwise from the engine.
    pub(in crate::daemon) async fn send_relaunch_settings(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: usize,
        session: SessionKey,
    ) {
        let launch = self.store.launch(session).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the record of a launch can't be read");
            None
        });
        if let Some(launch) = launch {
            let shown = self.contexts[number].known().session(session.id);
            let launch = relaunch::recorded(launch, shown, clock::now());
            let reply = Reply::Again {
                launch: Box::new(launch),
                missing: Vec::new(),
            };
            return self.answer(connection, id, Ok(reply));
        }
        let query = Query::LaunchSettings(session.id);
        self.query(connection, id, number, query).await;
    }

    /// Removes secrets from launch settings that the engine reports.
    pub(in crate::daemon) fn hide_secrets(&self, number: usize, step: &mut DriverStep) {
        for (_, answer) in &mut step.answers {
            if let Ok(Answer::Again(recalled)) = answer {
                self.contexts[number].secrets.mark(&mut recalled.launch);
                recalled.launch.env = secret_rules::blanked(&recalled.launch);
            }
        }
    }

    pub(in crate::daemon) async fn recents(&self) -> Result<Reply, Failure> {
        let entries = self.store.recents().await;
        recents_reply(entries)
    }

    pub(in crate::daemon) async fn edit_recent(
        &self,
        id: RecentId,
        edit: RecentEdit,
    ) -> Result<Reply, Failure> {
        if let RecentEdit::Rename { title } = &edit {
            recent::check_title(title).map_err(Failure::usage)?;
        }
        recents_reply(self.store.edit_recent(id, edit).await)
    }
}

fn recents_reply(
    entries: Result<Vec<recent::Recent>, crate::store::StoreError>,
) -> Result<Reply, Failure> {
    entries
        .map(|entries| Reply::Recents { entries })
        .map_err(|error| replies::store_failure(&error))
}

/// The ids of the sessions of a launch, where an idempotency key determines them.
struct Ids {
    instance: InstanceId,
    context: ContextName,
    key: Option<String>,
}

impl Ids {
    fn new(instance: InstanceId, runner: &ContextRunner, request: &LaunchRequest) -> Self {
        // An engine that schedules assigns its own ids and doesn't know what a key has launched.
        let key = request.idempotency_key.clone();
        Self {
            instance,
            context: runner.context.name,
            key: key.filter(|_| !runner.known().is_observing()),
        }
    }

    fn of_copy(&self, copy: usize) -> Option<SessionId> {
        let key = self.key.as_deref()?;
        Some(key::session(self.instance, self.context, key, copy))
    }

    /// A name for sessions that were launched without one. The same key gives the same name.
    fn name(&self) -> String {
        self.of_copy(0).map_or_else(name::generated, name::of)
    }

    /// Whether the session is among the `copies` sessions that the key launches.
    fn has(&self, session: SessionId, copies: u32) -> bool {
        self.key.is_some() && (0..copies as usize).any(|copy| self.of_copy(copy) == Some(session))
    }
}

/// Splits a request into single launches. Also returns their common name if there are several.
fn copies(
    runner: &ContextRunner,
    request: &LaunchRequest,
    ids: &Ids,
) -> Result<(Option<String>, Vec<LaunchRequest>), Failure> {
    let request = &request.clone().without_key();
    let count = request.copies();
    if count == 1 {
        let single = LaunchRequest {
            count: None,
            ..request.clone()
        };
        return Ok((None, vec![single]));
    }
    let base = request.name.clone().unwrap_or_else(|| ids.name());
    let whole = LaunchRequest {
        name: Some(base.clone()),
        ..request.clone()
    };
    check_whole(runner, &whole, ids)?;
    let single = |name| LaunchRequest {
        name: Some(name),
        count: None,
        ..request.clone()
    };
    let singles = check::names(&base, count).into_iter().map(single);
    Ok((Some(base), singles.collect()))
}

/// Reports a problem of the whole request before the first session is created. The scheduler or observer
/// checks each launch again, because it knows more.
fn check_whole(runner: &ContextRunner, whole: &LaunchRequest, ids: &Ids) -> Result<(), Failure> {
    let taken = |name: &str| {
        let mut sessions = runner.known().sessions();
        sessions.any(|session| {
            let is_other = !ids.has(session.id, whole.copies());
            !session.has_ended() && session.name == *name && is_other
        })
    };
    let ground = Ground {
        capabilities: match runner.known().engine() {
            EngineState::Connected { info } => Some(&info.capabilities),
            _ => None,
        },
        taken: Some(&taken),
        ..Ground::at(clock::now())
    };
    match check::check(whole, &ground).into_iter().next() {
        None => Ok(()),
        Some(problem) => {
            let failure = Failure::usage(problem.message);
            Err(failure.about(problem.field))
        }
    }
}

fn queue(
    machine: &mut ContextMachine,
    ticket: Ticket,
    request: LaunchRequest,
    session: Option<SessionId>,
) {
    match machine {
        ContextMachine::Scheduler(driver) => driver.push(Fact::Asked {
            ticket,
            ask: SchedulerRequest::Launch(Box::new(with_ids(request, session))),
        }),
        ContextMachine::Observer(driver) => driver.push(Observed::Asked {
            ticket,
            ask: ObserverRequest::Launch(Box::new(request)),
        }),
    }
}

fn with_ids(request: LaunchRequest, session: Option<SessionId>) -> Launch {
    // A larger request exceeds every policy and is refused before it needs more ids.
    let containers = request.containers().min(MOST_CONTAINERS);
    Launch {
        repeatable: session.is_some(),
        session: session.unwrap_or_else(SessionId::random),
        kernel: KernelId::random(),
        subs: (1..containers).map(|_| KernelId::random()).collect(),
        request,
    }
}
