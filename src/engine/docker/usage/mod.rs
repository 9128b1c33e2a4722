//! How much of what it asked a session uses: read from this machine's control groups and networks,
//! whose files are kept open; asked of the engine only where they are not to be had. What its home
//! holds is looked at beside that, now and then, and what its devices do is asked of their library.

mod cgroup;
mod counters;
mod disk;
mod engine_stats;
mod final_usage;
mod first_sample;
mod home_size;
mod meter;
mod processes;
mod readings;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::PoisonError,
};

use jiff::Timestamp;

use super::{DockerEngine, accelerator::devices, blocking::off_loop, connect::connection::Line};
use crate::{
    engine::api::{Need, UsageAsk},
    model::{
        id::{KernelId, SessionId},
        usage::Usage,
    },
};
use cgroup::Layout;
use home_size::Homes;
use meter::{LONGEST, Meter};
use processes::Processes;
use readings::{Reading, Readings};

/// Where the figures of one container are read.
#[derive(Debug)]
enum Gauge {
    Groups(Box<Meter>),
    Processes(Processes),
}

impl Gauge {
    fn open(layout: &Layout, own_groups: bool, pid: i64) -> Option<Self> {
        if own_groups {
            Meter::open(layout, pid).map(|meter| Self::Groups(Box::new(meter)))
        } else {
            Processes::of(pid).map(Self::Processes)
        }
    }

    fn read(&mut self, need: Need, buffer: &mut [u8]) -> Option<Reading> {
        match self {
            Self::Groups(meter) => meter.read(need, buffer),
            Self::Processes(processes) => processes.read(),
        }
    }

    /// What was read when its container ended.
    fn ended(&self) -> Option<Reading> {
        match self {
            Self::Groups(meter) => meter.ended().copied(),
            Self::Processes(_) => None,
        }
    }
}

/// The sessions that are sampled now, with what was read of them last.
#[derive(Default)]
pub(super) struct Sampler {
    layout: Option<Layout>,
    meters: HashMap<SessionId, Vec<(KernelId, Gauge)>>,
    /// Numbers of the devices that the containers of a session see.
    devices: HashMap<SessionId, Vec<(KernelId, BTreeSet<u32>)>>,
    last: HashMap<SessionId, (Timestamp, Readings)>,
    /// Sessions of several containers, of which some may have ended.
    clusters: HashSet<SessionId>,
    homes: Homes,
    buffer: Vec<u8>,
    /// Main processes whose end is waited for, since the first.
    waiting: Option<final_usage::Waiting>,
    /// What was read last of sessions that ended, until it is asked for.
    ended: HashMap<SessionId, Usage>,
    /// Containers whose files cannot be read.
    unreadable: HashSet<SessionId>,
}

impl Sampler {
    /// Files of sessions nobody asks for are closed.
    fn keep_only(&mut self, asked: &[UsageAsk]) {
        let sessions: HashSet<SessionId> = asked.iter().map(|ask| ask.session).collect();
        self.meters.retain(|session, _| sessions.contains(session));
        self.devices.retain(|session, _| sessions.contains(session));
        self.last.retain(|session, _| sessions.contains(session));
        self.clusters.retain(|session| sessions.contains(session));
        self.unreadable.retain(|session| sessions.contains(session));
        let whole: HashSet<SessionId> = watched(asked).collect();
        self.homes.keep_only(|session| whole.contains(session));
    }

    /// Reads every session that has a meter; the others come back as missing.
    fn read(&mut self, asked: &[UsageAsk]) -> (Vec<(SessionId, Readings)>, Vec<UsageAsk>) {
        let mut read = Vec::with_capacity(asked.len());
        let mut missing = Vec::new();
        self.buffer.resize(LONGEST, 0);
        for ask in asked.iter().filter(|ask| ask.need > Need::Kept) {
            let meters = self.meters.get_mut(&ask.session);
            let reading = meters.and_then(|all| read_all(all, ask.need, &mut self.buffer));
            if let Some(reading) = reading {
                read.push((ask.session, reading));
            } else {
                // Its groups were removed (the container restarted or ended), or it never had any. The meters
                // stay: the end of the container, which may not be noticed yet, needs their last sample.
                if ask.is_worth_asking() || !self.unreadable.contains(&ask.session) {
                    missing.push(*ask);
                }
            }
        }
        (read, missing)
    }

