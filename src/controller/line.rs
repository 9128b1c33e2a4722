//! The line to the engine: made, lost, made again with growing patience.

use jiff::{SignedDuration, Timestamp};

use super::{
    core::{Controller, Purpose},
    fact::{Fact, Fault, FaultKind, Survey, Ticket},
    order::{LineNumber, Order, SurveyNumber},
    turn::{Answer, Refusal, RefusalKind, Turn},
};
use crate::model::{
    capability::{EngineInfo, EngineState},
    change::Change,
    wellknown,
};

/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: u32 = 30;

#[derive(Debug)]
pub(super) struct Line {
    pub state: EngineState,
    pub number: LineNumber,
    pub attempt: u32,
    /// An attempt is under way.
    pub connecting: bool,
    pub retry_at: Option<Timestamp>,
    /// The turn in which the present line was ordered; what was touched since, its survey may not know.
    pub asked_in: u64,
    /// Once it stood in this daemon's life.
    pub stood: bool,
    pub lost_at: Option<Timestamp>,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            state: EngineState::Connecting,
            number: 0,
            attempt: 0,
            connecting: false,
            retry_at: None,
            asked_in: 0,
            stood: false,
            lost_at: None,
        }
    }
}

impl Controller {
    /// Deadlines that came; the very first one makes the line.
    pub(super) fn tick(&mut self, turn: &mut Turn, now: Timestamp) {
        let due = self.line.retry_at.is_some_and(|at| at <= now);
        let first = self.line.number == 0;
        if !self.line.connecting && (due || first) {
            self.connect(turn);
        }
        while let Some((at, id)) = self.deadlines.first().copied()
            && at <= now
        {
            self.deadlines.pop_first();
            self.look_after(turn, now, id);
        }
        for id in self.idle.due(now) {
            self.attend(turn, now, id);
        }
        self.pulls_due(turn, now);
        self.queue_due(turn, now);
    }

    fn connect(&mut self, turn: &mut Turn) {
        self.line.number += 1;
        self.line.connecting = true;
        self.line.retry_at = None;
        self.line.asked_in = self.turn_number;
        turn.orders.push(Order::Connect {
            line: self.line.number,
        });
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(self.line.state, EngineState::Connected { .. })
    }

    pub(super) fn engine_up(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        line: LineNumber,
        info: EngineInfo,
        survey: Survey,
    ) {
        if line != self.line.number {
            return;
        }
        let first = !self.line.stood;
        self.line.state = EngineState::Connected { info };
        self.line.connecting = false;
        self.line.attempt = 0;
        self.line.stood = true;
        self.tell_engine(turn);
        // Without the line nobody could use a session.
        self.idle.begin_anew(now);
        let asked_in = self.line.asked_in;
        self.take_survey(turn, now, survey, asked_in, true);
        self.resume_all(turn, now);
        if first {
            self.detach_leftovers(turn);
        }
        self.line.lost_at = None;
        turn.stirred = true;
    }

    /// The line is gone. What was being made ends in ERROR; everything else stays as it is.
    pub(super) fn lose_line(&mut self, turn: &mut Turn, now: Timestamp, fault: &Fault) {
        self.line.attempt = self.line.attempt.saturating_add(1);
        self.line.connecting = false;
        self.line.lost_at.get_or_insert(now);
        self.line.state = EngineState::Lost {
            why: fault.text.clone(),
            mend: fault.mend.clone(),
            attempt: self.line.attempt,
        };
        let doublings = self.line.attempt.saturating_sub(1).min(5);
        let pause = (1_u32 << doublings).min(LONGEST_PAUSE);
        self.line.retry_at = now
            .checked_add(SignedDuration::from_secs(i64::from(pause)))
            .ok();
        self.tell_engine(turn);
        self.drop_pulls(turn, fault);
        self.queue.look_at = None;
        // Nothing is outstanding any more for those who wait on the first line.
        for held in self.held.values_mut() {
            held.detaching = false;
        }
    }

    fn tell_engine(&self, turn: &mut Turn) {
        turn.changes.push(Change::Engine {
            context: self.context,
            engine: Box::new(self.line.state.clone()),
        });
    }

