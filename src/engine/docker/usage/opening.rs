//! Sessions that are sampled for the first time: their files are opened, or the engine is asked.

use std::{collections::BTreeSet, sync::Arc};

use bollard::{models::HostConfig, query_parameters::InspectContainerOptions};
use futures_util::{StreamExt as _, stream};

use super::{Gauge, api, cgroup::Layout, ending, meter::LONGEST, read_all, reading::Reading};
use crate::{
    engine::{
        api::UsageAsk,
        docker::{DockerEngine, line::Line},
    },
    model::id::SessionId,
};

/// Questions to the engine under way at once.
const AT_ONCE: usize = 16;

/// What is told of a container that runs.
struct Running {
    pid: i64,
    devices: Vec<u32>,
}

/// Sessions without open files: their groups are looked up, or the engine is asked.
pub(super) async fn first_readings(
    engine: &DockerEngine,
    line: &Arc<Line>,
    asked: Vec<UsageAsk>,
) -> Vec<(SessionId, Reading)> {
    stream::iter(asked)
        .map(|ask| async move {
            let members = engine.members(line, ask.session).await.ok()?;
            let containers: Vec<String> = members.into_iter().map(|one| one.id).collect();
            let reading = match open_meters(engine, line, ask, &containers).await {
                Some(reading) => Some(reading),
                None if ask.is_worth_asking() => ask_all(line, &containers).await,
                None => None,
            };
            reading.map(|reading| (ask.session, reading))
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
    ask: UsageAsk,
    containers: &[String],
) -> Option<Reading> {
    if line.remote.is_some() {
        return None;
    }
    let mut running = Vec::new();
    for container in containers {
        running.extend(look(line, container).await);
    }
    let mut sampler = engine.usage_sampler();
    let layout = sampler.layout.get_or_insert_with(Layout::of_machine);
    let own_groups = line.habits.own_groups;
    let meters = running
        .iter()
        .map(|one| Gauge::open(layout, own_groups, one.pid));
    let meters = meters.collect::<Option<Vec<Gauge>>>();
    sampler.buffer.resize(LONGEST, 0);
    let read = meters.and_then(|mut meters| {
        let reading = read_all(&mut meters, ask.need, &mut sampler.buffer)?;
        Some((meters, reading))
    });
    let Some((meters, reading)) = read else {
        // One that has just ended, or not begun, may be looked at again.
        if !running.is_empty() {
            sampler.unreadable.insert(ask.session);
        }
        return None;
    };
    sampler.meters.insert(ask.session, meters);
    for one in &running {
        ending::watch(&mut sampler, &engine.sampler, ask.session, one.pid);
    }
    let devices: BTreeSet<u32> = running.into_iter().flat_map(|one| one.devices).collect();
    if devices.is_empty() {
        sampler.devices.remove(&ask.session);
    } else {
        sampler.devices.insert(ask.session, devices);
    }
    Some(reading)
}

async fn ask_all(line: &Line, containers: &[String]) -> Option<Reading> {
    let mut readings = Vec::new();
    for container in containers {
        readings.extend(api::ask(line, container).await);
    }
    Reading::sum(readings)
}

async fn look(line: &Line, container: &str) -> Option<Running> {
    let options = None::<InspectContainerOptions>;
    let record = line
        .docker
        .inspect_container(container, options)
        .await
        .ok()?;
    Some(Running {
        pid: record.state?.pid.filter(|pid| *pid > 0)?,
        devices: record.host_config.map(devices).unwrap_or_default(),
    })
}

/// Numbers of the devices a container was given.
fn devices(host_config: HostConfig) -> Vec<u32> {
    let requests = host_config.device_requests.unwrap_or_default();
    let ids = requests
        .into_iter()
        .filter_map(|request| request.device_ids);
    ids.flatten().filter_map(|id| id.parse().ok()).collect()
}