    fn usage(&mut self, session: SessionId, readings: Readings, now: Timestamp) -> Option<Usage> {
        let is_cluster = self.clusters.contains(&session);
        let usage = readings::usage(self.last.get(&session), now, &readings, is_cluster)?;
        self.last.insert(session, (now, readings));
        Some(Usage {
            scratch: self.homes.held(session),
            ..usage
        })
    }
}

/// `None` when one of them cannot be read any more, or all have ended.
fn read_all(meters: &mut [(KernelId, Gauge)], need: Need, buffer: &mut [u8]) -> Option<Readings> {
    if meters.iter().all(|(_, meter)| meter.ended().is_some()) {
        return None;
    }
    let readings = meters.iter_mut();
    readings
        .map(|(kernel, meter)| Some((*kernel, meter.read(need, buffer)?)))
        .collect()
}

fn watched(asked: &[UsageAsk]) -> impl Iterator<Item = SessionId> {
    let whole = asked.iter().filter(|ask| ask.need == Need::Watched);
    whole.map(|ask| ask.session)
}

/// One sample of each session that can be sampled.
pub(super) async fn sample(
    engine: &DockerEngine,
    asked: &[UsageAsk],
    now: Timestamp,
) -> Vec<(SessionId, Usage)> {
    let (mut readings, missing) = {
        let mut sampler = engine.usage_sampler();
        sampler.keep_only(asked);
        sampler.read(asked)
    };
    if asked.iter().all(|ask| ask.need == Need::Kept) {
        return Vec::new();
    }
    let Ok(line) = engine.line().await else {
        return Vec::new();
    };
    readings.extend(first_sample::first_readings(engine, &line, missing).await);
    look_at_homes(engine, &line, asked, now);
    let mut usages: Vec<(SessionId, Usage)> = {
        let mut sampler = engine.usage_sampler();
        readings
            .into_iter()
            .filter_map(|(session, all)| Some((session, sampler.usage(session, all, now)?)))
            .collect()
    };
    add_devices(engine, &mut usages).await;
    usages
}

/// Begins to look at homes whose time has come. Those of an engine elsewhere lie there.
fn look_at_homes(engine: &DockerEngine, line: &Line, asked: &[UsageAsk], now: Timestamp) {
    if line.remote.is_some() {
        return;
    }
    let homes = engine.usage_sampler().homes.clone();
    let Some(turn) = homes.turn(watched(asked), now) else {
        return;
    };
    let scratches = engine.scratches.clone();
    tokio::task::spawn_blocking(move || turn.look(|session| scratches.homes(session), now));
}

/// What the devices do that sessions see; a shared one does it for all who share it.
async fn add_devices(engine: &DockerEngine, usages: &mut [(SessionId, Usage)]) {
    let seen = engine.usage_sampler().devices.clone();
    let all = |kernels: &[(KernelId, BTreeSet<u32>)]| -> BTreeSet<u32> {
        let numbers = kernels.iter().flat_map(|(_, numbers)| numbers);
        numbers.copied().collect()
    };
    let numbers: BTreeSet<u32> = seen.values().flat_map(|kernels| all(kernels)).collect();
    if numbers.is_empty() {
        return;
    }
    let library = engine.library.clone();
    // It may take as long as the driver takes.
    let Ok(told) = off_loop(move || Ok(library.usage(&numbers))).await else {
        return;
    };
    for (session, usage) in usages {
        let Some(seen) = seen.get(session) else {
            continue;
        };
        usage.accelerators = devices::usage_of(&all(seen), &told);
        for (kernel, usage) in &mut usage.kernels {
            let own = seen.iter().find(|(id, _)| id == kernel);
            usage.accelerators =
                own.map_or_else(Vec::new, |(_, numbers)| devices::usage_of(numbers, &told));
        }
    }
}

/// Whether the files of its containers are this machine's.
pub(super) fn is_cheap(engine: &DockerEngine) -> bool {
    let line = engine.line.try_read().ok();
    let line = line.as_ref().and_then(|line| line.as_ref());
    line.is_some_and(|line| line.remote.is_none() && line.habits.own_groups)
}

/// What was read when a session's last container ended.
pub(super) fn last(engine: &DockerEngine, session: SessionId) -> Option<Usage> {
    engine.usage_sampler().ended.remove(&session)
}

impl DockerEngine {
    fn usage_sampler(&self) -> std::sync::MutexGuard<'_, Sampler> {
        self.sampler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
