//! Tracks which sessions clients watch. These are sampled more often, and clients get only figures that
//! changed on screen.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    recorder::Recorder,
    sampler::{SampleTargets, Samples, Shown},
};
use crate::{
    daemon::{
        clock,
        context::runner::{ContextMachine, ContextRunner},
        main_loop::core::{ConnectedClient, Core},
    },
    model::{
        capability::EngineState,
        change::Change,
        id::{ContextName, SessionId, SessionKey},
        usage::Usage,
    },
    scheduler::fact::Fact,
};

impl ContextRunner {
    /// The sessions to sample: the running ones among the watched sessions (or among all), and those that
    /// idle checks use their figures. Empty while the engine is disconnected.
    fn sampled(&self, watched: impl Iterator<Item = SessionKey>, all: bool) -> SampleTargets {
        if !matches!(self.known().engine(), EngineState::Connected { .. }) {
            return SampleTargets::default();
        }
        let live = |id: &SessionId| {
            let session = self.known().session(*id);
            session.is_some_and(|session| session.status.is_live())
        };
        let here = watched.filter(|key| key.context == self.context.name);
        let mut watched: BTreeSet<SessionId> = here.map(|key| key.id).filter(live).collect();
        if all {
            watched.extend(self.known().sessions().map(|it| it.id).filter(live));
        }
        let engine = self.lazy_engine.there();
        let cheap = engine.is_some_and(|engine| engine.reads_cheaply());
        SampleTargets {
            limited: self.disk_limited(),
            watched,
            idle_checked: self.known().sampled().into_iter().collect(),
            recorded: if cheap {
                self.recorded.all().clone()
            } else {
                BTreeMap::new()
            },
        }
    }
}

impl ContextRunner {
    /// The running sessions with a disk limit. Managers have none, and may have ten thousand sessions.
    fn disk_limited(&self) -> BTreeSet<SessionId> {
        if self.known().is_observing() {
            return BTreeSet::new();
        }
        let sessions = self.known().sessions();
        let limited = sessions.filter(|it| it.disk_limit.is_some() && it.status.is_live());
        limited.map(|it| it.id).collect()
    }
}

impl Core {
    /// The union of what clients watch, for each context.
    pub(in crate::daemon) fn watch(&mut self) {
        for runner in &mut self.contexts {
            let watched = self.clients.values().flat_map(|client| &client.watched);
            let counts = self.space.counts_homes() && !runner.known().is_observing();
            let wanted = runner.sampled(watched.copied(), counts);
            runner.sampler.want(wanted);
        }
    }

    /// Starts the sweeps that are due.
    pub(in crate::daemon) fn sweep(&mut self) {
        let now = clock::instant();
        for runner in &mut self.contexts {
            if runner.sampler.due().is_some_and(|at| at <= now) {
                runner.sampler.sweep();
            }
        }
    }

    pub(in crate::daemon) async fn send_usage(&mut self, samples: Samples) {
        let Some(runner) = self.contexts.get_mut(samples.context) else {
            return;
        };
        runner.sampler.swept();
        runner.record(&samples.usages);
        self.check_disk_limits(samples.context, &samples.usages);
        let Some(runner) = self.contexts.get_mut(samples.context) else {
            return;
        };
        let idle_checked = runner.sampler.with_idle_checks(&samples.usages);
        if !idle_checked.is_empty()
            && let ContextMachine::Scheduler(driver) = &mut runner.machine
        {
            driver.push(Fact::Sampled {
                samples: idle_checked,
            });
            self.settle(samples.context).await;
        }
        let Some(runner) = self.contexts.get(samples.context) else {
            return;
        };
        let (context, recorder) = (runner.context.name, &runner.recorder);
        for client in self.clients.values_mut() {
            if client.outbox.lags() {
                continue;
            }
            let samples = moved(client, context, recorder, &samples.usages);
            if !samples.is_empty() {
                client.outbox.notice(&Change::Usage { samples });
            }
        }
    }
}

fn moved(
    client: &mut ConnectedClient,
    context: ContextName,
    recorder: &Recorder,
    usages: &[(SessionId, Usage)],
) -> Vec<(SessionKey, Usage)> {
    let ConnectedClient { watched, shown, .. } = client;
    let keyed = usages
        .iter()
        .map(|(id, usage)| (SessionKey::new(context, *id), usage.clone()));
    let moved = keyed.filter(|(key, usage)| {
        let now = Shown::new(usage, recorder.rates(key.id));
        watched.contains(key) && shown.insert(*key, now.clone()) != Some(now)
    });
    moved.collect()
}
