//! The daemon's main loop: handles each event, writes to the state database first, then notifies clients,
//! then sends commands to the engines.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use futures_util::FutureExt as _;
use jiff::SignedDuration;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    clock_comparison::{ClockReading, Pace},
    first_lists::Lists,
    replies, snapshots,
    waiters::Waiters,
};
use crate::{
    daemon::{
        Controls,
        apps::{Apps, AppsSetup},
        clock,
        connection::{
            inbound::{ConnectionId, Inbound, OpenAnswer},
            outbox::Outbox,
            server_state::Identity,
        },
        context::{
            driver::DriverStep,
            runner::{ContextRunner, Number},
        },
        files::WaitingPlace,
        folders::FolderTasks,
        notifications::{
            derived::{Happened, Noticing},
            hooks::Hooks,
            recent::RecentNotifications,
        },
        sampling::sampler::{Samples, Shown},
        storage::{
            disk_limits::DiskLimits, disk_space::Space, kept_homes::KeptHomes, preload::Preload,
            writing::DeferredWrites,
        },
        upgrade::{Kept, Memory},
    },
    model::{
        change::Change,
        failure::Failure,
        id::SessionKey,
        notice::{Level, Notice},
        resources::Bytes,
        text::Clean,
    },
    protocol::message::{FromDaemon, Reply, RequestId, StreamOpen},
    state_machine::{Answer, Ticket},
    store::Store,
};

const MINUTE: Duration = Duration::from_secs(60);
const TODAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a daemon that stops waits for orders in progress.
const LAST_ORDERS: Duration = Duration::from_secs(3);

pub(in crate::daemon) struct Core {
    /// In the order of the configuration.
    pub(in crate::daemon) contexts: Vec<ContextRunner>,
    pub(in crate::daemon) store: Store,
    pub(in crate::daemon) figures_kept: SignedDuration,
    /// Days that the home directory of an ended session is kept.
    pub(in crate::daemon) keep_days: u32,
    pub(in crate::daemon) identity: Arc<Identity>,
    pub(in crate::daemon) clients: HashMap<ConnectionId, ConnectedClient>,
    pub(in crate::daemon) waiters: Waiters,
    /// Streams that wait until their session is settled.
    pub(in crate::daemon) waiting_opens: Vec<(StreamOpen, OpenAnswer)>,
    /// Clients that wait for files of an engine that connects.
    pub(in crate::daemon) waiting_places: Vec<WaitingPlace>,
    /// What could not be written yet.
    pub(in crate::daemon) deferred: DeferredWrites,
    pub(in crate::daemon) write_again: Option<Instant>,
    /// Whether the contexts were last informed that a client is subscribed.
    pub(in crate::daemon) watched: bool,
    pub(in crate::daemon) pace: Pace,
    pub(in crate::daemon) controls: Controls,
    /// Notices for the next client that subscribes.
    pub(in crate::daemon) notes: Vec<Notice>,
    pub(in crate::daemon) notifications: RecentNotifications,
    pub(in crate::daemon) space: Space,
    pub(in crate::daemon) disk_limits: DiskLimits,
    pub(in crate::daemon) kept_homes: KeptHomes,
    /// A launch is refused while less space than this is free; 0 = never.
    pub(in crate::daemon) launch_reserve: Bytes,
    pub(in crate::daemon) preload: Preload,
    pub(in crate::daemon) lists: Lists,
    pub(in crate::daemon) apps: Apps,
    pub(in crate::daemon) folders: FolderTasks,
    noticing: Noticing,
    hooks: Hooks,
}

pub(in crate::daemon) struct ConnectedClient {
    pub outbox: Arc<Outbox>,
    /// The message for a client that is older than the daemon.
    pub older: Option<Clean>,
    pub subscribed: bool,
    pub watched: HashSet<SessionKey>,
    /// The usage figures last sent to the client, as shown.
    pub shown: HashMap<SessionKey, Shown>,
}

