//! The rows of the dashboard: what the shown machines or clusters have, who uses it, what will be reclaimed, what
//! failed.

use std::{cmp::Reverse, collections::BTreeMap};

use jiff::Timestamp;

use super::{AgentList, Dashboard};
use crate::{
    app::{
        mirror::{ContextState, DaemonConnection, Mirror},
        panels::PanelEnv,
    },
    model::{
        capability::{Capability, EngineState},
        catalogue::{AcceleratorKind, Agent},
        id::SessionKey,
        resources::{Bytes, ResourceSlots},
        session::Session,
        statistics::{Part, ResourceKind, Whole},
        status::{Status, Tone},
    },
    rules::{
        ending::ending,
        grouping::{Grouping, groups, requested},
        launch::amounts::thousandths,
        reclaim::{Reclaim, nearest, reclaim},
        verdict,
    },
};

/// How many sessions the lists of reclaims and failures name.
const NAMED: usize = 8;

/// A row of the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DashRow {
    Blank,
    /// The title of a section, and a note beside it.
    Section(String, String),
    /// Why a section has no rows, or has only a part of them.
    Note(NoteKind, String),
    Meters(MeterRow),
    /// The space of a disk: what is on it, its path, used and total.
    Disk {
        label: String,
        path: String,
        used: Bytes,
        total: Bytes,
    },
    Session(SessionLine),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    Empty,
    Loading,
    Problem,
}

/// A row with CPU, memory and accelerators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeterRow {
    /// Where Enter leads, `None` if the row can't be selected.
    pub target: Option<Target>,
    pub label: String,
    pub note: String,
    pub cpu: Meter,
    pub memory: Meter,
    pub accelerators: String,
}

/// An amount as a part of a whole: thousandths of a core, or bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// `None` = not known.
    pub used: Option<u64>,
    /// What others use of the whole.
    pub others: u64,
    pub whole: Option<u64>,
}

/// A session that will be reclaimed, or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    pub key: SessionKey,
    pub name: String,
    /// When it is reclaimed, or when it ended; `None` = it is over a limit now.
    pub at: Option<Timestamp>,
    pub why: String,
    pub failed: bool,
}

/// Where a row leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// To the list, filtered by a value.
    Filter(Grouping, String),
    Session(SessionKey),
}

impl DashRow {
    pub fn target(&self) -> Option<Target> {
        match self {
            Self::Meters(row) => row.target.clone(),
            Self::Session(line) => Some(Target::Session(line.key)),
            Self::Blank | Self::Section(..) | Self::Note(..) | Self::Disk { .. } => None,
        }
    }
}

/// All rows, from the top.
pub fn rows(panel: &Dashboard, env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mut rows = Vec::new();
    match env.mirror.connection() {
        DaemonConnection::Connecting => {
            return vec![note(NoteKind::Loading, "Connecting to the daemon")];
        }
        DaemonConnection::Down { .. } => {
            let text =
                "Daemon disconnected. Retrying automatically. The figures are the last known ones.";
            rows.push(note(NoteKind::Problem, text));
        }
        DaemonConnection::Refused(failure) => {
            return vec![note(NoteKind::Problem, &failure.to_string())];
        }
        DaemonConnection::Up => {}
    }
    let shown = || env.mirror.shown(env.shown);
    let contexts = shown().map(|state| context_rows(panel, state, env));
    let groups = shown().map(|state| group_rows(state, env));
    let others = [owner_rows(env), reclaim_rows(env), failure_rows(env)];
    for section in contexts.chain(groups).chain(others) {
        if !rows.is_empty() && !section.is_empty() {
            rows.push(DashRow::Blank);
        }
        rows.extend(section);
    }
    rows
}

fn note(kind: NoteKind, text: &str) -> DashRow {
    DashRow::Note(kind, text.to_owned())
}

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
fn used<'a>(mirror: &Mirror, sessions: impl Iterator<Item = &'a Session>) -> Option<(u64, u64)> {
    let mut sum = (0_u64, 0_u64);
    for session in sessions {
        let usage = mirror.usage(session.key())?;
        sum = (sum.0 + usage.cpu?.millis(), sum.1 + usage.mem.0);
    }
    Some(sum)
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 session".to_owned(),
        n => format!("{n} sessions"),
    }
}

