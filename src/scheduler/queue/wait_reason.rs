//! Why a session doesn't begin now: the sentence, and the validator that reports it.

use jiff::Timestamp;

use crate::model::{
    history::{Outcome, SubStep},
    policy::QueueOrder,
    resources::{Bytes, Cpu, ResourceSlots},
    text::Clean,
};

/// What blocks a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scheduler) enum WaitReason {
    /// A batch session has a later start time.
    NotBefore(Timestamp),
    /// The user has reached the limit of sessions.
    Sessions { running: u32, most: u32 },
    /// The user has reached a resource limit.
    Limit(Shortage),
    /// The group, or the whole machine, doesn't have enough available.
    Room { shortage: Shortage, machine: bool },
    /// The request exceeds the machine or the user's limit, because one of them was reduced after
    /// the launch.
    Never(Shortage),
    /// Its resource group doesn't exist any more.
    NoGroup,
}

/// The first slot with too little available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scheduler) struct Shortage {
    slot: ShortSlot,
    need: u64,
    used: u64,
    all: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ShortSlot {
    Cpu,
    Memory,
    Accelerator(String),
}

/// The first slot of `requested` that doesn't fit, with `held` of `all` in use.
pub(super) fn shortage(
    requested: &ResourceSlots,
    held: &ResourceSlots,
    all: &ResourceSlots,
) -> Option<Shortage> {
    let short = |slot, need: u64, used: u64, all: u64| {
        (need > 0 && used.saturating_add(need) > all).then_some(Shortage {
            slot,
            need,
            // Other instances may use what is reserved for the machine itself.
            used: used.min(all),
            all,
        })
    };
    let cpu = || {
        let (need, used) = (requested.cpu.millis(), held.cpu.millis());
        short(ShortSlot::Cpu, need, used, all.cpu.millis())
    };
    let memory = || short(ShortSlot::Memory, requested.mem.0, held.mem.0, all.mem.0);
    let accelerator = || {
        requested.accelerators.iter().find_map(|(slot, need)| {
            let used = held.accelerators.get(slot).copied().unwrap_or(0);
            let all = all.accelerators.get(slot).copied().unwrap_or(0);
            short(ShortSlot::Accelerator(slot.clone()), *need, used, all)
        })
    };
    cpu().or_else(memory).or_else(accelerator)
}

impl Shortage {
    fn amount(&self, amount: u64) -> String {
        match self.slot {
            ShortSlot::Memory => Bytes(amount).to_string(),
            _ => Cpu::from_millis(amount).to_string(),
        }
    }

    /// `2 CPU`, `1 GiB of memory`.
    fn needed(&self) -> String {
        let amount = self.amount(self.need);
        match &self.slot {
            ShortSlot::Cpu => format!("{amount} CPU"),
            ShortSlot::Memory => format!("{amount} of memory"),
            ShortSlot::Accelerator(slot) => format!("{amount} {slot}"),
        }
    }

    /// `3 of 4`.
    fn used(&self) -> String {
        let (used, all) = (self.amount(self.used), self.amount(self.all));
        format!("{used} of {all}")
    }
}

impl WaitReason {
    /// The reason as a sentence for the user.
    pub fn sentence(&self, group: &str) -> String {
        match self {
            Self::NotBefore(at) => {
                let at = at.strftime("%Y-%m-%d %H:%M:%S UTC");
                format!("waits for its start time {at}")
            }
            Self::Sessions { running, most } => {
                format!(
                    "waits for one of your sessions to end: {running} of {most} concurrent \
                     sessions in use"
                )
            }
            Self::Limit(shortage) => format!(
                "waits for {} within your limit: {} in use",
                shortage.needed(),
                shortage.used()
            ),
            Self::Room {
                shortage,
                machine: false,
            } => format!(
                "waits for {} in group {group}: {} in use",
                shortage.needed(),
                shortage.used()
            ),
            Self::Room {
                shortage,
                machine: true,
            } => format!(
                "waits for {} in group {group}: {} of the machine in use",
                shortage.needed(),
                shortage.used()
            ),
            Self::Never(shortage) => format!(
                "needs {}, which is now more than group {group} or your limits allow. Terminate \
                 the session and relaunch it with less",
                shortage.needed()
            ),
            Self::NoGroup => format!(
                "group {group} doesn't exist any more. Terminate the session and relaunch it in another one"
            ),
        }
    }

    /// The code in the history, in the manager's spelling.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotBefore(_) => "session_schedule_not-ready",
            Self::Sessions { .. } => "session_schedule_concurrency-limit",
            Self::Limit(_) => "user_schedule_quota-exceeded",
            Self::Room { .. } => "agent_schedule_unavailable",
            Self::Never(_) => "agent_schedule_never-available",
            Self::NoGroup => "resource-group_schedule_not-found",
        }
    }

    /// Whether it is the same reason, regardless of the figures.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Limit(one), Self::Limit(other))
            | (Self::Never(one), Self::Never(other))
            | (
                Self::Room { shortage: one, .. },
                Self::Room {
                    shortage: other, ..
                },
            ) => one.slot == other.slot,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// The index in [`STEPS`].
    fn step(&self) -> usize {
        match self {
            Self::NotBefore(_) => 0,
            Self::Sessions { .. } => 1,
            Self::Limit(_) => 2,
            Self::NoGroup | Self::Never(_) => 3,
            Self::Room { .. } => 4,
        }
    }
}

/// The manager's names for its checks, in its order. Key pair, project and domain are missing: on
/// this machine only the user has limits.
const STEPS: [&str; 5] = [
    "ReservedBatchSessionValidator",
    "ConcurrencyLimitValidator",
    "UserResourceLimitValidator",
    "GroupResourceLimitValidator",
    "ConcentratedAgentSelector",
];

/// The checks that were made, up to the one that failed.
pub(super) fn steps(
    order: QueueOrder,
    wait_reason: Option<(&WaitReason, &str)>,
    now: Timestamp,
) -> Vec<SubStep> {
    let step = |name: &str, result: Outcome, message: Option<String>| SubStep {
        step: Clean::new(name),
        result,
        error_code: None,
        message: message.map(|text| Clean::new(&text)),
        started_at: Some(now),
        ended_at: Some(now),
    };
    let sequencer = match order {
        QueueOrder::Fifo => "FIFOSequencer",
        QueueOrder::Lifo => "LIFOSequencer",
    };
    let mut steps = vec![step(sequencer, Outcome::Success, None)];
    let passed = wait_reason.map_or(STEPS.len(), |(wait_reason, _)| wait_reason.step());
    steps.extend(
        STEPS[..passed]
            .iter()
            .map(|name| step(name, Outcome::Success, None)),
    );
    if let Some((wait_reason, group)) = wait_reason {
        let why = Some(wait_reason.sentence(group));
        steps.push(SubStep {
            error_code: Some(wait_reason.code().into()),
            ..step(STEPS[wait_reason.step()], Outcome::Failure, why)
        });
    }
    steps
}
