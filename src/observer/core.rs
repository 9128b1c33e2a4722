//! The observer itself: its state, and which function handles which event.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{
    connection_state::ConnectionTracker,
    fact::{Fact, ManagerReply, ObserverRequest},
    order::{ManagerRequest, Order, RequestNumber},
    pending::PendingChange,
    row::Row,
    task::{Purpose, Task, Times},
    turn::Turn,
    window::{Reading, Sweep, SweepNumber},
};
use crate::{
    engine::manager::Totals,
    model::{
        capability::EngineState,
        catalogue::Catalogue,
        environment::Environment,
        failure::Failure,
        id::{ContextName, SessionId},
        record::AuditEntry,
        request::ContextRequest,
        session::Session,
        spec::{FolderMount, Mounted},
        statistics::Statistics,
        text::Clean,
    },
    state_machine::{Answer, Ticket, misdirected, warnings::Warner},
};

/// How long a request counts as attention, even if no client watches.
const ATTENTION: SignedDuration = SignedDuration::from_secs(30);

/// Watches an engine that has its own scheduler. See the description of this module.
#[derive(Debug)]
pub struct Observer {
    pub(super) context: ContextName,
    /// The pause between two lists while no events arrive.
    pub(super) refresh: SignedDuration,
    pub(super) connection: ConnectionTracker,
    /// A client watches.
    pub(super) watched: bool,
    attended_until: Option<Timestamp>,
    pub(super) rows: BTreeMap<SessionId, Row>,
    /// The number of rows of each tab, in the order of `Tab::ALL`.
    pub(super) counts: [usize; 3],
    /// Sessions that are starting or ending.
    pub(super) moving: BTreeSet<SessionId>,
    /// Sessions in the queue.
    pub(super) queued: BTreeSet<SessionId>,
    pub(super) totals: Option<Totals>,
    pub(super) statistics: Option<Statistics>,
    /// The statistics as the engine last counted them.
    pub(super) counted: Option<Statistics>,
    /// Sessions have changed since the statistics were reported.
    pub(super) stirred: bool,
    pub(super) environments: Vec<Environment>,
    pub(super) environments_at: Option<Timestamp>,
    pub(super) catalogues: BTreeMap<Option<String>, (Timestamp, Catalogue)>,
    /// The project whose catalog couldn't be read completely, and when.
    pub(super) unread: Option<(Option<String>, Timestamp)>,
    /// Requests to the engine without an answer.
    pub(super) under_way: BTreeMap<RequestNumber, Task>,
    next_request: RequestNumber,
    /// Requested changes of sessions, until the engine shows them.
    pub(super) pending: BTreeMap<RequestNumber, PendingChange>,
    pub(super) sweeps: BTreeMap<SweepNumber, Sweep>,
    pub(super) next_sweep: SweepNumber,
    pub(super) reading: Option<Reading>,
    /// Clients that wait for a reading that begins after the current one.
    pub(super) reading_again: Vec<Ticket>,
    /// How many of the newest sessions of each tab were read without a gap.
    pub(super) loaded: [u32; 3],
    /// Sessions to read again.
    pub(super) hints: BTreeSet<SessionId>,
    /// Sessions to read completely, one after the other.
    pub(super) curious: BTreeSet<SessionId>,
    pub(super) times: Times,
    /// A reading failure was reported.
    pub(super) complained: bool,
    /// Where folders are mounted in sessions that were launched with workbay.
    pub(super) mounts: BTreeMap<SessionId, Vec<Mounted>>,
    /// The warnings about the engine's idle checks.
    pub(super) warner: Warner,
}

impl Observer {
    /// `refresh` is the pause between two lists if the engine has no events.
    pub fn new(context: ContextName, refresh: SignedDuration) -> Self {
        Self {
            context,
            refresh,
            connection: ConnectionTracker::default(),
            watched: false,
            attended_until: None,
            rows: BTreeMap::new(),
            counts: [0; 3],
            moving: BTreeSet::new(),
            queued: BTreeSet::new(),
            totals: None,
            statistics: None,
            counted: None,
            stirred: false,
            environments: Vec::new(),
            environments_at: None,
            catalogues: BTreeMap::new(),
            unread: None,
            under_way: BTreeMap::new(),
            next_request: 0,
            pending: BTreeMap::new(),
            sweeps: BTreeMap::new(),
            next_sweep: 0,
            reading: None,
            reading_again: Vec::new(),
            loaded: [0; 3],
            hints: BTreeSet::new(),
            curious: BTreeSet::new(),
            times: Times::default(),
            complained: false,
            mounts: BTreeMap::new(),
            warner: Warner::default(),
        }
    }

    /// Adds mounts from the records of launches.
    pub fn add_mounts(&mut self, mounts: impl IntoIterator<Item = (SessionId, Vec<FolderMount>)>) {
        let mounted = |mounts: Vec<FolderMount>| mounts.iter().map(Mounted::from).collect();
        let known = mounts.into_iter().map(|(id, it)| (id, mounted(it)));
        self.mounts.extend(known);
    }

