//! What is read again, and when: after hints, by polling, and while sessions change.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::{
    answers::vanished,
    core::Observer,
    fact::ManagerReply,
    order::{ManagerRequest, RequestNumber},
    sweep::Extent,
    task::Purpose,
    turn::Turn,
};
use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::SessionId,
        idle::{IdleCheck, IdleState},
        notice::Level,
        session::Session,
        spec::LaunchRequest,
    },
    state_machine::{Answer, Ticket},
};

/// The shortest pause between two readings of rows.
const BETWEEN: SignedDuration = SignedDuration::from_millis(500);
/// Rows per request.
const ROWS: usize = 100;
/// With more hints than this, reading the list is cheaper.
const HINTS: usize = 2_000;
/// The pause between lists while events arrive, and between those of all unfinished sessions.
const BESIDE_EVENTS: SignedDuration = SignedDuration::from_mins(1);
const WIDE: SignedDuration = SignedDuration::from_mins(5);
/// A session that an idle check ends within this time is read with each list. The first warning comes 30 minutes before.
const ENDING_SOON: SignedDuration = SignedDuration::from_mins(35);
/// The pause between readings of changing sessions while no events arrive.
const MOVING: SignedDuration = SignedDuration::from_secs(3);
/// A session that has been changing for longer is only read with the list.
const STILL_MOVING: SignedDuration = SignedDuration::from_mins(2);
/// How often to ask why sessions wait, when to ask first, and for how many sessions.
const REASONS: SignedDuration = SignedDuration::from_secs(15);
const FIRST_REASON: SignedDuration = SignedDuration::from_secs(2);
const REASONED: usize = 5;
/// The pause before totals are read after sessions changed their tab.
const COUNT_AGAIN: SignedDuration = SignedDuration::from_secs(2);
/// A list of this age is read again when a client begins to watch.
const OLD: SignedDuration = SignedDuration::from_secs(2);
/// A launched session may be missing from the list for this long.
const NEWBORN: SignedDuration = SignedDuration::from_secs(30);

impl Observer {
    /// Plans the next list within the pause.
    pub(super) fn read_soon(&mut self, now: Timestamp, pause: SignedDuration) {
        move_earlier(&mut self.times.poll, now, pause);
    }

    pub(super) fn ask_totals_soon(&mut self, now: Timestamp) {
        if self.reading.is_none() {
            move_earlier(&mut self.times.totals, now, COUNT_AGAIN);
        }
    }

    pub(super) fn poll_pause(&self) -> SignedDuration {
        if self.has_events() {
            BESIDE_EVENTS
        } else {
            self.refresh
        }
    }

    /// A client begins to watch: reads again what is old.
    pub(super) fn read_if_old(&mut self, turn: &mut Turn, now: Timestamp) {
        let old = |at: Timestamp| now.duration_since(at) > OLD;
        if self.is_connected() && self.times.read_done.is_none_or(old) {
            self.read_environments(turn, now);
            self.read_all(turn, now, Extent::Everything);
        }
    }

    /// Notes that something has happened to a session.
    pub(super) fn hint(&mut self, now: Timestamp, session: SessionId) {
        if !self.is_attended(now) {
            // It is read with all the others when a client watches.
            self.times.read_done = None;
            return;
        }
        self.hints.insert(session);
        if self.hints.len() > HINTS {
            self.hints.clear();
            self.times.hints = None;
            self.times.wide_reading = None;
            self.read_soon(now, BETWEEN);
            return;
        }
        self.plan_hints(now);
    }

    fn plan_hints(&mut self, now: Timestamp) {
        if self.hints.is_empty() || self.times.hints.is_some() {
            return;
        }
        let last = self.times.last_hints;
        let free = last.and_then(|at| at.checked_add(BETWEEN).ok());
        self.times.hints = Some(now).max(free);
    }

    /// Handles deadlines of reading.
    pub(super) fn reading_due(&mut self, turn: &mut Turn, now: Timestamp) {
        if due(&mut self.times.moving, now) {
            self.hint_moving(now);
        }
        if due(&mut self.times.reasons, now) {
            self.read_reasons(now);
        }
        if due(&mut self.times.poll, now) {
            self.read_again(turn, now);
        }
        if due(&mut self.times.totals, now) && self.reading.is_none() {
            self.ask_totals(turn);
        }
        if due(&mut self.times.hints, now) {
            self.read_hints(turn, now);
        }
        self.statistics_due(turn, now);
    }

    /// Events report most changes of sessions far down in the list. What they don't report is the end by an idle check.
    fn read_again(&mut self, turn: &mut Turn, now: Timestamp) {
        let ending = self.ending_soon(now);
        let is_old = |at: Timestamp| now.duration_since(at) >= WIDE;
        let is_wide =
            !self.has_events() || ending.len() > ROWS || self.times.wide_reading.is_none_or(is_old);
        if is_wide {
            return self.read_all(turn, now, Extent::Unfinished);
        }
        self.read_all(turn, now, Extent::Newest);
        for id in ending {
            self.hint(now, id);
        }
    }

