//! Writes to the state database before anything else happens. A request that can't be recorded is refused if
//! possible; other changes are deferred. Only the end of a session doesn't wait. A row that can never be written
//! delays no other row: it is set aside.

use std::time::Duration;

use crate::{
    daemon::{
        clock,
        context::{driver::DriverStep, runner::Number},
        main_loop::{core::Core, replies},
    },
    model::{
        notice::{Level, Notice},
        record::Write,
        text::Clean,
    },
    store::{StoreError, Unwritten, WritePurpose},
};

/// The pause before writing to the state database is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

/// The limit of deferred entries of histories, the audit trail and launches. Beyond it, the oldest are dropped.
const ENTRIES: usize = 4_096;
/// The same limit for figures, which are longer.
const FIGURES: usize = 256;

/// Writes that failed so far, in their order. Only the last one is kept of those that replace their
/// predecessor, and a limited number of the rest, so that a full disk doesn't fill the memory.
#[derive(Debug, Default)]
pub(in crate::daemon) struct DeferredWrites {
    writes: Vec<Write>,
    /// How many entries were dropped.
    dropped: usize,
}

impl DeferredWrites {
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub fn writes(&self) -> Vec<Write> {
        self.writes.clone()
    }

    /// Clears the list after everything was written. Returns how many entries were dropped.
    pub fn clear(&mut self) -> usize {
        self.writes.clear();
        std::mem::take(&mut self.dropped)
    }

