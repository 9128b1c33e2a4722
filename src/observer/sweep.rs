//! Reads lists page by page, as far as clients need them.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    connecting::AFTER_LISTENING,
    core::Observer,
    fact::ManagerReply,
    order::{ManagerRequest, RequestNumber},
    rows::place,
    task::Purpose,
    turn::Turn,
    window::{MOST, PAGE, Reading, Sweep, SweepNumber},
};
use crate::{
    engine::manager::PageQuery,
    model::{failure::Failure, id::SessionId, status::Tab},
    state_machine::{Answer, Ticket},
};

/// The most sweeps at once. Normal use doesn't need more.
const SWEEPS: usize = 24;
/// How many unfinished sessions of a tab are read without a request.
pub(super) const UNFINISHED: u32 = 1_000;

/// How much of the list is read without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The newest unfinished sessions.
    Newest,
    /// Unfinished sessions.
    Unfinished,
    /// Unfinished sessions, and the newest finished ones.
    Everything,
}

impl Observer {
    /// Begins to read totals and the list. Joins a reading in progress.
    pub(super) fn read_all(&mut self, turn: &mut Turn, now: Timestamp, extent: Extent) {
        if self.reading.is_some() || !self.is_connected() {
            return;
        }
        self.times.read_begun = Some(now);
        self.times.poll = None;
        self.times.totals = None;
        if extent != Extent::Newest {
            self.times.wide_reading = Some(now);
        }
        let (unfinished, finished) = match extent {
            Extent::Newest => (PAGE, 0),
            Extent::Unfinished => (UNFINISHED, 0),
            Extent::Everything => (UNFINISHED, PAGE),
        };
        let amounts = [
            (Tab::Running, unfinished),
            (Tab::Others, unfinished),
            (Tab::Finished, finished),
        ];
        let wanted = amounts.into_iter().filter(|(_, want)| *want > 0);
        let numbers: BTreeSet<SweepNumber> =
            wanted.map(|(tab, want)| self.window(tab, want)).collect();
        self.reading = Some(Reading {
            sweeps: numbers.clone(),
            totals: true,
            tickets: std::mem::take(&mut self.reading_again),
            failure: None,
        });
        self.ask_totals(turn);
        for number in numbers {
            self.continue_sweep(turn, now, number);
        }
    }

    /// The user refreshes the list.
    pub(super) fn refresh_now(&mut self, turn: &mut Turn, now: Timestamp, ticket: Ticket) {
        let second = jiff::SignedDuration::from_secs(1);
        let fresh = |at: Timestamp| now.duration_since(at) < second;
        let begun = self.times.read_begun.is_some_and(fresh);
        match &mut self.reading {
            Some(reading) if begun => reading.tickets.push(ticket),
            None if begun && self.times.read_done.is_some_and(fresh) => {
                turn.answer(ticket, Ok(Answer::Done));
            }
            Some(_) => self.reading_again.push(ticket),
            None => {
                self.reading_again.push(ticket);
                self.read_all(turn, now, Extent::Everything);
            }
        }
    }

    /// Totals have arrived or failed, as part of a reading or on their own.
    pub(super) fn totals_arrived(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        failure: Option<Failure>,
    ) {
        if let Some(reading) = &mut self.reading {
            reading.totals = false;
            reading.failure = reading.failure.take().or(failure);
        }
        self.end_reading(turn, now);
    }

    /// There are more finished sessions than before: reads the newest of them.
    pub(super) fn read_finished(&mut self, turn: &mut Turn, now: Timestamp) {
        let whole = |sweep: &Sweep| sweep.tab == Tab::Finished && sweep.text.is_none();
        if self.sweeps.values().any(whole) {
            return;
        }
        let number = self.sweep(Sweep::new(Tab::Finished, None, 0, PAGE));
        self.continue_sweep(turn, now, number);
    }

