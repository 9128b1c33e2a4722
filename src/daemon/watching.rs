//! Tracks which sessions clients watch. These are sampled more often, and clients get only figures that
//! changed on screen.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    clock,
    core::{ClientSeat, Core},
    recorder::Recorder,
    station::{Machine, Station},
    usage::{Samples, Shown, Wanted},
};
use crate::{
    model::{
        capability::EngineState,
        change::Change,
        id::{ContextName, SessionId, SessionKey},
        usage::Usage,
    },
    scheduler::fact::Fact,
};

impl Station {
    /// The sessions to sample: the running ones among the watched sessions (or among all), and those that
    /// idle checks judge by their figures. Empty while the engine is disconnected.
    fn sampled(&self, watched: impl Iterator<Item = SessionKey>, all: bool) -> Wanted {
        if !matches!(self.known().engine(), EngineState::Connected { .. }) {
            return Wanted::default();
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
        let engine = self.supply.there();
        let cheap = engine.is_some_and(|engine| engine.reads_cheaply());
        Wanted {
            watched,
            judged: self.known().sampled().into_iter().collect(),
            recorded: if cheap {
                self.recorded.all().clone()
            } else {
                BTreeMap::new()
            },
        }
    }
}

impl Core {
    /// The union of what clients watch, for each context.
    pub(super) fn watch(&mut self) {
        for station in &mut self.stations {
            let watched = self.clients.values().flat_map(|client| &client.watched);
            let counts = self.space.counts_homes() && !station.known().is_observing();
            let wanted = station.sampled(watched.copied(), counts);
            station.sampler.want(wanted);
        }
    }

    /// Starts the sweeps that are due.
    pub(super) fn sweep(&mut self) {
        let now = clock::instant();
        for station in &mut self.stations {
            if station.sampler.due().is_some_and(|at| at <= now) {
                station.sampler.sweep();
            }
        }
    }

    pub(super) async fn tell_usage(&mut self, samples: Samples) {
        let Some(station) = self.stations.get_mut(samples.context) else {
            return;
        };
        station.sampler.swept();
        station.record(&samples.usages);
        let judged = station.sampler.judged_of(&samples.usages);
        if !judged.is_empty()
            && let Machine::Scheduler(driver) = &mut station.machine
        {
            driver.push(Fact::Sampled { samples: judged });
            self.settle(samples.context).await;
        }
        let Some(station) = self.stations.get(samples.context) else {
            return;
        };
        let (context, recorder) = (station.context.name, &station.recorder);
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
    client: &mut ClientSeat,
    context: ContextName,
    recorder: &Recorder,
    usages: &[(SessionId, Usage)],
) -> Vec<(SessionKey, Usage)> {
    let ClientSeat { watched, shown, .. } = client;
    let keyed = usages
        .iter()
        .map(|(id, usage)| (SessionKey::new(context, *id), usage.clone()));
    let moved = keyed.filter(|(key, usage)| {
        let now = Shown::new(usage, recorder.rates(key.id));
        watched.contains(key) && shown.insert(*key, now.clone()) != Some(now)
    });
    moved.collect()
}