/// The machine, or the agents of a cluster.
fn context_rows(panel: &Dashboard, state: &ContextState, env: &PanelEnv<'_>) -> Vec<DashRow> {
    let name = state.context.name;
    let is_cluster = env.mirror.can(name, Capability::AgentChoice);
    let title = if is_cluster {
        format!("Agents of {name}")
    } else {
        format!("Engine {name}")
    };
    let info = match &state.engine {
        EngineState::Connecting => {
            let section = DashRow::Section(title, String::new());
            return vec![section, note(NoteKind::Loading, "Connecting to the engine")];
        }
        EngineState::Lost { why, .. } => {
            let section = DashRow::Section(title, String::new());
            let text = format!("Disconnected. Retrying automatically: {why}");
            return vec![section, note(NoteKind::Problem, &text)];
        }
        EngineState::Connected { info } => info,
    };
    let about = format!("{} {}", info.kind, info.version);
    let mut rows = vec![DashRow::Section(title, about.trim().to_owned())];
    if is_cluster {
        rows.extend(agent_rows(panel.agents(name)));
        return rows;
    }
    let whole = |all: u64| Some(all).filter(|all| *all > 0);
    let (cpus, memory) = (whole(info.cpus.millis()), whole(info.memory.0));
    let meters = |used: Option<(u64, u64)>| {
        let meter = |used: Option<u64>, whole| Meter {
            used,
            others: 0,
            whole,
        };
        (
            meter(used.map(|it| it.0), cpus),
            meter(used.map(|it| it.1), memory),
        )
    };
    let held = env
        .mirror
        .sessions()
        .filter(|it| it.context == name && it.holds_resources());
    let slots = requested(held.clone());
    let (cpu, mem) = meters(Some((slots.cpu.millis(), slots.mem.0)));
    rows.push(DashRow::Meters(MeterRow {
        label: "Requested".to_owned(),
        note: format!("by {}", counted(held.count())),
        cpu,
        memory: mem,
        accelerators: accelerators(&slots, Some(&info.accelerators)),
        target: None,
    }));
    let running = live(env.mirror, state);
    let (cpu, mem) = meters(used(env.mirror, running.clone()));
    rows.push(DashRow::Meters(MeterRow {
        label: "In use".to_owned(),
        note: format!("by {} running", running.count()),
        cpu,
        memory: mem,
        ..MeterRow::default()
    }));
    if env.mirror.can(name, Capability::HostEnvironment) {
        rows.extend(machine_rows(panel, cpus));
    }
    rows
}

/// This machine as a whole, with the programs outside of sessions.
fn machine_rows(panel: &Dashboard, cpus: Option<u64>) -> Vec<DashRow> {
    let Some(machine) = panel.machine() else {
        return Vec::new();
    };
    let busy = panel.busy().zip(cpus);
    let memory = machine.memory;
    let mut rows = vec![DashRow::Meters(MeterRow {
        label: "Machine".to_owned(),
        note: "with all programs".to_owned(),
        cpu: Meter {
            used: busy.map(|(busy, cpus)| cpus * busy / 1000),
            others: 0,
            whole: cpus,
        },
        memory: Meter {
            used: memory.map(|it| it.total.0.saturating_sub(it.available.0)),
            others: 0,
            whole: memory.map(|it| it.total.0),
        },
        ..MeterRow::default()
    })];
    rows.extend(machine.disks.iter().map(|disk| DashRow::Disk {
        label: "Disk".to_owned(),
        path: disk.what.to_owned(),
        used: Bytes(disk.total.0.saturating_sub(disk.free.0)),
        total: disk.total,
    }));
    rows
}

