//! What the daemon told: the face's copy of its state. Never edited by hand; only snapshots and
//! notices change it.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{
    model::{
        capability::{Capability, EngineInfo, EngineState},
        change::Change,
        environment::Environment,
        id::{ContextName, SessionKey},
        session::Session,
        status::Tab,
        text::Clean,
        usage::Usage,
    },
    protocol::message::{ContextState, Failure, Snapshot},
};

/// The line to the daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Nothing was heard yet.
    Connecting,
    Up,
    /// It went away; `run` tries again by itself.
    Down {
        why: Clean,
        attempt: u32,
        since: Timestamp,
    },
    /// It will not come up without a person.
    Refused(Failure),
}

/// What a change touched; tells the list what it must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Sessions came, went or changed.
    Sessions,
    Usage,
    Other,
}

#[derive(Clone, Debug)]
pub struct Mirror {
    line: Line,
    sessions: HashMap<SessionKey, Session>,
    usage: HashMap<SessionKey, Usage>,
    counts: [usize; 3],
    contexts: Vec<ContextState>,
    /// Since when the first engine does not answer.
    lost_since: Option<Timestamp>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            line: Line::Connecting,
            sessions: HashMap::new(),
            usage: HashMap::new(),
            counts: [0; 3],
            contexts: Vec::new(),
            lost_since: None,
        }
    }
}

impl Mirror {
    pub fn line(&self) -> &Line {
        &self.line
    }

    pub fn is_up(&self) -> bool {
        self.line == Line::Up
    }

    pub fn session(&self, id: SessionKey) -> Option<&Session> {
        self.sessions.get(&id)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values()
    }

    pub fn usage(&self, id: SessionKey) -> Option<&Usage> {
        self.usage.get(&id)
    }

    /// How many sessions a tab has.
    pub fn count(&self, tab: Tab) -> usize {
        self.counts[tab as usize]
    }

    pub fn environments(&self) -> &[Environment] {
        self.contexts
            .first()
            .map_or(&[], |context| &context.environments)
    }

    /// The engine the page shows: the first one.
    pub fn engine(&self) -> Option<(&ContextName, &EngineState)> {
        self.contexts
            .first()
            .map(|state| (&state.context.name, &state.engine))
    }

    pub fn engine_info(&self) -> Option<&EngineInfo> {
        match self.engine()? {
            (_, EngineState::Connected { info }) => Some(info),
            _ => None,
        }
    }

    /// Since when what the page shows may be old: the daemon or the engine is away.
    pub fn stale_since(&self) -> Option<Timestamp> {
        match &self.line {
            Line::Down { since, .. } => Some(*since),
            _ => self.lost_since,
        }
    }

    /// Why the engine cannot do it; `None` = it can, or has not said.
    pub fn why_not(&self, capability: Capability) -> Option<&Clean> {
        self.engine_info()?.capabilities.why_not(capability)
    }

    /// The whole state anew.
    pub fn replace(&mut self, snapshot: Snapshot, now: Timestamp) {
        self.line = Line::Up;
        self.counts = [0; 3];
        for session in &snapshot.sessions {
            self.counts[session.tab() as usize] += 1;
        }
        self.sessions = snapshot
            .sessions
            .into_iter()
            .map(|session| (session.key(), session))
            .collect();
        self.usage.retain(|id, _| self.sessions.contains_key(id));
        self.contexts = snapshot.contexts;
        self.note_engine(now);
    }

    pub fn apply(&mut self, change: Change, now: Timestamp) -> Touched {
        match change {
            Change::Session { session } => self.put(*session),
            Change::Gone { session } => self.remove(session),
            Change::Engine { context, engine } => {
                if let Some(state) = self.context_mut(context) {
                    state.engine = engine;
                }
                self.note_engine(now);
                return Touched::Other;
            }
            Change::Environments {
                context,
                environments,
            } => {
                self.set_environments(context, environments);
                return Touched::Other;
            }
            Change::Totals { context, totals } => {
                if let Some(state) = self.context_mut(context) {
                    state.totals = totals;
                }
                return Touched::Other;
            }
            Change::Usage { samples } => {
                self.usage.extend(samples);
                return Touched::Usage;
            }
            Change::Message { .. } => return Touched::Other,
        }
        Touched::Sessions
    }

    pub fn went_down(&mut self, why: Clean, attempt: u32, now: Timestamp) {
        let since = match &self.line {
            Line::Down { since, .. } => *since,
            _ => now,
        };
        self.line = Line::Down {
            why,
            attempt,
            since,
        };
    }

    pub fn was_refused(&mut self, failure: Failure) {
        self.line = Line::Refused(failure);
    }

    pub fn set_environments(&mut self, context: ContextName, environments: Vec<Environment>) {
        if let Some(state) = self.context_mut(context) {
            state.environments = environments;
        }
    }

    fn context_mut(&mut self, name: ContextName) -> Option<&mut ContextState> {
        self.contexts
            .iter_mut()
            .find(|state| state.context.name == name)
    }

    fn put(&mut self, session: Session) {
        self.counts[session.tab() as usize] += 1;
        if !session.status.is_live() {
            self.usage.remove(&session.key());
        }
        if let Some(old) = self.sessions.insert(session.key(), session) {
            self.counts[old.tab() as usize] -= 1;
        }
    }

    fn remove(&mut self, id: SessionKey) {
        self.usage.remove(&id);
        if let Some(old) = self.sessions.remove(&id) {
            self.counts[old.tab() as usize] -= 1;
        }
    }

    fn note_engine(&mut self, now: Timestamp) {
        let lost = matches!(self.engine(), Some((_, EngineState::Lost { .. })));
        let connecting = matches!(self.engine(), Some((_, EngineState::Connecting)));
        self.lost_since = match (lost, connecting) {
            (true, _) => self.lost_since.or(Some(now)),
            // A new attempt does not make old news fresh.
            (false, true) => self.lost_since,
            (false, false) => None,
        };
    }
}
