//! Samples sessions for the first time: opens their files or asks the engine.

use std::{collections::BTreeSet, sync::Arc};

use bollard::{models::HostConfig, query_parameters::InspectContainerOptions};
use futures_util::{StreamExt as _, stream};

use super::{
    UsageSource, cgroup::Layout, engine_stats, final_usage, meter::LONGEST, read_all,
    readings::Readings,
};
use crate::{
    engine::{
        api::UsageAsk,
        docker::{DockerEngine, connect::connection::EngineConnection, container::members::Member},
    },
    model::id::{KernelId, SessionId},
};

/// Maximum number of concurrent requests to the engine.
const AT_ONCE: usize = 16;

/// The record of a running container.
struct RunningContainer {
    kernel: KernelId,
    pid: i64,
    devices: BTreeSet<u32>,
}

/// The first readings of sessions without open files, from their control groups or the engine.
pub(super) async fn first_readings(
    engine: &DockerEngine,
    connection: &Arc<EngineConnection>,
    asked: Vec<UsageAsk>,
) -> Vec<(SessionId, Readings)> {
    stream::iter(asked)
        .map(|ask| async move {
            let members = engine.members(connection, ask.session).await.ok()?;
            if members.len() > 1 {
                engine.usage_sampler().clusters.insert(ask.session);
            }
            let readings = match open_meters(engine, connection, ask, &members).await {
                Some(readings) => readings,
                None if ask.is_worth_asking() => ask_all(connection, &members).await,
                None => return None,
            };
            Some((ask.session, readings))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(std::future::ready)
        .collect()
        .await
}

/// Opens the meters of the session's running containers.
async fn open_meters(
    engine: &DockerEngine,
    connection: &EngineConnection,
    ask: UsageAsk,
    members: &[Member],
) -> Option<Readings> {
    if connection.remote.is_some() {
        return None;
    }
    let mut running = Vec::new();
    for member in members {
        running.extend(look(connection, member).await);
    }
    let mut sampler = engine.usage_sampler();
    let layout = sampler.layout.get_or_insert_with(Layout::of_machine);
    let own_groups = connection.quirks.own_groups;
    let meters = running
        .iter()
        .map(|one| Some((one.kernel, UsageSource::open(layout, own_groups, one.pid)?)));
    let meters = meters.collect::<Option<Vec<_>>>();
    sampler.buffer.resize(LONGEST, 0);
    let read = meters.and_then(|mut meters| {
        let readings = read_all(&mut meters, ask.need, &mut sampler.buffer)?;
        Some((meters, readings))
    });
    let Some((meters, readings)) = read else {
        // A session that has just ended or hasn't started yet may be tried again.
        if !running.is_empty() {
            sampler.unreadable.insert(ask.session);
        }
        return None;
    };
    sampler.meters.insert(ask.session, meters);
    for one in &running {
        final_usage::watch(&mut sampler, &engine.sampler, ask.session, one.pid);
    }
    let devices = running.into_iter().map(|one| (one.kernel, one.devices));
    let devices: Vec<_> = devices.filter(|(_, all)| !all.is_empty()).collect();
    if devices.is_empty() {
        sampler.devices.remove(&ask.session);
    } else {
        sampler.devices.insert(ask.session, devices);
    }
    Some(readings)
}

async fn ask_all(connection: &EngineConnection, members: &[Member]) -> Readings {
    let mut readings = Vec::new();
    for member in members {
        let reading = engine_stats::ask(connection, &member.id).await;
        readings.extend(reading.map(|reading| (member.kernel, reading)));
    }
    readings
}

async fn look(connection: &EngineConnection, member: &Member) -> Option<RunningContainer> {
    let options = None::<InspectContainerOptions>;
    let record = connection
        .docker
        .inspect_container(&member.id, options)
        .await
        .ok()?;
    Some(RunningContainer {
        kernel: member.kernel,
        pid: record.state?.pid.filter(|pid| *pid > 0)?,
        devices: record.host_config.map(devices).unwrap_or_default(),
    })
}

/// The numbers of the devices that a container was given.
fn devices(host_config: HostConfig) -> BTreeSet<u32> {
    let requests = host_config.device_requests.unwrap_or_default();
    let ids = requests
        .into_iter()
        .filter_map(|request| request.device_ids);
    ids.flatten().filter_map(|id| id.parse().ok()).collect()
}
