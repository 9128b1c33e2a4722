//! The sections of the engines: this machine or the agents of a cluster, and the resource groups.

use std::collections::BTreeMap;

use super::{
    AgentList, Dashboard,
    rows::{DashRow, DeviceLine, Meter, MeterRow, NoteKind, Target, note},
};
use crate::{
    app::{
        mirror::{ContextState, Mirror},
        panels::PanelEnv,
    },
    model::{
        capability::{AcceleratorDevice, Capability, EngineInfo, EngineState},
        catalogue::{AcceleratorKind, Agent},
        resources::{Bytes, ResourceSlots},
        session::Session,
        statistics::{Part, ResourceKind, Statistics, Whole},
        usage::AcceleratorUsage,
    },
    rules::{
        grouping::{Grouping, requested},
        launch::amounts::thousandths,
    },
};

/// The sessions of a context that run now.
fn live<'a>(
    mirror: &'a Mirror,
    state: &'a ContextState,
) -> impl Iterator<Item = &'a Session> + Clone {
    let context = state.context.name;
    mirror
        .sessions()
        .filter(move |it| it.context == context && it.status.is_live())
}

/// What the sessions use together, `None` unless it is known of all of them.
pub(super) fn used<'a>(
    mirror: &Mirror,
    sessions: impl Iterator<Item = &'a Session>,
) -> Option<(u64, u64)> {
    let mut sum = (0_u64, 0_u64);
    for session in sessions {
        let usage = mirror.usage(session.key())?;
        sum = (sum.0 + usage.cpu?.millis(), sum.1 + usage.mem.0);
    }
    Some(sum)
}

/// `3 sessions`.
pub(super) fn counted(count: usize) -> String {
    match count {
        1 => tr!("1 session").to_owned(),
        n => tr!("{n} sessions", n),
    }
}

/// The machine, or the agents of a cluster.
pub(super) fn context_rows(
    panel: &Dashboard,
    state: &ContextState,
    env: &PanelEnv<'_>,
) -> Vec<DashRow> {
    let name = state.context.name;
    let is_cluster = env.mirror.can(name, Capability::AgentChoice);
    let title = if is_cluster {
        tr!("Agents of {name}", name)
    } else {
        tr!("Engine {name}", name)
    };
    let info = match &state.engine {
        EngineState::Connecting => {
            let section = DashRow::Section(title, String::new());
            return vec![
                section,
                note(NoteKind::Loading, tr!("Connecting to the engine")),
            ];
        }
        EngineState::Lost { why, attempt, .. } => {
            let text = tr!(
                "Disconnected. Retrying automatically (attempt {attempt}).",
                attempt
            );
            let mut rows = vec![
                DashRow::Section(title, String::new()),
                note(NoteKind::Problem, &text),
            ];
            // A narrow screen has no room for the whole reason in a line.
            let parts = why.as_str().split(": ");
            rows.extend(parts.map(|part| note(NoteKind::Problem, part)));
            return rows;
        }
        EngineState::Connected { info } => info,
    };
    let about = format!("{} {}", info.kind, info.version);
    let mut rows = vec![DashRow::Section(title, about.trim().to_owned())];
    if is_cluster {
        rows.extend(agent_rows(panel.agents(name)));
        return rows;
    }
    rows.extend(usage_rows(panel, state, info, env));
    rows
}

/// What sessions requested of a machine and what they use of it, its devices, and what else runs on it.
fn usage_rows(
    panel: &Dashboard,
    state: &ContextState,
    info: &EngineInfo,
    env: &PanelEnv<'_>,
) -> Vec<DashRow> {
    let name = state.context.name;
    let mut rows = Vec::new();
    let whole = |all: u64| Some(all).filter(|all| *all > 0);
    let (cpus, memory) = (whole(info.cpus.millis()), whole(info.memory.0));
    let meters = |used: Option<(u64, u64)>| {
        let meter = |used: Option<u64>, whole| Meter {
            used,
            whole,
            ..Meter::default()
        };
        (
            meter(used.map(|it| it.0), cpus),
            meter(used.map(|it| it.1), memory),
        )
    };
    let using = env
        .mirror
        .sessions()
        .filter(|it| it.context == name && it.holds_resources());
    let slots = requested(using.clone());
    let (cpu, mem) = meters(Some((slots.cpu.millis(), slots.mem.0)));
    rows.push(DashRow::Meters(MeterRow {
        label: tr!("Requested").to_owned(),
        note: tr!("by {count}", count = counted(using.count())),
        cpu,
        memory: mem,
        accelerators: accelerators(&slots, Some(&info.accelerators)),
        target: None,
    }));
    let running = live(env.mirror, state);
    let (cpu, mem) = meters(used(env.mirror, running.clone()));
    rows.push(DashRow::Meters(MeterRow {
        label: tr!("In use").to_owned(),
        note: tr!("by {count} running", count = running.clone().count()),
        cpu,
        memory: mem,
        ..MeterRow::default()
    }));
    rows.extend(device_rows(env.mirror, &info.devices, running));
    if env.mirror.can(name, Capability::HostEnvironment) {
        rows.extend(machine_rows(panel, cpus));
    }
    rows
}

