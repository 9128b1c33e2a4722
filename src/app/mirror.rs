//! The TUI's copy of the daemon's state. Only snapshots and notices change it.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::{
    model::{
        capability::{Capability, EngineInfo, EngineState},
        change::Change,
        environment::Environment,
        failure::Failure,
        forward::Forward,
        id::{ContextName, SessionKey},
        session::Session,
        status::Tab,
        text::Clean,
        usage::Usage,
    },
    protocol::message::Snapshot,
};

pub use crate::protocol::message::ContextState;

use super::{shown_contexts::ShownContexts, trail::Trails};

/// The connection to the daemon.
#[derive(Clone, Debug, PartialEq)]
pub enum DaemonConnection {
    /// The daemon hasn't sent anything yet.
    Connecting,
    Up,
    /// The daemon disconnected. `run` reconnects automatically.
    Down {
        why: Clean,
        attempt: u32,
        since: Timestamp,
    },
    /// The daemon refuses the connection until you fix the cause.
    Refused(Failure),
}

/// The part of the state that a change touched. The list uses it to decide what to update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Sessions were added, removed or changed.
    Sessions,
    Usage,
    Other,
}

/// The loaded sessions that run now, of all contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSessions {
    pub all: usize,
    /// Those whose use is known.
    pub sampled: usize,
}

#[derive(Clone, Debug)]
pub struct Mirror {
    connection: DaemonConnection,
    /// The daemon isn't responding, although there is a connection.
    silent: bool,
    sessions: HashMap<SessionKey, Session>,
    usage: HashMap<SessionKey, Usage>,
    trails: Trails,
    /// The loaded sessions of each context, by tab.
    counts: HashMap<ContextName, [usize; 3]>,
    /// The loaded sessions that wait in a queue.
    waiting: HashMap<ContextName, usize>,
    live: LiveSessions,
    contexts: Vec<ContextState>,
    forwards: Vec<Forward>,
    /// Since when each disconnected engine is disconnected.
    lost_since: HashMap<ContextName, Timestamp>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            connection: DaemonConnection::Connecting,
            silent: false,
            sessions: HashMap::new(),
            usage: HashMap::new(),
            trails: Trails::default(),
            counts: HashMap::new(),
            waiting: HashMap::new(),
            live: LiveSessions::default(),
            contexts: Vec::new(),
            forwards: Vec::new(),
            lost_since: HashMap::new(),
        }
    }
}

impl Mirror {
    /// Your account in each context that has accounts.
    pub fn accounts(&self) -> BTreeMap<ContextName, Clean> {
        let account = |state: &ContextState| match &state.engine {
            EngineState::Connected { info } => {
                let user = info.user.as_ref()?;
                Some((state.context.name, user.email.clone()))
            }
            _ => None,
        };
        self.contexts().iter().filter_map(account).collect()
    }

    pub fn connection(&self) -> &DaemonConnection {
        &self.connection
    }

    pub fn is_up(&self) -> bool {
        self.connection == DaemonConnection::Up
    }

    pub fn is_silent(&self) -> bool {
        self.silent
    }

