//! Loads ended sessions from the state database when a client requests them.

use super::unloaded::PAGE;
use crate::{
    daemon::{
        context::runner::Number,
        main_loop::{core::Core, replies, snapshots},
    },
    model::{
        change::Change, failure::Failure, id::SessionKey, record::SessionRecord, session::Session,
        status::Tab,
    },
    protocol::message::Reply,
    store::StoreError,
};

impl Core {
    /// Removes loaded sessions from memory when no client needs them any more.
    pub(in crate::daemon) fn drop_all_recalled(&mut self) {
        for number in 0..self.contexts.len() {
            let runner = &mut self.contexts[number];
            let recalled = runner.unloaded.take_recalled();
            if recalled.is_empty() {
                continue;
            }
            let gone = runner.known_mut().drop_recalled(&recalled);
            runner.unloaded.put_back(gone);
            self.notify_totals(number);
        }
    }

    /// Loads the requested number of sessions into memory, and returns how many the tab has.
    pub(in crate::daemon) async fn load_back(
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
        result.map_err(|error| replies::store_failure(&error))
    }

    async fn reach_older(&mut self, number: Number, count: u32) -> Result<u64, StoreError> {
        let known = self.matching(number, Tab::Finished, None).count();
        let missing = count.saturating_sub(u32::try_from(known).unwrap_or(u32::MAX));
        let context = self.contexts[number].context.name;
        let unloaded = &self.contexts[number].unloaded;
        if let (Some(before), 1..) = (unloaded.before().cloned(), missing.min(PAGE)) {
            let limit = missing.min(PAGE);
            let records = self.store.older(context, before, limit).await?;
            let is_last = records.len() < limit as usize;
            if let Some(oldest) = records.last() {
                self.contexts[number].unloaded.read_up_to(&oldest.session);
            }
            self.take_back(number, records);
            if is_last {
                self.contexts[number].unloaded.mark_empty();
            }
        }
        let known = self.matching(number, Tab::Finished, None).count() as u64;
        Ok(known + self.contexts[number].unloaded.left())
    }

    async fn reach_named(
        &mut self,
        number: Number,
        text: String,
        count: u32,
    ) -> Result<u64, StoreError> {
        let context = self.contexts[number].context.name;
        let named = self.store.named(context, text.clone(), count.min(PAGE));
        let (mut in_store, mut ids) = named.await?;
        let known = self.contexts[number].known();
        let matching = self.matching(number, Tab::Finished, Some(&text));
        let done_with = matching.filter(|session| known.is_forgotten(session.id));
        in_store = in_store.saturating_sub(done_with.count() as u64);
        ids.retain(|id| known.session(*id).is_none());
        let records = self.store.sessions(ids).await?;
        in_store = in_store.saturating_sub(records.len() as u64);
        self.take_back(number, records);
        let known = self.matching(number, Tab::Finished, Some(&text)).count();
        Ok(known as u64 + in_store)
    }

    /// Loads a requested session that may only be in the state database.
    pub(in crate::daemon) async fn recall(&mut self, session: SessionKey) {
        let Ok(number) = snapshots::context_number(&self.contexts, session.context) else {
            return;
        };
        let runner = &self.contexts[number];
        if runner.unloaded.left() == 0 || runner.known().session(session.id).is_some() {
            return;
        }
        match self.store.sessions(vec![session.id]).await {
            Ok(records) => self.take_back(number, records),
            Err(error) => tracing::warn!(%error, "an ended session can't be read"),
        }
    }

    fn take_back(&mut self, number: Number, records: Vec<SessionRecord>) {
        let recalled = self.add_records(number, records);
        self.contexts[number].unloaded.note_recalled(&recalled);
        self.publish_loaded(recalled);
        self.notify_totals(number);
    }

    /// Adds sessions that stay in memory, and returns how many were missing.
    pub(in crate::daemon) fn add_loaded(
        &mut self,
        number: Number,
        records: Vec<SessionRecord>,
    ) -> usize {
        let added = self.add_records(number, records);
        let count = added.len();
        self.publish_loaded(added);
        count
    }

    fn add_records(&mut self, number: Number, mut records: Vec<SessionRecord>) -> Vec<Session> {
        let runner = &mut self.contexts[number];
        let context = runner.context.name;
        records.retain(|record| record.session.context == context);
        runner.known_mut().recall(records)
    }

    fn publish_loaded(&self, sessions: Vec<Session>) {
        for session in sessions {
            let session = Box::new(session);
            self.notify_clients(&Change::Session { session });
        }
    }

    /// Sends the totals to clients if they changed.
    pub(in crate::daemon) fn notify_totals(&mut self, number: Number) {
        let runner = &mut self.contexts[number];
        if runner.unloaded.before().is_none() {
            return;
        }
        let totals = (runner.unloaded.left() > 0)
            .then(|| runner.totals())
            .flatten();
        if !runner.unloaded.replace_totals(totals) {
            return;
        }
        let context = runner.context.name;
        self.notify_clients(&Change::Totals { context, totals });
    }

    fn notify_clients(&self, change: &Change) {
        for client in self.clients.values() {
            client.outbox.notice(change);
        }
    }

    pub(in crate::daemon) fn matching<'a>(
        &'a self,
        number: Number,
        tab: Tab,
        text: Option<&str>,
    ) -> impl Iterator<Item = &'a Session> {
        let wanted = text.unwrap_or_default().to_lowercase();
        let sessions = self.contexts[number].known().sessions();
        sessions.filter(move |session| {
            session.tab() == tab && session.name.as_str().to_lowercase().contains(&wanted)
        })
    }
}
