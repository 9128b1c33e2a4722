//! The store comes first: what could not be written is refused where that is possible, else owed.

use std::time::Duration;

use super::{clock, core::Core, heart::Step, teller::Number, translate};
use crate::{
    controller::fact::Ticket,
    model::{
        notice::{Level, Notice},
        text::Clean,
    },
    store::StoreError,
};

/// Until writing to the store is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

impl Core {
    /// Everything owed is written with it: nothing is told out of order.
    pub(super) async fn write(&mut self, step: &Step) -> Result<(), StoreError> {
        let owes = !self.owed.is_empty() && step.recorded && !step.commands.is_empty();
        if step.writes.is_empty() && !owes {
            return Ok(());
        }
        let mut writes = self.owed.clone();
        writes.extend(step.writes.iter().cloned());
        self.store.write(writes).await?;
        self.pay();
        Ok(())
    }

    fn pay(&mut self) {
        self.owed.clear();
        if self.write_again.take().is_some() {
            let text = "the store is written again: what happened meanwhile is in it";
            self.tell(Notice::message(clock::now(), Level::Info, text));
        }
        for (number, command) in std::mem::take(&mut self.withheld) {
            self.stations[number].begin(command);
        }
    }

    /// The request is not granted, as if it had never been asked.
    pub(super) fn refuse(
        &mut self,
        number: Number,
        asked: Option<Ticket>,
        step: &mut Step,
        error: &StoreError,
    ) {
        tracing::error!(%error, "a request could not be recorded");
        self.stations[number].heart.take_back(step, asked);
        step.changes.clear();
        step.commands.clear();
        for (ticket, answer) in std::mem::take(&mut step.answers) {
            let result = match answer {
                Ok(_) => Err(translate::store_failure(error)),
                Err(refusal) => Err(translate::refusal(refusal)),
            };
            self.reply(ticket, result);
        }
        // Who would have been answered later is not forgotten.
        if let Some(ticket) = asked {
            self.reply(ticket, Err(translate::store_failure(error)));
        }
    }

    /// What happened has happened: it is told, and written as soon as that is possible. Orders wait.
    pub(super) fn owe(&mut self, number: Number, step: &mut Step, error: &StoreError) {
        tracing::error!(%error, "what happened could not be recorded");
        self.owed.append(&mut step.writes);
        let commands = step.commands.drain(..).map(|command| (number, command));
        self.withheld.extend(commands);
        if self.write_again.is_none() {
            let text = Clean::new(&error.to_string());
            let notice = Notice::message(clock::now(), Level::Error, text);
            step.changes.push(notice.into());
        }
        self.write_again = Some(clock::instant() + WRITE_AGAIN);
    }

    pub(super) async fn write_owed(&mut self) {
        match self.store.write(self.owed.clone()).await {
            Ok(()) => self.pay(),
            Err(_) => self.write_again = Some(clock::instant() + WRITE_AGAIN),
        }
    }
}
