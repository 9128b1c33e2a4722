//! Drives the state machine of a context: queues its events, and holds its commands until they may be carried
//! out.

use std::{
    collections::VecDeque,
    task::{Context, Poll},
};

use jiff::Timestamp;
use tokio::sync::mpsc;

use crate::{
    model::{change::Change, failure::Failure, id::SessionId, record::Write, text::Clean},
    state_machine::{Answer, MachineState, StateMachine, Ticket},
    store::Unwritten,
};

/// How many reports of one engine may wait for the loop.
const WAITING: usize = 1024;

/// Carries out the commands of one kind of engine.
pub(in crate::daemon) trait Execute<C>: Send {
    /// Starts to carry out a command.
    fn begin(&self, command: C);

    /// Whether no command is in progress whose result must be recorded.
    fn is_idle(&self) -> bool;
}

/// Sends events of an engine to the state machine of its context.
pub(in crate::daemon) struct Reporter<F> {
    facts: mpsc::Sender<F>,
}

impl<F> Clone for Reporter<F> {
    fn clone(&self) -> Self {
        let facts = self.facts.clone();
        Self { facts }
    }
}

impl<F> Reporter<F> {
    pub async fn report(&self, fact: F) {
        // The receiver is closed only when the daemon ends.
        let _ = self.facts.send(fact).await;
    }
}

pub(in crate::daemon) type Reports<F> = mpsc::Receiver<F>;

pub(in crate::daemon) fn reports<F>() -> (Reporter<F>, Reports<F>) {
    let (facts, reports) = mpsc::channel(WAITING);
    (Reporter { facts }, reports)
}

/// What follows from one event, for either kind of engine. Its commands are kept by the driver.
#[derive(Default)]
pub(in crate::daemon) struct DriverStep {
    pub writes: Vec<Write>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Failure>)>,
    /// The queries that the engine may be asked directly.
    pub admitted: Vec<Ticket>,
    /// The whole step follows from one request, so it can be taken back.
    pub refusable: bool,
    /// A command depends on the state database, so it waits for all pending writes.
    pub waits: bool,
    /// The request that caused the event.
    pub asked: Option<Ticket>,
    /// The session that a user asks to terminate.
    pub ends: Option<SessionId>,
}

impl DriverStep {
    /// Whether the step is a request that writes nothing. Such a request fails at once on a full disk
    /// instead of waiting.
    pub fn is_read_only(&self) -> bool {
        self.asked.is_some() && self.writes.is_empty()
    }
}

/// A state machine, its events and its commands.
pub(in crate::daemon) struct Driver<M: StateMachine, E> {
    pub machine: M,
    pub executor: E,
    reports: Reports<M::Fact>,
    facts: VecDeque<M::Fact>,
    /// The commands of the current step.
    commands: Vec<M::Command>,
    /// The commands that may start when all events are handled.
    ready: Vec<M::Command>,
    /// The commands that wait for a record which could not be written yet.
    withheld: Vec<M::Command>,
    undo: Option<M::Undo>,
}

impl<M: StateMachine, E: Execute<M::Command>> Driver<M, E> {
    pub fn new(machine: M, executor: E, reports: Reports<M::Fact>) -> Self {
        Self {
            machine,
            executor,
            reports,
            facts: VecDeque::new(),
            commands: Vec::new(),
            ready: Vec::new(),
            withheld: Vec::new(),
            undo: None,
        }
    }

    /// Queues an event.
    pub fn push(&mut self, fact: M::Fact) {
        self.facts.push_back(fact);
    }

    /// Splits off the commands that need a record which can't be written. They count as failed.
    fn fail_unwritten(
        &mut self,
        commands: Vec<M::Command>,
        unwritten: &[Unwritten],
    ) -> Vec<M::Command> {
        let mut rest = Vec::new();
        for command in commands {
            let session = M::session_of(&command);
            let record = unwritten
                .iter()
                .find(|it| it.is_record && session.is_some() && it.session == session)
                .filter(|_| M::waits_for_record(&command));
            match record.and_then(|record| M::not_done(&command, &record.text)) {
                Some(fact) => self.facts.push_back(fact),
                None => rest.push(command),
            }
        }
        rest
    }
}

