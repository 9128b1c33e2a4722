//! Why a session does not begin now: the sentence, and which validator says it.

use jiff::Timestamp;

use crate::model::{
    history::{Outcome, SubStep},
    policy::QueueOrder,
    resources::{Bytes, Cpu, ResourceSlots},
    text::Clean,
};

/// What holds a session up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) enum Hold {
    /// A batch session has a time to start.
    NotBefore(Timestamp),
    /// The person has as many sessions as are allowed at once.
    Sessions { running: u32, most: u32 },
    /// The person holds as much as is allowed.
    Limit(Shortage),
    /// The group, or all of the machine, has not that much free.
    Room { shortage: Shortage, machine: bool },
    /// More than there is, or than one person may have: what it was launched with was taken away.
    Never(Shortage),
    /// Its resource group is not there any more.
    NoGroup,
}

/// The first slot of which there is too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) struct Shortage {
    slot: Slot,
    need: u64,
    used: u64,
    all: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Slot {
    Cpu,
    Memory,
    Accelerator(String),
}

/// The first slot in which `wants` does not fit beside what is `held` of `all`.
pub(super) fn shortage(
    wants: &ResourceSlots,
    held: &ResourceSlots,
    all: &ResourceSlots,
) -> Option<Shortage> {
    let short = |slot, need: u64, used: u64, all: u64| {
        (need > 0 && used.saturating_add(need) > all).then_some(Shortage {
            slot,
            need,
            // Others may have taken what is to be left to the machine.
            used: used.min(all),
            all,
        })
    };
    let cpu = || {
        let (need, used) = (wants.cpu.millis(), held.cpu.millis());
        short(Slot::Cpu, need, used, all.cpu.millis())
    };
    let memory = || short(Slot::Memory, wants.mem.0, held.mem.0, all.mem.0);
    let accelerator = || {
        wants.accelerators.iter().find_map(|(slot, need)| {
            let used = held.accelerators.get(slot).copied().unwrap_or(0);
            let all = all.accelerators.get(slot).copied().unwrap_or(0);
            short(Slot::Accelerator(slot.clone()), *need, used, all)
        })
    };
    cpu().or_else(memory).or_else(accelerator)
}

impl Shortage {
    fn amount(&self, amount: u64) -> String {
        match self.slot {
            Slot::Memory => Bytes(amount).to_string(),
            _ => Cpu::from_millis(amount).to_string(),
        }
    }

    /// `2 CPU`, `1 GiB of memory`.
    fn needed(&self) -> String {
        let amount = self.amount(self.need);
        match &self.slot {
            Slot::Cpu => format!("{amount} CPU"),
            Slot::Memory => format!("{amount} of memory"),
            Slot::Accelerator(slot) => format!("{amount} {slot}"),
        }
    }

    /// `3 of 4`.
    fn used(&self) -> String {
        let (used, all) = (self.amount(self.used), self.amount(self.all));
        format!("{used} of {all}")
    }
}

impl Hold {
    /// One sentence for a person.
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

    /// Its word in the history, as managers write them.
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

    /// Whether it is the same reason, whatever the figures.
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

    /// Its place among [`STEPS`].
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

/// The manager's own names for what is looked at, in its order. One person's queue on one machine has
/// no key pair, project or domain to be limited beside its user.
const STEPS: [&str; 5] = [
    "ReservedBatchSessionValidator",
    "ConcurrencyLimitValidator",
    "UserResourceLimitValidator",
    "GroupResourceLimitValidator",
    "ConcentratedAgentSelector",
];

/// What was looked at, up to what held it up.
pub(super) fn steps(
    order: QueueOrder,
    hold: Option<(&Hold, &str)>,
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
    let passed = hold.map_or(STEPS.len(), |(hold, _)| hold.step());
    steps.extend(
        STEPS[..passed]
            .iter()
            .map(|name| step(name, Outcome::Success, None)),
    );
    if let Some((hold, group)) = hold {
        let why = Some(hold.sentence(group));
        steps.push(SubStep {
            error_code: Some(hold.code().into()),
            ..step(STEPS[hold.step()], Outcome::Failure, why)
        });
    }
    steps
}
