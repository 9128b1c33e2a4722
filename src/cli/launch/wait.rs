//! `launch --wait`: until every session runs, or it is known that it will not.

use std::collections::BTreeMap;

use super::super::{
    args::Manner,
    fail::{Fail, code},
    line::{self, Line},
    output,
    progress::Progress,
};
use crate::model::{
    change::Change,
    id::SessionKey,
    session::{Session, SessionType},
    span::Span,
    status::Status,
    text::Clean,
};

/// The sessions as they are when waited for, or as they were made where nobody waits.
pub async fn out(
    line: &mut Line,
    made: Vec<Session>,
    manner: &Manner,
) -> Result<Vec<Session>, Fail> {
    if !manner.wait {
        return Ok(made);
    }
    let what = match made.as_slice() {
        [one] => format!("the launch of {}", one.name),
        many => format!("the launch of {} sessions", many.len()),
    };
    let seconds = manner.wait_timeout.map(Span::seconds);
    line::within(seconds, &what, settled(line, made)).await
}

async fn settled(line: &mut Line, made: Vec<Session>) -> Result<Vec<Session>, Fail> {
    let snapshot = line.subscribe().await?;
    let mut watch = Watch::new(made);
    for session in snapshot.sessions {
        watch.look(session);
    }
    let mut seen = snapshot.seq;
    while !watch.is_over() {
        let (seq, change) = line.next_change(seen).await?;
        seen = seq;
        match change {
            Change::Session { session } => watch.look(*session),
            Change::Gone { session } if watch.is_awaited(session) => {
                let why = "the session was deleted meanwhile";
                return Err(Fail::new(code::NOT_FOUND, why));
            }
            _ => {}
        }
    }
    Ok(watch.sessions)
}

/// What is waited for, in the order it was made.
struct Watch {
    sessions: Vec<Session>,
    progress: Progress,
    /// The reason for waiting that was told last.
    told: BTreeMap<SessionKey, Clean>,
}

impl Watch {
    fn new(sessions: Vec<Session>) -> Self {
        Self {
            sessions,
            progress: Progress::new(),
            told: BTreeMap::new(),
        }
    }

    /// One that is settled stays as it was when it became so.
    fn look(&mut self, session: Session) {
        let key = session.key();
        let place = self.sessions.iter_mut().find(|known| known.key() == key);
        if let Some(place) = place.filter(|known| !is_settled(known)) {
            match &session.pull {
                Some(pull) => {
                    let who = format!("workbay: {} is {}", session.name, session.status);
                    self.progress.pull(&who, pull);
                }
                None => self.progress.clear(),
            }
            tell_why(&session, &mut self.told);
            *place = session;
        }
    }

    fn is_awaited(&self, key: SessionKey) -> bool {
        let mut open = self.sessions.iter().filter(|session| !is_settled(session));
        open.any(|session| session.key() == key)
    }

    fn is_over(&self) -> bool {
        self.sessions.iter().all(is_settled)
    }
}

/// Says why it still waits, once for each reason.
fn tell_why(session: &Session, told: &mut BTreeMap<SessionKey, Clean>) {
    let Some(why) = &session.status_message else {
        return;
    };
    if is_settled(session) || told.get(&session.key()) == Some(why) {
        return;
    }
    output::remark(&format!(
        "workbay: {} is {}: {why}",
        session.name, session.status
    ));
    told.insert(session.key(), why.clone());
}

/// It runs, or it is known that it will not.
fn is_settled(session: &Session) -> bool {
    !session.status.is_starting()
}

/// A batch command may have ended well before anybody looked; how it ended is another question.
pub fn has_begun(session: &Session) -> bool {
    let ran = session.session_type == SessionType::Batch && session.started_at.is_some();
    ran || session.status == Status::Running
}

pub fn not_running(session: &Session) -> Fail {
    let (name, status) = (&session.name, &session.status);
    let fail = Fail::new(code::FAILED, format!("session {name} is {status}"));
    match session
        .status_message
        .as_ref()
        .or(session.status_info.as_ref())
    {
        Some(why) => fail.help(why.clone()),
        None => fail,
    }
}