    pub fn session(&self, id: SessionKey) -> Option<&Session> {
        self.sessions.get(&id)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> + Clone {
        self.sessions.values()
    }

    /// How many sessions run now. They are counted when they change.
    pub fn live(&self) -> LiveSessions {
        self.live
    }

    /// All forwards.
    pub fn forwards(&self) -> &[Forward] {
        &self.forwards
    }

    /// The forwards to a session.
    pub fn forwards_of(&self, session: SessionKey) -> impl Iterator<Item = &Forward> {
        self.forwards.iter().filter(move |it| it.session == session)
    }

    /// What sessions used over the last minutes.
    pub fn trails(&self) -> &Trails {
        &self.trails
    }

    pub fn usage(&self, id: SessionKey) -> Option<&Usage> {
        self.usage.get(&id)
    }

    /// All contexts in the order of the configuration. Empty until the daemon's first message.
    pub fn contexts(&self) -> &[ContextState] {
        &self.contexts
    }

    /// With a single context, the TUI doesn't mention contexts.
    pub fn has_several_contexts(&self) -> bool {
        self.contexts.len() > 1
    }

    pub fn context(&self, name: ContextName) -> Option<&ContextState> {
        self.contexts
            .iter()
            .find(|state| state.context.name == name)
    }

    /// The position in the configuration. It decides the color of a context without a color of its own.
    pub fn position(&self, name: ContextName) -> usize {
        let found = self
            .contexts
            .iter()
            .position(|state| state.context.name == name);
        found.unwrap_or(0)
    }

    /// The contexts that are shown.
    pub fn shown(&self, shown: ShownContexts) -> impl Iterator<Item = &ContextState> {
        self.contexts
            .iter()
            .filter(move |state| shown.has(state.context.name))
    }

    /// Whether none of the shown engines is connected.
    pub fn has_lost(&self, shown: ShownContexts) -> bool {
        let mut all = self.shown(shown).peekable();
        all.peek().is_some() && all.all(|state| matches!(state.engine, EngineState::Lost { .. }))
    }

    /// The number of sessions in a tab. Uses the engines' own count if they have one.
    pub fn count(&self, shown: ShownContexts, tab: Tab) -> u64 {
        self.shown(shown)
            .map(|state| total(state, tab).max(self.total_in(state, tab)))
            .sum()
    }

    /// Whether the numbers of sessions are known: an engine is connected, or sessions were listed before it was lost.
    pub fn is_counted(&self, shown: ShownContexts) -> bool {
        let is_connected =
            |state: &ContextState| matches!(state.engine, EngineState::Connected { .. });
        let is_current = !matches!(self.connection, DaemonConnection::Down { .. });
        is_current && self.shown(shown).any(is_connected)
            || Tab::ALL.iter().any(|tab| self.count(shown, *tab) > 0)
    }

    /// The number of loaded sessions in a tab. The engines can have more.
    pub fn total(&self, shown: ShownContexts, tab: Tab) -> u64 {
        self.shown(shown)
            .map(|state| self.total_in(state, tab))
            .sum()
    }

    /// How many of the loaded sessions are pending.
    pub fn waiting(&self, shown: ShownContexts) -> u64 {
        let waiting = |(context, _): &(&ContextName, &usize)| shown.has(**context);
        let all = self.waiting.iter().filter(waiting);
        all.map(|(_, count)| *count as u64).sum()
    }

    fn total_in(&self, state: &ContextState, tab: Tab) -> u64 {
        let counts = self.counts.get(&state.context.name);
        counts.map_or(0, |counts| counts[tab as usize] as u64)
    }

    /// Returns the number of loaded sessions in this tab if the context has more.
    pub fn reported_total(&self, context: ContextName, tab: Tab) -> Option<u64> {
        let state = self.context(context)?;
        let reachable = self.total_in(state, tab);
        (total(state, tab) > reachable).then_some(reachable)
    }

    pub fn environments(&self, context: ContextName) -> &[Environment] {
        self.context(context)
            .map_or(&[], |state| &state.environments)
    }

    pub fn engine(&self, context: ContextName) -> Option<&EngineState> {
        self.context(context).map(|state| &state.engine)
    }

    pub fn engine_info(&self, context: ContextName) -> Option<&EngineInfo> {
        match self.engine(context)? {
            EngineState::Connected { info } => Some(info),
            _ => None,
        }
    }

    /// Since when the shown data can be outdated, because the daemon or an engine is disconnected.
    pub fn stale_since(&self, shown: ShownContexts) -> Option<Timestamp> {
        match &self.connection {
            DaemonConnection::Down { since, .. } => Some(*since),
            _ => self
                .lost_since
                .iter()
                .filter(|(name, _)| shown.has(**name))
                .map(|(_, since)| *since)
                .min(),
        }
    }

    /// Whether the engine is disconnected, or hasn't reconnected yet.
    pub fn has_lost_engine(&self, context: ContextName) -> bool {
        self.lost_since.contains_key(&context)
    }

    /// Why the engine doesn't support the capability. `None` if it does, or hasn't reported it.
    pub fn why_not(&self, context: ContextName, capability: Capability) -> Option<&Clean> {
        self.engine_info(context)?.capabilities.why_not(capability)
    }

    /// The engine has reported that it supports the capability.
    pub fn can(&self, context: ContextName, capability: Capability) -> bool {
        self.engine_info(context)
            .is_some_and(|info| info.capabilities.has(capability))
    }

    /// An open terminal counts as use of its session in this context.
    pub fn streams_keep_alive(&self, context: ContextName) -> bool {
        self.engine_info(context)
            .is_some_and(|info| info.capabilities.open_streams_keep_alive)
    }

    /// Replaces the whole state.
    pub fn replace(&mut self, snapshot: Snapshot, now: Timestamp) {
        self.connection = DaemonConnection::Up;
        self.silent = false;
        self.counts.clear();
        self.waiting.clear();
        self.live = LiveSessions::default();
        for session in &snapshot.sessions {
            self.count_more(session);
        }
        self.sessions = snapshot
            .sessions
            .into_iter()
            .map(|session| (session.key(), session))
            .collect();
        self.usage.retain(|id, _| self.sessions.contains_key(id));
        self.count_sampled();
        self.trails.retain(|id| self.sessions.contains_key(id));
        self.contexts = snapshot.contexts;
        self.forwards = snapshot.forwards;
        self.note_engines(now);
    }

    pub fn apply(&mut self, change: Change, now: Timestamp) -> Touched {
        match change {
            Change::Session { session } => self.put(*session),
            Change::Gone { session } => self.remove(session),
            Change::Engine { context, engine } => {
                if let Some(state) = self.context_mut(context) {
                    state.engine = *engine;
                }
                self.note_engines(now);
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
            Change::Statistics {
                context,
                statistics,
            } => {
                if let Some(state) = self.context_mut(context) {
                    state.statistics = statistics;
                }
                return Touched::Other;
            }
            Change::Usage { samples } => {
                let newest = samples.iter().map(|(_, usage)| usage.at).max();
                self.usage.extend(samples);
                self.count_sampled();
                if let Some(at) = newest {
                    let known = self.usage.iter().map(|(key, usage)| (*key, usage));
                    self.trails.take(at, known);
                }
                return Touched::Usage;
            }
            Change::Forwards { forwards } => {
                self.forwards = forwards;
                return Touched::Other;
            }
            // Sessions report the pulls of their own images.
            Change::Pull { .. } | Change::Notice { .. } => return Touched::Other,
        }
        Touched::Sessions
    }

    pub fn went_down(&mut self, why: Clean, attempt: u32, now: Timestamp) {
        let since = match &self.connection {
            DaemonConnection::Down { since, .. } => *since,
            _ => now,
        };
        self.silent = false;
        self.connection = DaemonConnection::Down {
            why,
            attempt,
            since,
        };
    }

    pub fn fell_silent(&mut self, silent: bool) {
        self.silent = silent;
    }

    pub fn was_refused(&mut self, failure: Failure) {
        self.connection = DaemonConnection::Refused(failure);
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
        let key = session.key();
        self.live.sampled = self.sampled_without(key);
        self.count_more(&session);
        if !session.status.is_live() {
            self.usage.remove(&key);
            self.trails.forget(key);
        }
        if let Some(old) = self.sessions.insert(key, session) {
            self.count_less(&old);
        }
        self.live.sampled += usize::from(self.is_sampled(key));
    }

    fn is_sampled(&self, key: SessionKey) -> bool {
        let session = self.sessions.get(&key);
        session.is_some_and(|it| it.status.is_live()) && self.usage.contains_key(&key)
    }

    fn sampled_without(&self, key: SessionKey) -> usize {
        let without = usize::from(self.is_sampled(key));
        self.live.sampled.saturating_sub(without)
    }

    fn count_sampled(&mut self) {
        let sampled = self.usage.keys().filter(|key| self.is_sampled(**key));
        self.live.sampled = sampled.count();
    }

    fn remove(&mut self, id: SessionKey) {
        self.live.sampled = self.sampled_without(id);
        self.usage.remove(&id);
        self.trails.forget(id);
        if let Some(old) = self.sessions.remove(&id) {
            self.count_less(&old);
        }
    }

    fn count_more(&mut self, new: &Session) {
        let context = new.context;
        self.counts.entry(context).or_default()[new.tab() as usize] += 1;
        *self.waiting.entry(context).or_default() += usize::from(new.status.is_waiting());
        self.live.all += usize::from(new.status.is_live());
    }

    fn count_less(&mut self, old: &Session) {
        self.live.all = self
            .live
            .all
            .saturating_sub(usize::from(old.status.is_live()));
        if let Some(count) = self.waiting.get_mut(&old.context) {
            *count = count.saturating_sub(usize::from(old.status.is_waiting()));
        }
        if let Some(counts) = self.counts.get_mut(&old.context) {
            let count = &mut counts[old.tab() as usize];
            *count = count.saturating_sub(1);
        }
    }

    fn note_engines(&mut self, now: Timestamp) {
        let before = std::mem::take(&mut self.lost_since);
        for state in &self.contexts {
            let name = state.context.name;
            let known = before.get(&name).copied();
            let since = match &state.engine {
                EngineState::Lost { .. } => known.or(Some(now)),
                // A new attempt to connect doesn't make old data fresh.
                EngineState::Connecting => known,
                EngineState::Connected { .. } => None,
            };
            if let Some(since) = since {
                self.lost_since.insert(name, since);
            }
        }
    }
}

/// The engine's own count, 0 if it doesn't count.
fn total(state: &ContextState, tab: Tab) -> u64 {
    state.totals.map_or(0, |totals| totals[tab as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{session, snapshot},
        model::{resources::Bytes, status::Status},
    };

    #[test]
    fn live_sessions_are_counted_when_they_change() {
        let at = Timestamp::UNIX_EPOCH;
        let mut mirror = Mirror::default();
        let counted = |mirror: &Mirror| {
            let live = mirror.sessions().filter(|it| it.status.is_live());
            let sampled = live.clone().filter(|it| mirror.usage(it.key()).is_some());
            let counted = LiveSessions {
                all: live.count(),
                sampled: sampled.count(),
            };
            assert_eq!(mirror.live(), counted);
            (counted.all, counted.sampled)
        };
        let [one, two, three] = [1, 2, 3].map(|n| session(n, "s"));
        let usage = |of: &Session| (of.key(), Usage::new(at, None, Bytes(1)));
        let put = |session: &Session, status: Status| Change::Session {
            session: Box::new(Session {
                status,
                ..session.clone()
            }),
        };
        mirror.replace(snapshot(vec![one.clone(), two.clone()]), at);
        assert_eq!(counted(&mirror), (2, 0));
        // The sample of the third session comes before the session.
        let samples = vec![usage(&one), usage(&three)];
        mirror.apply(Change::Usage { samples }, at);
        assert_eq!(counted(&mirror), (2, 1));
        mirror.apply(put(&three, Status::Running), at);
        assert_eq!(counted(&mirror), (3, 2));
        mirror.apply(put(&one, Status::Running), at);
        assert_eq!(counted(&mirror), (3, 2));
        mirror.apply(put(&one, Status::Terminated), at);
        assert_eq!(counted(&mirror), (2, 1));
        mirror.apply(
            Change::Gone {
                session: three.key(),
            },
            at,
        );
        assert_eq!(counted(&mirror), (1, 0));
        let samples = vec![usage(&two)];
        mirror.apply(Change::Usage { samples }, at);
        mirror.replace(snapshot(vec![two]), at);
        assert_eq!(counted(&mirror), (1, 1));
    }
}