    /// A repeated attempt replaces the entry that is deferred.
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
        self.keep_newest(ENTRIES, is_entry);
        self.keep_newest(FIGURES, |write| matches!(write, Write::Figures { .. }));
    }

    fn keep_newest(&mut self, most: usize, is_counted: impl Fn(&Write) -> bool) {
        let count = self.writes.iter().filter(|it| is_counted(it)).count();
        let mut surplus = count.saturating_sub(most);
        self.dropped += surplus;
        self.writes.retain(|write| {
            let goes = surplus > 0 && is_counted(write);
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// Whether the writes contain a session's end.
fn contains_end(writes: &[Write]) -> bool {
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
        (Write::Forward(new), Write::Forward(old)) => new.id == old.id,
        (Write::ForgetForward { id }, Write::Forward(old)) => *id == old.id,
        (Write::DeleteSession { session }, Write::Session(old)) => session.id == old.session.id,
        _ => false,
    }
}

fn is_entry(write: &Write) -> bool {
    matches!(
        write,
        Write::History(_) | Write::HistoryAgain(_) | Write::Audit(_) | Write::Recent { .. }
    )
}

impl Core {
    /// Writes the step together with everything deferred, so that no change is reported out of order.
    pub(in crate::daemon) async fn write(
        &mut self,
        step: &DriverStep,
        ends: bool,
    ) -> Result<(), StoreError> {
        let has_deferred = !self.deferred.is_empty() && step.waits;
        if step.writes.is_empty() && !has_deferred {
            return Ok(());
        }
        let purpose = purpose(ends || contains_end(&step.writes));
        let mut writes = self.deferred.writes();
        writes.extend(step.writes.iter().cloned());
        let written = self.store.write_for(purpose, writes).await;
        match written {
            // A deferred row may have caused the error: the current request must not be refused because of it.
            Err(error) if error.is_of_a_row() && !self.deferred.is_empty() => {
                self.write_deferred().await;
                if !self.deferred.is_empty() {
                    return Err(error);
                }
                let writes = step.writes.clone();
                self.store.write_for(purpose, writes).await
            }
            Ok(()) => {
                self.clear_deferred(&[]);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Clears what is deferred. Orders that waited for a record which can't be written are not carried out.
    fn clear_deferred(&mut self, unwritten: &[Unwritten]) {
        let dropped = self.deferred.clear();
        if self.write_again.take().is_some() {
            let text = match dropped {
                0 => tr_sent!("the state database is writable again. No changes were lost")
                    .to_owned(),
                count => tr_sent!(
                    "the state database is writable again. Lost: the {count} oldest entries of \
                     scheduling histories",
                    count
                ),
            };
            self.notify(Notice::message(clock::now(), Level::Info, text.as_str()));
        }
        for runner in &mut self.contexts {
            runner.driver_mut().release(unwritten);
        }
    }

    /// Writes the other rows when one of them can never be written, and sets that one aside. An order that
    /// waits for it is answered as failed.
    pub(in crate::daemon) async fn write_apart(
        &mut self,
        number: Number,
        step: &mut DriverStep,
        ends: bool,
    ) {
        let mut writes = self.deferred.writes();
        writes.extend(step.writes.iter().cloned());
        let purpose = purpose(ends || contains_end(&writes));
        let unwritten = match self.store.write_apart(purpose, writes).await {
            Ok(unwritten) => unwritten,
            Err(error) => return self.defer(number, step, &error),
        };
        self.clear_deferred(&unwritten);
        self.contexts[number].driver_mut().fail(&unwritten);
        step.changes
            .extend(notices(&unwritten).map(crate::model::change::Change::from));
    }

    /// Refuses the request and takes it back, as if it had never been made.
    pub(in crate::daemon) fn refuse(
        &mut self,
        number: Number,
        step: &mut DriverStep,
        error: &StoreError,
    ) {
        tracing::error!(%error, "a request can't be recorded");
        self.contexts[number].driver_mut().take_back();
        step.changes.clear();
        step.admitted.clear();
        for (ticket, answer) in std::mem::take(&mut step.answers) {
            let result = match answer {
                Ok(_) => Err(replies::store_failure(error)),
                Err(failure) => Err(failure),
            };
            self.reply(ticket, result);
        }
        // A request that would have been answered later also needs its answer now.
        if let Some(ticket) = step.asked {
            self.reply(ticket, Err(replies::store_failure(error)));
        }
    }

    /// Reports what has already happened, and writes it as soon as possible. Orders that create something
    /// wait; those that end something don't.
    pub(in crate::daemon) fn defer(
        &mut self,
        number: Number,
        step: &mut DriverStep,
        error: &StoreError,
    ) {
        tracing::error!(%error, "a change can't be recorded");
        self.deferred.add(step.writes.drain(..));
        self.contexts[number].driver_mut().withhold();
        if self.write_again.is_none() {
            let text = Clean::new(&error.to_string());
            let notice = Notice::message(clock::now(), Level::Error, text);
            step.changes.push(notice.into());
        }
        self.write_again = Some(clock::instant() + WRITE_AGAIN);
    }

    pub(in crate::daemon) async fn write_deferred(&mut self) {
        let writes = self.deferred.writes();
        let purpose = purpose(contains_end(&writes));
        match self.store.write_apart(purpose, writes).await {
            Ok(unwritten) => {
                self.clear_deferred(&unwritten);
                for notice in notices(&unwritten) {
                    self.notify(notice);
                }
            }
            Err(_) => self.write_again = Some(clock::instant() + WRITE_AGAIN),
        }
    }
}

/// The notifications about rows that were set aside, one for each session.
fn notices(unwritten: &[Unwritten]) -> impl Iterator<Item = Notice> {
    unwritten.iter().filter(|it| it.is_first).map(|it| {
        let text = tr_sent!(
            "{text}. The row was set aside and everything else is saved. Run `workbay doctor` for \
             details",
            text = it.text
        );
        Notice::message(clock::now(), Level::Error, text.as_str())
    })
}

fn purpose(ends: bool) -> WritePurpose {
    if ends {
        WritePurpose::Ending
    } else {
        WritePurpose::Ordinary
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        history::HistoryEntry,
        id::{ContextName, SessionId, SessionKey},
        record::AuditEntry,
        status::Status,
    };

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
        let mut deferred = DeferredWrites::default();
        for (second, number) in (0..).zip(0..2 * ENTRIES) {
            let at = Timestamp::from_second(second).unwrap();
            deferred.add([
                audit(&number.to_string()),
                Write::ForgetFiguresBefore { at },
            ]);
        }
        assert_eq!(deferred.writes().len(), ENTRIES + 1);
        let newest = audit(&(2 * ENTRIES - 1).to_string());
        assert!(deferred.writes().contains(&newest));
        assert!(!deferred.writes().contains(&audit("0")));
    }

    #[test]
    fn what_sessions_used_does_not_fill_the_memory_either_and_what_goes_is_counted() {
        let mut deferred = DeferredWrites::default();
        let used = |number: usize| Write::Figures {
            session: SessionKey::local(SessionId::from_u128(number as u128)),
            at: Timestamp::UNIX_EPOCH,
            ended: true,
            record: Box::default(),
        };
        deferred.add((0..FIGURES + 3).map(used));
        assert_eq!(deferred.writes().first(), Some(&used(3)));
        assert_eq!(deferred.writes().len(), FIGURES);
        let launch = |number: usize| Write::Recent {
            at: Timestamp::UNIX_EPOCH,
            context: ContextName::local(),
            title: Clean::new(&number.to_string()),
            launch: Box::default(),
        };
        deferred.add((0..ENTRIES + 4).map(launch));
        assert_eq!(deferred.writes().len(), FIGURES + ENTRIES);
        assert_eq!((deferred.clear(), deferred.clear()), (7, 0));
    }

    #[test]
    fn the_same_attempt_once_more_is_owed_once() {
        let mut deferred = DeferredWrites::default();
        deferred.add([
            Write::History(entry("other")),
            Write::History(entry("wait")),
        ]);
        let again = HistoryEntry {
            attempts: 3,
            ..entry("wait")
        };
        deferred.add([Write::HistoryAgain(again.clone())]);
        // The state database has no entry that could be replaced.
        let left = [Write::History(entry("other")), Write::History(again)];
        assert_eq!(deferred.writes(), left);
        deferred.add([Write::HistoryAgain(entry("other"))]);
        assert_eq!(deferred.writes().len(), 3);
    }
}