fn agent_rows(agents: Option<&AgentList>) -> Vec<DashRow> {
    let agents = match agents {
        None => return vec![note(NoteKind::Loading, "Loading the agents")],
        Some(Err(why)) => return vec![note(NoteKind::Problem, &format!("Agents unknown: {why}"))],
        Some(Ok(agents)) if agents.is_empty() => {
            let text = "The manager doesn't show its agents to your account.";
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
        others: 0,
        whole: Some(all).filter(|all| *all > 0),
    };
    let status = if agent.schedulable {
        agent.status.to_string()
    } else {
        format!("{}, not schedulable", agent.status)
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
fn accelerators(used: &ResourceSlots, whole: Option<&BTreeMap<String, u64>>) -> String {
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
fn group_rows(state: &ContextState, env: &PanelEnv<'_>) -> Vec<DashRow> {
    let Some(statistics) = &state.statistics else {
        return Vec::new();
    };
    let title = if env.mirror.shown(env.shown).nth(1).is_some() {
        format!("Resource groups of {}", state.context.name)
    } else {
        "Resource groups".to_owned()
    };
    let mut rows = vec![DashRow::Section(title, quota(statistics))];
    if statistics.groups.is_empty() {
        rows.push(note(NoteKind::Empty, "You can't use any resource group."));
    }
    for group in &statistics.groups {
        let all = statistics.allotments(group);
        let meter = |kind: &ResourceKind| {
            let found = all.iter().find(|it| it.kind == *kind);
            found.map_or_else(Meter::default, |it| meter_of(it.in_group))
        };
        let waiting = match group.waiting {
            Some(0) => "queue empty".to_owned(),
            Some(waiting) => format!("{waiting} in queue"),
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
fn quota(statistics: &crate::model::statistics::Statistics) -> String {
    match (statistics.sessions, statistics.max_sessions) {
        (Some(now), Some(most)) => format!("{now} of {most} sessions"),
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
    }
}

/// Who uses what: the owners of the sessions that hold resources, those with the most CPU first.
fn owner_rows(env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mirror = env.mirror;
    let held = mirror
        .sessions()
        .filter(|it| env.shown.has(it.context) && it.holds_resources());
    let owners = groups(held.map(|it| (Grouping::Owner.of(it), it)));
    let mut rows = vec![DashRow::Section(
        "Who uses what".to_owned(),
        seen_sessions(env).to_owned(),
    )];
    if owners.is_empty() {
        rows.push(note(NoteKind::Empty, "No session holds resources."));
    }
    let mut lines: Vec<MeterRow> = owners
        .into_iter()
        .map(|owner| {
            let slots = requested(owner.members.iter().copied());
            let running = owner.members.iter().filter(|it| it.status.is_live());
            let used = used(mirror, running.copied());
            let name = owner.name;
            let label = if name.is_empty() { "-" } else { &name };
            MeterRow {
                label: label.to_owned(),
                note: counted(owner.members.len()),
                cpu: Meter {
                    used: used.map(|it| it.0),
                    others: 0,
                    whole: Some(slots.cpu.millis()),
                },
                memory: Meter {
                    used: used.map(|it| it.1),
                    others: 0,
                    whole: Some(slots.mem.0),
                },
                accelerators: accelerators(&slots, None),
                target: Some(Target::Filter(Grouping::Owner, name)),
            }
        })
        .collect();
    lines.sort_by_key(|line| Reverse((line.cpu.whole, line.memory.whole)));
    rows.extend(lines.into_iter().map(DashRow::Meters));
    rows
}

/// Whose sessions the shown contexts list.
fn seen_sessions(env: &PanelEnv<'_>) -> &'static str {
    let mut users = env
        .mirror
        .shown(env.shown)
        .map(|state| match &state.engine {
            EngineState::Connected { info } => info.user.as_ref(),
            _ => None,
        });
    let sees_others = users.any(|user| user.is_some_and(|user| user.is_administrator()));
    if sees_others {
        "all users"
    } else {
        "only your own sessions are listed"
    }
}

/// The sessions that idle checks reclaim next.
fn reclaim_rows(env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mut next: Vec<(Option<Timestamp>, &Session)> = env
        .mirror
        .sessions()
        .filter(|it| env.shown.has(it.context))
        .filter_map(|session| match reclaim(session) {
            Reclaim::Due => Some((None, session)),
            Reclaim::At(at) => Some((Some(at), session)),
            Reclaim::Exempt | Reclaim::Never => None,
        })
        .collect();
    next.sort_by_key(|(at, session)| (*at, session.key()));
    let title = "Will be reclaimed".to_owned();
    let mut rows = vec![DashRow::Section(title, more_than_named(next.len()))];
    if next.is_empty() {
        rows.push(note(NoteKind::Empty, "No session will be reclaimed."));
    }
    rows.extend(next.into_iter().take(NAMED).map(|(at, session)| {
        let check = nearest(&session.idle_checks).map(|(check, _)| check.checker.title());
        DashRow::Session(SessionLine {
            key: session.key(),
            name: session.name.to_string(),
            at,
            why: check.unwrap_or("over a limit").to_owned(),
            failed: false,
        })
    }));
    rows
}

fn more_than_named(count: usize) -> String {
    if count > NAMED {
        format!("the first {NAMED} of {count}")
    } else {
        String::new()
    }
}

/// The sessions that failed last, among those that are loaded.
fn failure_rows(env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mut failed: Vec<(Timestamp, &Session)> = env
        .mirror
        .sessions()
        .filter(|it| env.shown.has(it.context) && is_failure(it))
        .map(|session| (session.terminated_at.unwrap_or(session.created_at), session))
        .collect();
    failed.sort_by_key(|(at, session)| (Reverse(*at), session.key()));
    let title = "Recent failures".to_owned();
    let mut rows = vec![DashRow::Section(title, more_than_named(failed.len()))];
    if failed.is_empty() {
        let text = "None of the loaded sessions has failed.";
        rows.push(note(NoteKind::Empty, text));
    }
    rows.extend(failed.into_iter().take(NAMED).map(|(at, session)| {
        let message = session.status_message.as_ref().filter(|it| !it.is_empty());
        let why = match (message, ending(session)) {
            (Some(message), _) => message.to_string(),
            (None, Some(ending)) => ending.to_string(),
            (None, None) => session.status.to_string(),
        };
        DashRow::Session(SessionLine {
            key: session.key(),
            name: session.name.to_string(),
            at: Some(at),
            why,
            failed: true,
        })
    }));
    rows
}

fn is_failure(session: &Session) -> bool {
    let bad_end = ending(session).is_some_and(|it| it.tone() == verdict::Tone::Bad);
    bad_end
        || session.failed_to_start()
        || session.status == Status::Error
        || (session.has_ended() && session.status.tone() == Tone::Bad)
}