/// The functions of a driver that don't depend on the kind of engine.
pub(in crate::daemon) trait Drive: Send {
    fn known(&self) -> &dyn MachineState;

    fn known_mut(&mut self) -> &mut dyn MachineState;

    fn tick(&mut self);

    /// Whether events are queued.
    fn has_facts(&self) -> bool;

    /// Queues the next report of the engine.
    fn poll_report(&mut self, context: &mut Context<'_>) -> Poll<()>;

    /// Handles the next queued event.
    fn step(&mut self, now: Timestamp) -> Option<DriverStep>;

    /// Takes back the current step.
    fn take_back(&mut self);

    /// Lets the commands of the current step start when all events are handled.
    fn commit(&mut self);

    /// Keeps the commands of the current step that wait for their record; the others are committed.
    fn withhold(&mut self);

    /// Fails the commands of the current step whose record can't be written.
    fn fail(&mut self, unwritten: &[Unwritten]);

    /// Starts the withheld commands, except those whose record can't be written.
    fn release(&mut self, unwritten: &[Unwritten]);

    /// Drops the withheld commands of a session: its end must not wait for them.
    fn give_up(&mut self, session: SessionId);

    fn start_ready(&mut self);

    fn drop_ready(&mut self);

    fn is_idle(&self) -> bool;
}

impl<M: StateMachine, E: Execute<M::Command>> Drive for Driver<M, E> {
    fn known(&self) -> &dyn MachineState {
        &self.machine
    }

    fn known_mut(&mut self) -> &mut dyn MachineState {
        &mut self.machine
    }

    fn tick(&mut self) {
        self.push(M::TICK);
    }

    fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    fn poll_report(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.reports.poll_recv(context) {
            Poll::Ready(Some(fact)) => {
                self.push(fact);
                Poll::Ready(())
            }
            // Closed channels have nothing to report any more.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    fn step(&mut self, now: Timestamp) -> Option<DriverStep> {
        let fact = self.facts.pop_front()?;
        let (asked, ends) = (M::ticket(&fact), M::ends(&fact));
        let step = self.machine.step(now, fact);
        self.facts.extend(step.follow);
        self.commands = step.commands;
        self.undo = Some(step.undo);
        Some(DriverStep {
            writes: step.writes,
            changes: step.changes,
            answers: step.answers,
            admitted: step.admitted,
            refusable: step.refusable,
            waits: step.recorded && self.commands.iter().any(M::waits_for_record),
            asked,
            ends,
        })
    }

    fn take_back(&mut self) {
        self.commands.clear();
        if let Some(undo) = self.undo.take() {
            self.machine.take_back(undo);
        }
    }

    fn commit(&mut self) {
        self.ready.append(&mut self.commands);
    }

    fn withhold(&mut self) {
        for command in std::mem::take(&mut self.commands) {
            if M::waits_for_record(&command) {
                self.withheld.retain(|old| !M::is_same(&command, old));
                self.withheld.push(command);
            } else {
                self.ready.push(command);
            }
        }
    }

    fn fail(&mut self, unwritten: &[Unwritten]) {
        let commands = std::mem::take(&mut self.commands);
        self.commands = self.fail_unwritten(commands, unwritten);
    }

    fn release(&mut self, unwritten: &[Unwritten]) {
        let withheld = std::mem::take(&mut self.withheld);
        for command in self.fail_unwritten(withheld, unwritten) {
            self.executor.begin(command);
        }
    }

    fn give_up(&mut self, session: SessionId) {
        let of_session = |command: &M::Command| M::session_of(command) == Some(session);
        let withheld = std::mem::take(&mut self.withheld);
        let (given_up, rest) = withheld.into_iter().partition::<Vec<_>, _>(of_session);
        self.withheld = rest;
        let why = Clean::new(tr_sent!(
            "the session was terminated before it was recorded"
        ));
        let facts = given_up.iter().filter_map(|it| M::not_done(it, &why));
        self.facts.extend(facts);
    }

    fn start_ready(&mut self) {
        for command in self.ready.drain(..) {
            self.executor.begin(command);
        }
    }

    fn drop_ready(&mut self) {
        self.ready.clear();
    }

    fn is_idle(&self) -> bool {
        self.executor.is_idle()
    }
}
