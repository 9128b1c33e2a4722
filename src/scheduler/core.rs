//! The scheduler itself: its state, and which function handles which event.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    connection_state::ConnectionTracker,
    fact::{Fact, SchedulerRequest},
    idle::Idle,
    order::SurveyNumber,
    pulling::Pulls,
    purpose::{OrderPurpose, Waiting},
    queue::Queue,
    tracked_session::TrackedSession,
    turn::Turn,
};
use crate::{
    model::{
        capability::EngineState,
        change::Change,
        environment::Environment,
        failure::Failure,
        folder::Folder,
        history::{HistoryEntry, Outcome},
        id::{ContextName, SessionId},
        record::{AuditEntry, SessionRecord, Write},
        resources::ResourceSlots,
        session::Session,
        settings::Settings,
        statistics::Statistics,
        status::Status,
        text::Clean,
    },
    state_machine::Ticket,
};

/// Decides what happens to sessions. See the description of this module.
#[derive(Debug)]
pub struct Scheduler {
    pub(super) settings: Settings,
    pub(super) owner: Clean,
    pub(super) context: ContextName,
    pub(super) tracked: BTreeMap<SessionId, TrackedSession>,
    pub(super) environments: Vec<Environment>,
    /// The folders in the last survey that read them.
    pub(super) folders: Vec<Folder>,
    /// What other instances use, in the last survey.
    pub(super) others: ResourceSlots,
    pub(super) connection: ConnectionTracker,
    pub(super) queue: Queue,
    pub(super) idle: Idle,
    pub(super) pulls: Pulls,
    /// The statistics as last reported.
    pub(super) statistics: Option<Statistics>,
    pub(super) surveys: BTreeMap<SurveyNumber, Waiting>,
    pub(super) next_survey: SurveyNumber,
    /// When sessions need attention. Entries may be stale.
    pub(super) deadlines: BTreeSet<(Timestamp, SessionId)>,
    pub(super) turn_number: u64,
    /// The id of the machine's current boot.
    pub(super) boot: Option<Clean>,
    /// Requests that arrived before the first connection to the engine.
    pub(super) early: Vec<(Ticket, SchedulerRequest)>,
}

impl Scheduler {
    /// Creates a scheduler with the records of this context from the state database.
    pub fn new(
        context: ContextName,
        settings: Settings,
        owner: Clean,
        records: Vec<SessionRecord>,
    ) -> Self {
        let mut scheduler = Self {
            settings,
            owner,
            context,
            tracked: BTreeMap::new(),
            environments: Vec::new(),
            folders: Vec::new(),
            others: ResourceSlots::default(),
            connection: ConnectionTracker::default(),
            queue: Queue::default(),
            idle: Idle::default(),
            pulls: Pulls::default(),
            statistics: None,
            surveys: BTreeMap::new(),
            next_survey: 0,
            deadlines: BTreeSet::new(),
            turn_number: 0,
            boot: None,
            early: Vec::new(),
        };
        for record in records {
            let mut tracked = TrackedSession::new(record);
            scheduler.plan_forgetting(&mut tracked);
            scheduler.tracked.insert(tracked.id(), tracked);
        }
        scheduler
    }

    /// Returns the consequences of an event. The first event is [`Fact::Tick`].
    pub fn handle(&mut self, now: Timestamp, fact: Fact) -> Turn {
        self.turn_number += 1;
        let mut turn = Turn::new(self.context, now);
        match fact {
            Fact::Asked { ticket, ask } => self.asked(&mut turn, now, ticket, ask),
            Fact::EngineUp {
                connection,
                info,
                survey,
            } => {
                self.engine_up(&mut turn, now, connection, info, survey);
            }
            Fact::EngineDown {
                connection,
                failure,
            } => {
                if connection == self.connection.number
                    && (self.connection.connecting || self.is_connected())
                {
                    self.disconnect(&mut turn, now, &failure);
                }
            }
            Fact::Surveyed { survey, result } => self.surveyed(&mut turn, now, survey, result),
            Fact::LaunchSurveyed { ticket, launch } => {
                self.launch(&mut turn, now, ticket, *launch);
            }
            Fact::Happened { session, event } => self.happened(&mut turn, session, event),
            Fact::Done {
                session,
                epoch,
                order,
                result,
            } => self.done(&mut turn, now, session, epoch, order, result),
            Fact::WillDone {
                session,
                epoch,
                end,
            } => self.stop_hook_done(&mut turn, session, epoch, &end),
            Fact::FoldersChanged(change) => change.apply(&mut self.folders),
            Fact::Pulling { number, figures } => self.pulling(&mut turn, now, number, figures),
            Fact::Pulled { number, result } => self.pulled(&mut turn, now, number, result),
            Fact::Committing {
                session,
                number,
                result,
            } => self.committing(&mut turn, session, number, result),
            Fact::ImagesChanged => {
                if self.is_connected() {
                    self.survey(&mut turn, OrderPurpose::Reconcile, true);
                }
            }
            Fact::Left { tickets } => self.has_left(&tickets),
            Fact::Unwanted => self.give_up_unwanted(&mut turn),
            Fact::Round => {
                turn.stirred = true;
                self.round(&mut turn, now);
                self.forget_secrets(&turn);
                self.report_statistics(&mut turn);
                self.note_differences(&mut turn);
                return turn;
            }
            Fact::Used { session, usage } => self.used(&mut turn, now, session, usage),
            Fact::Sampled { samples } => self.sampled_now(&mut turn, now, samples),
            Fact::Jumped { set_by } => self.clock_jumped(&mut turn, now, set_by),
            Fact::HomeUnwanted { session } => self.forget_early(&mut turn, session),
            Fact::Tick => self.tick(&mut turn, now),
        }
        if !self.is_connecting() {
            let early = self.early.drain(..);
            turn.follow
                .extend(early.map(|(ticket, ask)| Fact::Asked { ticket, ask }));
        }
        if self.has_unwanted_pulls() {
            turn.follow.push(Fact::Unwanted);
        }
        self.forget_secrets(&turn);
        self.follow_with_round(&mut turn);
        self.report_statistics(&mut turn);
        self.note_differences(&mut turn);
        turn
    }

