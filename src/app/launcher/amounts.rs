//! CPU and memory: what there is, what is too much, the usual steps.

use super::{Field, Launcher};
use crate::model::{
    capability::{Capability, EngineInfo},
    resources::{Bytes, Cpu, ResourceSlots},
};

const CPU_STEPS: [u64; 11] = [
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000,
];

/// What the engine has in all, and what every session needs.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    cpu: Option<Cpu>,
    mem: Option<Bytes>,
    pub shmem: Bytes,
    /// What does not fit now waits in the engine's queue; it is no mistake.
    waits: bool,
    /// What is free and what there is, where the context tells: in the resource group.
    group: Option<Room>,
}

#[derive(Clone, Debug)]
struct Room {
    free: ResourceSlots,
    all: ResourceSlots,
}

impl Limits {
    pub fn set_engine(&mut self, info: Option<&EngineInfo>) {
        // 0 = the engine does not tell.
        self.cpu = info.map(|it| it.cpus).filter(|cpu| cpu.millis() > 0);
        self.mem = info.map(|it| it.memory).filter(|mem| mem.0 > 0);
        self.waits = info.is_some_and(|it| it.capabilities.has(Capability::Schedules));
    }
}

impl Launcher {
    /// The room of the resource group that is meant.
    pub(super) fn set_amounts(&mut self) {
        self.limits.group = self.meant_group().map(|group| Room {
            free: group.remaining.clone(),
            all: group.using.plus(&group.remaining),
        });
    }

    /// What there is, for the note beside a field.
    pub fn limit(&self, field: Field) -> Option<String> {
        match (field, &self.limits.group) {
            (Field::Cpu, Some(room)) => {
                Some(format!("{} of {} cores free", room.free.cpu, room.all.cpu))
            }
            (Field::Memory, Some(room)) => {
                Some(format!("{} of {} free", room.free.mem, room.all.mem))
            }
            (Field::Cpu, None) => self.limits.cpu.map(|cpu| format!("of {cpu} cores")),
            (Field::Memory, None) => self.limits.mem.map(|mem| format!("of {mem}")),
            _ => None,
        }
    }

    /// What a person should know of a field that is right.
    pub fn remark(&self, field: Field) -> Option<String> {
        let free = &self.limits.group.as_ref()?.free;
        let waits = match field {
            Field::Cpu => self.cpu.text().parse::<Cpu>().is_ok_and(|it| it > free.cpu),
            Field::Memory => self
                .mem
                .text()
                .parse::<Bytes>()
                .is_ok_and(|it| it > free.mem),
            _ => false,
        };
        waits.then(|| "more than is free now: the session will wait for it".to_owned())
    }

    fn minimum(&self) -> Option<&ResourceSlots> {
        Some(&self.choices.get(self.marked)?.minimum)
    }

    pub(super) fn cpu_problem(&self) -> Option<String> {
        let cpu = match self.cpu.text().parse::<Cpu>() {
            Err(why) => return Some(why),
            Ok(cpu) => cpu,
        };
        let least = self.minimum().map(|minimum| minimum.cpu);
        if let Some(least) = least.filter(|least| cpu < *least) {
            return Some(format!("this environment needs at least {least} cores"));
        }
        self.limits
            .cpu
            .filter(|all| cpu > *all && !self.limits.waits)
            .map(|all| format!("more than there is: this machine has {all} cores"))
    }

    pub(super) fn memory_problem(&self) -> Option<String> {
        let mem = match self.mem.text().parse::<Bytes>() {
            Err(why) => return Some(why),
            Ok(mem) => mem,
        };
        let least = self.minimum().map(|minimum| minimum.mem);
        if let Some(least) = least.filter(|least| mem < *least) {
            return Some(format!("this environment needs at least {least}"));
        }
        if mem <= self.limits.shmem {
            let shmem = self.limits.shmem;
            return Some(format!("must be more than the shared memory, {shmem}"));
        }
        self.limits
            .mem
            .filter(|all| mem > *all && !self.limits.waits)
            .map(|all| format!("more than there is: this machine has {all}"))
    }

    pub(super) fn step_cpu(&mut self, up: bool) {
        let now = self.cpu.text().parse::<Cpu>().map_or(1_000, Cpu::millis);
        let most = self.limits.cpu.map_or(u64::MAX, Cpu::millis);
        let next = if up {
            let step = CPU_STEPS.into_iter().find(|n| *n > now);
            step.unwrap_or(now).min(most.max(now))
        } else {
            let step = CPU_STEPS.into_iter().rev().find(|n| *n < now);
            step.unwrap_or(now)
        };
        self.cpu.set(&Cpu::from_millis(next).to_string());
    }

    pub(super) fn step_mem(&mut self, up: bool) {
        let now = self
            .mem
            .text()
            .parse::<Bytes>()
            .map_or(512 * Bytes::MIB, |b| b.0);
        let most = self.limits.mem.map_or(u64::MAX, |b| b.0);
        let floor = now.max(1).ilog2();
        let power = 1_u64 << floor.min(60);
        let next = match (up, power == now) {
            (true, _) => power.saturating_mul(2).min(most.max(now)),
            (false, true) => power / 2,
            (false, false) => power,
        };
        self.mem.set(&Bytes(next.max(Bytes::mib(16).0)).to_string());
    }
}
