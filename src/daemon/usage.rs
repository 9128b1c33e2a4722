//! Sampling of what watched sessions use: only while somebody watches, told only when what is shown
//! moved.

use std::{collections::BTreeSet, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{
    clock,
    core::{ClientSeat, Core},
    station::{Number, Station},
    supply::AnySupply,
};
use crate::model::{
    capability::EngineState,
    change::Change,
    id::{ContextName, SessionId, SessionKey},
    usage::Usage,
};

/// A sweep that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a sweep of one context found.
pub(super) struct Samples {
    pub context: Number,
    pub usages: Vec<(SessionId, Usage)>,
}

/// A figure as the list shows it: hundredths of a core, memory in its shortest form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown(Option<u64>, String);

impl From<&Usage> for Shown {
    fn from(usage: &Usage) -> Self {
        Self(
            usage.cpu.map(|cpu| cpu.millis() / 10),
            usage.mem.to_string(),
        )
    }
}

/// One context's.
pub(super) struct Sampler {
    engine: AnySupply,
    context: Number,
    wanted: BTreeSet<SessionId>,
    /// When the next sweep begins; `None` = nobody watches or one is under way.
    due: Option<Instant>,
    sweeping: bool,
    results: mpsc::Sender<Samples>,
}

impl Sampler {
    pub fn new(engine: AnySupply, context: Number, results: mpsc::Sender<Samples>) -> Self {
        Self {
            engine,
            context,
            wanted: BTreeSet::new(),
            due: None,
            sweeping: false,
            results,
        }
    }

    /// Somebody began to watch: the first sweep comes at once.
    pub fn hurry(&mut self) {
        self.due = None;
    }

    /// What is to be sampled from now on.
    fn want(&mut self, wanted: BTreeSet<SessionId>) {
        self.wanted = wanted;
        if self.wanted.is_empty() {
            self.due = None;
        } else if self.due.is_none() && !self.sweeping {
            self.due = Some(clock::instant());
        }
    }

    /// When the next figures are to be taken.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    fn sweep(&mut self) {
        self.due = None;
        let Some(engine) = self.engine.there() else {
            return;
        };
        self.sweeping = true;
        let (context, results) = (self.context, self.results.clone());
        let wanted: Vec<SessionId> = self.wanted.iter().copied().collect();
        tokio::spawn(async move {
            let usages = timeout(PATIENCE, engine.usage(&wanted, clock::now())).await;
            let usages = usages.unwrap_or_default();
            // The loop is gone only when the daemon ends.
            let _ = results.send(Samples { context, usages }).await;
        });
    }

    /// The figures came.
    fn swept(&mut self) {
        self.sweeping = false;
        let period = self.engine.there().map(|engine| engine.usage_period());
        self.due = period.map(|period| clock::instant() + period);
    }
}

impl Station {
    /// Those of the watched sessions that run on an engine that answers.
    fn sampled(&self, watched: impl Iterator<Item = SessionKey>) -> BTreeSet<SessionId> {
        if !matches!(self.heart.engine(), EngineState::Connected { .. }) {
            return BTreeSet::new();
        }
        let live = |id: &SessionId| {
            let session = self.heart.session(*id);
            session.is_some_and(|session| session.status.is_live())
        };
        let here = watched.filter(|key| key.context == self.context.name);
        here.map(|key| key.id).filter(live).collect()
    }
}

impl Core {
    /// The union of what clients watch, for each context.
    pub(super) fn watch(&mut self) {
        for station in &mut self.stations {
            let watched = self.clients.values().flat_map(|client| &client.watched);
            let wanted = station.sampled(watched.copied());
            station.sampler.want(wanted);
        }
    }

    /// Samples where it is time to.
    pub(super) fn sweep(&mut self) {
        let now = clock::instant();
        for station in &mut self.stations {
            if station.sampler.due().is_some_and(|at| at <= now) {
                station.sampler.sweep();
            }
        }
    }

    pub(super) fn tell_usage(&mut self, samples: Samples) {
        let Some(station) = self.stations.get_mut(samples.context) else {
            return;
        };
        station.sampler.swept();
        let context = station.context.name;
        for client in self.clients.values_mut() {
            if client.outbox.lags() {
                continue;
            }
            let samples = moved(client, context, &samples.usages);
            if !samples.is_empty() {
                client.outbox.notice(&Change::Usage { samples });
            }
        }
    }
}

fn moved(
    client: &mut ClientSeat,
    context: ContextName,
    usages: &[(SessionId, Usage)],
) -> Vec<(SessionKey, Usage)> {
    let ClientSeat { watched, shown, .. } = client;
    let keyed = usages
        .iter()
        .map(|(id, usage)| (SessionKey::new(context, *id), *usage));
    let moved = keyed.filter(|(key, usage)| {
        let now = Shown::from(usage);
        watched.contains(key) && shown.insert(*key, now.clone()) != Some(now)
    });
    moved.collect()
}
