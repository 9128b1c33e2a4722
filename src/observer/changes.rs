//! Requests about a session: which of them the manager carries out, when, and how they are shown.

use jiff::Timestamp;

use super::{core::Observer, pending::PendingChange, turn::Turn};
use crate::{
    model::{
        failure::Failure,
        id::SessionId,
        name, priority,
        request::{AtManager, SessionChange, SessionRequest},
        session::{Session, SessionType},
        status::Status,
    },
    state_machine::{Answer, Ticket, misdirected},
};

impl Observer {
    pub(super) fn session_asked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        session: SessionId,
        request: &SessionRequest,
    ) {
        match request.at_manager() {
            AtManager::Change(change) => {
                let lack = request.needs().and_then(|it| self.lacks(it));
                match lack {
                    Some(failure) => turn.answer(ticket, Err(failure)),
                    None => self.change(turn, now, ticket, session, change),
                }
            }
            AtManager::Detail => self.detail(turn, ticket, session),
            AtManager::Direct => turn.answer(ticket, Err(misdirected())),
            AtManager::Refused(failure) => turn.answer(ticket, Err(failure)),
        }
    }

    fn change(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        change: SessionChange,
    ) {
        match self.check_change(id, &change) {
            Err(failure) => return turn.answer(ticket, Err(failure)),
            Ok(false) => return turn.answer(ticket, Ok(Answer::Done)),
            Ok(true) => {}
        }
        let same = |it: &&mut PendingChange| it.session == id && includes(&it.change, &change);
        match self.pending.values_mut().find(same) {
            Some(pending) if pending.is_accepted() => turn.answer(ticket, Ok(Answer::Done)),
            Some(pending) => pending.tickets.push(ticket),
            None => {
                self.audit(turn, now, change.name(), Some(id), &detail(&change));
                self.begin(turn, id, ticket, change);
            }
        }
    }

    /// Whether the session would change.
    fn check_change(&self, id: SessionId, change: &SessionChange) -> Result<bool, Failure> {
        match change {
            SessionChange::Terminate { .. } => self.check_terminate(id),
            SessionChange::Rename { name } => self.check_rename(id, name),
            SessionChange::Priority { priority } => self.check_priority(id, *priority),
            SessionChange::Commit { .. } => self.check_commit(id),
        }
    }

    fn check_terminate(&self, id: SessionId) -> Result<bool, Failure> {
        match self.session(id) {
            Some(session) if session.status.is_final() => {
                let (name, status) = (&session.name, &session.status);
                let text = tr_sent!("session {name} has already ended ({status})", name, status);
                Err(Failure::refused(text))
            }
            _ => Ok(true),
        }
    }

    fn check_rename(&self, id: SessionId, name: &str) -> Result<bool, Failure> {
        let other = self.of(id).find_map(|pending| match &pending.change {
            SessionChange::Rename { name } => Some(name),
            _ => None,
        });
        if let Some(other) = other {
            let old = self.name_of(id);
            let text = tr_sent!(
                "session {old} is already being renamed to {other}",
                old,
                other
            );
            return Err(Failure::refused(text));
        }
        let session = self.session(id);
        if session.is_some_and(|session| session.name == name) {
            return Ok(false);
        }
        name::check(name).map_err(|error| Failure::usage(error.to_string()))?;
        match session {
            Some(session) if !session.status.is_live() => Err(Failure::refused(tr_sent!(
                "session {name} is {status}: only running sessions can be renamed",
                name = session.name,
                status = session.status
            ))),
            _ => Ok(true),
        }
    }

    /// The priority of a session that waits in the engine's queue.
    fn check_priority(&self, id: SessionId, wanted: i32) -> Result<bool, Failure> {
        priority::check(wanted).map_err(Failure::usage)?;
        let changing = |it: &PendingChange| matches!(it.change, SessionChange::Priority { .. });
        if self.of(id).any(|it| changing(it) && !it.is_accepted()) {
            let text = tr_sent!(
                "the priority of {name} is already being changed",
                name = self.name_of(id)
            );
            return Err(Failure::refused(text));
        }
        match self.session(id) {
            Some(session) if session.status != Status::Pending => Err(Failure::refused(tr_sent!(
                "{name} is {status}: only the priority of a waiting session can be changed",
                name = session.name,
                status = session.status
            ))),
            Some(session) => Ok(session.placement.priority != Some(wanted)),
            None => Ok(true),
        }
    }

    fn check_commit(&self, id: SessionId) -> Result<bool, Failure> {
        let creating = |it: &PendingChange| matches!(it.change, SessionChange::Commit { .. });
        if self.of(id).any(creating) {
            let text = tr_sent!(
                "an image of {name} is already being created",
                name = self.name_of(id)
            );
            return Err(Failure::refused(text));
        }
        let Some(session) = self.session(id) else {
            return Ok(true);
        };
        if session.session_type != SessionType::Interactive {
            let text = tr_sent!(
                "session {name} is a batch session: images are created from interactive sessions only",
                name = session.name
            );
            return Err(Failure::refused(text));
        }
        if !session.status.is_live() {
            return Err(Failure::refused(tr_sent!(
                "session {name} is {status}: images are created from running sessions only",
                name = session.name,
                status = session.status
            )));
        }
        Ok(true)
    }
}

