//! The rows in memory: adds them, reports changes, and drops rows when there are too many.

use jiff::Timestamp;

use super::{
    core::Observer,
    order::{ManagerRequest, RequestNumber},
    row::{self, Row},
    task::Purpose,
    turn::Turn,
    window::MOST,
};
use crate::model::{
    change::Change,
    id::{SessionId, SessionKey},
    notice::{Level, NoticeKind},
    session::Session,
    status::{Status, Tab},
};

/// How many rows of a tab are kept while no client watches.
const KEPT: usize = 2_000;
/// Details that were read within this time are kept up to date.
const FRESH_DETAIL: jiff::SignedDuration = jiff::SignedDuration::from_mins(10);

impl Observer {
    /// Stores what a request read about a session. `whole` means everything about it.
    pub(super) fn put(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: RequestNumber,
        mut session: Session,
        whole: bool,
    ) {
        session.context = self.context;
        if let Some(mounts) = self.mounts.get(&session.id) {
            session.mounts.clone_from(mounts);
        }
        let id = session.id;
        let Some(old) = self.rows.get(&id) else {
            self.insert(now, number, session, whole);
            self.settle_changes(id);
            self.report(turn, id, None);
            return self.warn(turn, now, id);
        };
        // The answer of an earlier request is older, whenever it arrives.
        if number < old.read_by {
            return;
        }
        let (before, detailed) = (old.shown.clone(), old.detailed_at.is_some());
        let moved = before.status != session.status;
        session = if whole {
            row::merge_complete(&before, session)
        } else {
            row::merge_listed(&before, detailed, session)
        };
        if before.tab() != session.tab() {
            self.count(&before, -1);
            self.count(&session, 1);
            self.ask_totals_soon(now);
        }
        self.note_life(&session);
        if moved && self.queued.contains(&id) {
            self.read_reasons_soon(now);
        }
        if moved {
            self.count_soon(now);
            self.stirred = true;
        }
        let Some(row) = self.rows.get_mut(&id) else {
            return;
        };
        row.shown = session;
        row.read_by = number;
        row.unread = false;
        if whole {
            row.detailed_at = Some(now);
        }
        if moved {
            row.since = now;
            let fresh = |at: Timestamp| now.duration_since(at) < FRESH_DETAIL;
            if !whole && row.detailed_at.is_some_and(fresh) {
                self.curious.insert(id);
            }
            self.follow(turn, id);
        }
        self.settle_changes(id);
        self.report(turn, id, Some(&before));
        self.warn(turn, now, id);
    }

    fn insert(&mut self, now: Timestamp, number: RequestNumber, session: Session, whole: bool) {
        self.stirred = true;
        self.count(&session, 1);
        self.note_life(&session);
        if self.queued.contains(&session.id) && !whole {
            self.read_reasons_soon(now);
        }
        self.ask_totals_soon(now);
        let row = Row {
            read_by: number,
            since: now,
            detailed_at: whole.then_some(now),
            followed: false,
            unread: false,
            shown: session,
        };
        self.rows.insert(row.shown.id, row);
    }

    fn count(&mut self, session: &Session, by: isize) {
        let place = place(session.tab());
        self.counts[place] = self.counts[place].saturating_add_signed(by);
    }

    fn note_life(&mut self, session: &Session) {
        let (id, status) = (session.id, &session.status);
        self.moving.remove(&id);
        self.queued.remove(&id);
        if status.is_starting() || *status == Status::Terminating {
            self.moving.insert(id);
        }
        if *status == Status::Pending {
            self.queued.insert(id);
        }
    }

    /// Reports a row, with the changes requested of it, if it differs from the last report.
    pub(super) fn report(&mut self, turn: &mut Turn, id: SessionId, before: Option<&Session>) {
        let pending = self.pending_of(id);
        let Some(row) = self.rows.get_mut(&id) else {
            return;
        };
        row.shown.pending_request = pending;
        if before != Some(&row.shown) {
            let session = Box::new(row.shown.clone());
            turn.changes.push(Change::Session { session });
        }
    }

    /// Reports a row again after a request or its completion.
    pub(super) fn report_again(&mut self, turn: &mut Turn, id: SessionId) {
        if let Some(before) = self.rows.get(&id).map(|row| row.shown.clone()) {
            self.report(turn, id, Some(&before));
        }
    }

