//! How much of what it asked a session uses: read from this machine's control groups, whose files are
//! kept open; asked of the engine only where they are not to be had.

mod api;
mod cgroup;

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
};

use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;

use super::{DockerEngine, line::Line};
use crate::model::{
    id::SessionId,
    resources::{Bytes, Cpu},
    usage::Usage,
};
use cgroup::{Layout, Meter};

/// Questions to the engine under way at once.
const AT_ONCE: usize = 16;

/// What has been used up to some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    /// Time on all cores, in nanoseconds.
    cpu_nanos: u64,
    mem: Bytes,
}

impl Reading {
    /// Of several containers together.
    fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|one, other| Self {
            cpu_nanos: one.cpu_nanos + other.cpu_nanos,
            mem: Bytes(one.mem.0 + other.mem.0),
        })
    }
}

/// The sessions that are sampled now, with what was read of them last.
#[derive(Default)]
pub(super) struct Sampler {
    layout: Option<Layout>,
    meters: HashMap<SessionId, Vec<Meter>>,
    last: HashMap<SessionId, (Timestamp, u64)>,
}

impl Sampler {
    /// Files of sessions nobody asks for are closed.
    fn keep_only(&mut self, sessions: &[SessionId]) {
        self.meters.retain(|session, _| sessions.contains(session));
        self.last.retain(|session, _| sessions.contains(session));
    }

    /// Reads every session that has a meter; the others come back as missing.
    fn read(&mut self, sessions: &[SessionId]) -> (Vec<(SessionId, Reading)>, Vec<SessionId>) {
        let mut read = Vec::with_capacity(sessions.len());
        let mut missing = Vec::new();
        for session in sessions {
            let meters = self.meters.get(session);
            if let Some(reading) = meters.and_then(|all| read_all(all)) {
                read.push((*session, reading));
            } else {
                // A group of its went away (the container was restarted or ended), or it never had one.
                self.meters.remove(session);
                missing.push(*session);
            }
        }
        (read, missing)
    }

    fn usage(&mut self, session: SessionId, reading: Reading, now: Timestamp) -> Usage {
        let before = self.last.insert(session, (now, reading.cpu_nanos));
        let cpu = before.and_then(|(then, nanos)| share(then, nanos, now, reading.cpu_nanos));
        Usage::new(now, cpu, reading.mem)
    }
}

/// `None` when one of them cannot be read any more.
fn read_all(meters: &[Meter]) -> Option<Reading> {
    let readings: Option<Vec<Reading>> = meters.iter().map(Meter::read).collect();
    Reading::sum(readings?)
}

/// Cores busy between two readings; `None` where no time passed or the counter began anew.
fn share(then: Timestamp, before: u64, now: Timestamp, after: u64) -> Option<Cpu> {
    let passed = now.as_nanosecond() - then.as_nanosecond();
    let used = i128::from(after.checked_sub(before)?);
    if passed <= 0 {
        return None;
    }
    u64::try_from(used * 1000 / passed)
        .ok()
        .map(Cpu::from_millis)
}

/// One sample of each session that can be sampled.
pub(super) async fn sample(
    engine: &DockerEngine,
    sessions: &[SessionId],
    now: Timestamp,
) -> Vec<(SessionId, Usage)> {
    let Ok(line) = engine.line().await else {
        return Vec::new();
    };
    let (mut readings, missing) = {
        let mut sampler = engine
            .sampler
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        sampler.keep_only(sessions);
        sampler.read(sessions)
    };
    readings.extend(first_readings(engine, &line, missing).await);
    let mut sampler = engine
        .sampler
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    readings
        .into_iter()
        .map(|(session, reading)| (session, sampler.usage(session, reading, now)))
        .collect()
}

/// Sessions without open files: their groups are looked up, or the engine is asked.
async fn first_readings(
    engine: &DockerEngine,
    line: &Arc<Line>,
    sessions: Vec<SessionId>,
) -> Vec<(SessionId, Reading)> {
    stream::iter(sessions)
        .map(|session| async move {
            let members = engine.members(line, session).await.ok()?;
            let containers: Vec<String> = members.into_iter().map(|one| one.id).collect();
            let reading = match open_meters(engine, line, session, &containers).await {
                Some(reading) => Some(reading),
                None => ask_all(line, &containers).await,
            };
            reading.map(|reading| (session, reading))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(std::future::ready)
        .collect()
        .await
}

/// Of those of its containers that run.
async fn open_meters(
    engine: &DockerEngine,
    line: &Line,
    session: SessionId,
    containers: &[String],
) -> Option<Reading> {
    if line.remote.is_some() {
        return None;
    }
    let mut pids = Vec::new();
    for container in containers {
        pids.extend(main_pid(line, container).await);
    }
    let mut sampler = engine
        .sampler
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let layout = sampler.layout.get_or_insert_with(Layout::of_machine);
    let meters: Option<Vec<Meter>> = pids
        .into_iter()
        .map(|pid| Meter::open(layout, pid))
        .collect();
    let meters = meters?;
    let reading = read_all(&meters)?;
    sampler.meters.insert(session, meters);
    Some(reading)
}

async fn ask_all(line: &Line, containers: &[String]) -> Option<Reading> {
    let mut readings = Vec::new();
    for container in containers {
        readings.extend(api::ask(line, container).await);
    }
    Reading::sum(readings)
}

async fn main_pid(line: &Line, container: &str) -> Option<i64> {
    let options = None::<bollard::query_parameters::InspectContainerOptions>;
    let record = line
        .docker
        .inspect_container(container, options)
        .await
        .ok()?;
    record.state?.pid.filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_core_is_a_thousand() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let second = 1_000_000_000;
        assert_eq!(
            share(at(10), 0, at(12), 2 * second),
            Some(Cpu::from_millis(1000))
        );
        assert_eq!(
            share(at(10), 5, at(14), 5 + second),
            Some(Cpu::from_millis(250))
        );
        assert_eq!(share(at(10), 0, at(10), second), None);
        assert_eq!(
            share(at(10), second, at(12), 0),
            None,
            "the counter began anew"
        );
    }
}
