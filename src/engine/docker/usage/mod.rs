//! The resource usage of sessions, read from this machine's control groups and networks, whose files are kept
//! open. The engine is asked only where they aren't available. The size of home directories is measured
//! separately and less often, and the usage of devices is read from their library.

mod cgroup;
mod counters;
pub(super) mod disk;
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

use super::{
    DockerEngine, accelerator::devices, blocking::off_loop, connect::connection::EngineConnection,
};
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
use readings::{Readings, UsageReading};

/// The source of one container's figures.
#[derive(Debug)]
enum UsageSource {
    Groups(Box<Meter>),
    Processes(Processes),
}

impl UsageSource {
    fn open(layout: &Layout, own_groups: bool, pid: i64) -> Option<Self> {
        if own_groups {
            Meter::open(layout, pid).map(|meter| Self::Groups(Box::new(meter)))
        } else {
            Processes::of(pid).map(Self::Processes)
        }
    }

    fn read(&mut self, need: Need, buffer: &mut [u8]) -> Option<UsageReading> {
        match self {
            Self::Groups(meter) => meter.read(need, buffer),
            Self::Processes(processes) => processes.read(),
        }
    }

    /// The last reading, if the container has ended.
    fn ended(&self) -> Option<UsageReading> {
        match self {
            Self::Groups(meter) => meter.ended().copied(),
            Self::Processes(_) => None,
        }
    }
}

/// The sampled sessions, with their last readings.
#[derive(Default)]
pub(super) struct Sampler {
    layout: Option<Layout>,
    meters: HashMap<SessionId, Vec<(KernelId, UsageSource)>>,
    /// The numbers of the devices that a session's containers see.
    devices: HashMap<SessionId, Vec<(KernelId, BTreeSet<u32>)>>,
    last: HashMap<SessionId, (Timestamp, Readings)>,
    /// Sessions of several containers, some of which may have ended.
    clusters: HashSet<SessionId>,
    homes: Homes,
    buffer: Vec<u8>,
    /// Main processes whose end is awaited; set at the first.
    waiting: Option<final_usage::ExitWaiter>,
    /// The last figures of ended sessions, until they are fetched.
    ended: HashMap<SessionId, Usage>,
    /// Sessions whose containers have files that can't be read.
    unreadable: HashSet<SessionId>,
}

impl Sampler {
    /// Closes the files of sessions that aren't in `asked`.
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

    /// Reads every session that has a meter; returns the others as missing.
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
                // The groups were removed (the container restarted or ended), or they never existed. The meters stay,
                // because the end of the container may not be noticed yet and needs their last sample.
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
            home: self.homes.held(session),
            ..usage
        })
    }
}

/// `None` when one of them can't be read anymore, or all have ended.
fn read_all(
    meters: &mut [(KernelId, UsageSource)],
    need: Need,
    buffer: &mut [u8],
) -> Option<Readings> {
    if meters.iter().all(|(_, meter)| meter.ended().is_some()) {
        return None;
    }
    let readings = meters.iter_mut();
    readings
        .map(|(kernel, meter)| Some((*kernel, meter.read(need, buffer)?)))
        .collect()
}

/// The sessions whose home directories are measured.
fn watched(asked: &[UsageAsk]) -> impl Iterator<Item = SessionId> {
    let whole = asked
        .iter()
        .filter(|ask| ask.need == Need::Watched || ask.limited);
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
    let Ok(connection) = engine.connection().await else {
        return Vec::new();
    };
    readings.extend(first_sample::first_readings(engine, &connection, missing).await);
    look_at_homes(engine, &connection, asked, now);
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

/// Starts to measure the home directories that are due. Those of a remote engine are on its machine.
fn look_at_homes(
    engine: &DockerEngine,
    connection: &EngineConnection,
    asked: &[UsageAsk],
    now: Timestamp,
) {
    if connection.remote.is_some() {
        return;
    }
    let homes = engine.usage_sampler().homes.clone();
    let Some(turn) = homes.turn(watched(asked), now) else {
        return;
    };
    let scratches = engine.scratches.clone();
    tokio::task::spawn_blocking(move || turn.look(|session| scratches.homes(session), now));
}

/// Adds the usage of the devices that sessions see; a shared device counts for all its sessions.
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
    // The driver may be slow.
    let Ok(reported) = off_loop(move || Ok(library.usage(&numbers))).await else {
        return;
    };
    for (session, usage) in usages {
        let Some(seen) = seen.get(session) else {
            continue;
        };
        usage.accelerators = devices::usage_of(&all(seen), &reported);
        for (kernel, usage) in &mut usage.kernels {
            let own = seen.iter().find(|(id, _)| id == kernel);
            usage.accelerators = own.map_or_else(Vec::new, |(_, numbers)| {
                devices::usage_of(numbers, &reported)
            });
        }
    }
}

/// Whether the files of its containers are on this machine.
pub(super) fn is_cheap(engine: &DockerEngine) -> bool {
    let connection = engine.connection.try_read().ok();
    let connection = connection
        .as_ref()
        .and_then(|connection| connection.as_ref());
    connection.is_some_and(|connection| connection.remote.is_none() && connection.quirks.own_groups)
}

/// The figures read when a session's last container ended.
pub(super) fn last(engine: &DockerEngine, session: SessionId) -> Option<Usage> {
    engine.usage_sampler().ended.remove(&session)
}

impl DockerEngine {
    fn usage_sampler(&self) -> std::sync::MutexGuard<'_, Sampler> {
        self.sampler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