    /// The refusal of a request that needs the engine, when there is none.
    pub(super) fn unreachable(&self) -> Option<Refusal> {
        let help = "workbay tries again by itself; `workbay doctor` tells what is wrong";
        match &self.line.state {
            EngineState::Connected { .. } => None,
            // Requests wait until the first attempt is over; this is for what follows from facts.
            EngineState::Connecting => Some(
                Refusal::new(RefusalKind::Unreachable, "the engine has not answered yet")
                    .with_help(help),
            ),
            EngineState::Lost { why, mend, .. } => {
                let help = mend.as_ref().map_or(help, |mend| mend.as_str());
                Some(Refusal::new(RefusalKind::Unreachable, why.clone()).with_help(help))
            }
        }
    }

    pub(super) fn refresh(&mut self, turn: &mut Turn, now: Timestamp, ticket: Ticket) {
        if self.is_connected() {
            self.survey(turn, Purpose::Refresh(ticket), true);
            return;
        }
        // A person asks: the pause before the next attempt is over.
        if !self.line.connecting {
            self.line.retry_at = Some(now);
            self.tick(turn, now);
        }
        turn.answer(ticket, Ok(Answer::Done));
    }

    pub(super) fn surveyed(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        survey: SurveyNumber,
        result: Result<Survey, Fault>,
    ) {
        let Some(waiting) = self.surveys.remove(&survey) else {
            return;
        };
        let refusal = match result {
            Ok(survey) => {
                self.take_survey(turn, now, survey, waiting.asked_in, false);
                None
            }
            Err(fault) => {
                self.note_fault(turn, now, &fault);
                Some(refusal_of(&fault))
            }
        };
        match waiting.purpose {
            Purpose::Launch(ticket, launch) => match refusal {
                None => turn.follow.push(Fact::LaunchSurveyed { ticket, launch }),
                Some(refusal) => turn.answer(ticket, Err(refusal)),
            },
            Purpose::Refresh(ticket) => {
                turn.answer(ticket, refusal.map_or(Ok(Answer::Done), Err));
            }
            Purpose::Environments(ticket) => {
                let answer = Answer::Environments(self.environments.clone());
                turn.answer(ticket, refusal.map_or(Ok(answer), Err));
            }
            Purpose::Catalogue(ticket) => {
                let answer = match refusal {
                    Some(refusal) => Err(refusal),
                    None => Ok(Answer::Catalogue(Box::new(self.catalogue()))),
                };
                turn.answer(ticket, answer);
            }
            // Who waits is not left waiting because one look failed.
            Purpose::Queue => turn.stirred |= refusal.is_some(),
            Purpose::Reconcile => {}
        }
    }

    /// A fault that means the line is gone makes it so.
    pub(super) fn note_fault(&mut self, turn: &mut Turn, now: Timestamp, fault: &Fault) {
        if fault.is_lost() && self.is_connected() {
            self.lose_line(turn, now, fault);
        }
    }

    fn take_survey(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        survey: Survey,
        asked_in: u64,
        whole_line: bool,
    ) {
        self.others = survey.others;
        turn.stirred = true;
        if let Some(folders) = survey.folders {
            self.folders = folders;
        }
        let known = &self.settings.environments;
        if let Some(here) = survey.environments
            && let environments = wellknown::completed(here, known)
            && environments != self.environments
        {
            self.environments.clone_from(&environments);
            turn.changes.push(Change::Environments {
                context: self.context,
                environments,
            });
        }
        self.reconcile(turn, now, survey.seen, asked_in, whole_line);
    }

    /// At the start of a daemon: terminals of the one before are detached.
    fn detach_leftovers(&mut self, turn: &mut Turn) {
        for held in self.held.values_mut() {
            if held.record.session.status.is_live() {
                held.detaching = true;
                turn.orders.push(Order::DetachAll {
                    session: held.record.session.id,
                    epoch: held.epoch,
                });
            }
        }
    }
}

pub(super) fn refusal_of(fault: &Fault) -> Refusal {
    let kind = if fault.is_lost() {
        RefusalKind::Unreachable
    } else {
        RefusalKind::Refused
    };
    Refusal {
        kind,
        message: fault.text.clone(),
        help: fault.mend.clone(),
        field: match fault.kind {
            FaultKind::Field(field) => Some(field),
            _ => None,
        },
    }
}
