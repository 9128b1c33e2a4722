//! The connection to the engine: connects, and retries with growing pauses.

use jiff::{SignedDuration, Timestamp};

use super::{
    core::Scheduler,
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

impl Scheduler {
    /// Handles deadlines. The very first one connects to the engine.
    pub(super) fn tick(&mut self, turn: &mut Turn, now: Timestamp) {
        let due = self.connection.retry_at.is_some_and(|at| at <= now);
        let first = self.connection.number == 0;
        if !self.connection.connecting && (due || first) {
            self.connect(turn);
        }
        while let Some((at, id)) = self.deadlines.first().copied()
            && at <= now
        {
            self.deadlines.pop_first();
            self.session_due(turn, now, id);
        }
        for id in self.idle.due(now) {
            self.check_idle(turn, now, id);
        }
        self.pulls_due(turn, now);
        self.queue_due(turn, now);
    }

    fn connect(&mut self, turn: &mut Turn) {
        self.connection.number += 1;
        self.connection.connecting = true;
        self.connection.retry_at = None;
        self.connection.asked_in = self.turn_number;
        turn.orders.push(Order::Connect {
            connection: self.connection.number,
        });
    }

    pub(super) fn is_connected(&self) -> bool {
        matches!(self.connection.state, EngineState::Connected { .. })
    }

    pub(super) fn engine_up(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
        info: EngineInfo,
        survey: Survey,
    ) {
        if connection != self.connection.number {
            return;
        }
        let first = !self.connection.was_connected;
        self.connection.state = EngineState::Connected { info };
        self.connection.connecting = false;
        self.connection.attempt = 0;
        self.connection.was_connected = true;
        self.report_engine(turn);
        // Without a connection, sessions couldn't be used.
        self.idle.restart(now);
        let asked_in = self.connection.asked_in;
        self.take_survey(turn, now, survey, asked_in, true);
        self.resume_all(turn, now);
        if first {
            self.report_lost_commits(turn);
            self.detach_leftovers(turn);
        }
        self.connection.lost_at = None;
        turn.stirred = true;
    }

    /// Handles a lost connection. Sessions that were being created end in ERROR. All others stay as
    /// they are.
    pub(super) fn disconnect(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        self.connection.attempt = self.connection.attempt.saturating_add(1);
        self.connection.connecting = false;
        self.connection.lost_at.get_or_insert(now);
        self.connection.state = EngineState::Lost {
            why: failure.message().clone(),
            hint: failure.hint.clone(),
            attempt: self.connection.attempt,
            needs_code: false,
        };
        let doublings = self.connection.attempt.saturating_sub(1).min(5);
        let pause = (1_u32 << doublings).min(LONGEST_PAUSE);
        self.connection.retry_at = now
            .checked_add(SignedDuration::from_secs(i64::from(pause)))
            .ok();
        self.report_engine(turn);
        self.drop_pulls(turn, failure);
        self.queue.look_at = None;
        // Without a connection there is nothing to detach, so terminals don't wait for it any
        // longer.
        for tracked in self.tracked.values_mut() {
            tracked.detaching = false;
        }
    }

    /// Records what is known about the network. It changes when the first session is attached to
    /// it.
    pub(super) fn take_network(&mut self, turn: &mut Turn, lacks: Vec<(Capability, Clean)>) {
        if let EngineState::Connected { info } = &mut self.connection.state
            && info.capabilities.take_network(lacks)
        {
            self.report_engine(turn);
        }
    }

    fn report_engine(&self, turn: &mut Turn) {
        turn.changes.push(Change::Engine {
            context: self.context,
            engine: Box::new(self.connection.state.clone()),
        });
    }

    /// The failure of a request that needs the engine while it isn't connected.
    pub(super) fn unreachable(&self) -> Option<Failure> {
        let help = tr_sent!("workbay retries automatically. Run `workbay doctor` for the cause");
        match &self.connection.state {
            EngineState::Connected { .. } => None,
            // Requests wait for the first attempt. This covers consequences of other events.
            EngineState::Connecting => {
                Some(Failure::lost(tr_sent!("the engine hasn't answered yet")).hint(help))
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
        if !self.connection.connecting {
            self.connection.retry_at = Some(now);
            self.tick(turn, now);
        }
        turn.answer(ticket, Ok(Answer::Done));
    }

    /// A failure that means a lost connection disconnects.
    pub(super) fn note_failure(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        if failure.is_lost() && self.is_connected() {
            self.disconnect(turn, now, failure);
        }
    }

    /// When the daemon starts, it detaches the terminals of the previous one.
    fn detach_leftovers(&mut self, turn: &mut Turn) {
        for tracked in self.tracked.values_mut() {
            if tracked.record.session.status.is_live() {
                tracked.detaching = true;
                turn.orders.push(Order::DetachAll {
                    session: tracked.record.session.id,
                    epoch: tracked.epoch,
                });
            }
        }
    }
}
