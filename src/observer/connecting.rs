//! The connection to the engine and its events: connects, and retries with growing pauses.

use jiff::{SignedDuration, Timestamp};

use super::{
    connection_state::EventStream,
    core::Observer,
    fact::{Fact, ObserverRequest},
    order::{ConnectionNumber, Order},
    sweep::Extent,
    turn::Turn,
};
use crate::{
    model::{
        capability::{Capability, EngineInfo, EngineState},
        change::Change,
        failure::{Failure, FailureKind},
        id::ContextName,
        one_time_code::OneTimeCode,
        request::ContextRequest,
    },
    state_machine::{Answer, Ticket},
};

/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: u32 = 30;
/// The pause before an automatic retry after a refused login, because each attempt may be a login.
const DENIED_PAUSE: SignedDuration = SignedDuration::from_mins(5);
/// The shortest pause between logins, however often the user asks.
const DENIED_GAP: SignedDuration = SignedDuration::from_secs(10);
/// After events have arrived for this long, the next pause is short again.
const HELD: SignedDuration = SignedDuration::from_secs(30);
/// The pause before the list is read again after events began, because changes in between may have
/// been missed.
pub(super) const AFTER_LISTENING: SignedDuration = SignedDuration::from_secs(3);
/// How many requests may wait for the first connection.
const EARLY: usize = 256;

impl Observer {
    pub(super) fn is_connected(&self) -> bool {
        matches!(self.connection.state, EngineState::Connected { .. })
    }

    /// Whether the engine reports events.
    pub(super) fn has_events(&self) -> bool {
        self.connection.events == EventStream::Open
    }

    /// The number of the current attempt to connect.
    pub fn connection(&self) -> ConnectionNumber {
        self.connection.number
    }

    /// Why the engine doesn't support the capability, if it doesn't.
    pub(super) fn lacks(&self, capability: Capability) -> Option<Failure> {
        let info = self.connection.info.as_ref()?;
        let why = info.capabilities.why_not(capability)?;
        Some(Failure::refused(why.clone()))
    }

    pub(super) fn connect(&mut self, turn: &mut Turn, now: Timestamp) {
        self.connect_with(turn, now, None);
    }

    fn connect_with(&mut self, turn: &mut Turn, now: Timestamp, code: Option<OneTimeCode>) {
        self.connection.number += 1;
        self.connection.connecting = true;
        self.connection.retry_at = None;
        self.connection.tried_at = Some(now);
        turn.orders.push(Order::Connect {
            connection: self.connection.number,
            new_login: self.connection.denied,
            code,
        });
    }

    /// Handles deadlines of the connection. The very first tick connects.
    pub(super) fn connection_due(&mut self, turn: &mut Turn, now: Timestamp) {
        let first = self.connection.number == 0;
        let due = self.connection.retry_at.is_some_and(|at| at <= now) && self.is_attended(now);
        if !self.connection.connecting && (first || due) {
            self.connect(turn, now);
        }
        let listen = self.connection.listen_at.is_some_and(|at| at <= now);
        if listen && self.watched {
            self.listen(turn);
        }
    }

    pub(super) fn connected(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
        info: EngineInfo,
    ) {
        if connection != self.connection.number || !self.connection.connecting {
            return;
        }
        let user = |info: &EngineInfo| info.user.as_ref().map(|user| user.email.clone());
        let before = self.connection.info.as_ref().map(user);
        if before.is_some_and(|before| before != user(&info)) {
            self.forget_all(turn);
        }
        self.connection.connecting = false;
        self.connection.awaited = false;
        self.connection.denied = false;
        self.connection.attempt = 0;
        self.connection.events = EventStream::Closed;
        self.connection.event_attempts = 0;
        self.connection.info = Some(info.clone());
        self.set_state(turn, EngineState::Connected { info });
        if self.watched {
            self.listen(turn);
        }
        self.read_environments(turn, now);
        self.read_all(turn, now, Extent::Everything);
        self.follow_early(turn);
    }