/// What the loop is built from.
pub(in crate::daemon) struct CoreParts {
    pub contexts: Vec<ContextRunner>,
    pub store: Store,
    /// How long figures are kept.
    pub figures_kept: SignedDuration,
    /// Days that the home directory of an ended session is kept.
    pub keep_days: u32,
    pub identity: Arc<Identity>,
    pub controls: Controls,
    pub notes: Vec<Clean>,
    pub notifications: RecentNotifications,
    pub hooks: Hooks,
    pub space: Space,
    pub kept_homes: KeptHomes,
    pub launch_reserve: Bytes,
    pub preload: Preload,
    pub apps: AppsSetup,
    pub incomplete: Option<PathBuf>,
}

/// The channels that the loop receives from.
pub(in crate::daemon) struct Inputs {
    pub inbound: mpsc::Receiver<Inbound>,
    pub samples: mpsc::Receiver<Samples>,
}

impl Core {
    pub fn new(parts: CoreParts) -> Self {
        let sessions = parts.contexts.iter().flat_map(|it| it.known().sessions());
        Self {
            noticing: Noticing::begin(sessions),
            contexts: parts.contexts,
            store: parts.store,
            figures_kept: parts.figures_kept,
            keep_days: parts.keep_days,
            identity: parts.identity,
            clients: HashMap::new(),
            waiters: Waiters::default(),
            waiting_opens: Vec::new(),
            waiting_places: Vec::new(),
            deferred: DeferredWrites::default(),
            write_again: None,
            watched: false,
            pace: Pace::new(ClockReading::take()),
            notifications: parts.notifications,
            controls: parts.controls,
            notes: warnings(parts.notes),
            hooks: parts.hooks,
            space: parts.space,
            disk_limits: DiskLimits::default(),
            kept_homes: parts.kept_homes,
            launch_reserve: parts.launch_reserve,
            preload: parts.preload,
            lists: Lists::new(parts.incomplete),
            folders: FolderTasks::new(parts.apps.inbound.clone()),
            apps: Apps::new(parts.apps),
        }
    }

    /// Restores the secrets of queued sessions that the process kept across an upgrade.
    pub fn take_secrets(&mut self, secrets: Vec<Kept>) {
        for kept in secrets {
            if let Ok(number) = snapshots::context_number(&self.contexts, kept.session.context) {
                self.contexts[number].restore_secrets(kept);
            }
        }
    }

    /// Runs until the daemon is stopped; sessions keep running. Returns the state that is only in memory.
    pub async fn run(mut self, mut inputs: Inputs) -> Memory {
        self.forget_old_figures().await;
        for note in &self.notes {
            self.notifications.record(&note.clone().into());
        }
        for number in 0..self.contexts.len() {
            self.tick_context(number).await;
        }
        self.restore_forwards().await;
        let stop = self.controls.stop.clone();
        loop {
            self.notice_jump().await;
            let deadline = self.deadline();
            let space = self.space_due();
            let kept_homes = self.kept_homes.due();
            let lists = self.lists.due();
            let preload = self.preload.due();
            let forwards = self.forwards_due();
            let sweep = self.contexts.iter().filter_map(|s| s.sampler.due()).min();
            tokio::select! {
                () = stop.cancelled() => break,
                number = next_report(&mut self.contexts) => self.settle(number).await,
                Some(word) = inputs.inbound.recv() => self.handle_message(word).await,
                () = until(deadline) => self.tick().await,
                () = until(self.write_again) => self.write_deferred().await,
                () = until(sweep) => self.sweep(),
                () = until(space) => self.watch_space(),
                () = until(kept_homes) => self.measure_kept_homes(),
                () = until(lists) => {}
                () = until(preload) => self.preload().await,
                () = until(forwards) => self.attend_forwards().await,
                Some(samples) = inputs.samples.recv() => self.send_usage(samples).await,
            }
            self.settle_all().await;
            self.answer_waiting_opens();
            self.answer_waiting_places();
            self.answer_lists();
            self.report_watched().await;
            self.watch();
        }
        self.end(&mut inputs).await
    }