    /// The sessions that an idle check ends soon, so that a warning is due or will be.
    fn ending_soon(&self, now: Timestamp) -> Vec<SessionId> {
        let is_soon = |check: &IdleCheck| match check.state {
            IdleState::NotCounting => false,
            IdleState::Counting { until } => until.duration_since(now) < ENDING_SOON,
            IdleState::Over => true,
        };
        let live = self.rows.values().filter(|row| row.shown.status.is_live());
        let ending = live.filter(|row| row.shown.idle_checks.iter().any(is_soon));
        ending.map(|row| row.shown.id).collect()
    }

    pub(super) fn ask_totals(&mut self, turn: &mut Turn) {
        let same = |purpose: &Purpose| matches!(purpose, Purpose::Totals);
        if !self.is_under_way(same) {
            self.run(turn, ManagerRequest::Totals, Purpose::Totals);
        }
    }

    pub(super) fn is_under_way(&self, same: impl Fn(&Purpose) -> bool) -> bool {
        self.under_way.values().any(|task| same(&task.purpose))
    }

    fn read_hints(&mut self, turn: &mut Turn, now: Timestamp) {
        // When the requests in progress are answered, the rest is planned again.
        if self.is_under_way(|purpose| matches!(purpose, Purpose::Rows(_))) {
            return;
        }
        let ids: Vec<SessionId> = self.hints.iter().copied().take(ROWS).collect();
        self.hints.retain(|id| !ids.contains(id));
        self.times.last_hints = Some(now);
        self.run(turn, ManagerRequest::Rows(ids.clone()), Purpose::Rows(ids));
    }

    pub(super) fn rows_read(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: RequestNumber,
        asked: &[SessionId],
        result: Result<ManagerReply, Failure>,
    ) {
        match result {
            Ok(ManagerReply::Rows(rows)) => {
                let came: BTreeSet<SessionId> = rows.iter().map(|row| row.id).collect();
                for session in rows {
                    self.put(turn, now, number, session, false);
                }
                self.make_room(turn);
                for id in asked.iter().filter(|id| !came.contains(id)) {
                    self.missed(turn, now, number, *id);
                }
            }
            Ok(_) => {}
            Err(failure) => {
                self.report_problem(turn, &failure);
                self.times.wide_reading = None;
                self.read_soon(now, self.refresh);
            }
        }
        self.plan_hints(now);
    }

    /// The engine's answer lacks a session.
    fn missed(&mut self, turn: &mut Turn, now: Timestamp, number: RequestNumber, id: SessionId) {
        let Some(row) = self.rows.get(&id) else {
            return;
        };
        if row.unread && now.duration_since(row.since) < NEWBORN {
            self.hints.insert(id);
        } else if row.read_by < number {
            self.gone(turn, id);
        }
    }

    pub(super) fn totalled(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        result: Result<ManagerReply, Failure>,
    ) {
        let failure = match result {
            Ok(ManagerReply::Totals(totals)) => {
                if self.totals != Some(totals) {
                    let more = self.totals.is_some_and(|known| known[1] != totals[1]);
                    self.totals = Some(totals);
                    turn.changes.push(Change::Totals {
                        context: self.context,
                        totals: self.totals,
                    });
                    if more && self.reading.is_some() {
                        self.read_finished(turn, now);
                    }
                }
                None
            }
            Ok(_) => None,
            Err(failure) => Some(failure),
        };
        self.totals_arrived(turn, now, failure);
    }

    /// Reports a reading failure once, until reading succeeds again.
    pub(super) fn report_problem(&mut self, turn: &mut Turn, failure: &Failure) {
        if !self.complained && self.is_connected() {
            self.complained = true;
            let text = tr_sent!(
                "the sessions of {context} can't be read: {sentence}",
                context = self.context,
                sentence = failure.sentence()
            );
            turn.message(Level::Warning, None, &text);
        }
    }

    /// Plans timers for changing sessions, and the next detail.
    pub(super) fn plan(&mut self, turn: &mut Turn, now: Timestamp) {
        if !self.is_connected() || !self.is_attended(now) {
            return;
        }
        if self.times.moving.is_none() && !self.changing(now).is_empty() {
            move_earlier(&mut self.times.moving, now, MOVING);
        }
        if !self.queued.is_empty() {
            move_earlier(&mut self.times.reasons, now, REASONS);
        }
        self.plan_statistics(now);
        let details = |purpose: &Purpose| matches!(purpose, Purpose::Detail { .. });
        if !self.curious.is_empty()
            && !self.is_under_way(details)
            && let Some(id) = self.curious.pop_first()
        {
            let purpose = Purpose::Detail {
                session: id,
                tickets: Vec::new(),
                launched: None,
                explain: false,
            };
            self.run(turn, ManagerRequest::Detail(id), purpose);
        }
    }

