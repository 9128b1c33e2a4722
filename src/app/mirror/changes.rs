//! How snapshots, changes and the connection to the daemon change the mirror.

use jiff::Timestamp;

use super::{ContextState, DaemonConnection, Mirror, Touched, counts::SessionCounts};
use crate::{
    model::{
        capability::EngineState,
        change::Change,
        environment::Environment,
        failure::Failure,
        id::{ContextName, SessionKey},
        session::Session,
        text::Clean,
    },
    protocol::message::Snapshot,
};

impl Mirror {
    /// Replaces the whole state.
    pub fn replace(&mut self, snapshot: Snapshot, now: Timestamp) {
        self.connection = DaemonConnection::Up;
        self.unresponsive = false;
        self.counts = SessionCounts::of(&snapshot.sessions);
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
        self.unresponsive = false;
        self.connection = DaemonConnection::Down {
            why,
            attempt,
            since,
        };
    }

    pub fn set_unresponsive(&mut self, unresponsive: bool) {
        self.unresponsive = unresponsive;
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
        self.counts.live.sampled = self.sampled_without(key);
        self.counts.add(&session);
        if !session.status.is_live() {
            self.usage.remove(&key);
            self.trails.forget(key);
        }
        if let Some(old) = self.sessions.insert(key, session) {
            self.counts.remove(&old);
        }
        self.counts.live.sampled += usize::from(self.is_sampled(key));
    }

    fn is_sampled(&self, key: SessionKey) -> bool {
        let session = self.sessions.get(&key);
        session.is_some_and(|it| it.status.is_live()) && self.usage.contains_key(&key)
    }

    fn sampled_without(&self, key: SessionKey) -> usize {
        let without = usize::from(self.is_sampled(key));
        self.counts.live.sampled.saturating_sub(without)
    }

    fn count_sampled(&mut self) {
        let sampled = self.usage.keys().filter(|key| self.is_sampled(**key));
        self.counts.live.sampled = sampled.count();
    }

    fn remove(&mut self, id: SessionKey) {
        self.counts.live.sampled = self.sampled_without(id);
        self.usage.remove(&id);
        self.trails.forget(id);
        if let Some(old) = self.sessions.remove(&id) {
            self.counts.remove(&old);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            mirror::LiveSessions,
            testing::{session, snapshot},
        },
        model::{resources::Bytes, status::Status, usage::Usage},
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
