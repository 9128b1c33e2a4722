//! Requests to change a session: rename, terminate, create an image. They are shown as pending
//! until the engine shows the result.

use jiff::Timestamp;

use super::{
    answers::vanished,
    core::Observer,
    deed::{Deed, Kind},
    fact::Got,
    order::{Errand, ErrandNumber},
    task::Purpose,
    turn::Turn,
};
use crate::{
    engine::manager::TaskProgress,
    model::{
        capability::Capability, failure::Failure, id::SessionId, name, notice::Level,
        session::SessionType, text::Clean,
    },
    state_machine::{Answer, Ticket},
};

impl Observer {
    pub(super) fn name_of(&self, id: SessionId) -> String {
        self.session(id)
            .map_or_else(|| id.short(), |session| session.name.to_string())
    }

    pub(super) fn of(&self, id: SessionId) -> impl Iterator<Item = &Deed> {
        self.deeds.values().filter(move |deed| deed.session == id)
    }

    /// The pending request to show: terminate, then rename, then change the priority, then create
    /// an image.
    pub(super) fn pending_of(&self, id: SessionId) -> Option<Clean> {
        let rank = |deed: &&Deed| match deed.kind {
            Kind::Terminate { .. } => 0,
            Kind::Rename { .. } => 1,
            Kind::Prioritize { .. } => 2,
            Kind::Commit { .. } => 3,
        };
        let deed = self.of(id).min_by_key(rank)?;
        Some(Clean::new(&deed.words()))
    }

    pub(super) fn is_terminating(&self, id: SessionId) -> bool {
        self.of(id)
            .any(|deed| matches!(deed.kind, Kind::Terminate { .. }))
    }

    pub(super) fn begin(
        &mut self,
        turn: &mut Turn,
        session: SessionId,
        ticket: Ticket,
        kind: Kind,
        what: Errand,
    ) {
        let errand = self.run(turn, what, Purpose::Deed);
        let deed = Deed {
            session,
            kind,
            tickets: vec![ticket],
            taken_at: None,
        };
        self.deeds.insert(errand, deed);
        self.retell(turn, session);
    }

    pub(super) fn terminate(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        force: bool,
    ) {
        if let Some(session) = self.session(id)
            && session.status.is_final()
        {
            let (name, status) = (&session.name, &session.status);
            let text = format!("session {name} has already ended ({status})");
            return turn.answer(ticket, Err(Failure::refused(text)));
        }
        let same = self.deeds.values_mut().find(|deed| {
            let strong = matches!(deed.kind, Kind::Terminate { force: f } if f || !force);
            deed.session == id && strong
        });
        match same {
            Some(deed) if deed.is_taken() => turn.answer(ticket, Ok(Answer::Done)),
            Some(deed) => deed.tickets.push(ticket),
            None => {
                let detail = if force { "force" } else { "" };
                self.audit(turn, now, "terminate", Some(id), detail);
                let (kind, what) = (
                    Kind::Terminate { force },
                    Errand::Terminate { session: id, force },
                );
                self.begin(turn, id, ticket, kind, what);
            }
        }
    }

    pub(super) fn rename(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        name: String,
    ) {
        match self.check_rename(id, &name) {
            Err(failure) => turn.answer(ticket, Err(failure)),
            Ok(false) => turn.answer(ticket, Ok(Answer::Done)),
            Ok(true) => {
                self.audit(turn, now, "rename", Some(id), &name);
                let kind = Kind::Rename { name: name.clone() };
                let what = Errand::Rename { session: id, name };
                self.begin(turn, id, ticket, kind, what);
            }
        }
    }

    /// Whether the name would change.
    fn check_rename(&self, id: SessionId, name: &str) -> Result<bool, Failure> {
        if let Some(failure) = self.lacks(Capability::Rename) {
            return Err(failure);
        }
        let other = self.of(id).find_map(|deed| match &deed.kind {
            Kind::Rename { name } => Some(name),
            _ => None,
        });
        if let Some(other) = other {
            let old = self.name_of(id);
            let text = format!("session {old} is already being renamed to {other}");
            return Err(Failure::refused(text));
        }
        let session = self.session(id);
        if session.is_some_and(|session| session.name == name) {
            return Ok(false);
        }
        name::check(name).map_err(|error| Failure::usage(error.to_string()))?;
        match session {
            Some(session) if !session.status.is_live() => Err(Failure::refused(format!(
                "session {} is {}: only running sessions can be renamed",
                session.name, session.status
            ))),
            _ => Ok(true),
        }
    }

    pub(super) fn commit(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        id: SessionId,
        image_name: String,
    ) {
        if let Some(failure) = self.check_commit(id) {
            return turn.answer(ticket, Err(failure));
        }
        self.audit(turn, now, "commit", Some(id), &image_name);
        let what = Errand::Commit {
            session: id,
            image_name: image_name.clone(),
        };
        let kind = Kind::Commit {
            image_name,
            progress: None,
        };
        self.begin(turn, id, ticket, kind, what);
    }