    /// Begins a sweep at the newest session, or extends one in progress.
    fn window(&mut self, tab: Tab, want: u32) -> SweepNumber {
        let same =
            |(_, sweep): &(&SweepNumber, &mut Sweep)| sweep.tab == tab && sweep.text.is_none();
        if let Some((number, sweep)) = self.sweeps.iter_mut().find(same) {
            sweep.want = sweep.want.max(want);
            return *number;
        }
        self.sweep(Sweep::new(tab, None, 0, want))
    }

    fn sweep(&mut self, sweep: Sweep) -> SweepNumber {
        self.next_sweep += 1;
        self.sweeps.insert(self.next_sweep, sweep);
        self.next_sweep
    }

    /// A client needs this many sessions of a tab.
    pub(super) fn reach(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        tab: Tab,
        text: Option<String>,
        count: u32,
    ) {
        let count = count.min(MOST);
        let text = text.filter(|text| !text.trim().is_empty());
        let loaded = self.loaded[place(tab)];
        let same = |sweep: &&mut Sweep| sweep.tab == tab && sweep.text == text;
        if let Some(sweep) = self.sweeps.values_mut().find(same) {
            sweep.want = sweep.want.max(count);
            sweep.tickets.push(ticket);
            let number = self.number_of(ticket);
            return self.continue_sweep(turn, now, number);
        }
        if let (None, Some(totals)) = (&text, self.totals) {
            let total = totals[place(tab)];
            if u64::from(loaded) >= total.min(u64::from(count)) {
                return turn.answer(ticket, Ok(Answer::Reached(total)));
            }
        }
        if self.sweeps.len() >= SWEEPS {
            let why = tr_sent!("too many lists are being read at once. Try again in a moment");
            return turn.answer(ticket, Err(Failure::refused(why)));
        }
        let from = if text.is_some() { 0 } else { loaded };
        let mut sweep = Sweep::new(tab, text, from, count.max(from + 1));
        sweep.tickets.push(ticket);
        let number = self.sweep(sweep);
        self.continue_sweep(turn, now, number);
    }

    fn number_of(&self, ticket: Ticket) -> SweepNumber {
        let has = |(_, sweep): &(&SweepNumber, &Sweep)| sweep.tickets.contains(&ticket);
        self.sweeps
            .iter()
            .find(has)
            .map_or(0, |(number, _)| *number)
    }

    /// Requests what is missing, or ends the sweep.
    fn continue_sweep(&mut self, turn: &mut Turn, now: Timestamp, number: SweepNumber) {
        loop {
            let Some(sweep) = self.sweeps.get_mut(&number) else {
                return;
            };
            let Some((offset, limit)) = sweep.next_page() else {
                if sweep.under_way == 0 {
                    self.end_sweep(turn, now, number);
                }
                return;
            };
            sweep.under_way += 1;
            let query = PageQuery {
                tab: sweep.tab,
                text: sweep.text.clone(),
                offset,
                limit,
            };
            let purpose = Purpose::Page {
                sweep: number,
                offset,
                limit,
            };
            let request = self.run(turn, ManagerRequest::Page(query), purpose);
            if let Some(sweep) = self.sweeps.get_mut(&number) {
                sweep.first.get_or_insert(request);
            }
        }
    }

    pub(super) fn paged(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        request: RequestNumber,
        number: SweepNumber,
        place: (u32, u32),
        result: Result<ManagerReply, Failure>,
    ) {
        let Some(sweep) = self.sweeps.get_mut(&number) else {
            return;
        };
        sweep.under_way = sweep.under_way.saturating_sub(1);
        match result {
            Ok(ManagerReply::Page(page)) => {
                sweep.take(&page, place);
                for session in page.sessions {
                    self.put(turn, now, request, session, false);
                }
                self.make_room(turn);
            }
            Ok(_) => {}
            Err(failure) => sweep.failure = Some(failure),
        }
        self.continue_sweep(turn, now, number);
    }