    /// Returns the consequences of an event. The first event is [`Fact::Tick`].
    pub fn handle(&mut self, now: Timestamp, fact: Fact) -> Turn {
        let mut turn = Turn::new(self.context, now);
        match fact {
            Fact::Asked { ticket, ask } => self.asked(&mut turn, now, ticket, ask),
            Fact::Connected { connection, info } => {
                self.connected(&mut turn, now, connection, info);
            }
            Fact::Disconnected {
                connection,
                failure,
            } => self.connection_failed(&mut turn, now, connection, &failure),
            Fact::Listening { connection } => self.listening(&mut turn, now, connection),
            Fact::EventsEnded {
                connection,
                failure,
            } => {
                self.events_ended(&mut turn, now, connection, failure.as_ref());
            }
            Fact::Events {
                connection,
                sessions,
            } if connection == self.connection.number => {
                for session in sessions {
                    self.hint(now, session);
                }
            }
            Fact::Events { .. } => {}
            Fact::Answered { number, result } => self.answered(&mut turn, now, number, result),
            Fact::QueryFailed {
                connection,
                failure,
            } if connection == self.connection.number => {
                self.note_failure(&mut turn, now, &failure);
            }
            Fact::QueryFailed { .. } => {}
            Fact::Progressed { number, progress } => self.progressed(&mut turn, number, &progress),
            Fact::FoldersChanged(change) => self.folders_changed(&change),
            Fact::Watched(watched) => self.set_watched(&mut turn, now, watched),
            Fact::ImagesChanged => {
                self.environments_at = None;
                if self.is_connected() {
                    self.read_environments(&mut turn, now);
                }
            }
            Fact::Tick => self.tick(&mut turn, now),
        }
        // A turn that may be undone contains only its request.
        if turn.audits.is_empty() {
            self.plan(&mut turn, now);
            if self.stirred {
                self.report_statistics_again(&mut turn);
            }
        }
        turn
    }

    fn tick(&mut self, turn: &mut Turn, now: Timestamp) {
        if self.attended_until.is_some_and(|until| until < now) {
            self.attended_until = None;
        }
        self.connection_due(turn, now);
        self.drop_old_changes(turn, now);
        self.warn_due(turn, now);
        if self.is_connected() && self.is_attended(now) {
            self.reading_due(turn, now);
        }
    }

