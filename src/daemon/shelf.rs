//! Ended sessions that lie only in the store, and how they come back when somebody reaches for them.

use super::{core::Core, looks, station::Station, teller::Number, translate};
use crate::{
    model::{
        change::Change,
        id::{ContextName, SessionId, SessionKey},
        record::SessionRecord,
        session::Session,
        status::Tab,
    },
    protocol::message::{Failure, Reply},
    store::{Mark, Shelved, StoreError},
};

/// Sessions that come back at once.
const PAGE: u32 = 1_000;

/// What of a context lies only in the store.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    left: u64,
    /// Where what was loaded at the beginning ends, and what is in memory now.
    begin: Option<Mark>,
    before: Option<Mark>,
    /// Who was asked for, the last one at the end.
    recalled: Vec<SessionId>,
    /// As told last.
    totals: Option<[u64; 3]>,
}

impl Shelf {
    pub fn new(shelved: &Shelved, context: ContextName) -> Self {
        Self {
            left: shelved.counts.get(&context).copied().unwrap_or_default(),
            begin: shelved.before.clone(),
            before: shelved.before.clone(),
            ..Self::default()
        }
    }

    pub fn left(&self) -> u64 {
        self.left
    }

    /// Who was asked for of late: a command that takes a snapshot next wants to see these.
    pub fn recalled(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.recalled.iter().rev().take(PAGE as usize).copied()
    }

    fn note_recalled(&mut self, sessions: &[Session]) {
        self.left = self.left.saturating_sub(sessions.len() as u64);
        self.recalled.extend(sessions.iter().map(|it| it.id));
    }
}

impl Station {
    /// Sessions per tab, where not all are in memory.
    pub fn totals(&self) -> Option<[u64; 3]> {
        if self.shelf.left == 0 {
            return self.heart.totals();
        }
        let mut totals = [0; 3];
        for session in self.heart.sessions() {
            totals[session.tab() as usize] += 1;
        }
        totals[Tab::Finished as usize] += self.shelf.left;
        Some(totals)
    }
}

impl Core {
    /// Nobody is there for whom they came back.
    pub(super) fn let_go_of_recalled(&mut self) {
        for number in 0..self.stations.len() {
            let station = &mut self.stations[number];
            let recalled = std::mem::take(&mut station.shelf.recalled);
            if recalled.is_empty() {
                continue;
            }
            station.shelf.left += station.heart.let_go(&recalled) as u64;
            station.shelf.before = station.shelf.begin.clone();
            self.tell_totals(number);
        }
    }

    /// How many there are in the tab, once as many are in memory as were asked for.
    pub(super) async fn reach_back(
        &mut self,
        number: Number,
        tab: Tab,
        text: Option<String>,
        count: u32,
    ) -> Result<Reply, Failure> {
        let total = match (tab, text) {
            (Tab::Finished, Some(text)) => self.reach_named(number, text, count).await,
            (Tab::Finished, None) => self.reach_older(number, count).await,
            (_, text) => Ok(self.matching(number, tab, text.as_deref()).count() as u64),
        };
        let result = total.map(|total| Reply::Reached { total });
        result.map_err(|error| translate::store_failure(&error))
    }

    async fn reach_older(&mut self, number: Number, count: u32) -> Result<u64, StoreError> {
        let known = self.matching(number, Tab::Finished, None).count();
        let missing = count.saturating_sub(u32::try_from(known).unwrap_or(u32::MAX));
        let context = self.stations[number].context.name;
        let shelf = &self.stations[number].shelf;
        if let (Some(before), 1..) = (shelf.before.clone(), missing.min(PAGE)) {
            let limit = missing.min(PAGE);
            let records = self.store.older(context, before, limit).await?;
            let is_last = records.len() < limit as usize;
            if let Some(oldest) = records.last() {
                self.stations[number].shelf.before = Some(Mark::of(&oldest.session));
            }
            self.take_back(number, records);
            if is_last {
                self.stations[number].shelf.left = 0;
            }
        }
        let known = self.matching(number, Tab::Finished, None).count() as u64;
        Ok(known + self.stations[number].shelf.left)
    }

    async fn reach_named(
        &mut self,
        number: Number,
        text: String,
        count: u32,
    ) -> Result<u64, StoreError> {
        let context = self.stations[number].context.name;
        let named = self.store.named(context, text.clone(), count.min(PAGE));
        let (mut in_store, mut ids) = named.await?;
        let heart = &self.stations[number].heart;
        let known = self.matching(number, Tab::Finished, Some(&text));
        let done_with = known.filter(|session| heart.is_forgotten(session.id));
        in_store = in_store.saturating_sub(done_with.count() as u64);
        ids.retain(|id| heart.session(*id).is_none());
        let records = self.store.sessions(ids).await?;
        in_store = in_store.saturating_sub(records.len() as u64);
        self.take_back(number, records);
        let known = self.matching(number, Tab::Finished, Some(&text)).count();
        Ok(known as u64 + in_store)
    }

    /// One that somebody names may lie only in the store.
    pub(super) async fn recall(&mut self, session: SessionKey) {
        let Ok(number) = looks::station(&self.stations, session.context) else {
            return;
        };
        let station = &self.stations[number];
        if station.shelf.left == 0 || station.heart.session(session.id).is_some() {
            return;
        }
        match self.store.sessions(vec![session.id]).await {
            Ok(records) => self.take_back(number, records),
            Err(error) => tracing::warn!(%error, "an ended session cannot be read"),
        }
    }

    fn take_back(&mut self, number: Number, records: Vec<SessionRecord>) {
        let station = &mut self.stations[number];
        let context = station.context.name;
        let mut records = records;
        records.retain(|record| record.session.context == context);
        let recalled = station.heart.recall(records);
        station.shelf.note_recalled(&recalled);
        for session in recalled {
            let session = Box::new(session);
            self.tell_all(&Change::Session { session });
        }
        self.tell_totals(number);
    }

    /// Counts that faces could not make themselves are told when they differ.
    pub(super) fn tell_totals(&mut self, number: Number) {
        let station = &mut self.stations[number];
        if station.shelf.before.is_none() {
            return;
        }
        let totals = (station.shelf.left > 0).then(|| station.totals()).flatten();
        if totals == station.shelf.totals {
            return;
        }
        station.shelf.totals = totals;
        let context = station.context.name;
        self.tell_all(&Change::Totals { context, totals });
    }

    fn tell_all(&self, change: &Change) {
        for client in self.clients.values() {
            client.outbox.notice(change);
        }
    }

    fn matching<'a>(
        &'a self,
        number: Number,
        tab: Tab,
        text: Option<&str>,
    ) -> impl Iterator<Item = &'a Session> {
        let wanted = text.unwrap_or_default().to_lowercase();
        let sessions = self.stations[number].heart.sessions();
        sessions.filter(move |session| {
            session.tab() == tab && session.name.as_str().to_lowercase().contains(&wanted)
        })
    }
}
