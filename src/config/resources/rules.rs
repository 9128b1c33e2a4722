//! THE list of what can be set about resources: a row each.

use super::super::{
    amount::{
        accelerators, cores, cores_or_none, count, decimal, memory, quoted, size, slots, some_span,
        thousandths,
    },
    document::{Fault, Item},
    rows::Row,
};
use crate::model::{
    catalogue::{Preset, SlotLimits},
    launch::amounts::LEAST_MEMORY,
    policy::{AcceleratorRules, GroupRules, QueueOrder, UserLimits},
    resources::Bytes,
    span::Span,
    text::Clean,
};

pub(super) fn set<T>(place: &mut T, value: Result<T, Fault>) -> Result<(), Fault> {
    *place = value?;
    Ok(())
}

fn least(item: &Item) -> Result<Bytes, Fault> {
    memory(item, LEAST_MEMORY)
}

fn any(item: &Item) -> Result<Bytes, Fault> {
    memory(item, Bytes(0))
}

/// What a number says that is not nothing.
fn unless_zero(number: u32) -> Option<String> {
    (number > 0).then(|| number.to_string())
}

pub(super) fn shown(span: Option<Span>) -> Option<String> {
    span.map(|span| quoted(&span.to_string()))
}

macro_rules! row {
    ($name:literal, $read:expr, $show:expr) => {
        Row {
            name: $name,
            read: $read,
            show: $show,
        }
    };
}

/// `[host]`.
pub(super) const HOST: &[Row<SlotLimits>] = &[
    row!("cpu", |h, i| set(&mut h.cpu, cores(i).map(Some)), |h| {
        h.cpu.map(|cpu| cpu.to_string())
    }),
    row!("mem", |h, i| set(&mut h.mem, least(i).map(Some)), |h| {
        h.mem.map(size)
    }),
];

/// `[group.NAME]`.
pub(super) const GROUP: &[Row<GroupRules>] = &[
    row!(
        "cpu",
        |g, i| set(&mut g.most.cpu, cores(i).map(Some)),
        |g| { g.most.cpu.map(|cpu| cpu.to_string()) }
    ),
    row!(
        "mem",
        |g, i| set(&mut g.most.mem, least(i).map(Some)),
        |g| { g.most.mem.map(size) }
    ),
    row!(
        "accelerators",
        |g, i| set(&mut g.most.accelerators, accelerators(i)),
        |g| slots(&g.most.accelerators)
    ),
    row!(
        "reserve-cpu",
        |g, i| set(&mut g.reserve_cpu, cores_or_none(i)),
        |g| (g.reserve_cpu.millis() > 0).then(|| g.reserve_cpu.to_string())
    ),
    row!("reserve-mem", |g, i| set(&mut g.reserve_mem, any(i)), |g| {
        (g.reserve_mem.0 > 0).then(|| size(g.reserve_mem))
    }),
    row!(
        "order",
        |g, i| set(&mut g.order, order(i)),
        |g| match g.order {
            QueueOrder::Fifo => None,
            QueueOrder::Lifo => Some(quoted("lifo")),
        }
    ),
    row!(
        "num-retries-to-skip",
        |g, i| set(&mut g.num_retries_to_skip, count(i, 0)),
        |g| unless_zero(g.num_retries_to_skip)
    ),
    row!(
        "pending-timeout",
        |g, i| set(&mut g.pending_timeout, some_span(i).map(Some)),
        |g| shown(g.pending_timeout)
    ),
];

fn order(item: &Item) -> Result<QueueOrder, Fault> {
    match item.text()? {
        "fifo" => Ok(QueueOrder::Fifo),
        "lifo" => Ok(QueueOrder::Lifo),
        other => Err(Fault::unknown(item.at, "order", other, ["fifo", "lifo"])),
    }
}

/// `[preset.NAME]`.
pub(super) const PRESET: &[Row<Preset>] = &[
    row!("cpu", |p, i| set(&mut p.slots.cpu, cores(i)), |p| {
        Some(p.slots.cpu.to_string())
    }),
    row!("mem", |p, i| set(&mut p.slots.mem, least(i)), |p| {
        Some(size(p.slots.mem))
    }),
    row!("shmem", |p, i| set(&mut p.shmem, any(i).map(Some)), |p| {
        p.shmem.map(size)
    }),
    row!(
        "accelerators",
        |p, i| set(&mut p.slots.accelerators, accelerators(i)),
        |p| slots(&p.slots.accelerators)
    ),
    row!(
        "group",
        |p, i| {
            let name = super::super::setting::word(i).map(|name| Some(Clean::from(name)));
            set(&mut p.resource_group, name)
        },
        |p| p.resource_group.as_ref().map(|name| quoted(name.as_str()))
    ),
    row!(
        "idle-timeout",
        |p, i| set(&mut p.idle.network_timeout, some_span(i).map(Some)),
        |p| shown(p.idle.network_timeout)
    ),
    row!(
        "lifetime",
        |p, i| set(&mut p.idle.session_lifetime, some_span(i).map(Some)),
        |p| shown(p.idle.session_lifetime)
    ),
];