    pub(super) fn connection_failed(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
        failure: &Failure,
    ) {
        if connection == self.connection.number
            && (self.connection.connecting || self.is_connected())
        {
            self.disconnect(turn, now, failure);
        }
    }

    /// The connection is lost: sessions stay as they were, and requests that wait for a reading are
    /// answered.
    pub(super) fn disconnect(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        self.connection.attempt = self.connection.attempt.saturating_add(1);
        self.connection.connecting = false;
        self.connection.awaited = false;
        self.connection.denied = failure.is_denied();
        let needs_code = failure.kind == FailureKind::NeedsCode;
        let pause = if self.connection.denied {
            DENIED_PAUSE
        } else {
            pause(self.context, self.connection.attempt)
        };
        // Without a one-time password, the next attempt would fail as well.
        let retry_at = now.checked_add(pause).ok().filter(|_| !needs_code);
        self.connection.retry_at = retry_at;
        self.close_events(turn);
        let state = EngineState::Lost {
            why: failure.message().clone(),
            hint: failure.hint.clone(),
            attempt: self.connection.attempt,
            needs_code,
        };
        self.set_state(turn, state);
        self.drop_reading(turn, now, failure);
        self.counted = None;
        self.report_statistics(turn, None);
        for (ticket, _) in std::mem::take(&mut self.connection.early) {
            turn.answer(ticket, Err(self.disconnected_failure()));
        }
    }

    fn set_state(&mut self, turn: &mut Turn, state: EngineState) {
        self.connection.state = state.clone();
        turn.changes.push(Change::Engine {
            context: self.context,
            engine: Box::new(state),
        });
    }

    /// Handles the requests that came too early.
    fn follow_early(&mut self, turn: &mut Turn) {
        let early = self.connection.early.drain(..);
        turn.follow
            .extend(early.map(|(ticket, ask)| Fact::Asked { ticket, ask }));
    }

    /// Handles a request that needs the engine: returns it if it can be handled now.
    pub(super) fn admit(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        ask: ObserverRequest,
    ) -> Option<ObserverRequest> {
        if self.is_connected() {
            return Some(ask);
        }
        match &ask {
            ObserverRequest::Context(ContextRequest::Refresh) => self.try_now(turn, now),
            ObserverRequest::Context(ContextRequest::LogIn { code }) => {
                self.log_in(turn, now, ticket, code);
                return None;
            }
            ObserverRequest::RefreshOrRetry => {
                self.try_now(turn, now);
                turn.answer(ticket, Ok(Answer::Done));
                return None;
            }
            _ => {}
        }
        // No client watched for a while, so there were no attempts. Now there is a request.
        if !self.connection.connecting && self.connection.retry_at.is_some_and(|at| at <= now) {
            self.connect(turn, now);
            self.connection.awaited = true;
        }
        let first = matches!(self.connection.state, EngineState::Connecting);
        let waits = first || (self.connection.connecting && self.connection.awaited);
        if waits && self.connection.early.len() < EARLY {
            self.connection.early.push((ticket, ask));
        } else {
            turn.answer(ticket, Err(self.disconnected_failure()));
        }
        None
    }

    /// Connects with a one-time password. The request waits for the outcome.
    fn log_in(&mut self, turn: &mut Turn, now: Timestamp, ticket: Ticket, code: &OneTimeCode) {
        if !self.connection.state.needs_code() || self.connection.connecting {
            let failure = Failure::refused(tr_sent!(
                "the login of context '{context}' doesn't wait for a one-time password",
                context = self.context
            ))
            .hint(tr_sent!("run `workbay context ls` for its state"));
            return turn.answer(ticket, Err(failure));
        }
        self.connect_with(turn, now, Some(code.clone()));
        self.connection.awaited = true;
        let ask = ObserverRequest::Context(ContextRequest::LogIn { code: code.clone() });
        self.connection.early.push((ticket, ask));
    }

