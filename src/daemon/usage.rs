//! Sampling of what sessions use: only while somebody watches, or idle checks need it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{clock, supply::AnySupply, teller::Number};
use crate::model::{id::SessionId, usage::Usage};

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

    fn all(&self) -> Vec<SessionId> {
        let judged = self.judged.keys().filter(|id| !self.watched.contains(id));
        self.watched.iter().chain(judged).copied().collect()
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

    pub fn sweep(&mut self) {
        self.due = None;
        let Some(engine) = self.engine.there() else {
            return;
        };
        self.sweeping = true;
        let (context, results) = (self.context, self.results.clone());
        let wanted = self.wanted.all();
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
