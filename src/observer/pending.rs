//! Changes of sessions that the engine was asked for. They are shown as pending until the engine shows the
//! result.

use jiff::{SignedDuration, Timestamp};

use super::{
    answers::vanished,
    changes::{failed, is_shown_by, rank, words},
    core::Observer,
    fact::ManagerReply,
    order::{ManagerRequest, RequestNumber},
    task::Purpose,
    turn::Turn,
};
use crate::{
    engine::manager::TaskProgress,
    model::{failure::Failure, id::SessionId, notice::Level, request::SessionChange, text::Clean},
    state_machine::{Answer, Ticket},
};

/// A change that the engine accepted is shown as pending only for this long.
const PATIENCE: SignedDuration = SignedDuration::from_mins(1);

#[derive(Clone, Debug)]
pub(super) struct PendingChange {
    pub session: SessionId,
    pub change: SessionChange,
    pub progress: Option<Clean>,
    /// The clients that wait until the engine has accepted it.
    pub tickets: Vec<Ticket>,
    /// When the engine accepted it.
    pub accepted_at: Option<Timestamp>,
}

impl PendingChange {
    pub fn is_accepted(&self) -> bool {
        self.accepted_at.is_some()
    }

    /// When the change isn't shown as pending any more.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.accepted_at?.checked_add(PATIENCE).ok()
    }

    fn words(&self) -> String {
        let words = words(&self.change);
        match &self.progress {
            Some(progress) => format!("{words}: {progress}"),
            None => words,
        }
    }
}

impl Observer {
    pub(super) fn name_of(&self, id: SessionId) -> String {
        self.session(id)
            .map_or_else(|| id.short(), |session| session.name.to_string())
    }

    pub(super) fn of(&self, id: SessionId) -> impl Iterator<Item = &PendingChange> {
        self.pending
            .values()
            .filter(move |pending| pending.session == id)
    }

    /// The pending change to show.
    pub(super) fn pending_of(&self, id: SessionId) -> Option<Clean> {
        let pending = self.of(id).min_by_key(|pending| rank(&pending.change))?;
        Some(Clean::new(&pending.words()))
    }

    pub(super) fn is_terminating(&self, id: SessionId) -> bool {
        self.of(id)
            .any(|pending| matches!(pending.change, SessionChange::Terminate { .. }))
    }

    pub(super) fn begin(
        &mut self,
        turn: &mut Turn,
        session: SessionId,
        ticket: Ticket,
        change: SessionChange,
    ) {
        let request = ManagerRequest::Change {
            session,
            change: change.clone(),
        };
        let number = self.run(turn, request, Purpose::Change);
        let pending = PendingChange {
            session,
            change,
            progress: None,
            tickets: vec![ticket],
            accepted_at: None,
        };
        self.pending.insert(number, pending);
        self.report_again(turn, session);
    }

    pub(super) fn progressed(
        &mut self,
        turn: &mut Turn,
        number: RequestNumber,
        progress: &TaskProgress,
    ) {
        let Some(pending) = self.pending.get_mut(&number) else {
            return;
        };
        let text = if progress.total > 0.0 {
            format!(
                "{:.0}/{:.0} {}",
                progress.done, progress.total, progress.message
            )
        } else {
            progress.message.to_string()
        };
        pending.progress = Some(Clean::new(text.trim_end()));
        let session = pending.session;
        for ticket in std::mem::take(&mut pending.tickets) {
            turn.answer(ticket, Ok(Answer::Done));
        }
        self.report_again(turn, session);
    }

    /// The engine accepted or refused a change.
    pub(super) fn change_done(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        number: RequestNumber,
        result: Result<ManagerReply, Failure>,
    ) {
        let Some(mut pending) = self.pending.remove(&number) else {
            return;
        };
        let (id, name) = (pending.session, self.name_of(pending.session));
        let tickets = std::mem::take(&mut pending.tickets);
        let answer = match &result {
            Ok(_) => Ok(Answer::Done),
            Err(failure) => Err(not_done(&pending, &name, failure)),
        };
        if let SessionChange::Commit { image_name } = &pending.change {
            match &answer {
                Ok(_) => {
                    let text = tr_sent!(
                        "the image {image_name} was created from {name}",
                        image_name,
                        name
                    );
                    turn.message(Level::Success, Some(id), &text);
                    self.environments_at = None;
                    self.read_environments(turn, now);
                }
                Err(failure) if tickets.is_empty() => {
                    turn.message(Level::Error, Some(id), failure.message().as_str());
                }
                Err(_) => {}
            }
        } else if answer.is_ok() {
            pending.accepted_at = Some(now);
            self.pending.insert(number, pending);
        }
        for ticket in tickets {
            turn.answer(ticket, answer.clone());
        }
        self.settle_changes(id);
        self.report_again(turn, id);
        // No event reports a new name, and a reading shows an end sooner.
        if self.is_connected() {
            self.hint(now, id);
        }
    }

    /// Removes pending changes whose result the row shows.
    pub(super) fn settle_changes(&mut self, id: SessionId) {
        let Some(session) = self.rows.get(&id).map(|row| &row.shown) else {
            self.pending
                .retain(|_, pending| pending.session != id || !pending.is_accepted());
            return;
        };
        self.pending.retain(|_, pending| {
            pending.session != id
                || !pending.is_accepted()
                || !is_shown_by(&pending.change, session)
        });
    }

    pub(super) fn drop_old_changes(&mut self, turn: &mut Turn, now: Timestamp) {
        let old = |pending: &PendingChange| pending.expires_at().is_some_and(|at| at <= now);
        let over: Vec<SessionId> = self
            .pending
            .values()
            .filter(|pending| old(pending))
            .map(|pending| pending.session)
            .collect();
        self.pending.retain(|_, pending| !old(pending));
        for id in over {
            self.report_again(turn, id);
        }
    }

    pub(super) fn take_back_changes(&mut self, ticket: Ticket) {
        let begun = |it: &PendingChange| it.tickets == [ticket] && !it.is_accepted();
        let taken: Vec<(RequestNumber, SessionId)> = self
            .pending
            .iter()
            .filter(|(_, pending)| begun(pending))
            .map(|(number, pending)| (*number, pending.session))
            .collect();
        for (number, id) in taken {
            self.pending.remove(&number);
            self.under_way.remove(&number);
            let pending = self.pending_of(id);
            if let Some(row) = self.rows.get_mut(&id) {
                row.shown.pending_request = pending;
            }
        }
    }
}

fn not_done(pending: &PendingChange, name: &str, failure: &Failure) -> Failure {
    if failure.is_not_found() {
        return vanished(pending.session).hint(tr_sent!(
            "{name} ended or was deleted meanwhile. No action is necessary",
            name
        ));
    }
    Failure {
        what: failed(&pending.change, name).into(),
        why: Some(failure.message()),
        ..failure.clone()
    }
}
