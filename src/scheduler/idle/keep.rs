//! Extends idle checks or switches them off or on, at the user's request and within the rules.

use jiff::Timestamp;

use crate::{
    model::{
        failure::Failure,
        history::HistoryEntry,
        id::SessionId,
        idle::{ActivityKind, IdleState, Keep, Reprieve},
        record::Write,
        session::Session,
        text::Clean,
    },
    rules::reclaim::nearest,
    scheduler::{core::Scheduler, tracked_session::TrackedSession, turn::Turn},
    state_machine::Answer,
};

/// An accepted request.
struct Grant {
    /// The name in the audit trail.
    action: &'static str,
    reprieve: Reprieve,
    /// The text for the history.
    text: String,
}

impl Scheduler {
    /// Applies the request and returns the session.
    pub(in crate::scheduler) fn keep(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        keep: Keep,
    ) -> Result<Answer, Failure> {
        turn.refusable = true;
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        if !tracked.is_checked() {
            return Err(Failure::refused(tr_sent!(
                "session {name} is {status}: only running sessions have idle checks",
                name = session.name,
                status = session.status
            )));
        }
        let grant = match keep {
            Keep::Extend => Some(self.extended(session, now)?),
            Keep::Exempt => self.exempted(session)?,
            Keep::Include => included(session),
        };
        if let Some(grant) = grant {
            self.grant(turn, now, id, &grant, keep);
            self.check_idle(turn, now, id);
        }
        let session = self.find(id)?.record.session.clone();
        Ok(Answer::Session(Box::new(session)))
    }

    fn grant(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId, grant: &Grant, keep: Keep) {
        Self::audit(turn, now, grant.action, Some(id), &grant.text);
        let Some(TrackedSession { record, .. }) = self.change(turn, id) else {
            return;
        };
        let session = &mut record.session;
        session.reprieve = grant.reprieve;
        turn.writes.push(Write::History(HistoryEntry {
            message: Some(Clean::new(&grant.text)),
            ..HistoryEntry::new(
                id,
                now,
                "reprieve",
                Some(session.status.clone()),
                session.status.clone(),
            )
        }));
        let Some(clock) = self.idle.clocks.get_mut(&id) else {
            return;
        };
        // The result of a request is shown at once, however recently the checks were reported.
        clock.reported_at = None;
        match keep {
            Keep::Extend => {
                clock.activity.at = now;
                clock.activity.kind = ActivityKind::Extended;
            }
            Keep::Include => clock.included_at = Some(now),
            Keep::Exempt => {}
        }
    }

    /// Grants another extension if the rules allow one. It counts from the end that is due, or from
    /// now if that has passed.
    fn extended(&self, session: &Session, now: Timestamp) -> Result<Grant, Failure> {
        let (rules, name) = (&self.settings.resources.reprieve, &session.name);
        let mut reprieve = session.reprieve;
        if rules.extensions == 0 {
            return Err(self.is_off(
                tr_sent!("{name} can't be extended: extensions are off", name),
                tr_sent!("Set `extensions` and `extend-by`"),
            ));
        }
        if reprieve.extended >= rules.extensions {
            return Err(self.not_allowed(tr_sent!(
                "{name} was already extended {times}",
                name,
                times = times(reprieve.extended)
            )));
        }
        let checks = &session.idle_checks;
        let over = checks.iter().any(|check| check.state == IdleState::Over);
        let due = nearest(checks).map(|(_, until)| until.max(now));
        let Some(due) = due.or(over.then_some(now)) else {
            return Err(Failure::refused(tr_sent!(
                "{name} can't be extended: no idle check will reclaim it",
                name
            )));
        };
        let until = due.checked_add(rules.extend_by.duration());
        reprieve.until = reprieve.until.max(until.ok());
        reprieve.extended += 1;
        let text = tr_sent!(
            "extended by {extend_by} ({extended} of {extensions})",
            extend_by = rules.extend_by,
            extended = reprieve.extended,
            extensions = rules.extensions
        );
        Ok(Grant {
            action: "extend",
            reprieve,
            text,
        })
    }

    /// `None` if the session is exempt already.
    fn exempted(&self, session: &Session) -> Result<Option<Grant>, Failure> {
        if session.reprieve.exempt {
            return Ok(None);
        }
        if !self.settings.resources.reprieve.exempt {
            let name = &session.name;
            return Err(self.is_off(
                tr_sent!("{name} can't be exempted: exemptions are off", name),
                tr_sent!("Set `exempt`"),
            ));
        }
        Ok(Some(Grant {
            action: "exempt",
            reprieve: Reprieve {
                exempt: true,
                ..session.reprieve
            },
            text: tr_sent!("exempt from idle checks").to_owned(),
        }))
    }

    /// The rules don't allow this at all. `set` names the settings that would.
    fn is_off(&self, message: String, set: &str) -> Failure {
        Failure::refused(message).hint(match &self.settings.resources.reprieve.contact {
            Some(contact) => tr_sent!("ask {contact}", contact),
            None => tr_sent!(
                "{set} in [idle] of resources.toml, then run `workbay daemon stop`",
                set
            ),
        })
    }

    fn not_allowed(&self, message: String) -> Failure {
        let rules = &self.settings.resources.reprieve;
        let (often, by) = (times(rules.extensions), rules.extend_by);
        let allowed = match (rules.extensions > 0, rules.exempt) {
            (true, true) => tr_sent!("extend {often} by {by}, exempting", often, by),
            (true, false) => tr_sent!("extend {often} by {by}", often, by),
            (false, true) => tr_sent!("exempting").to_owned(),
            (false, false) => String::new(),
        };
        Failure::refused(message).hint(match &rules.contact {
            Some(contact) => tr_sent!(
                "allowed: {allowed}; ask {contact} for more",
                allowed,
                contact
            ),
            None => tr_sent!(
                "allowed: {allowed}; the rules are in [idle] of resources.toml",
                allowed
            ),
        })
    }
}

fn included(session: &Session) -> Option<Grant> {
    session.reprieve.exempt.then(|| Grant {
        action: "include",
        reprieve: Reprieve {
            exempt: false,
            ..session.reprieve
        },
        text: tr_sent!("idle checks apply again").to_owned(),
    })
}

fn times(count: u32) -> String {
    match count {
        1 => tr_sent!("once").to_owned(),
        2 => tr_sent!("twice").to_owned(),
        count => tr_sent!("{count} times", count),
    }
}