    /// A request of the user ends the pause before the next attempt.
    fn try_now(&mut self, turn: &mut Turn, now: Timestamp) {
        let soon = |at: Timestamp| now.duration_since(at) < DENIED_GAP;
        let hammering = self.connection.denied && self.connection.tried_at.is_some_and(soon);
        if hammering {
            return;
        }
        if !self.connection.connecting {
            self.connect(turn, now);
        }
        self.connection.awaited = true;
    }

    fn disconnected_failure(&self) -> Failure {
        let help = tr_sent!("workbay retries automatically. Run `workbay doctor` for the cause");
        match &self.connection.state {
            EngineState::Lost {
                why,
                hint,
                needs_code,
                ..
            } => {
                let kind = match self.connection.denied {
                    true if *needs_code => FailureKind::NeedsCode,
                    true => FailureKind::Denied,
                    false => FailureKind::Unreachable,
                };
                let help = hint.as_ref().map_or(help, |hint| hint.as_str());
                Failure::new(kind, why.clone()).hint(help)
            }
            _ => Failure::lost(tr_sent!("the engine hasn't answered yet")).hint(help),
        }
    }

    /// A failure that means a lost connection disconnects.
    pub(super) fn note_failure(&mut self, turn: &mut Turn, now: Timestamp, failure: &Failure) {
        if (failure.is_lost() || failure.is_denied()) && self.is_connected() {
            self.disconnect(turn, now, failure);
        }
    }

    pub(super) fn listen(&mut self, turn: &mut Turn) {
        self.connection.listen_at = None;
        if self.is_connected() && self.connection.events == EventStream::Closed {
            self.connection.events = EventStream::Opening;
            let connection = self.connection.number;
            turn.orders.push(Order::Listen { connection });
        }
    }

    pub(super) fn close_events(&mut self, turn: &mut Turn) {
        self.connection.listen_at = None;
        if matches!(
            self.connection.events,
            EventStream::Open | EventStream::Opening
        ) {
            turn.orders.push(Order::Rest);
        }
        if self.connection.events != EventStream::None {
            self.connection.events = EventStream::Closed;
        }
    }

    pub(super) fn listening(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
    ) {
        if connection != self.connection.number || self.connection.events != EventStream::Opening {
            return;
        }
        let again = self.connection.event_attempts > 0;
        self.connection.events = EventStream::Open;
        self.connection.listening_since = Some(now);
        if again {
            self.read_all(turn, now, Extent::Everything);
        } else {
            self.times.wide_reading = None;
            self.read_soon(now, AFTER_LISTENING);
        }
    }

    pub(super) fn events_ended(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        connection: ConnectionNumber,
        failure: Option<&Failure>,
    ) {
        if connection != self.connection.number
            || !matches!(
                self.connection.events,
                EventStream::Open | EventStream::Opening
            )
        {
            return;
        }
        let held = self.connection.listening_since.take();
        let well = held.is_some_and(|since| now.duration_since(since) >= HELD);
        self.connection.event_attempts = if well {
            1
        } else {
            self.connection.event_attempts + 1
        };
        self.connection.events = EventStream::Closed;
        self.read_soon(now, self.refresh);
        let Some(failure) = failure else {
            self.connection.events = EventStream::None;
            return;
        };
        self.connection.listen_at = now
            .checked_add(pause(self.context, self.connection.event_attempts))
            .ok();
        self.note_failure(turn, now, failure);
    }
}

/// 1, 2, 4 … 30 seconds and up to a quarter more, so that clients of the same engine don't all
/// reconnect at once.
fn pause(context: ContextName, attempt: u32) -> SignedDuration {
    let doublings = attempt.saturating_sub(1).min(5);
    let seconds = (1_u32 << doublings).min(LONGEST_PAUSE);
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let named = context.as_str().bytes().fold(2_166_136_261, mix);
    let more = attempt.to_le_bytes().into_iter().fold(named, mix) % 250;
    SignedDuration::from_millis(i64::from(seconds) * i64::from(1000 + more))
}