    /// The engine doesn't have the session any more.
    pub(super) fn gone(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(row) = self.rows.remove(&id) else {
            return;
        };
        self.stirred = true;
        self.count(&row.shown, -1);
        self.moving.remove(&id);
        self.queued.remove(&id);
        self.curious.remove(&id);
        self.warner.forget(id);
        turn.changes.push(Change::Gone {
            session: SessionKey::new(self.context, id),
        });
    }

    /// Forgets all sessions, because the connection belongs to another user now.
    pub(super) fn forget_all(&mut self, turn: &mut Turn) {
        let ids: Vec<SessionId> = self.rows.keys().copied().collect();
        for id in ids {
            self.gone(turn, id);
        }
        self.loaded = [0; 3];
        self.totals = None;
        self.catalogues.clear();
    }

    /// No client watches: keeps only the rows that the next client needs.
    pub(super) fn shrink(&mut self, turn: &mut Turn) {
        for tab in Tab::ALL {
            self.drop_rows(turn, tab, KEPT, |row| {
                std::cmp::Reverse(row.shown.created_at.as_second())
            });
        }
    }

    /// Drops rows beyond the limit. The most recently read ones stay.
    pub(super) fn make_room(&mut self, turn: &mut Turn) {
        for tab in Tab::ALL {
            self.drop_rows(turn, tab, MOST as usize, |row| {
                std::cmp::Reverse(row.read_by)
            });
        }
    }

    fn drop_rows<K: Ord>(
        &mut self,
        turn: &mut Turn,
        tab: Tab,
        room: usize,
        first: impl Fn(&Row) -> K,
    ) {
        if self.counts[place(tab)] <= room {
            return;
        }
        let mut rows: Vec<&Row> = self
            .rows
            .values()
            .filter(|row| row.shown.tab() == tab)
            .collect();
        rows.sort_by_key(|row| first(row));
        let ids: Vec<SessionId> = rows.iter().skip(room).map(|row| row.shown.id).collect();
        for id in ids {
            self.gone(turn, id);
        }
        self.loaded[place(tab)] = self.loaded[place(tab)].min(room as u32);
    }

    /// Follows a session that was launched with workbay until it runs, or reports why it won't.
    pub(super) fn follow(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(row) = self.rows.get_mut(&id) else {
            return;
        };
        if !row.followed || row.shown.status.is_starting() {
            return;
        }
        row.followed = false;
        let session = &row.shown;
        let wanted = session.status_info.as_ref().is_some_and(|info| {
            let info = info.as_str();
            info == "user-requested" || info == "force-terminated"
        });
        let ending = session.status == Status::Terminating || self.is_terminating(id);
        let session = &self.rows[&id].shown;
        if session.status.is_live() || session.started_at.is_some() || wanted || ending {
            return;
        }
        // Lists don't have the complete reason.
        self.read_reason(turn, id);
    }

    fn read_reason(&mut self, turn: &mut Turn, id: SessionId) {
        for task in self.under_way.values_mut() {
            if let Purpose::Detail {
                session, explain, ..
            } = &mut task.purpose
                && *session == id
            {
                *explain = true;
                return;
            }
        }
        let purpose = Purpose::Detail {
            session: id,
            tickets: Vec::new(),
            launched: None,
            explain: true,
        };
        self.run(turn, ManagerRequest::Detail(id), purpose);
    }

    /// Reports why a launch failed, as far as it is known.
    pub(super) fn explain(&mut self, turn: &mut Turn, number: RequestNumber, id: SessionId) {
        let Some(row) = self.rows.get(&id) else {
            return;
        };
        // The answer to a request from before the failure doesn't have the reason.
        if row.read_by > number {
            return self.read_reason(turn, id);
        }
        let session = &row.shown;
        let why = session.status_message.as_ref();
        let why = why.or(session.status_info.as_ref());
        let why = why.map_or_else(
            || tr_sent!("the engine gives no reason").to_owned(),
            ToString::to_string,
        );
        let name = &session.name;
        let what = match session.status {
            Status::Cancelled => tr_sent!("{name} was cancelled before it ran", name),
            Status::Terminated => tr_sent!("{name} ended before it ran", name),
            _ => tr_sent!("{name} failed", name),
        };
        let text = format!("{what}: {why}");
        turn.notice(NoticeKind::Failed, Level::Error, Some(id), &text);
    }
}

/// The index of a tab in `Tab::ALL`.
pub(super) fn place(tab: Tab) -> usize {
    match tab {
        Tab::Running => 0,
        Tab::Finished => 1,
        Tab::Others => 2,
    }
}