    /// A session was queued: plans to read soon why it waits.
    pub(super) fn read_reasons_soon(&mut self, now: Timestamp) {
        move_earlier(&mut self.times.reasons, now, FIRST_REASON);
    }

    /// Reads why the newest queued sessions wait. Lists don't have the reason.
    fn read_reasons(&mut self, now: Timestamp) {
        let mut queued: Vec<(Timestamp, SessionId)> = self
            .queued
            .iter()
            .filter_map(|id| Some((self.rows.get(id)?.shown.created_at, *id)))
            .collect();
        queued.sort_unstable_by(|a, b| b.cmp(a));
        let newest = queued.into_iter().take(REASONED).map(|(_, id)| id);
        self.curious.extend(newest);
        move_earlier(&mut self.times.reasons, now, REASONS);
    }

    fn hint_moving(&mut self, now: Timestamp) {
        for id in self.changing(now) {
            self.hint(now, id);
        }
    }

    /// Changing sessions that may not send events.
    fn changing(&self, now: Timestamp) -> Vec<SessionId> {
        let asked = self.pending.values().filter(|it| it.is_accepted());
        let asked = asked.map(|pending| pending.session);
        let new = |id: &&SessionId| {
            let row = self.rows.get(id);
            row.is_some_and(|row| now.duration_since(row.since) < STILL_MOVING)
        };
        let silent = !self.has_events();
        let moving = self.moving.iter().filter(|_| silent).filter(new).copied();
        let moving: BTreeSet<SessionId> = asked.chain(moving).collect();
        moving.into_iter().take(ROWS).collect()
    }

    pub(super) fn detail(&mut self, turn: &mut Turn, ticket: Ticket, session: SessionId) {
        self.read_whole(turn, session, vec![ticket], None);
    }

    /// Reads everything about a session. Joins a request in progress.
    pub(super) fn read_whole(
        &mut self,
        turn: &mut Turn,
        session: SessionId,
        mut tickets: Vec<Ticket>,
        launched: Option<Box<LaunchRequest>>,
    ) {
        self.curious.remove(&session);
        for task in self.under_way.values_mut() {
            if let Purpose::Detail {
                session: read,
                tickets: waiting,
                launched: newborn,
                ..
            } = &mut task.purpose
                && *read == session
            {
                waiting.append(&mut tickets);
                *newborn = newborn.take().or(launched);
                return;
            }
        }
        let purpose = Purpose::Detail {
            session,
            tickets,
            launched,
            explain: false,
        };
        self.run(turn, ManagerRequest::Detail(session), purpose);
    }

    #[expect(clippy::too_many_arguments, reason = "one fact, taken apart once")]
    pub(super) fn detail_read(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: RequestNumber,
        id: SessionId,
        result: Result<ManagerReply, Failure>,
        tickets: &[Ticket],
        launched: Option<Box<LaunchRequest>>,
    ) {
        let answer = match result {
            Ok(ManagerReply::Session(Some(mut session))) => {
                if let Some(request) = &launched {
                    complete(&mut session, request, now);
                }
                self.put(turn, now, number, *session, true);
                self.make_room(turn);
                Ok(())
            }
            Ok(_) if launched.is_none() => {
                if self.rows.get(&id).is_some_and(|row| !row.unread) {
                    self.gone(turn, id);
                }
                Err(vanished(id))
            }
            Ok(_) => Err(vanished(id)),
            Err(failure) => Err(failure),
        };
        if let Some(request) = launched {
            return self.born(turn, now, id, &request, tickets);
        }
        for ticket in tickets {
            let session = self.session(id).cloned().map(Box::new);
            let answer = match (&answer, session) {
                (Ok(()), Some(session)) => Ok(Answer::Session(session)),
                (Ok(()), None) => Err(vanished(id)),
                (Err(failure), _) => Err(failure.clone()),
            };
            turn.answer(*ticket, answer);
        }
    }
}

/// Completes the start time and the timeout of a batch session. Not every manager reports them
/// before it runs, or at all.
fn complete(session: &mut Session, request: &LaunchRequest, now: Timestamp) {
    let start = request.starts_at.map(|start| start.moment(now));
    session.starts_at = session.starts_at.or(start);
    session.timeout = session.timeout.or(request.timeout);
}

/// Moves a time earlier, to the end of the pause.
pub(super) fn move_earlier(at: &mut Option<Timestamp>, now: Timestamp, pause: SignedDuration) {
    let new = now.checked_add(pause).ok();
    *at = match (*at, new) {
        (Some(old), Some(new)) => Some(old.min(new)),
        (old, new) => old.or(new),
    };
}

/// Whether the time has come. If so, clears it.
pub(super) fn due(at: &mut Option<Timestamp>, now: Timestamp) -> bool {
    at.take_if(|at| *at <= now).is_some()
}