/// Which of several pending changes is shown: the lowest one.
pub(super) const fn rank(change: &SessionChange) -> u8 {
    match change {
        SessionChange::Terminate { .. } => 0,
        SessionChange::Rename { .. } => 1,
        SessionChange::Priority { .. } => 2,
        SessionChange::Commit { .. } => 3,
    }
}

/// Whether the session shows the result of the change.
pub(super) fn is_shown_by(change: &SessionChange, session: &Session) -> bool {
    let over = session.status.is_final();
    match change {
        SessionChange::Terminate { .. } => over || session.status == Status::Terminating,
        SessionChange::Rename { name } => over || session.name == name.as_str(),
        SessionChange::Priority { priority } => {
            session.status != Status::Pending || session.placement.priority == Some(*priority)
        }
        SessionChange::Commit { .. } => false,
    }
}

/// The change as the session's pending request.
pub(super) fn words(change: &SessionChange) -> String {
    match change {
        SessionChange::Terminate { .. } => "terminating".to_owned(),
        SessionChange::Rename { name } => tr_sent!("renaming to {name}", name),
        SessionChange::Priority { priority } => {
            tr_sent!("changing its priority to {priority}", priority)
        }
        SessionChange::Commit { image_name } => format!("{} {image_name}", Session::COMMITTING),
    }
}

/// What failed, for a session of this name.
pub(super) fn failed(change: &SessionChange, name: &str) -> String {
    match change {
        SessionChange::Terminate { .. } => tr_sent!("{name} couldn't be terminated", name),
        SessionChange::Rename { name: new } => {
            tr_sent!("{name} couldn't be renamed to {new}", name, new)
        }
        SessionChange::Priority { .. } => {
            tr_sent!("the priority of {name} couldn't be changed", name)
        }
        SessionChange::Commit { image_name } => {
            tr_sent!(
                "the image {image_name} couldn't be created from {name}",
                image_name,
                name
            )
        }
    }
}

/// The detail of the audit entry.
fn detail(change: &SessionChange) -> String {
    match change {
        SessionChange::Terminate { force: true } => "force".to_owned(),
        SessionChange::Terminate { force: false } => String::new(),
        SessionChange::Rename { name } => name.clone(),
        SessionChange::Priority { priority } => priority.to_string(),
        SessionChange::Commit { image_name } => image_name.clone(),
    }
}

/// Whether a pending change makes a new one unnecessary.
const fn includes(pending: &SessionChange, new: &SessionChange) -> bool {
    match (pending, new) {
        (SessionChange::Terminate { force: kills }, SessionChange::Terminate { force }) => {
            *kills || !*force
        }
        _ => false,
    }
}
