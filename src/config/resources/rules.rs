//! The list of all resource settings, one row each.

use super::super::{
    amount::{
        accelerators, any_memory, cores, cores_or_none, count, memory, some_count, some_span,
        thousandths,
    },
    document::{DocumentFault, Item},
    table_rows::{KeyRow, row, set},
    writing::{decimal, in_quotes, plain, quoted, size, slots},
};
use crate::{
    model::{
        catalogue::{Preset, SlotLimits},
        policy::{AcceleratorRules, Backfill, GroupRules, QueueOrder, UserLimits},
        resources::Bytes,
        text::Clean,
    },
    rules::launch::amounts::LEAST_MEMORY,
};

fn least(item: &Item) -> Result<Bytes, DocumentFault> {
    memory(item, LEAST_MEMORY)
}

/// The number as text, or `None` for 0.
fn unless_zero(number: u32) -> Option<String> {
    (number > 0).then(|| number.to_string())
}

/// `[host]`.
pub(super) const HOST: &[KeyRow<SlotLimits>] = &[
    row!("cpu", cpu: cores, plain),
    row!("mem", mem: least, size),
];

/// `[group.NAME]`.
pub(super) const GROUP: &[KeyRow<GroupRules>] = &[
    row!("cpu", most.cpu: cores, plain),
    row!("mem", most.mem: least, size),
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
    row!(
        "reserve-mem",
        |g, i| set(&mut g.reserve_mem, any_memory(i)),
        |g| { (g.reserve_mem.0 > 0).then(|| size(g.reserve_mem)) }
    ),
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
    row!("pending-timeout", pending_timeout: some_span, in_quotes),
    row!("backfill", |g, i| set(&mut g.backfill, backfill(i)), |g| {
        (g.backfill != Backfill::default()).then(|| quoted(g.backfill.word()))
    }),
    row!("backfill-age-limit", backfill_age_limit: some_span, in_quotes),
];

fn backfill(item: &Item) -> Result<Backfill, DocumentFault> {
    const ALL: [Backfill; 3] = [Backfill::On, Backfill::Safe, Backfill::Off];
    let text = item.text()?;
    let known = ALL.into_iter().find(|it| it.word() == text);
    known.ok_or_else(|| DocumentFault::unknown(item.at, "backfill", text, ALL.map(Backfill::word)))
}

fn order(item: &Item) -> Result<QueueOrder, DocumentFault> {
    match item.text()? {
        "fifo" => Ok(QueueOrder::Fifo),
        "lifo" => Ok(QueueOrder::Lifo),
        other => Err(DocumentFault::unknown(
            item.at,
            "order",
            other,
            ["fifo", "lifo"],
        )),
    }
}

/// `[preset.NAME]`.
pub(super) const PRESET: &[KeyRow<Preset>] = &[
    row!("cpu", |p, i| set(&mut p.slots.cpu, cores(i)), |p| {
        Some(p.slots.cpu.to_string())
    }),
    row!("mem", |p, i| set(&mut p.slots.mem, least(i)), |p| {
        Some(size(p.slots.mem))
    }),
    row!("shmem", shmem: any_memory, size),
    row!(
        "accelerators",
        |p, i| set(&mut p.slots.accelerators, accelerators(i)),
        |p| slots(&p.slots.accelerators)
    ),
    row!(
        "group",
        |p, i| {
            let name = super::super::setting_values::word(i).map(|name| Some(Clean::from(name)));
            set(&mut p.resource_group, name)
        },
        |p| p.resource_group.as_ref().map(|name| quoted(name.as_str()))
    ),
    row!("idle-timeout", idle.network_timeout: some_span, in_quotes),
    row!("lifetime", idle.session_lifetime: some_span, in_quotes),
];

/// The keys that a preset needs.
pub(super) const PRESET_NEEDS: [&str; 2] = ["cpu", "mem"];

/// `[limits]`.
pub(super) const LIMITS: &[KeyRow<UserLimits>] = &[
    row!("cpu", total.cpu: cores, plain),
    row!("mem", total.mem: least, size),
    row!(
        "accelerators",
        |l, i| set(&mut l.total.accelerators, accelerators(i)),
        |l| slots(&l.total.accelerators)
    ),
    row!("cpu-per-container", per_container.cpu: cores, plain),
    row!("mem-per-container", per_container.mem: least, size),
    row!(
        "accelerators-per-container",
        |l, i| set(&mut l.per_container.accelerators, accelerators(i)),
        |l| slots(&l.per_container.accelerators)
    ),
    row!("shmem", shmem: any_memory, size),
    row!("concurrent-sessions", concurrent_sessions: some_count, plain),
    row!("pending-sessions", pending_sessions: some_count, plain),
    row!("containers-per-session", containers_per_session: some_count, plain),
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
pub(super) const ACCELERATOR: &[KeyRow<AcceleratorRules>] = &[
    row!("amount", amount: thousandths, decimal),
    row!("quantum", quantum: quantum, decimal),
    row!("shares-per-device", shares_per_device: some_count, plain),
];

fn quantum(item: &Item) -> Result<u64, DocumentFault> {
    match thousandths(item)? {
        0 => Err(DocumentFault::new(
            item.at,
            tr!("the step must be greater than 0"),
        )),
        quantum => Ok(quantum),
    }
}

/// Keeps the tighter value of each limit.
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