    fn end_sweep(&mut self, turn: &mut Turn, now: Timestamp, number: SweepNumber) {
        let Some(sweep) = self.sweeps.remove(&number) else {
            return;
        };
        if sweep.text.is_none() && sweep.failure.is_none() {
            self.note_window(now, &sweep);
            if self.is_short(&sweep) {
                let again = self.restart(number, sweep);
                return self.continue_sweep(turn, now, again);
            }
        }
        for ticket in sweep.tickets {
            let answer = match &sweep.failure {
                None => Ok(Answer::Reached(sweep.total.unwrap_or_default())),
                Some(failure) => Err(failure.clone()),
            };
            turn.answer(ticket, answer);
        }
        if let Some(reading) = &mut self.reading {
            let part = reading.sweeps.remove(&number);
            if part {
                reading.failure = reading.failure.take().or(sweep.failure);
            }
        }
        self.end_reading(turn, now);
    }

    /// Repeats a sweep from the newest session on, for all clients that wait for it.
    fn restart(&mut self, number: SweepNumber, sweep: Sweep) -> SweepNumber {
        let mut again = Sweep::new(sweep.tab, None, 0, sweep.want);
        again.tickets = sweep.tickets;
        again.again = true;
        let new = self.sweep(again);
        if let Some(reading) = &mut self.reading
            && reading.sweeps.remove(&number)
        {
            reading.sweeps.insert(new);
        }
        new
    }

    /// Whether rows were missed because the list changed between pages, so that requested rows are
    /// missing.
    fn is_short(&self, sweep: &Sweep) -> bool {
        let held = self.counts[place(sweep.tab)] as u32;
        let asked = !sweep.tickets.is_empty() && sweep.from > 0;
        asked && !sweep.again && held < sweep.end()
    }

    /// Updates how much of a tab is known. Expected sessions that were missing are read.
    fn note_window(&mut self, now: Timestamp, sweep: &Sweep) {
        let place = place(sweep.tab);
        let end = sweep.end();
        let total = sweep.total.unwrap_or_default();
        let known = self.loaded[place].max(end);
        self.loaded[place] = known.min(u32::try_from(total).unwrap_or(u32::MAX));
        if self.totals.is_some_and(|totals| totals[place] != total) {
            self.ask_totals_soon(now);
        }
        if sweep.from > 0 || sweep.tab == Tab::Finished {
            return;
        }
        let all = u64::from(end) >= total;
        let missing = self.rows.values().filter(|row| {
            let expected = row.shown.tab() == sweep.tab
                && sweep.first.is_some_and(|first| row.read_by < first)
                && !sweep.seen.contains(&row.shown.id);
            expected && (all || sweep.oldest.is_some_and(|at| row.shown.created_at >= at))
        });
        let missing: Vec<SessionId> = missing.map(|row| row.shown.id).collect();
        for id in missing {
            self.hint(now, id);
        }
    }

    fn end_reading(&mut self, turn: &mut Turn, now: Timestamp) {
        let done = |reading: &mut Reading| reading.sweeps.is_empty() && !reading.totals;
        let Some(reading) = self.reading.take_if(done) else {
            return;
        };
        match &reading.failure {
            None => {
                self.times.read_done = Some(now);
                self.stirred = true;
                self.complained = false;
            }
            Some(failure) => self.report_problem(turn, failure),
        }
        for ticket in reading.tickets {
            let answer = reading
                .failure
                .as_ref()
                .map_or(Ok(Answer::Done), |failure| Err(failure.clone()));
            turn.answer(ticket, answer);
        }
        // Something was missed while this list was read.
        let pause = match self.times.wide_reading {
            Some(_) => self.poll_pause(),
            None => AFTER_LISTENING,
        };
        self.read_soon(now, pause);
        if !self.reading_again.is_empty() {
            self.read_all(turn, now, Extent::Everything);
        }
    }

    pub(super) fn drop_sweeps(&mut self, turn: &mut Turn, failure: &Failure) {
        let sweeps = std::mem::take(&mut self.sweeps);
        let readers = self.reading.take().map(|reading| reading.tickets);
        let again = std::mem::take(&mut self.reading_again);
        let tickets = sweeps.into_values().flat_map(|sweep| sweep.tickets);
        let readers = readers.into_iter().flatten().chain(again);
        for ticket in tickets.chain(readers) {
            turn.answer(ticket, Err(failure.clone()));
        }
    }
}