    /// When the next [`Fact::Tick`] is due; never while no client watches or asks.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let times = &self.times;
        let reading = [
            times.poll,
            times.hints,
            times.moving,
            times.reasons,
            times.totals,
            times.statistics,
        ];
        let reading = reading
            .into_iter()
            .flatten()
            .filter(|_| self.is_connected());
        let retry = self
            .connection
            .retry_at
            .filter(|_| !self.connection.connecting);
        let listen = self.connection.listen_at.filter(|_| self.watched);
        let pending = self.pending.values();
        let expiries = pending.filter_map(PendingChange::expires_at);
        let attended = |at: &Timestamp| self.is_attended(*at);
        let warning = self.warner.next_deadline();
        let dues = reading.chain(retry).chain(warning).filter(attended);
        dues.chain(listen).chain(expiries).min()
    }

    /// Whether a client watches or has recently asked at that time, as far as it is known now.
    pub(super) fn is_attended(&self, at: Timestamp) -> bool {
        self.watched || self.attended_until.is_some_and(|until| at <= until)
    }

    fn set_watched(&mut self, turn: &mut Turn, now: Timestamp, watched: bool) {
        self.watched = watched;
        if !watched {
            self.close_events(turn);
            self.shrink(turn);
            return;
        }
        self.connection_due(turn, now);
        self.listen(turn);
        self.read_if_old(turn, now);
    }

    fn asked(&mut self, turn: &mut Turn, now: Timestamp, ticket: Ticket, ask: ObserverRequest) {
        if let Some(failure) = ask.refused() {
            return turn.answer(ticket, Err(failure));
        }
        self.attended_until = now.checked_add(ATTENTION).ok();
        let Some(ask) = self.admit(turn, now, ticket, ask) else {
            return;
        };
        match ask {
            ObserverRequest::Session { session, request } => {
                self.session_asked(turn, now, ticket, session, &request);
            }
            ObserverRequest::Context(request) => self.context_asked(turn, now, ticket, request),
            ObserverRequest::Launch(request) => self.launch(turn, now, ticket, request),
            ObserverRequest::RefreshOrRetry => self.refresh_now(turn, now, ticket),
            ObserverRequest::Admit { needs } => self.admit_query(turn, ticket, needs),
        }
    }

    fn context_asked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: ContextRequest,
    ) {
        match request {
            ContextRequest::Refresh => self.refresh_now(turn, now, ticket),
            // Connected: it was accepted, or there was no need for it.
            ContextRequest::LogIn { .. } => turn.answer(ticket, Ok(Answer::Done)),
            ContextRequest::Environments => self.ask_environments(turn, ticket),
            ContextRequest::Catalogue { project, refresh } => {
                self.ask_catalogue(turn, now, ticket, project, refresh);
            }
            ContextRequest::Folder { request } => self.admit_folder(turn, now, ticket, &request),
            ContextRequest::Reach { tab, text, count } => {
                self.reach(turn, now, ticket, tab, text, count);
            }
            ContextRequest::Image { .. }
            | ContextRequest::Pull { .. }
            | ContextRequest::FindOwner { .. } => turn.answer(ticket, Err(misdirected())),
        }
    }

    /// Sends a request to the engine.
    pub(super) fn run(
        &mut self,
        turn: &mut Turn,
        request: ManagerRequest,
        purpose: Purpose,
    ) -> RequestNumber {
        self.next_request += 1;
        let number = self.next_request;
        let connection = self.connection.number;
        self.under_way.insert(
            number,
            Task {
                connection,
                purpose,
            },
        );
        turn.orders.push(Order::Run { number, request });
        number
    }

    fn answered(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: RequestNumber,
        result: Result<ManagerReply, Failure>,
    ) {
        let Some(Task {
            connection,
            purpose,
        }) = self.under_way.remove(&number)
        else {
            return;
        };
        if let Err(failure) = &result
            && connection == self.connection.number
        {
            self.note_failure(turn, now, failure);
        }
        match purpose {
            Purpose::Page {
                sweep,
                offset,
                limit,
            } => self.paged(turn, now, number, sweep, (offset, limit), result),
            Purpose::Totals => self.totalled(turn, now, result),
            Purpose::Rows(asked) => self.rows_read(turn, now, number, &asked, result),
            Purpose::Detail {
                session,
                tickets,
                launched,
                explain,
            } => {
                self.detail_read(turn, now, number, session, result, &tickets, launched);
                if explain {
                    self.explain(turn, number, session);
                }
            }
            Purpose::Launch { ticket, request } => {
                self.launched(turn, now, ticket, request, result);
            }
            Purpose::Change => self.change_done(turn, now, number, result),
            Purpose::Environments { tickets } => {
                self.environments_read(turn, now, &tickets, result);
            }
            Purpose::Statistics => self.was_counted(now, result),
            Purpose::Catalogue { project, tickets } => {
                self.catalogue_read(turn, now, project, &tickets, result);
            }
            Purpose::Recheck { project, waiting } => {
                self.rechecked(turn, now, project, waiting, result);
            }
        }
    }

    /// The connection is lost: drops all requests that only read. Requests that change something
    /// wait for their own answers.
    pub(super) fn drop_reading(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        let (changes, reading): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.under_way)
                .into_iter()
                .partition(|(_, task)| task.purpose.is_change());
        self.under_way = changes;
        for task in reading.into_values() {
            self.give_up(turn, now, task.purpose, failure);
        }
        self.drop_sweeps(turn, failure);
        self.hints.clear();
        self.curious.clear();
        self.times.poll = None;
        self.times.hints = None;
    }

    fn give_up(&mut self, turn: &mut Turn, now: Timestamp, purpose: Purpose, failure: &Failure) {
        let tickets = match purpose {
            Purpose::Detail {
                session,
                tickets,
                launched: Some(request),
                ..
            } => return self.born(turn, now, session, &request, &tickets),
            Purpose::Detail { tickets, .. }
            | Purpose::Environments { tickets }
            | Purpose::Catalogue { tickets, .. } => tickets,
            Purpose::Recheck { waiting, .. } => {
                waiting.into_iter().map(|(ticket, _)| ticket).collect()
            }
            _ => Vec::new(),
        };
        for ticket in tickets {
            turn.answer(ticket, Err(failure.clone()));
        }
    }

    /// Undoes what a request began, if it couldn't be written.
    pub fn take_back(&mut self, ticket: Ticket) {
        let mine = |task: &Task| match &task.purpose {
            Purpose::Launch { ticket: t, .. } => *t == ticket,
            _ => false,
        };
        self.under_way.retain(|_, task| !mine(task));
        self.take_back_changes(ticket);
    }

    pub(super) fn audit(
        &self,
        turn: &mut Turn,
        now: Timestamp,
        action: &str,
        session: Option<SessionId>,
        detail: &str,
    ) {
        let text = format!("{} {detail}", self.context);
        turn.audits.push(AuditEntry {
            at: now,
            action: Clean::new(action),
            session,
            detail: Clean::new(text.trim_end()),
        });
    }

    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.rows.get(&id).map(|row| &row.shown)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.rows.values().map(|row| &row.shown)
    }

    pub fn environments(&self) -> &[Environment] {
        &self.environments
    }

    pub fn engine(&self) -> &EngineState {
        &self.connection.state
    }

    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }

    pub fn totals(&self) -> Option<Totals> {
        self.totals
    }
}