/// The devices of the engine, in its order, then others that the running sessions report, by name. Several
/// sessions can share a device.
fn device_rows<'a>(
    mirror: &Mirror,
    known: &[AcceleratorDevice],
    sessions: impl Iterator<Item = &'a Session>,
) -> Vec<DashRow> {
    let mut sessions: Vec<&Session> = sessions.collect();
    sessions.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let mut users: BTreeMap<&str, (Vec<&str>, &AcceleratorUsage)> = BTreeMap::new();
    // Whether each session that may have devices has reported them.
    let mut all_reported = true;
    for session in sessions {
        let usage = mirror.usage(session.key());
        let devices = usage.map(|it| &it.accelerators[..]).unwrap_or_default();
        all_reported &= !(devices.is_empty() && session.has_accelerators());
        for device in devices {
            let user = users.entry(device.name.as_str());
            let (names, _) = user.or_insert_with(|| (Vec::new(), device));
            names.push(session.name.as_str());
        }
    }
    let unused = all_reported.then(|| tr!("by no session").to_owned());
    let mut lines: Vec<DeviceLine> = Vec::new();
    for device in known {
        let user = users.remove(device.name.as_str());
        let mut line = user.map_or_else(
            || DeviceLine {
                name: device.name.to_string(),
                sessions: unused.clone(),
                busy: None,
                memory: Meter::default(),
            },
            used_device,
        );
        let all = Some(device.mem.0).filter(|all| *all > 0);
        line.memory.whole = line.memory.whole.or(all);
        lines.push(line);
    }
    lines.extend(users.into_values().map(used_device));
    lines.into_iter().map(DashRow::Device).collect()
}

fn used_device((names, device): (Vec<&str>, &AcceleratorUsage)) -> DeviceLine {
    DeviceLine {
        name: device.name.to_string(),
        sessions: Some(tr!("by {sessions}", sessions = names.join(", "))),
        busy: device.utilization.map(|it| u64::from(it) / 10),
        memory: Meter {
            used: device.mem.map(|it| it.0),
            whole: device.mem_total.map(|it| it.0),
            ..Meter::default()
        },
    }
}

/// This machine as a whole, with the programs outside of sessions.
fn machine_rows(panel: &Dashboard, cpus: Option<u64>) -> Vec<DashRow> {
    let Some(machine) = panel.machine() else {
        return Vec::new();
    };
    let busy = panel.busy().zip(cpus);
    let memory = machine.memory;
    let mut rows = vec![DashRow::Meters(MeterRow {
        label: tr!("Machine").to_owned(),
        note: tr!("with all programs").to_owned(),
        cpu: Meter {
            used: busy.map(|(busy, cpus)| cpus * busy / 1000),
            whole: cpus,
            measuring: busy.is_none() && cpus.is_some(),
            ..Meter::default()
        },
        memory: Meter {
            used: memory.map(|it| it.total.0.saturating_sub(it.available.0)),
            whole: memory.map(|it| it.total.0),
            ..Meter::default()
        },
        ..MeterRow::default()
    })];
    rows.extend(machine.disks.iter().map(|disk| DashRow::Disk {
        label: tr!("Disk").to_owned(),
        path: disk.what.to_owned(),
        used: Bytes(disk.total.0.saturating_sub(disk.free.0)),
        total: disk.total,
    }));
    rows
}

