//! The connection to the engine: connects, and retries with growing pauses.

use jiff::{SignedDuration, Timestamp};

use super::{
    core::Controller,
    fact::Survey,
    order::{ConnectionNumber, Order},
    purpose::OrderPurpose,
    turn::Turn,
};
use crate::{
    model::{
        capability::{Capability, EngineInfo, EngineState},
        change::Change,
        failure::Failure,
        text::Clean,
    },
    state_machine::{Answer, Ticket},
};

/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: u32 = 30;

impl Controller {
    /// Handles deadlines. The very first one connects to the engine.
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
            connection: self.line.number,
        });
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(self.line.state, EngineState::Connected { .. })
    }

    pub(super) fn engine_up(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
        info: EngineInfo,
        survey: Survey,
    ) {
        if connection != self.line.number {
            return;
        }
        let first = !self.line.stood;
        self.line.state = EngineState::Connected { info };
        self.line.connecting = false;
        self.line.attempt = 0;
        self.line.stood = true;
        self.report_engine(turn);
        // Without a connection, sessions couldn't be used.
        self.idle.restart(now);
        let asked_in = self.line.asked_in;
        self.take_survey(turn, now, survey, asked_in, true);
        self.resume_all(turn, now);
        if first {
            self.report_lost_commits(turn);
            self.detach_leftovers(turn);
        }
        self.line.lost_at = None;
        turn.stirred = true;
    }

    /// Handles a lost connection. Sessions that were being created end in ERROR. All others stay as
    /// they are.
    pub(super) fn lose_line(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        self.line.attempt = self.line.attempt.saturating_add(1);
        self.line.connecting = false;
        self.line.lost_at.get_or_insert(now);
        self.line.state = EngineState::Lost {
            why: failure.message().clone(),
            hint: failure.hint.clone(),
            attempt: self.line.attempt,
        };
        let doublings = self.line.attempt.saturating_sub(1).min(5);
        let pause = (1_u32 << doublings).min(LONGEST_PAUSE);
        self.line.retry_at = now
            .checked_add(SignedDuration::from_secs(i64::from(pause)))
            .ok();
        self.report_engine(turn);
        self.drop_pulls(turn, failure);
        self.queue.look_at = None;
        // Without a connection there is nothing to detach, so terminals don't wait for it any
        // longer.
        for held in self.held.values_mut() {
            held.detaching = false;
        }
    }

    /// Records what is known about the network. It changes when the first session is attached to
    /// it.
    pub(super) fn take_network(&mut self, turn: &mut Turn, lacks: Vec<(Capability, Clean)>) {
        if let EngineState::Connected { info } = &mut self.line.state
            && info.capabilities.take_network(lacks)
        {
            self.report_engine(turn);
        }
    }

    fn report_engine(&self, turn: &mut Turn) {
        turn.changes.push(Change::Engine {
            context: self.context,
            engine: Box::new(self.line.state.clone()),
        });
    }

    /// The failure of a request that needs the engine while it isn't connected.
    pub(super) fn unreachable(&self) -> Option<Failure> {
        let help = "workbay retries automatically. Run `workbay doctor` for the cause";
        match &self.line.state {
            EngineState::Connected { .. } => None,
            // Requests wait for the first attempt. This covers consequences of other events.
            EngineState::Connecting => {
                Some(Failure::lost("the engine hasn't answered yet").hint(help))
            }
            EngineState::Lost { why, hint, .. } => {
                let help = hint.as_ref().map_or(help, |hint| hint.as_str());
                Some(Failure::lost(why.clone()).hint(help))
            }
        }
    }

    pub(super) fn refresh(&mut self, turn: &mut Turn, now: Timestamp, ticket: Ticket) {
        if self.is_connected() {
            self.survey(turn, OrderPurpose::Refresh(ticket), true);
            return;
        }
        // A request of the user ends the pause before the next attempt.
        if !self.line.connecting {
            self.line.retry_at = Some(now);
            self.tick(turn, now);
        }
        turn.answer(ticket, Ok(Answer::Done));
    }

    /// A failure that means a lost connection disconnects.
    pub(super) fn note_failure(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        if failure.is_lost() && self.is_connected() {
            self.lose_line(turn, now, failure);
        }
    }

    /// When the daemon starts, it detaches the terminals of the previous one.
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
