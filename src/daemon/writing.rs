//! The store comes first: what could not be written is refused where that is possible, else owed. Only the
//! end of a session does not wait for it.

use std::time::Duration;

use super::{
    clock,
    core::Core,
    heart::{Command, News, Step},
    teller::Number,
    translate,
};
use crate::{
    controller::{
        fact::{Fact, Fault, FaultKind, Ticket},
        order::Order,
    },
    model::{
        id::SessionId,
        notice::{Level, Notice},
        record::Write,
        text::Clean,
    },
    store::{Purpose, StoreError},
};

/// Until writing to the store is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

/// Entries of histories and of the audit trail that are owed at once; beyond them the oldest go.
const ENTRIES: usize = 4_096;

/// What could not be written yet, in its order. Of what replaces its predecessor only the last is kept, so a
/// disk that stays full does not fill the memory.
#[derive(Debug, Default)]
pub(super) struct Owed {
    writes: Vec<Write>,
}

impl Owed {
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub fn writes(&self) -> Vec<Write> {
        self.writes.clone()
    }

    pub fn clear(&mut self) {
        self.writes.clear();
    }

    /// The same attempt once more takes the place of the entry that is owed.
    fn repeats(&mut self, write: &Write) -> bool {
        let Write::HistoryAgain(new) = write else {
            return false;
        };
        let mut entries = self.writes.iter_mut().rev().filter_map(|old| match old {
            Write::History(old) | Write::HistoryAgain(old) => Some(old),
            _ => None,
        });
        let newest = entries.find(|old| old.session == new.session);
        let Some(old) = newest.filter(|old| old.phase == new.phase) else {
            return false;
        };
        old.clone_from(new);
        true
    }