fn agent_rows(agents: Option<&AgentList>) -> Vec<DashRow> {
    let agents = match agents {
        None => return vec![note(NoteKind::Loading, tr!("Loading the agents"))],
        Some(Err(why)) => return vec![note(NoteKind::Problem, &tr!("Agents unknown: {why}", why))],
        Some(Ok(agents)) if agents.is_empty() => {
            let text = tr!("The manager doesn't show its agents to your account.");
            return vec![note(NoteKind::Empty, text)];
        }
        Some(Ok(agents)) => agents,
    };
    agents.iter().map(agent_row).collect()
}

fn agent_row(agent: &Agent) -> DashRow {
    let (all, used) = (&agent.available, &agent.occupied);
    let meter = |used: u64, all: u64| Meter {
        used: Some(used),
        whole: Some(all).filter(|all| *all > 0),
        ..Meter::default()
    };
    let status = if agent.schedulable {
        agent.status.to_string()
    } else {
        tr!("{status}, not schedulable", status = agent.status)
    };
    DashRow::Meters(MeterRow {
        target: Some(Target::Filter(Grouping::Agent, agent.id.to_string())),
        label: agent.id.to_string(),
        note: format!("{status}  {}", agent.resource_group),
        cpu: meter(used.cpu.millis(), all.cpu.millis()),
        memory: meter(used.mem.0, all.mem.0),
        accelerators: accelerators(used, Some(&all.accelerators)),
    })
}

/// `1/4 GPU`: what is used, of the whole if it is known.
pub(super) fn accelerators(used: &ResourceSlots, whole: Option<&BTreeMap<String, u64>>) -> String {
    let mut slots: Vec<&String> = used.accelerators.keys().collect();
    slots.extend(whole.into_iter().flat_map(BTreeMap::keys));
    slots.sort_unstable();
    slots.dedup();
    let words = slots.into_iter().filter_map(|slot| {
        let used = used.accelerators.get(slot).copied().unwrap_or(0);
        let all = whole.and_then(|whole| whole.get(slot)).copied();
        let unit = AcceleratorKind::usual_unit(slot);
        match (used, all) {
            (_, Some(all)) if all > 0 => {
                Some(format!("{}/{} {unit}", thousandths(used), thousandths(all)))
            }
            (0, _) => None,
            (used, _) => Some(format!("{} {unit}", thousandths(used))),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The resource groups: what is used of them, and their queues.
pub(super) fn group_rows(state: &ContextState, env: &PanelEnv<'_>) -> Vec<DashRow> {
    let Some(statistics) = &state.statistics else {
        return Vec::new();
    };
    let title = if env.mirror.shown(env.shown).nth(1).is_some() {
        tr!("Resource groups of {name}", name = state.context.name)
    } else {
        tr!("Resource groups").to_owned()
    };
    let mut rows = vec![DashRow::Section(title, quota(statistics))];
    if statistics.groups.is_empty() {
        rows.push(note(
            NoteKind::Empty,
            tr!("You can't use any resource group."),
        ));
    }
    for group in &statistics.groups {
        let all = statistics.allotments(group);
        let meter = |kind: &ResourceKind| {
            let found = all.iter().find(|it| it.kind == *kind);
            found.map_or_else(Meter::default, |it| meter_of(it.in_group))
        };
        let waiting = match group.waiting {
            Some(0) => tr!("queue empty").to_owned(),
            Some(waiting) => tr!("{waiting} in queue", waiting),
            None => String::new(),
        };
        let names_group = live(env.mirror, state).any(|it| it.placement.resource_group.is_some());
        let target = Target::Filter(Grouping::ResourceGroup, group.name.to_string());
        let whole = group.capacity.as_ref().map(|it| &it.accelerators);
        rows.push(DashRow::Meters(MeterRow {
            target: Some(target).filter(|_| names_group),
            label: group.name.to_string(),
            note: waiting,
            cpu: meter(&ResourceKind::Cpu),
            memory: meter(&ResourceKind::Mem),
            accelerators: accelerators(&group.using, whole),
        }));
    }
    rows
}

/// `3 of 10 sessions`, where the number of sessions is limited.
fn quota(statistics: &Statistics) -> String {
    match (statistics.sessions, statistics.max_sessions) {
        (Some(now), Some(most)) => tr!("{now} of {most} sessions", now, most),
        _ => String::new(),
    }
}

fn meter_of(part: Part) -> Meter {
    Meter {
        used: Some(part.used),
        others: part.others,
        whole: match part.whole {
            Whole::Total(all) | Whole::Limit(all) => Some(all),
            Whole::Hidden | Whole::Unlimited => None,
        },
        measuring: false,
    }
}
