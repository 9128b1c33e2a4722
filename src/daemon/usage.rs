//! Sampling of what sessions use: only while somebody watches, or idle checks need it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{clock, recorder::Rates, supply::AnySupply, teller::Number};
use crate::{
    engine::api::UsageAsk,
    model::{id::SessionId, resources::Bytes, usage::Usage},
};

/// A sweep that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a sweep of one context found.
pub(super) struct Samples {
    pub context: Number,
    pub usages: Vec<(SessionId, Usage)>,
}

/// Figures as they are shown: hundredths of a core, memory in its shortest form, whole percents of
/// devices, hundredths of a MiB a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    cpu: Option<u64>,
    mem: String,
    scratch: Option<String>,
    devices: Vec<(Option<u32>, Option<String>)>,
    rates: Rates,
}

impl Shown {
    pub fn new(usage: &Usage, rates: Rates) -> Self {
        let devices = usage.accelerators.iter().map(|device| {
            let percent = device.utilization.map(|hundredths| hundredths / 100);
            (percent, device.mem.map(|mem| mem.to_string()))
        });
        Self {
            cpu: usage.cpu.map(|cpu| cpu.millis() / 10),
            mem: usage.mem.to_string(),
            scratch: usage.scratch.map(|held| held.to_string()),
            devices: devices.collect(),
            rates: rates.map(|rate| rate.map(|bytes| bytes.saturating_mul(100) / Bytes::MIB)),
        }
    }
}

/// What is to be sampled.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// As often as the engine has new figures.
    pub watched: BTreeSet<SessionId>,
    /// At least so often.
    pub judged: BTreeMap<SessionId, Duration>,
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.watched.is_empty() && self.judged.is_empty()
    }

    fn asks(&self) -> Vec<UsageAsk> {
        let judged = self.judged.keys().filter(|id| !self.watched.contains(id));
        let judged = judged.map(|id| UsageAsk {
            session: *id,
            all: false,
        });
        let watched = self.watched.iter().copied().map(UsageAsk::all);
        watched.chain(judged).collect()
    }

    /// Until the next sweep, on an engine that has new figures every `period`.
    fn pause(&self, period: Duration) -> Duration {
        if self.watched.is_empty()
            && let Some(shortest) = self.judged.values().min()
        {
            return period.max(*shortest);
        }
        period
    }
}

/// One context's.
pub(super) struct Sampler {
    engine: AnySupply,
    context: Number,
    wanted: Wanted,
    /// When the next sweep begins; `None` = nobody watches or one is under way.
    due: Option<Instant>,
    sweeping: bool,
    /// The engine may keep things open for sessions: a last sweep, of none, lets them go.
    holds: bool,
    results: mpsc::Sender<Samples>,
}

impl Sampler {
    pub fn new(engine: AnySupply, context: Number, results: mpsc::Sender<Samples>) -> Self {
        Self {
            engine,
            context,
            wanted: Wanted::default(),
            due: None,
            sweeping: false,
            holds: false,
            results,
        }
    }

    /// Somebody began to watch: the first sweep comes at once.
    pub fn hurry(&mut self) {
        self.due = None;
    }

    /// What is to be sampled from now on.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        if self.wanted.is_empty() && !self.holds {
            self.due = None;
        } else if self.due.is_none() && !self.sweeping {
            self.due = Some(clock::instant());
        }
    }

    /// When the next figures are to be taken.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    pub fn sweep(&mut self) {
        self.due = None;
        self.holds = false;
        let Some(engine) = self.engine.there() else {
            return;
        };
        self.sweeping = true;
        self.holds = !self.wanted.is_empty();
        let (context, results) = (self.context, self.results.clone());
        let wanted = self.wanted.asks();
        tokio::spawn(async move {
            let usages = timeout(PATIENCE, engine.usage(&wanted, clock::now())).await;
            let usages = usages.unwrap_or_default();
            // The loop is gone only when the daemon ends.
            let _ = results.send(Samples { context, usages }).await;
        });
    }

    /// The figures came.
    pub fn swept(&mut self) {
        self.sweeping = false;
        let period = self.engine.there().map(|engine| engine.usage_period());
        self.due = period.map(|period| clock::instant() + self.wanted.pause(period));
    }

    /// Of the figures those that idle checks asked for.
    pub fn judged_of(&self, usages: &[(SessionId, Usage)]) -> Vec<(SessionId, Usage)> {
        let judged = usages.iter();
        let judged = judged.filter(|(id, _)| self.wanted.judged.contains_key(id));
        judged.cloned().collect()
    }
}