/// What a preset cannot do without.
pub(super) const PRESET_NEEDS: [&str; 2] = ["cpu", "mem"];

/// `[limits]`.
pub(super) const LIMITS: &[Row<UserLimits>] = &[
    row!(
        "cpu",
        |l, i| set(&mut l.total.cpu, cores(i).map(Some)),
        |l| { l.total.cpu.map(|cpu| cpu.to_string()) }
    ),
    row!(
        "mem",
        |l, i| set(&mut l.total.mem, least(i).map(Some)),
        |l| { l.total.mem.map(size) }
    ),
    row!(
        "accelerators",
        |l, i| set(&mut l.total.accelerators, accelerators(i)),
        |l| slots(&l.total.accelerators)
    ),
    row!(
        "cpu-per-container",
        |l, i| set(&mut l.per_container.cpu, cores(i).map(Some)),
        |l| l.per_container.cpu.map(|cpu| cpu.to_string())
    ),
    row!(
        "mem-per-container",
        |l, i| set(&mut l.per_container.mem, least(i).map(Some)),
        |l| l.per_container.mem.map(size)
    ),
    row!(
        "accelerators-per-container",
        |l, i| set(&mut l.per_container.accelerators, accelerators(i)),
        |l| slots(&l.per_container.accelerators)
    ),
    row!("shmem", |l, i| set(&mut l.shmem, any(i).map(Some)), |l| {
        l.shmem.map(size)
    }),
    row!(
        "concurrent-sessions",
        |l, i| set(&mut l.concurrent_sessions, count(i, 1).map(Some)),
        |l| l.concurrent_sessions.map(|n| n.to_string())
    ),
    row!(
        "pending-sessions",
        |l, i| set(&mut l.pending_sessions, count(i, 1).map(Some)),
        |l| l.pending_sessions.map(|n| n.to_string())
    ),
    row!(
        "containers-per-session",
        |l, i| set(&mut l.containers_per_session, count(i, 1).map(Some)),
        |l| l.containers_per_session.map(|n| n.to_string())
    ),
    row!(
        "preopen-ports",
        |l, i| set(&mut l.preopen_ports, count(i, 0).map(Some)),
        |l| l.preopen_ports.map(|n| n.to_string())
    ),
    row!(
        "presets-only",
        |l, i| set(&mut l.presets_only, i.boolean()),
        |l| l.presets_only.then(|| "true".to_owned())
    ),
];

/// `[accelerator."SLOT"]`.
pub(super) const ACCELERATOR: &[Row<AcceleratorRules>] = &[
    row!(
        "amount",
        |a, i| set(&mut a.amount, thousandths(i).map(Some)),
        |a| { a.amount.map(decimal) }
    ),
    row!(
        "quantum",
        |a, i| set(&mut a.quantum, quantum(i).map(Some)),
        |a| a.quantum.map(decimal)
    ),
    row!(
        "shares-per-device",
        |a, i| set(&mut a.shares_per_device, count(i, 1).map(Some)),
        |a| a.shares_per_device.map(|n| n.to_string())
    ),
];

fn quantum(item: &Item) -> Result<u64, Fault> {
    match thousandths(item)? {
        0 => Err(Fault::new(item.at, "0 is no step")),
        quantum => Ok(quantum),
    }
}

/// Takes the tighter of two limits, one by one.
pub(super) fn tighten(limits: &mut UserLimits, other: &UserLimits) {
    let slots = |mine: &mut SlotLimits, other: &SlotLimits| mine.tighten(other);
    slots(&mut limits.total, &other.total);
    slots(&mut limits.per_container, &other.per_container);
    lower(&mut limits.shmem, other.shmem);
    lower(&mut limits.concurrent_sessions, other.concurrent_sessions);
    lower(&mut limits.pending_sessions, other.pending_sessions);
    lower(
        &mut limits.containers_per_session,
        other.containers_per_session,
    );
    lower(&mut limits.preopen_ports, other.preopen_ports);
    limits.presets_only |= other.presets_only;
}

fn lower<T: Ord + Copy>(mine: &mut Option<T>, other: Option<T>) {
    *mine = match (*mine, other) {
        (Some(mine), Some(other)) => Some(mine.min(other)),
        (mine, other) => mine.or(other),
    };
}
