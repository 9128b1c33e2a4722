//! Sampling of what sessions use: what somebody watches as often as there is something new, what idle checks
//! need, and all that can be read cheaply a bit less often.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{clock, recorder::Rates, supply::AnySupply, teller::Number};
use crate::{
    engine::api::{Need, UsageAsk},
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
    kernels: Vec<(Option<u64>, String)>,
}

impl Shown {
    pub fn new(usage: &Usage, rates: Rates) -> Self {
        let devices = usage.accelerators.iter().map(|device| {
            let percent = device.utilization.map(|hundredths| hundredths / 100);
            (percent, device.mem.map(|mem| mem.to_string()))
        });
        let amounts = |usage: &Usage| {
            let cpu = usage.cpu.map(|cpu| cpu.millis() / 10);
            (cpu, usage.mem.to_string())
        };
        let (cpu, mem) = amounts(usage);
        Self {
            cpu,
            mem,
            kernels: usage.kernels.iter().map(|(_, it)| amounts(it)).collect(),
            scratch: usage.scratch.map(|held| held.to_string()),
            devices: devices.collect(),
            rates: rates.map(|rate| rate.map(|bytes| bytes.saturating_mul(100) / Bytes::MIB)),
        }
    }
}

/// A session that nobody watches is sampled so often.
const UNWATCHED: Duration = Duration::from_secs(10);
/// In its first time as often as one that is watched: most that fail do so early.
const YOUNG: SignedDuration = SignedDuration::from_secs(60);

/// What is to be sampled.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// As often as the engine has new figures.
    pub watched: BTreeSet<SessionId>,
    /// At least so often.
    pub judged: BTreeMap<SessionId, Duration>,
    /// Sessions that can be read cheaply, with their start.
    pub recorded: BTreeMap<SessionId, Timestamp>,
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.watched.is_empty() && self.judged.is_empty() && self.recorded.is_empty()
    }

    fn all(&self) -> BTreeSet<SessionId> {
        let unwatched = self.judged.keys().chain(self.recorded.keys());
        unwatched.chain(&self.watched).copied().collect()
    }

    /// How long after a sample of a session the next one is due.
    fn pause(&self, session: SessionId, period: Duration, now: Timestamp) -> Duration {
        if self.watched.contains(&session) {
            return period;
        }
        let recorded = self.recorded.get(&session).map(|started| {
            if now.duration_since(*started) < YOUNG {
                period
            } else {
                UNWATCHED
            }
        });
        let judged = self.judged.get(&session).copied();
        let shortest = recorded.into_iter().chain(judged).min();
        shortest.unwrap_or(UNWATCHED).max(period)
    }

    fn ask(&self, session: SessionId, due: bool) -> UsageAsk {
        let judged = self.judged.contains_key(&session);
        let need = match () {
            () if self.watched.contains(&session) => Need::Watched,
            () if !due => Need::Kept,
            () if self.recorded.contains_key(&session) => Need::Recorded,
            () => Need::Judged,
        };
        UsageAsk {
            session,
            need,
            judged,
        }
    }
}

/// One context's.
pub(super) struct Sampler {
    engine: AnySupply,
    context: Number,
    wanted: Wanted,
    /// When each was sampled last.
    sampled: BTreeMap<SessionId, Instant>,
    /// When the next sweep begins; `None` = nothing is wanted or one is under way.
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
            sampled: BTreeMap::new(),
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
        let is_new = |id: &&SessionId| !self.sampled.contains_key(id);
        let fresh = wanted.recorded.keys().find(is_new).is_some();
        self.wanted = wanted;
        if self.wanted.is_empty() && !self.holds {
            self.due = None;
        } else if (self.due.is_none() || fresh) && !self.sweeping {
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
        let wanted = self.asks(engine.usage_period());
        tokio::spawn(async move {
            let usages = timeout(PATIENCE, engine.usage(&wanted, clock::now())).await;
            let usages = usages.unwrap_or_default();
            // The loop is gone only when the daemon ends.
            let _ = results.send(Samples { context, usages }).await;
        });
    }

    /// Everything that is wanted, and whether it is due; it counts as sampled then.
    fn asks(&mut self, period: Duration) -> Vec<UsageAsk> {
        let (instant, now) = (clock::instant(), clock::now());
        let all = self.wanted.all();
        self.sampled.retain(|session, _| all.contains(session));
        let mut asks = Vec::with_capacity(all.len());
        for session in all {
            let due = self.due_of(session, period, now);
            // Who is due a moment later is read together with the others.
            let due = due.is_none_or(|due| due <= instant + period / 2);
            if due {
                self.sampled.insert(session, instant);
            }
            asks.push(self.wanted.ask(session, due));
        }
        asks
    }

    /// `None` = it was never sampled.
    fn due_of(&self, session: SessionId, period: Duration, now: Timestamp) -> Option<Instant> {
        let last = self.sampled.get(&session)?;
        Some(*last + self.wanted.pause(session, period, now))
    }

    /// The figures came.
    pub fn swept(&mut self) {
        self.sweeping = false;
        let Some(engine) = self.engine.there() else {
            self.due = None;
            return;
        };
        let (period, instant, now) = (engine.usage_period(), clock::instant(), clock::now());
        if !self.wanted.watched.is_empty() {
            self.due = Some(instant + period);
            return;
        }
        let all = self.wanted.all().into_iter();
        let dues = all.map(|session| self.due_of(session, period, now).unwrap_or(instant));
        let due = dues.min().unwrap_or(instant + period);
        // Never so often that sweeps follow each other.
        self.due = Some(due.max(instant + period / 2));
    }

    /// Of the figures those that idle checks asked for.
    pub fn judged_of(&self, usages: &[(SessionId, Usage)]) -> Vec<(SessionId, Usage)> {
        let judged = usages.iter();
        let judged = judged.filter(|(id, _)| self.wanted.judged.contains_key(id));
        judged.cloned().collect()
    }
}