    /// When the next [`Fact::Tick`] is due.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let first = self.deadlines.first().map(|(at, _)| *at);
        let queue = self.queue.next_deadline();
        let idle = self.idle.next_deadline();
        let pulls = self.pulls.next_deadline();
        let all = [self.connection.retry_at, first, queue, idle, pulls];
        all.into_iter().flatten().min()
    }

    /// Undoes a [refusable](Turn::refusable) turn that couldn't be written.
    pub fn take_back(&mut self, turn: &mut Turn) {
        for (id, before) in std::mem::take(&mut turn.before) {
            match before {
                Some(tracked) => self.tracked.insert(id, tracked),
                None => self.tracked.remove(&id),
            };
            self.idle.mark_outdated(id);
        }
        for reference in turn.begun.drain(..) {
            self.pulls.forget(&reference);
        }
        // The undone report of the statistics wasn't sent.
        self.statistics = None;
    }

    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.tracked.get(&id).map(|tracked| &tracked.record.session)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.tracked.values().map(|tracked| &tracked.record.session)
    }

    pub fn environments(&self) -> &[Environment] {
        &self.environments
    }

    pub fn engine(&self) -> &EngineState {
        &self.connection.state
    }

    /// What the user's sessions use of what they may use.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }

    pub fn context(&self) -> ContextName {
        self.context
    }

    /// Whether the saved log and the home directory of a session were deleted.
    pub fn is_forgotten(&self, id: SessionId) -> bool {
        self.tracked
            .get(&id)
            .is_some_and(|tracked| tracked.record.forgotten)
    }

    /// Whether terminals of a session must wait until those of an earlier daemon are detached.
    pub fn is_settling(&self, id: SessionId) -> bool {
        self.is_connecting()
            || self
                .tracked
                .get(&id)
                .is_some_and(|tracked| tracked.detaching)
    }

    pub(super) fn is_connecting(&self) -> bool {
        matches!(self.connection.state, EngineState::Connecting)
    }

    /// Returns a session for a change, and keeps its earlier state in the turn.
    pub(super) fn change(&mut self, turn: &mut Turn, id: SessionId) -> Option<&mut TrackedSession> {
        let tracked = self.tracked.get_mut(&id)?;
        turn.before
            .entry(id)
            .or_insert_with(|| Some(tracked.clone()));
        Some(tracked)
    }

    pub(super) fn find(&self, id: SessionId) -> Result<&TrackedSession, Failure> {
        self.tracked.get(&id).ok_or_else(|| {
            Failure::not_found(tr_sent!("session {short} not found", short = id.short()))
                .hint(tr_sent!("`workbay ls --tab all` lists names and ids"))
        })
    }

    /// Moves a session to a status and records the step in its history.
    pub(super) fn advance(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        phase: &str,
        to: &Status,
        message: Option<&Clean>,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let session = &mut tracked.record.session;
        let from = std::mem::replace(&mut session.status, to.clone());
        for kernel in &mut session.kernels {
            if !kernel.status.is_final() {
                kernel.status = to.clone();
            }
        }
        if !to.is_live() {
            session.idle_checks.clear();
            self.idle.forget(id);
        }
        let result = if *to == Status::Error {
            Outcome::Failure
        } else {
            Outcome::Success
        };
        // The manager's code. The sentence has the details.
        let code = match phase {
            "terminate-sessions" => "kernel_terminate_failed",
            "pull-images" => "image_pull_failed",
            _ => "kernel_start_failed",
        };
        turn.writes.push(Write::History(HistoryEntry {
            error_code: (result == Outcome::Failure).then(|| code.into()),
            result,
            message: message.cloned(),
            ..HistoryEntry::new(id, now, phase, Some(from), to.clone())
        }));
    }

    pub(super) fn audit(
        turn: &mut Turn,
        now: Timestamp,
        action: &str,
        session: Option<SessionId>,
        detail: &str,
    ) {
        turn.writes.push(Write::Audit(AuditEntry {
            at: now,
            action: Clean::new(action),
            session,
            detail: Clean::new(detail),
        }));
    }

    /// Writes and reports the sessions that have changed.
    fn note_differences(&mut self, turn: &mut Turn) {
        let mut changes = Vec::new();
        let mut writes = Vec::new();
        for (id, before) in &turn.before {
            let Some(after) = self.tracked.get(id) else {
                continue;
            };
            let old = before.as_ref().map(|tracked| &tracked.record);
            if old != Some(&after.record) {
                writes.push(Write::Session(Box::new(after.record.clone())));
            }
            if old.map(|record| &record.session) != Some(&after.record.session) {
                changes.push(Change::Session {
                    session: Box::new(after.record.session.clone()),
                });
            }
        }
        writes.append(&mut turn.writes);
        changes.append(&mut turn.changes);
        turn.writes = writes;
        turn.changes = changes;
    }

    /// Adds a session.
    pub(super) fn add(&mut self, turn: &mut Turn, record: SessionRecord) {
        self.add_held(turn, TrackedSession::new(record));
    }

    pub(super) fn add_held(&mut self, turn: &mut Turn, tracked: TrackedSession) {
        turn.before.entry(tracked.id()).or_insert(None);
        self.tracked.insert(tracked.id(), tracked);
    }
}