    fn check_commit(&self, id: SessionId) -> Option<Failure> {
        if let Some(failure) = self.lacks(Capability::Commit) {
            return Some(failure);
        }
        let making = |deed: &Deed| matches!(deed.kind, Kind::Commit { .. });
        if self.of(id).any(making) {
            let text = format!("an image of {} is already being created", self.name_of(id));
            return Some(Failure::refused(text));
        }
        let session = self.session(id)?;
        if session.session_type != SessionType::Interactive {
            let text = format!(
                "session {} is a batch session: images are created from interactive sessions only",
                session.name
            );
            return Some(Failure::refused(text));
        }
        (!session.status.is_live()).then(|| {
            Failure::refused(format!(
                "session {} is {}: images are created from running sessions only",
                session.name, session.status
            ))
        })
    }

    pub(super) fn progressed(
        &mut self,
        turn: &mut Turn,
        errand: ErrandNumber,
        news: &TaskProgress,
    ) {
        let Some(deed) = self.deeds.get_mut(&errand) else {
            return;
        };
        if let Kind::Commit { progress, .. } = &mut deed.kind {
            let text = if news.total > 0.0 {
                format!("{:.0}/{:.0} {}", news.done, news.total, news.message)
            } else {
                news.message.to_string()
            };
            *progress = Some(Clean::new(text.trim_end()));
        }
        let session = deed.session;
        for ticket in std::mem::take(&mut deed.tickets) {
            turn.answer(ticket, Ok(Answer::Done));
        }
        self.retell(turn, session);
    }

    /// The engine accepted or refused a request.
    pub(super) fn deed_done(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        errand: ErrandNumber,
        result: Result<Got, Failure>,
    ) {
        let Some(mut deed) = self.deeds.remove(&errand) else {
            return;
        };
        let (id, name) = (deed.session, self.name_of(deed.session));
        let tickets = std::mem::take(&mut deed.tickets);
        let answer = match &result {
            Ok(_) => Ok(Answer::Done),
            Err(failure) => Err(not_done(&deed, &name, failure)),
        };
        if let Kind::Commit { image_name, .. } = &deed.kind {
            match &answer {
                Ok(_) => {
                    let text = format!("the image {image_name} was created from {name}");
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
            deed.taken_at = Some(now);
            self.deeds.insert(errand, deed);
        }
        for ticket in tickets {
            turn.answer(ticket, answer.clone());
        }
        self.settle_deeds(id);
        self.retell(turn, id);
        // No event reports a new name, and a reading shows an end sooner.
        if self.is_connected() {
            self.hint(now, id);
        }
    }

    /// Removes pending requests whose result the row shows.
    pub(super) fn settle_deeds(&mut self, id: SessionId) {
        let Some(session) = self.rows.get(&id).map(|row| &row.shown) else {
            self.deeds
                .retain(|_, deed| deed.session != id || !deed.is_taken());
            return;
        };
        self.deeds
            .retain(|_, deed| deed.session != id || !deed.is_taken() || !deed.is_shown_by(session));
    }

    pub(super) fn drop_old_deeds(&mut self, turn: &mut Turn, now: Timestamp) {
        let old = |deed: &Deed| deed.expires_at().is_some_and(|at| at <= now);
        let over: Vec<SessionId> = self
            .deeds
            .values()
            .filter(|deed| old(deed))
            .map(|deed| deed.session)
            .collect();
        self.deeds.retain(|_, deed| !old(deed));
        for id in over {
            self.retell(turn, id);
        }
    }

    pub(super) fn take_back_deeds(&mut self, ticket: Ticket) {
        let begun = |deed: &Deed| deed.tickets == [ticket] && !deed.is_taken();
        let taken: Vec<(ErrandNumber, SessionId)> = self
            .deeds
            .iter()
            .filter(|(_, deed)| begun(deed))
            .map(|(errand, deed)| (*errand, deed.session))
            .collect();
        for (errand, id) in taken {
            self.deeds.remove(&errand);
            self.under_way.remove(&errand);
            let pending = self.pending_of(id);
            if let Some(row) = self.rows.get_mut(&id) {
                row.shown.pending_request = pending;
            }
        }
    }
}

fn not_done(deed: &Deed, name: &str, failure: &Failure) -> Failure {
    if failure.is_not_found() {
        return vanished(deed.session).hint(format!(
            "{name} ended or was deleted meanwhile. No action is necessary"
        ));
    }
    Failure {
        what: deed.failed(name).into(),
        why: Some(failure.message()),
        ..failure.clone()
    }
}