    pub fn add(&mut self, writes: impl IntoIterator<Item = Write>) {
        for write in writes {
            if self.repeats(&write) {
                continue;
            }
            self.writes.retain(|old| !replaces(&write, old));
            self.writes.push(write);
        }
        let entries = self.writes.iter().filter(|it| is_entry(it)).count();
        let mut surplus = entries.saturating_sub(ENTRIES);
        self.writes.retain(|write| {
            let goes = surplus > 0 && is_entry(write);
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// Whether a session's end is among them.
fn holds_end(writes: &[Write]) -> bool {
    writes.iter().any(Write::ends_session)
}

fn replaces(new: &Write, old: &Write) -> bool {
    match (new, old) {
        (Write::Session(new), Write::Session(old)) => new.session.id == old.session.id,
        (
            Write::Figures { session: new, .. } | Write::ForgetFigures { session: new },
            Write::Figures { session: old, .. } | Write::ForgetFigures { session: old },
        ) => new == old,
        (Write::ForgetFiguresBefore { .. }, Write::ForgetFiguresBefore { .. }) => true,
        _ => false,
    }
}

fn is_entry(write: &Write) -> bool {
    matches!(
        write,
        Write::History(_) | Write::HistoryAgain(_) | Write::Audit(_)
    )
}

impl Core {
    /// Everything owed is written with it: nothing is told out of order.
    pub(super) async fn write(&mut self, step: &Step, ends: bool) -> Result<(), StoreError> {
        let waits = step.commands.iter().any(Command::waits_for_record);
        let owes = !self.owed.is_empty() && step.recorded && waits;
        if step.writes.is_empty() && !owes {
            return Ok(());
        }
        let purpose = purpose(ends || holds_end(&step.writes));
        let mut writes = self.owed.writes();
        writes.extend(step.writes.iter().cloned());
        self.store.write_for(purpose, writes).await?;
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

    /// What happened has happened: it is told, and written as soon as that is possible. Orders that make
    /// something wait; those that end it are left in the step.
    pub(super) fn owe(&mut self, number: Number, step: &mut Step, error: &StoreError) {
        tracing::error!(%error, "what happened could not be recorded");
        self.owed.add(step.writes.drain(..));
        let commands = std::mem::take(&mut step.commands).into_iter();
        let (wait, go): (Vec<_>, Vec<_>) = commands.partition(Command::waits_for_record);
        self.withheld
            .extend(wait.into_iter().map(|command| (number, command)));
        step.commands = go;
        if self.write_again.is_none() {
            let text = Clean::new(&error.to_string());
            let notice = Notice::message(clock::now(), Level::Error, text);
            step.changes.push(notice.into());
        }
        self.write_again = Some(clock::instant() + WRITE_AGAIN);
    }

    /// Orders to make this session that wait for the store are not carried out any more: its end must not
    /// wait for them.
    pub(super) fn give_up(&mut self, number: Number, session: SessionId) -> Vec<News> {
        let of_session = |(station, command): &(Number, Command)| {
            let Command::Local(order) = command else {
                return false;
            };
            *station == number && order.about().is_some_and(|(id, _)| id == session)
        };
        let withheld = std::mem::take(&mut self.withheld).into_iter();
        let (given_up, rest): (Vec<_>, Vec<_>) = withheld.partition(of_session);
        self.withheld = rest;
        let orders = given_up
            .into_iter()
            .filter_map(|(_, command)| match command {
                Command::Local(order) => Some(order),
                Command::Observed(_) => None,
            });
        orders.filter_map(|order| not_done(&order)).collect()
    }

    pub(super) async fn write_owed(&mut self) {
        let writes = self.owed.writes();
        let purpose = purpose(holds_end(&writes));
        match self.store.write_for(purpose, writes).await {
            Ok(()) => self.pay(),
            Err(_) => self.write_again = Some(clock::instant() + WRITE_AGAIN),
        }
    }
}

fn purpose(ends: bool) -> Purpose {
    if ends {
        Purpose::Ending
    } else {
        Purpose::Ordinary
    }
}

/// The answer to an order that was not carried out.
fn not_done(order: &Order) -> Option<News> {
    let (session, epoch) = order.about()?;
    let fault = Fault {
        kind: FaultKind::Failed,
        text: Clean::new("the session was ended before it could be recorded"),
        mend: None,
    };
    let done = Fact::Done {
        session,
        epoch,
        order: order.kind(),
        result: Err(fault),
    };
    Some(News::Local(done))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{history::HistoryEntry, record::AuditEntry, status::Status};

    fn audit(detail: &str) -> Write {
        Write::Audit(AuditEntry {
            at: Timestamp::UNIX_EPOCH,
            action: "terminate".into(),
            session: None,
            detail: detail.into(),
        })
    }

    fn entry(phase: &str) -> HistoryEntry {
        let id = SessionId::from_u128(1);
        HistoryEntry::new(id, Timestamp::UNIX_EPOCH, phase, None, Status::Running)
    }

    #[test]
    fn a_disk_that_stays_full_does_not_fill_the_memory() {
        let mut owed = Owed::default();
        for (second, number) in (0..).zip(0..2 * ENTRIES) {
            let at = Timestamp::from_second(second).unwrap();
            owed.add([
                audit(&number.to_string()),
                Write::ForgetFiguresBefore { at },
            ]);
        }
        assert_eq!(owed.writes().len(), ENTRIES + 1);
        let newest = audit(&(2 * ENTRIES - 1).to_string());
        assert!(owed.writes().contains(&newest));
        assert!(!owed.writes().contains(&audit("0")));
    }

    #[test]
    fn the_same_attempt_once_more_is_owed_once() {
        let mut owed = Owed::default();
        owed.add([
            Write::History(entry("other")),
            Write::History(entry("wait")),
        ]);
        let again = HistoryEntry {
            attempts: 3,
            ..entry("wait")
        };
        owed.add([Write::HistoryAgain(again.clone())]);
        // The store holds no entry of it that could be replaced.
        let left = [Write::History(entry("other")), Write::History(again)];
        assert_eq!(owed.writes(), left);
        owed.add([Write::HistoryAgain(entry("other"))]);
        assert_eq!(owed.writes().len(), 3);
    }
}
