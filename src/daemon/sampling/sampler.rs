//! Samples the use of sessions. Watched sessions are sampled as often as the engine has new figures, sessions
//! with idle checks as often as the checks need, and all that are cheap to read less often.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::recorder::Rates;
use crate::{
    daemon::{
        clock,
        context::{lazy_engine::AnyEngine, runner::Number},
    },
    engine::api::{Need, UsageAsk},
    model::{id::SessionId, resources::Bytes, usage::Usage},
};

/// A sweep that takes longer is cancelled.
const PATIENCE: Duration = Duration::from_secs(10);

/// The results of a sweep of one context.
pub(in crate::daemon) struct Samples {
    pub context: Number,
    pub usages: Vec<(SessionId, Usage)>,
}

/// Figures with the precision of the screen: hundredths of a CPU, memory in its shortest form, whole percents
/// of devices, hundredths of a MiB per second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::daemon) struct Shown {
    cpu: Option<u64>,
    mem: String,
    home: Option<String>,
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
            home: usage.home.map(|held| held.to_string()),
            devices: devices.collect(),
            rates: rates.map(|rate| rate.map(|bytes| bytes.saturating_mul(100) / Bytes::MIB)),
        }
    }
}

/// How often a session is sampled that no client watches.
const UNWATCHED: Duration = Duration::from_secs(10);
/// A session younger than this is sampled as often as a watched one: most failures happen early.
const YOUNG: SignedDuration = SignedDuration::from_secs(60);

/// The sessions to sample.
#[derive(Debug, Default)]
pub(in crate::daemon) struct SampleTargets {
    /// Sampled as often as the engine has new figures.
    pub watched: BTreeSet<SessionId>,
    /// Sampled at this interval or more often.
    pub idle_checked: BTreeMap<SessionId, Duration>,
    /// Sessions that are cheap to read, with their start.
    pub recorded: BTreeMap<SessionId, Timestamp>,
    /// Sessions with a disk limit, whose home directories are measured.
    pub limited: BTreeSet<SessionId>,
}

impl SampleTargets {
    fn is_empty(&self) -> bool {
        self.watched.is_empty()
            && self.idle_checked.is_empty()
            && self.recorded.is_empty()
            && self.limited.is_empty()
    }

    fn all(&self) -> BTreeSet<SessionId> {
        let unwatched = self.idle_checked.keys().chain(self.recorded.keys());
        let all = unwatched.chain(&self.watched).chain(&self.limited);
        all.copied().collect()
    }

    /// The interval until the next sample of a session.
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
        let idle_checked = self.idle_checked.get(&session).copied();
        let shortest = recorded.into_iter().chain(idle_checked).min();
        shortest.unwrap_or(UNWATCHED).max(period)
    }

    fn ask(&self, session: SessionId, due: bool) -> UsageAsk {
        let idle_checked = self.idle_checked.contains_key(&session);
        let need = match () {
            () if self.watched.contains(&session) => Need::Watched,
            () if !due => Need::Kept,
            () if self.recorded.contains_key(&session) => Need::Recorded,
            () => Need::IdleChecks,
        };
        UsageAsk {
            session,
            need,
            idle_checked,
            limited: self.limited.contains(&session),
        }
    }
}

/// Samples the sessions of one context.
pub(in crate::daemon) struct Sampler {
    engine: AnyEngine,
    context: Number,
    wanted: SampleTargets,
    /// When each session was last sampled.
    sampled: BTreeMap<SessionId, Instant>,
    /// When the next sweep begins; `None` = no session needs one, or a sweep is running.
    due: Option<Instant>,
    sweeping: bool,
    /// The engine may keep resources open for sessions: a last, empty sweep releases them.
    has_resources: bool,
    results: mpsc::Sender<Samples>,
}

impl Sampler {
    pub fn new(engine: AnyEngine, context: Number, results: mpsc::Sender<Samples>) -> Self {
        Self {
            engine,
            context,
            wanted: SampleTargets::default(),
            sampled: BTreeMap::new(),
            due: None,
            sweeping: false,
            has_resources: false,
            results,
        }
    }

    /// A client began to watch: the first sweep starts immediately.
    pub fn sweep_now(&mut self) {
        self.due = None;
    }

    /// Sets the sessions to sample from now on.
    pub fn want(&mut self, wanted: SampleTargets) {
        let is_new = |id: &&SessionId| !self.sampled.contains_key(id);
        let fresh = wanted.recorded.keys().find(is_new).is_some();
        self.wanted = wanted;
        if self.wanted.is_empty() && !self.has_resources {
            self.due = None;
        } else if (self.due.is_none() || fresh) && !self.sweeping {
            self.due = Some(clock::instant());
        }
    }

    /// When the next sweep is due.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    pub fn sweep(&mut self) {
        self.due = None;
        self.has_resources = false;
        let Some(engine) = self.engine.there() else {
            return;
        };
        self.sweeping = true;
        self.has_resources = !self.wanted.is_empty();
        let (context, results) = (self.context, self.results.clone());
        let wanted = self.asks(engine.usage_period());
        tokio::spawn(async move {
            let usages = timeout(PATIENCE, engine.usage(&wanted, clock::now())).await;
            let usages = usages.unwrap_or_default();
            // The receiver is closed only when the daemon ends.
            let _ = results.send(Samples { context, usages }).await;
        });
    }

    /// All sessions to sample, and whether each is due. Due sessions count as sampled.
    fn asks(&mut self, period: Duration) -> Vec<UsageAsk> {
        let (instant, now) = (clock::instant(), clock::now());
        let all = self.wanted.all();
        self.sampled.retain(|session, _| all.contains(session));
        let mut asks = Vec::with_capacity(all.len());
        for session in all {
            let due = self.due_of(session, period, now);
            // Sessions that are due shortly are read in the same sweep.
            let due = due.is_none_or(|due| due <= instant + period / 2);
            if due {
                self.sampled.insert(session, instant);
            }
            asks.push(self.wanted.ask(session, due));
        }
        asks
    }

    /// When a session is due; `None` = it was never sampled.
    fn due_of(&self, session: SessionId, period: Duration, now: Timestamp) -> Option<Instant> {
        let last = self.sampled.get(&session)?;
        Some(*last + self.wanted.pause(session, period, now))
    }

    /// A sweep has ended.
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
        // Leaves a pause between two sweeps.
        self.due = Some(due.max(instant + period / 2));
    }

    /// The figures of sessions that have idle checks.
    pub fn with_idle_checks(&self, usages: &[(SessionId, Usage)]) -> Vec<(SessionId, Usage)> {
        let idle_checked = usages.iter();
        let idle_checked = idle_checked.filter(|(id, _)| self.wanted.idle_checked.contains_key(id));
        idle_checked.cloned().collect()
    }
}
