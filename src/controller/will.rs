//! Last wills: carried out before a session is asked to end, once, or once more when the daemon was
//! killed in the middle; never when it is ended by force.

use super::{core::Controller, held::Held, order::Will, turn::Turn};
use crate::model::{
    history::{HistoryEntry, Outcome},
    id::SessionId,
    notice::Level,
    record::{Step, Write},
    spec::Mounted,
    text::Clean,
};

/// A daemon that is killed in the middle begins it once more.
const TRIES: u32 = 2;

/// How a last will came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WillEnd {
    pub outcome: Outcome,
    /// Its last words, or why it failed.
    pub words: Clean,
}

/// The first step of an end that is asked for: the last will, where there is one.
pub(super) fn first_step(held: &Held, force: bool) -> Step {
    let wills = held.record.spec.last_will.is_some();
    let live = held.record.session.status.is_live();
    if wills && live && !force {
        Step::Will
    } else {
        Step::Stop
    }
}

/// What is to be carried out now.
pub(super) fn will(held: &Held) -> Option<Will> {
    let (session, spec) = (&held.record.session, &held.record.spec);
    let will = spec.last_will.clone()?;
    let in_it = |it: &&Mounted| will.folder.as_ref() == Some(&it.folder);
    let mounted = spec.mounts.iter().find(in_it);
    let file = format!("{}-{}", session.name, session.id.short());
    Some(Will {
        place: mounted.map(|it| format!("{}/{file}", it.target)),
        file,
        will,
    })
}

impl Controller {
    /// A will that was begun and never answered is begun once more, then given up.
    pub(super) fn begin_will(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(held) = self.change(turn, id) else {
            return;
        };
        if held.record.step != Step::Will || held.busy {
            return;
        }
        if held.record.will_tries < TRIES {
            held.record.will_tries += 1;
            let text = "terminating: its last will is running";
            held.record.session.pending_request = Some(Clean::new(text));
            return;
        }
        let words = Clean::new("interrupted twice");
        let outcome = Outcome::GiveUp;
        self.will_is_over(turn, id, &WillEnd { outcome, words });
    }

    /// It came out.
    pub(super) fn will_done(&mut self, turn: &mut Turn, id: SessionId, epoch: u32, end: &WillEnd) {
        let number = self.turn_number;
        let Some(held) = self.change(turn, id) else {
            return;
        };
        if !held.busy || held.epoch != epoch || held.record.step != Step::Will {
            return;
        }
        held.busy = false;
        held.touched = number;
        self.will_is_over(turn, id, end);
        self.issue(turn, id);
    }

    /// The session is asked to end now; what became of its will is in its history.
    pub(super) fn will_is_over(&mut self, turn: &mut Turn, id: SessionId, end: &WillEnd) {
        let now = turn.now();
        let Some(held) = self.change(turn, id) else {
            return;
        };
        held.record.step = Step::Stop;
        let session = &mut held.record.session;
        session.pending_request = Some(Clean::new("terminating"));
        session.last_will_end = Some((end.outcome.clone(), end.words.clone()));
        let (status, name) = (session.status.clone(), session.name.clone());
        turn.writes.push(Write::History(HistoryEntry {
            result: end.outcome.clone(),
            message: Some(end.words.clone()).filter(|words| !words.is_empty()),
            ..HistoryEntry::new(id, now, "last-will", Some(status.clone()), status)
        }));
        if !matches!(end.outcome, Outcome::Success | Outcome::Skipped) {
            let text = format!("the last will of {name} failed: {}", end.words);
            turn.message(Level::Warning, Some(id), text);
        }
    }
}