    /// Waits for orders in progress, so that their answers are in the state database.
    async fn end(mut self, inputs: &mut Inputs) -> Memory {
        let deadline = clock::instant() + LAST_ORDERS;
        while !self.contexts.iter().all(|it| it.driver().is_idle()) {
            tokio::select! {
                number = next_report(&mut self.contexts) => self.settle_last(number).await,
                Some(word) = inputs.inbound.recv() => self.handle_last_message(word),
                () = sleep_until(deadline) => break,
            }
        }
        while let Some(number) = next_report(&mut self.contexts).now_or_never() {
            self.settle_last(number).await;
        }
        if !self.deferred.is_empty() {
            self.write_deferred().await;
        }
        self.save_figures().await;
        while let Ok(word) = inputs.inbound.try_recv() {
            self.handle_last_message(word);
        }
        for client in self.clients.values() {
            client.outbox.close();
        }
        let secrets = self.contexts.iter().flat_map(ContextRunner::queued_secrets);
        Memory {
            secrets: secrets.collect(),
            notifications: self.notifications,
            ..Memory::default()
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let dues = self
            .contexts
            .iter()
            .filter_map(|s| s.known().next_deadline());
        let left = dues.min()?.duration_since(clock::now());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        // The timer's clock stops while the machine sleeps and ignores changes of the system time, so
        // deadlines within a day are checked again every minute.
        let left = if left < TODAY { left.min(MINUTE) } else { left };
        Some(clock::instant() + left)
    }

    /// Handles the deadlines that have passed.
    async fn tick(&mut self) {
        let now = clock::now();
        for number in 0..self.contexts.len() {
            let due = self.contexts[number].known().next_deadline();
            if due.is_some_and(|at| at <= now) {
                self.tick_context(number).await;
            }
        }
    }

    async fn tick_context(&mut self, number: Number) {
        self.contexts[number].driver_mut().tick();
        self.settle(number).await;
    }

    /// Handles the queued events of a context and starts the commands that follow from them.
    pub(in crate::daemon) async fn settle(&mut self, number: Number) {
        self.handle_events(number).await;
        self.contexts[number].driver_mut().start_ready();
    }

    /// Settles the contexts that have queued events.
    pub(in crate::daemon) async fn settle_all(&mut self) {
        while let Some(number) = self.contexts.iter().position(|it| it.driver().has_facts()) {
            self.settle(number).await;
        }
    }

    /// Handles events while the daemon stops. New commands don't start: they are recorded in the state
    /// database and start with the next daemon.
    async fn settle_last(&mut self, number: Number) {
        self.handle_events(number).await;
        self.contexts[number].driver_mut().drop_ready();
    }

    /// Handles the queued events and their follow-ups, and writes and publishes the results.
    async fn handle_events(&mut self, number: Number) {
        while let Some(mut step) = self.contexts[number].driver_mut().step(clock::now()) {
            let ends = step.ends.is_some();
            self.remember(number, &mut step);
            self.hide_secrets(number, &mut step);
            self.save_ended_figures(number, &mut step);
            match self.write(&step, ends).await {
                Ok(()) => {}
                Err(error) if !ends && (step.refusable || step.is_read_only()) => {
                    self.refuse(number, &mut step, &error);
                }
                Err(error) if error.is_of_a_row() => {
                    self.write_apart(number, &mut step, ends).await;
                }
                Err(error) => self.defer(number, &mut step, &error),
            }
            let driver = self.contexts[number].driver_mut();
            if let Some(session) = step.ends {
                driver.give_up(session);
            }
            driver.commit();
            self.derive_notifications(number, &mut step);
            let moved = step
                .changes
                .iter()
                .any(|it| matches!(it, Change::Session { .. }));
            self.follow_sessions(&step.changes).await;
            self.publish(step);
            if moved {
                self.notify_totals(number);
            }
        }
    }

    /// Appends the notifications that follow from the changes of the step.
    fn derive_notifications(&mut self, number: Number, step: &mut DriverStep) {
        let known = self.contexts[number].known();
        let launched = step.answers.iter().filter_map(|(_, answer)| match answer {
            Ok(Answer::Launched(session)) => Some(&**session),
            _ => None,
        });
        let happened = Happened {
            changes: &step.changes,
            launched: launched.collect(),
            observed: known.is_observing(),
            me: known.me(),
        };
        let notices = self.noticing.derive(&happened, clock::now());
        step.changes.extend(notices.into_iter().map(Change::from));
    }

    fn publish(&mut self, mut step: DriverStep) {
        self.complete_warnings(&mut step.changes);
        self.publish_complete(step);
    }

    /// Publishes an idle warning that needs nothing more.
    pub(in crate::daemon) fn publish_warning(&mut self, notice: Notice) {
        let mut step = DriverStep::default();
        step.changes.push(notice.into());
        self.publish_complete(step);
    }

    fn publish_complete(&mut self, mut step: DriverStep) {
        step.changes.retain(|change| match change {
            Change::Notice { notice } => !self.notifications.is_reported_elsewhere(notice),
            _ => true,
        });
        for change in &step.changes {
            self.notifications.record(change);
            self.hooks.handle(change);
            self.kept_homes.follow(change);
            for client in self.clients.values() {
                client.outbox.notice(change);
            }
        }
        for ticket in step.admitted {
            if !self.begin_folder_request(ticket) {
                self.begin_query(ticket);
            }
        }
        for (ticket, answer) in step.answers {
            let result = answer.map(replies::answer);
            self.reply(ticket, result);
        }
    }

    /// Publishes a change that doesn't come from a context.
    pub(in crate::daemon) fn publish_change(&mut self, change: Change) {
        let mut step = DriverStep::default();
        step.changes.push(change);
        self.publish(step);
    }

    /// Publishes a notice that doesn't come from a context.
    pub(in crate::daemon) fn notify(&mut self, notice: Notice) {
        self.publish_change(notice.into());
    }

    pub(in crate::daemon) fn reply(&mut self, ticket: Ticket, result: Result<Reply, Failure>) {
        if let Some((connection, id, result)) = self.waiters.answered(ticket, result) {
            self.answer(connection, id, result);
        }
    }

    pub(in crate::daemon) fn answer(
        &self,
        connection: ConnectionId,
        id: RequestId,
        result: Result<Reply, Failure>,
    ) {
        let Some(client) = self.clients.get(&connection) else {
            return;
        };
        // `Reached` means that the requested sessions were sent as notices, so it must follow them.
        let follows = matches!(result, Ok(Reply::Reached { .. }));
        let answer = FromDaemon::Answer { id, result };
        if follows {
            client.outbox.answer_after_notices(answer);
        } else {
            client.outbox.answer(answer);
        }
    }
}

/// Turns start-up notes into warnings.
fn warnings(notes: Vec<Clean>) -> Vec<Notice> {
    let now = clock::now();
    let warning = |text| Notice::message(now, Level::Warning, text);
    notes.into_iter().map(warning).collect()
}

/// Queues the next report of an engine in its context.
async fn next_report(contexts: &mut [ContextRunner]) -> Number {
    std::future::poll_fn(|context| {
        let mut drivers = contexts.iter_mut().map(ContextRunner::driver_mut);
        match drivers.position(|driver| driver.poll_report(context).is_ready()) {
            Some(number) => Poll::Ready(number),
            None => Poll::Pending,
        }
    })
    .await
}

/// Sleeps until the given time, or forever for `None`.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
